"""Edits: laws that hold for any operations, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.errors import EditError
from lacuna.text.document import Mention
from lacuna.web.edits import (
    Review,
    TextDiffersError,
    apply,
    changed_since,
    check_of,
    conflicting,
    given_mentions,
    in_words,
    is_decided,
    replay,
    reviewed_mentions,
    suggestion_uid,
)
from lacuna.web.operations import (
    DOCUMENT,
    Accept,
    Add,
    Asked,
    Change,
    Entry,
    Operation,
    Reject,
    Remove,
    SetState,
    State,
    Status,
    decoded,
    encoded,
    operations_from,
    targets,
)
from tests.web.strategies import TEXT, edits, note

START = Review(given_mentions(note()))


@given(st.lists(edits, max_size=8))
def test_the_inverse_leads_back_and_the_log_leads_forward(steps: list[list[Asked]]) -> None:
    now, log = START, []
    for operations in steps:
        try:
            applied = apply(now, operations, TEXT)
        except EditError:
            continue
        assert replay(applied.review, applied.inverse) == now
        assert not changed_since(applied.review, operations, applied.inverse)
        log.append((operations, applied.inverse))
        now = applied.review
    forward = START
    for done, _ in log:
        forward = replay(forward, decoded(encoded(done)))
    assert forward == now
    back = now
    for _, inverse in reversed(log):
        back = replay(back, decoded(encoded(inverse)))
    assert back == START


@given(edits)
def test_only_targets_change(operations: list[Asked]) -> None:
    try:
        after = apply(START, operations, TEXT).review
    except EditError:
        return
    all_uids = {*START.mentions, *after.mentions, DOCUMENT}
    assert {uid for uid in all_uids if START[uid] != after[uid]} <= targets(operations)


def test_a_decision_about_another_mention_is_refused() -> None:
    one, other = Accept("a", "PER", ((0, 1),)), Accept("a", "PER", ((0, 1), (2, 3)))
    now = apply(START, [one], TEXT).review
    assert conflicting(now, [other], TEXT, targets([one])) == {"a"}
    with pytest.raises(EditError, match="another label or other spans"):
        apply(now, [other], TEXT)
    assert apply(now, [one], TEXT).review == now


@given(edits, edits)
def test_edits_without_conflict_commute(first: list[Asked], second: list[Asked]) -> None:
    """Two clients that begin at the same version come to the same review, whoever is faster."""

    def one_after_the_other(a: list[Asked], b: list[Asked]) -> Review | None:
        try:
            now = apply(START, a, TEXT).review
            if conflicting(now, b, TEXT, targets(a)):
                return None
            return apply(now, b, TEXT).review
        except EditError:
            return None

    here, there = one_after_the_other(first, second), one_after_the_other(second, first)
    if here is not None and there is not None:
        assert here == there


@given(edits, edits)
def test_an_undo_is_possible_unless_the_same_was_changed(
    first: list[Asked], second: list[Asked]
) -> None:
    try:
        applied = apply(START, first, TEXT)
        now = apply(applied.review, second, TEXT).review
    except EditError:
        return
    changed = changed_since(now, first, applied.inverse)
    assert changed == {one for one in targets(first) if now[one] != applied.review[one]}
    if not changed:
        undone = replay(now, applied.inverse)
        assert all(undone[one] == START[one] for one in targets(first))


def entry(label: str, *spans: tuple[int, int], status: Status = Status.ADDED) -> Entry:
    return Entry(label, spans, status)


def after(*operations: Asked) -> Review:
    return apply(START, operations, TEXT).review


def test_what_each_operation_does() -> None:
    assert after(Add("n", "LOC", ((36, 40),)))["n"] == entry("LOC", (36, 40))
    assert after(Remove("g1"))["g1"] is None
    assert after(Change("g1", label="DOCTOR"))["g1"] == entry(
        "DOCTOR", (12, 20), status=Status.ACCEPTED
    )
    assert after(Add("n", "LOC", ((0, 4),)), Change("n", spans=((0, 4), (8, 10))))["n"] == entry(
        "LOC", (0, 4), (8, 10)
    )
    rejected = after(Reject("g1"))["g1"]
    assert rejected == Entry("PER", ((12, 20),), Status.REJECTED, 0.75)
    suggested = after(Reject("s1", "LOC", ((36, 40),), probability=0.4, model=7))["s1"]
    assert suggested == Entry("LOC", ((36, 40),), Status.REJECTED, 0.4, 7)
    assert after(Accept("s1", "LOC", ((36, 40),)))["s1"] == entry(
        "LOC", (36, 40), status=Status.ACCEPTED
    )
    state = after(SetState(State.DONE), SetState(flag=True, comment="see page 2")).state
    assert (state.state, state.flag, state.comment) == (State.DONE, True, "see page 2")


REFUSED: list[tuple[list[dict[str, Any]], str]] = [
    ([], "at least one operation"),
    ([{"op": "add", "uid": "g1", "label": "X", "spans": [[0, 1]]}], "with this uid already"),
    ([{"op": "add", "uid": "ä", "label": "X", "spans": [[0, 1]]}], "a uid has"),
    ([{"op": "add", "uid": "", "label": "X", "spans": [[0, 1]]}], "a uid has"),
    ([{"op": "add", "uid": "n", "label": " X", "spans": [[0, 1]]}], "a label has"),
    ([{"op": "add", "uid": "n", "label": "", "spans": [[0, 1]]}], "a label has"),
    ([{"op": "add", "uid": "n", "label": "a\nb", "spans": [[0, 1]]}], "a label has"),
    ([{"op": "add", "uid": "n", "label": "X" * 101, "spans": [[0, 1]]}], "a label has"),
    ([{"op": "add", "uid": "n", "label": "X", "spans": []}], "at least one span"),
    ([{"op": "add", "uid": "n", "label": "X", "spans": [[3, 3]]}], "0 <= start < end"),
    ([{"op": "add", "uid": "n", "label": "X", "spans": [[-1, 3]]}], "0 <= start < end"),
    ([{"op": "add", "uid": "n", "label": "X", "spans": [[4, 6], [0, 2]]}], "in order and apart"),
    ([{"op": "add", "uid": "n", "label": "X", "spans": [[0, 4], [3, 6]]}], "in order and apart"),
    ([{"op": "add", "uid": "n", "label": "X", "spans": [[0, 999]]}], "ends at 999, the text at"),
    ([{"op": "add", "uid": "n", "label": "PER", "spans": [[12, 20]]}], "such a mention already"),
    ([{"op": "change", "uid": "no", "label": "X"}], "no mention with this uid"),
    ([{"op": "change", "uid": "g1"}], "needs a label or spans"),
    ([{"op": "change", "uid": "g1", "label": "X", "check": "0"}], "a check needs spans"),
    ([{"op": "reject", "uid": "g1"}, {"op": "change", "uid": "g1", "label": "X"}], "2: the ment"),
    ([{"op": "remove", "uid": "no"}], "no mention with this uid"),
    ([{"op": "accept", "uid": "no", "label": "X"}], "needs label and spans"),
    ([{"op": "state", "comment": "x" * 10_001}], "at most 10,000"),
    ([{"op": "state", "comment": "\ud83d"}], "surrogate"),
    ([{"op": "fly", "uid": "Ana Sató"}], "Invalid value at `\\$\\[0\\].op`"),
    ([{"op": "restore", "uid": "g1"}], "Invalid value"),
    ([{"op": "state", "state": "Ana Sató"}], "Invalid value"),
    ([{"op": "add", "uid": "n", "label": "X", "spans": [["Ana", 3]]}], "Expected `int`, got `str`"),
    ([{"op": "add", "uid": "n", "label": "X", "spans": [[0, 1]], "status": 1}], "Unknown field"),
    ([{"op": "state", "Ana Sató": 1}], "Unknown field"),
    ([{"op": "reject", "uid": "g1", "model": 1 << 63}], "no such model"),
]


@pytest.mark.parametrize(("values", "reason"), REFUSED, ids=lambda value: str(value)[:40])
def test_refused(values: list[dict[str, Any]], reason: str) -> None:
    with pytest.raises(EditError, match=reason) as refused:
        apply(START, operations_from(values), TEXT)
    assert "Ana" not in str(refused.value)


def test_given_twice_can_be_accepted_one_by_one() -> None:
    twice = Review({uid: entry("PER", (0, 4), status=Status.GIVEN) for uid in ("g1", "g2")})
    review = apply(twice, [Accept("g1"), Accept("g2")], TEXT).review
    assert {one.status for one in review.mentions.values()} == {Status.ACCEPTED}


def test_a_check_of_the_covered_text() -> None:
    assert check_of("", ()) == "cbf29ce484222325"  # published values of FNV-1a
    assert check_of("xay", ((1, 2),)) == "af63dc4c8601ec8c"
    assert check_of("foobar", ((0, 6),)) == "85944171f73967e8"
    assert check_of("ab", ((0, 1), (1, 2))) != check_of("ab", ((0, 2),))
    spans = ((12, 15), (21, 22))
    after(Add("n", "PER", spans, check=check_of(TEXT, spans)))
    with pytest.raises(TextDiffersError, match=r"^operation 1: the text at these offsets"):
        after(Add("n", "PER", ((12, 15), (22, 23)), check=check_of(TEXT, spans)))


def test_asking_for_what_is_so_is_no_conflict() -> None:
    now = after(Accept("g1"), SetState(State.OPEN))
    seen = {"g1", DOCUMENT}
    assert not conflicting(now, [Accept("g1"), SetState(State.OPEN)], TEXT, seen)
    assert conflicting(now, [Reject("g1")], TEXT, seen) == {"g1"}
    assert conflicting(now, [SetState(State.DONE)], TEXT, seen) == {DOCUMENT}
    assert not conflicting(now, [Reject("g2")], TEXT, seen)
    assert conflicting(after(Remove("g1")), [Accept("g1")], TEXT, {"g1"}) == {"g1"}


def test_decided_suggestions_are_not_made_again() -> None:
    spans = ((36, 40),)
    uid = suggestion_uid("LOC", spans)
    assert not is_decided(START, "LOC", spans)
    assert is_decided(START, "DATE", ((26, 31),))
    assert is_decided(after(Reject(uid, "LOC", spans)), "LOC", spans)
    assert is_decided(after(Accept(uid, "LOC", spans), Change(uid, label="X")), "LOC", spans)
    assert not is_decided(after(Reject(uid, "LOC", spans)), "LOC", ((36, 39),))


def test_rejected_mentions_do_not_count_and_decisions_have_no_probability() -> None:
    assert reviewed_mentions(START) == note().mentions
    review = after(Accept("g1"), Reject("g2"))
    assert reviewed_mentions(review) == (Mention.of("PER", (12, 20)),)


@pytest.mark.parametrize(
    ("some", "words"),
    [
        ({"a"}, "1 mention"),
        ({"a", "b", ""}, "2 mentions and the state of the document"),
        ({""}, "the state of the document"),
    ],
)
def test_targets_in_words(some: set[str], words: str) -> None:
    assert in_words(some) == words


def test_two_thousand_at_once() -> None:
    """Accepting all suggestions of a large document is one edit."""
    text = "x" * 10_000
    operations: list[Operation] = [
        Accept(f"s{i}", "PER", ((5 * i, 5 * i + 4),)) for i in range(2000)
    ]
    assert len(apply(Review(), operations, text).review.mentions) == 2000  # type: ignore[arg-type]
