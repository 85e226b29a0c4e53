"""Placeholders that are in a text already: nothing of ours gets their tag."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.actions import Mask, Tag
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.kinds import IdentifierKind
from lacuna.deid.placeholders import PLACEHOLDER, tag_names, with_placeholders
from lacuna.deid.policy import Policy, load_policy
from lacuna.deid.redact import Redacted, Redactor
from lacuna.deid.rewriting import rewrite
from lacuna.deid.scope import Consistency
from lacuna.text.document import Document
from tests.deid.test_redact import note

KEY = Key(bytes(32))
SAFE_HARBOR, RESEARCH, MASK = (load_policy(name) for name in ("safe-harbor", "research", "mask"))
BY_LABEL = Policy("p", Tag(by="label"))
TAG = re.compile(r"\[[^\[\]]+-[0-9]+\]")


def redacted(*parts: str | tuple[str, str], policy: Policy = SAFE_HARBOR) -> Redacted:
    return Redactor(policy, KEY).redact(*note(*parts))


def test_a_placeholder_and_a_person_never_share_a_tag() -> None:
    safe = redacted("Seen [NAME-1] by Dr. ", ("John Smith", "DOCTOR"), ". [NAME-2], [NAME-1]")
    assert safe.document.text == "Seen [NAME-1] by Dr. [NAME-2]. [NAME-3], [NAME-1]"
    assert (safe.placeholders, dict(safe.counts)) == (3, {"DOCTOR": 1})


def test_originals_can_be_restored() -> None:
    document, findings = note(("Ann Lee", "PATIENT"), " and [NAME-1], [NAME-7]")
    safe = Redactor(SAFE_HARBOR, KEY).redact(document, findings)
    assert safe.document.text == "[NAME-1] and [NAME-2], [NAME-3]"
    back = [
        (*safe.offsets.to_new(span.start, span.end), document.text[span.start : span.end])
        for span in safe.plan
    ]
    assert rewrite(safe.document.text, back) == document.text


@pytest.mark.parametrize(
    "text", ["[NAME]", "[COVID-19]", "[NAME-0]", "[NAME-01]", "[NAME 1]", "NAME-1", "[**NAME-1**]"]
)
def test_other_text_in_brackets_stays(text: str) -> None:
    safe = redacted(text)
    assert (safe.document.text, safe.placeholders) == (text, 0)


def test_policies_without_numbered_tags_leave_placeholders_alone() -> None:
    unnumbered = Policy("p", Tag(numbered=False))
    for policy in (MASK, unnumbered):
        assert tag_names(policy) == frozenset()
        assert redacted("[NAME-1]", policy=policy).document.text == "[NAME-1]"


def test_the_names_of_a_policy() -> None:
    assert {"NAME", "DATE", "ID", "CONTACT"} <= tag_names(SAFE_HARBOR)
    assert {"PATIENT", "PHONE"} <= tag_names(BY_LABEL)
    own = Policy("p", Mask(), labels={"WARD": Tag()}, categories={"WARD": "PLACE"})
    assert tag_names(own) == {"PLACE"}
    date = Policy("p", Mask(), actions={IdentifierKind.DATE: Tag(by="label")})
    assert "DATE" in tag_names(date)
    assert "PATIENT" not in tag_names(date)


def test_a_label_the_policy_does_not_know_gets_no_number_that_is_there() -> None:
    redactor = Redactor(SAFE_HARBOR, KEY)
    first, second, third = (
        redactor.redact(*note(*parts, name=name, group="p")).document.text
        for name, parts in (
            ("1", ("[TIER-1] [TIER-2]",)),
            ("2", (("Rex", "TIER"),)),
            ("3", ("[TIER-3] ", ("Rex", "TIER"))),
        )
    )
    assert (first, second, third) == ("[TIER-1] [TIER-2]", "[TIER-3]", "[TIER-4] [TIER-3]")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((("[NAME-7]", "PATIENT"),), "[NAME-1]"),
        (("[", ("NAME-7", "IDNUM"), "]"), "[NAME-1]"),
        (("[ID-", ("4471203", "IDNUM"), "]"), "[ID-1]"),
        ((("Dr. [NAME-7] Smith", "DOCTOR"),), "[NAME-1] [NAME-2] [NAME-3]"),
        ((("([NAME-7].", "DOCTOR"),), "([NAME-1]."),
        ((("Al [NAME-7", "DOCTOR"), ("] Bo", "PATIENT")), "[NAME-1] [NAME-2] [NAME-3]"),
        ((("[NAME-7][NAME-8]", "DOCTOR"),), "[NAME-1][NAME-2]"),
    ],
)
def test_a_placeholder_is_replaced_whole_whatever_was_found_in_it(
    parts: tuple[str | tuple[str, str], ...], expected: str
) -> None:
    assert redacted(*parts).document.text == expected


@given(st.data())
def test_plans_are_cut_around_placeholders(data: st.DataObject) -> None:
    borders = data.draw(st.lists(st.integers(0, 30), unique=True, max_size=12).map(sorted))
    text = "ab cd efgh ij. klmno [N-1] xyz"
    kinds = st.sampled_from(["NAME", PLACEHOLDER, None])
    spans = [
        Finding(start, end, label, Origin.MODEL)
        for start, end in pairwise(borders)
        if (label := data.draw(kinds))
    ]
    placeholders = [f for f in spans if f.label == PLACEHOLDER]
    shift = data.draw(st.integers(-3, 3))
    plan = [
        Finding(max(f.start + shift, 0), min(f.end + shift, 30), f.label, f.origin)
        for f in spans
        if f.label == "NAME" and f.start + shift < 30 and f.end + shift > 0
    ]
    new = with_placeholders(text, plan, placeholders)
    assert all(a.end <= b.start for a, b in pairwise(new))
    assert [f for f in new if f.label == PLACEHOLDER] == placeholders
    covered = {i for f in new for i in range(f.start, f.end)}
    for span in plan:
        assert {i for i in range(span.start, span.end) if text[i].isalnum()} <= covered


PIECES = st.sampled_from(
    [
        *(("John Smith", "PATIENT"), ("Ann Lee", "DOCTOR"), ("555-0134", "PHONE"), ("Rex", "TIER")),
        *(
            "[NAME-1]",
            "[NAME-2]",
            "[CONTACT-1]",
            "[TIER-1]",
            "[COVID-19]",
            "[PHONE-1]",
            "[NAME-12]",
        ),
        *("and", "Mr.", "["),
    ]
).flatmap(lambda piece: st.sampled_from([[piece, " "], [piece, ","]]))


@given(
    st.lists(st.lists(PIECES, max_size=10).map(chain.from_iterable), min_size=1, max_size=3),
    st.sampled_from([SAFE_HARBOR, RESEARCH, BY_LABEL]),
    st.sampled_from(list(Consistency)),
)
def test_no_two_things_share_a_tag(
    notes: list[Iterable[str | tuple[str, str]]], policy: Policy, consistency: Consistency
) -> None:
    redactor = Redactor(policy, KEY, consistency=consistency)
    meant: dict[str, set[object]] = {}  # tag → what it stands for
    for number, parts in enumerate(notes):
        document, findings = note(*parts, name=str(number), group="p")
        safe = redactor.redact(document, findings)
        if consistency is not Consistency.PATIENT:
            meant = {}
        for place, (span, new) in enumerate(zip(safe.plan, safe.instead, strict=True)):
            surface = document.text[span.start : span.end]
            linked = consistency is not Consistency.NONE
            thing = (span.label, surface) if linked else (number, place)
            if TAG.fullmatch(new):
                meant.setdefault(new, set()).add(thing)
        planned = {i for span in safe.plan for i in range(span.start, span.end)}
        for match in TAG.finditer(document.text):
            if planned.isdisjoint(range(*match.span())):
                meant.setdefault(match[0], set()).add((PLACEHOLDER, match[0]))
    for things in meant.values():
        assert len(things) == 1


def test_documents_of_a_patient_agree_about_placeholders() -> None:
    redactor = Redactor(SAFE_HARBOR, KEY)
    texts = ["[NAME-5]", "[NAME-1]", "[NAME-5]"]
    new = [redactor.redact(Document(str(i), t, group="p"), []) for i, t in enumerate(texts)]
    assert [safe.document.text for safe in new] == ["[NAME-1]", "[NAME-2]", "[NAME-1]"]
