"""The store: versions, retries, conflicts, undo and redo, batches, pages."""

from __future__ import annotations

import sqlite3
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lacuna.errors import EditError
from lacuna.web import edit_log
from lacuna.web.document_pages import Filter, Order
from lacuna.web.edit_steps import Conflict, Edited
from lacuna.web.edits import Review, given_mentions, replay
from lacuna.web.importing import import_documents
from lacuna.web.operations import (
    Accept,
    Add,
    Asked,
    Change,
    Reject,
    Remove,
    SetState,
    State,
    Status,
)
from lacuna.web.project import Project
from lacuna.web.store import Store
from tests.web.conftest import new_project
from tests.web.strategies import edits, note

BERN = Add("n", "LOC", ((36, 40),))


def edit(
    store: Store,
    *operations: Asked,
    request: str,
    base: int = 0,
    document: int = 1,
    who: str = "ana",
) -> Edited:
    answer = store.apply_edit(document, operations, request=request, base=base, who=who)
    assert isinstance(answer, Edited)
    return answer


def undo(store: Store, request: str, document: int = 1, who: str = "ana") -> tuple[Edited, ...]:
    answers = store.undo(document, request=request, who=who)
    assert not isinstance(answers, Conflict)
    return answers


def redo(store: Store, request: str, document: int = 1, who: str = "ana") -> tuple[Edited, ...]:
    answers = store.redo(document, request=request, who=who)
    assert not isinstance(answers, Conflict)
    return answers


def review(store: Store, document: int = 1) -> Review:
    found = store.document(document)
    assert found is not None
    return found.review


def from_log(store: Store, document: int) -> Review:
    """Return the review that the log gives, from the imported mentions on."""
    now = Review(given_mentions(note()))
    for number, logged in enumerate(store.history(document, limit=1000), start=1):
        assert logged.version == number
        now = replay(now, logged.operations)
    return now


def test_an_edit_is_stored_and_answered(project: Project) -> None:
    answer = edit(project.store, BERN, SetState(State.OPEN), request="r1")
    assert (answer.edit.version, answer.edit.who, answer.unseen) == (1, "ana", ())
    found = project.store.document(1)
    assert found is not None
    assert (found.row.version, found.row.state, found.row.mentions) == (1, State.OPEN, 3)
    assert [m.surface(found.source.text) for m in found.document.mentions] == [
        "Ana Sató",
        "03/14",
        "Bern",
    ]
    assert found.document.group == "p1"


def test_a_retry_gives_the_same_answer_and_does_nothing(project: Project) -> None:
    store = project.store
    edit(store, Accept("g1"), request="r0", who="bo")
    first = edit(store, BERN, request="r1")
    edit(store, Remove("n"), request="r2", base=2)
    assert edit(store, BERN, request="r1") == first
    assert [one.request for one in first.unseen] == ["r0"]
    assert project.store.counts().edits == 3
    with pytest.raises(EditError, match="request was used"):
        edit(store, Accept("g2"), request="r1", base=3)
    with pytest.raises(EditError, match="request was used"):
        edit(store, BERN, request="r1", document=2)
    with pytest.raises(EditError, match="request was used"):
        undo(store, "r1")
    undone = undo(store, "u1")
    assert undo(store, "u1") == undone
    assert store.counts().edits == 4


def test_only_what_was_touched_conflicts(project: Project) -> None:
    store = project.store
    edit(store, Change("g1", label="DOCTOR"), request="a")
    other = edit(store, Reject("g2"), request="b", who="bo")
    assert other.edit.version == 2
    assert [one.request for one in other.unseen] == ["a"]
    conflict = store.apply_edit(1, [Remove("g1"), BERN], request="c", base=0, who="bo")
    assert isinstance(conflict, Conflict)
    assert (sorted(conflict.targets), conflict.version) == (["g1"], 2)
    assert conflict.reason == "changed in the meantime: 1 mention"
    assert conflict.review == review(store)
    assert conflict.review["n"] is None  # all or nothing
    again = edit(store, Remove("g1"), BERN, request="c", base=2, who="bo")
    assert again.edit.version == 3


@pytest.mark.parametrize(
    ("document", "base", "request_", "who", "reason"),
    [
        (99, 0, "r", "ana", "no such document"),
        (1, 1, "r", "ana", "no version 1; its version is 0"),
        (1, -1, "r", "ana", "no version -1"),
        (1, 0, "", "ana", "a request id has"),
        (1, 0, "r", " ", "a person's name"),
        (1, 0, "r", "a\nb", "a person's name"),
    ],
)
def test_refused(
    project: Project, document: int, base: int, request_: str, who: str, reason: str
) -> None:
    with pytest.raises(EditError, match=reason):
        edit(project.store, BERN, request=request_, base=base, document=document, who=who)
    assert project.store.counts().edits == 0


def test_undo_and_redo_in_order(project: Project) -> None:
    store = project.store
    states = [review(store)]
    operations: list[Asked] = [BERN, Change("n", label="X"), Remove("n"), Reject("g1")]
    for number, operation in enumerate(operations):
        edit(store, operation, request=f"r{number}", base=number)
        states.append(review(store))
    for number in (3, 2, 1, 0):
        undo(store, f"u{number}")
        assert review(store) == states[number]
    with pytest.raises(EditError, match="nothing to undo"):
        undo(store, "u-")
    for number in (1, 2, 3):
        redo(store, f"d{number}")
        assert review(store) == states[number]
    undo(store, "u5")
    assert review(store) == states[2]
    edit(store, Accept("g2"), request="new", base=store.history(1)[-1].version)
    with pytest.raises(EditError, match="nothing to redo"):
        redo(store, "d-")
    undo(store, "u6")
    undo(store, "u7")
    assert review(store) == states[1]
    assert from_log(store, 1) == states[1]


def test_undo_is_ones_own_and_refused_if_somebody_changed_the_same(project: Project) -> None:
    store = project.store
    edit(store, BERN, request="a")
    edit(store, Reject("g1"), request="b", base=1, who="bo")
    undo(store, "u1")
    assert review(store)["n"] is None
    assert review(store).mentions["g1"].status is Status.REJECTED
    redo(store, "d1")
    edit(store, Change("n", label="CITY"), request="c", base=4, who="bo")
    conflict = store.undo(1, request="u2", who="ana")
    assert isinstance(conflict, Conflict)
    assert conflict.targets == {"n"}
    undo(store, "u3", who="bo")
    undo(store, "u2")  # it is as it was
    assert review(store)["n"] is None


def test_edits_that_change_nothing_are_passed_over(project: Project) -> None:
    store = project.store
    edit(store, Accept("g1"), request="a")
    edit(store, Accept("g1"), request="b", base=1)
    undo(store, "u")
    assert review(store).mentions["g1"].status is Status.GIVEN


def test_a_batch_is_one_step(project: Project) -> None:
    store = project.store
    before = [review(store, key) for key in (1, 2, 3)]
    batch = {key: (0, [BERN]) for key in (1, 2)}
    answers = store.apply_batch(batch, request="everywhere", who="ana")
    assert not isinstance(answers, Conflict)
    assert [one.edit.document for one in answers] == [1, 2]
    assert store.apply_batch(batch, request="everywhere", who="ana") == answers
    edit(store, Reject("g1"), request="r", base=1, document=2)
    undone = undo(store, "u", document=1)
    assert [one.edit.document for one in undone] == [1, 2]
    assert undo(store, "u", document=1) == undone
    assert review(store, 1) == before[0]
    assert review(store, 2)["n"] is None
    assert review(store, 2).mentions["g1"].status is Status.REJECTED
    redone = redo(store, "d", document=2)
    assert [one.edit.document for one in redone] == [2, 1]
    assert review(store, 1)["n"] == review(store, 2)["n"] is not None
    undo(store, "u2", document=2)
    assert review(store, 1) == before[0]
    for key in (1, 2, 3):
        assert from_log(store, key) == review(store, key)


def test_a_batch_is_redone_although_one_of_its_documents_was_edited_since(
    project: Project,
) -> None:
    store = project.store
    store.apply_batch({key: (0, [BERN]) for key in (1, 2)}, request="e", who="ana")
    undo(store, "u1", document=1)
    edit(store, Reject("g1"), request="r", base=2, document=2)
    with pytest.raises(EditError, match="nothing to redo"):
        redo(store, "d", document=2)
    redo(store, "d1", document=1)
    assert review(store, 2)["n"] is not None
    assert len(undo(store, "u2", document=2)) == 2  # the last step in document 2
    assert review(store, 1)["n"] is review(store, 2)["n"] is None
    undo(store, "u3", document=2)
    assert review(store, 2).mentions["g1"].status is Status.GIVEN


def test_a_batch_conflicts_or_fails_as_a_whole(project: Project) -> None:
    store = project.store
    edit(store, Add("n", "X", ((0, 4),)), request="a", document=2, who="bo")
    conflict = store.apply_batch({1: (0, [BERN]), 2: (0, [BERN])}, request="e", who="ana")
    assert isinstance(conflict, Conflict)
    assert conflict.document == 2
    assert review(store)["n"] is None
    with pytest.raises(EditError, match="no mention with this uid"):
        store.apply_batch({1: (0, [BERN]), 3: (0, [Remove("no")])}, request="e", who="ana")
    assert store.counts().edits == 1
    with pytest.raises(EditError, match="at least one document"):
        store.apply_batch({}, request="e", who="ana")


def test_done_says_by_whom(project: Project) -> None:
    store = project.store
    edit(store, SetState(State.DONE), request="a")
    row = store.row(1)
    assert row is not None
    assert (row.decided_by, row.decided_at is not None) == ("ana", True)
    edit(store, Accept("g1"), request="b", base=1, who="bo")
    assert store.row(1).decided_by == "ana"  # type: ignore[union-attr]
    edit(store, SetState(State.OPEN), request="c", base=2, who="bo")
    assert store.row(1).decided_by is None  # type: ignore[union-attr]


def test_the_log_cannot_be_changed(project: Project) -> None:
    edit(project.store, BERN, request="a")
    for statement in ("UPDATE edit SET who = 'x'", "DELETE FROM edit"):
        with (
            pytest.raises(sqlite3.IntegrityError, match="append-only"),
            project.store.database.writing() as connection,
        ):
            connection.execute(statement)
    assert [one.who for one in project.store.history()] == ["ana"]


def test_history_in_pages_and_by_person(project: Project) -> None:
    store = project.store
    for number in range(5):
        edit(store, SetState(flag=True), request=f"r{number}", base=number, who="ab"[number % 2])
    edit(store, BERN, request="other", document=2, who="a")
    first = store.history(1, limit=3)
    rest = store.history(1, after=first[-1].key, limit=3)
    last = store.history(1, newest=True, limit=3)
    assert [*last, *store.history(1, newest=True, after=last[-1].key)] == [*first, *rest][::-1]
    assert [one.request for one in (*first, *rest)] == [f"r{number}" for number in range(5)]
    assert [one.request for one in store.history(who="a")] == ["r0", "r2", "r4", "other"]


def test_pages_and_filters(project: Project) -> None:
    store = project.store
    import_documents(store, [note(f"x{number:03}") for number in range(240)])
    keys: list[int] = []
    while page := store.documents(after=keys[-1] if keys else None):
        assert len(page) <= 100
        keys += [row.key for row in page]
    assert keys == list(range(1, 244))
    store.set_needs({5: 2.5, 100: 0.5, 243: 2.5})
    by_need: list[int] = []
    while page := store.documents(
        order=Order.NEED, after=by_need[-1] if by_need else None, limit=2
    ):
        by_need += [row.key for row in page]
    known = [5, 243, 100]
    assert by_need == known + [key for key in keys if key not in known]
    edit(store, SetState(State.DONE, flag=True), request="a", document=5)
    edit(store, Add("n", "CITY_%", ((36, 40),)), request="b", document=7)

    def found(**wanted: object) -> list[int]:
        return [row.key for row in store.documents(Filter(**wanted))]  # type: ignore[arg-type]

    assert found(states=frozenset({State.DONE})) == found(flag=True) == [5]
    assert found(label="CITY_%") == [7]
    assert found(group="p1") == [1, 2]
    assert found(words="X00") == list(range(4, 14))
    assert found(words="bern.", group="p2") == [3]
    assert found(words="%") == found(words="_") == []
    store.database._writer.execute("UPDATE document SET fold = key % 10 WHERE key < 20")
    assert found(held_out=True) == [5, 10, 15]  # folds 0 and 5
    assert found(held_out=False, words="X00") == [4, 6, 7, 8, 9, 11, 12, 13]


def test_next_documents(project: Project) -> None:
    store = project.store
    store.set_needs({1: 0.1, 2: 0.9})
    order = [row.key for row in store.documents(order=Order.NEED)]
    assert order == [2, 1, 3]
    assert [store.next_document(key).key for key in (None, *order)] == [2, 1, 3, 2]  # type: ignore[union-attr]
    edit(store, SetState(State.LATER), request="a", document=1)
    assert store.next_document(2).key == 3  # type: ignore[union-attr]
    for key in (2, 3):
        edit(store, SetState(State.DONE), request=f"d{key}", document=key)
    assert store.next_document() is None


def test_counts(project: Project) -> None:
    edit(project.store, Reject("g1"), BERN, SetState(State.DONE, flag=True), request="a")
    counts = project.store.counts()
    assert (counts.documents, counts.flagged, counts.groups, counts.edits) == (3, 1, 2, 1)
    assert counts.states == {State.NEW: 2, State.OPEN: 0, State.DONE: 1, State.LATER: 0}
    assert counts.labels == {"DATE": 3, "PER": 2, "LOC": 1}
    assert counts.mentions == 6


class Client:
    """A tab: it knows a review and its version, and learns what others did from answers."""

    def __init__(self, store: Store, who: str) -> None:
        self.store, self.who = store, who
        self.review, self.version = review(store), 0

    def edit(self, operations: list[Asked], request: str) -> None:
        try:
            answer = self.store.apply_edit(
                1, operations, request=request, base=self.version, who=self.who
            )
        except EditError:
            return
        if isinstance(answer, Conflict):
            self.review, self.version = answer.review, answer.version
            return
        for seen in (*answer.unseen, answer.edit):
            self.review = replay(self.review, seen.operations)
        self.version = answer.edit.version

    def catch_up(self) -> Review:
        for seen in self.store.history(1, limit=1000)[self.version :]:
            self.review = replay(self.review, seen.operations)
        return self.review


steps = st.lists(
    st.tuples(st.sampled_from(["ana", "bo"]), edits | st.sampled_from(["undo", "redo"])),
    max_size=12,
)


@given(steps)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_clients_converge_to_what_the_log_says(drawn: list[tuple[str, list[Asked] | str]]) -> None:
    with tempfile.TemporaryDirectory() as folder, new_project(Path(folder) / "p") as project:
        store = project.store
        store.database._writer.execute("PRAGMA synchronous = OFF")
        import_documents(store, [note()])
        clients = {who: Client(store, who) for who in ("ana", "bo")}
        for number, (who, what) in enumerate(drawn):
            if isinstance(what, list):
                clients[who].edit(what, f"r{number}")
                continue
            with suppress(EditError):  # nothing to undo
                (store.undo if what == "undo" else store.redo)(1, request=f"r{number}", who=who)
        stored = review(store)
        assert from_log(store, 1) == stored
        assert all(client.catch_up() == stored for client in clients.values())
        found = store.document(1)
        assert found is not None
        assert found.row.mentions == len(found.document.mentions)


def test_threads_write_one_after_the_other(project: Project) -> None:
    """Every edit is there once, and versions have no gaps."""
    answers: list[bool] = []

    def work(who: str) -> None:
        for number in range(5):
            operation = Add(f"{who}{number}", who, ((number, number + 1),))
            once, again = (
                project.store.apply_edit(1, [operation], request=f"{who}-{number}", base=0, who=who)
                for _ in range(2)
            )
            answers.append(once == again)

    threads = [threading.Thread(target=work, args=(who,)) for who in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [True] * 20
    assert [one.version for one in project.store.history(1)] == list(range(1, 21))
    assert len(review(project.store).mentions) == 22
    assert len(edit_log.of_request(project.store.database.reader, "a-0")) == 1
