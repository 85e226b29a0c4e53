"""The order of documents: by need, every fifth at random, the same whenever asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.keys import Key
from lacuna.text.document import Document
from lacuna.web.importing import import_documents
from lacuna.web.operations import SetState, State
from lacuna.web.project import Project
from lacuna.web.queue import (
    BATCH,
    EVERY,
    Candidate,
    Place,
    Reason,
    next_in_queue,
    next_place,
    queue,
    queue_order,
)
from tests.web.conftest import new_project

words = st.dictionaries(st.sampled_from("abcd"), st.floats(0.1, 1), max_size=3)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    count = draw(st.integers(0, 30))
    numbers = draw(st.lists(st.integers(0, 5), min_size=10, max_size=10))  # equal ones, too
    drawn = draw(st.sets(st.integers(0, 9)))
    found = []
    for key in range(1, count + 1):
        own = draw(words)
        extra = draw(st.none() | st.floats(0, 2))
        need = None if extra is None else sum(own.values()) + extra
        held_out, patient = draw(st.booleans()), draw(st.integers(0, 9))
        of_patient = ("group", str(patient)), numbers[patient], patient in drawn
        one = Candidate(key, need, held_out, *of_patient, own, draw(st.booleans()))
        found.append(one)
    return found


def by_brute_force(every: list[Candidate], turn: int, batch: list[set[str]]) -> list[Place]:
    """Choose one document after another by the rules."""
    left, order, groups = list(every), [], [set(one) for one in batch]
    while left:
        if len(groups) == BATCH:
            groups = []
        ordinary = [one for one in left if not one.held_out]
        held_out = [one for one in left if one.held_out]
        is_fifth = turn % 5 == 4

        def need(one: Candidate) -> float:
            if one.need is None:
                return -1.0
            need = one.need
            for word, share in one.words.items():
                if any(word in group for group in groups):  # noqa: B023
                    need -= share * 2 / 3
            return need * (1.1 if one.is_known else 1)

        if held_out and (is_fifth or not ordinary):
            drawn = [one for one in held_out if one.is_drawn] or held_out
            patient = min(drawn, key=lambda one: (one.draw, one.unit)).unit
            chosen = min((one for one in drawn if one.unit == patient), key=lambda one: one.key)
            reason = Reason.RANDOM if is_fifth else Reason.REST
        else:
            most = max(map(need, ordinary))
            chosen = next(one for one in ordinary if need(one) == most)
            reason = Reason.NEED
            groups.append(set(chosen.words))
        order.append(Place(chosen.key, reason))
        left.remove(chosen)
        turn += 1
    return order


@given(candidates(), st.integers(0, 9), st.lists(st.sets(st.sampled_from("abcd")), max_size=19))
def test_the_order_by_brute_force(every: list[Candidate], turn: int, batch: list[set[str]]) -> None:
    order = queue_order(every, turn=turn, batch=batch)
    expected = by_brute_force(every, turn, batch)
    needs = {one.key: one.need for one in every}
    assert [place.reason for place in order] == [place.reason for place in expected]
    if len(set(needs.values())) == len(needs):  # equal needs may differ in the last digit
        assert order == expected
    assert sorted(place.key for place in order) == sorted(needs)
    assert queue_order(every[::-1], turn=turn, batch=batch) == order


@given(candidates(), st.integers(0, 9))
def test_held_out_documents_are_never_handed_out_by_need(every: list[Candidate], turn: int) -> None:
    order = queue_order(every, turn=turn)
    held_out = {one.key for one in every if one.held_out}
    assert all((place.key in held_out) == (place.reason is not Reason.NEED) for place in order)
    by_need = [n for n, place in enumerate(order) if place.reason is Reason.NEED]
    drawn = [n for n, place in enumerate(order) if place.reason is not Reason.NEED]
    if by_need and drawn:
        both = range(min(max(by_need), max(drawn)) + 1)  # while there are some of both kinds
        assert all(((turn + n) % EVERY == EVERY - 1) == (n in drawn) for n in both)


@given(candidates(), st.integers(0, 9))
def test_all_documents_of_a_drawn_patient_come_before_the_next(
    every: list[Candidate], turn: int
) -> None:
    unit = {one.key: one.unit for one in every}
    order = [unit[p.key] for p in queue_order(every, turn=turn) if p.reason is not Reason.NEED]
    assert len(list(groupby(order))) == len(set(order))


def test_words_of_the_batch_count_a_third() -> None:
    one = Candidate(1, 3.0, False, words={"sato": 2.4})
    same = Candidate(2, 2.9, False, words={"sato": 2.4})
    other = Candidate(3, 1.5, False, words={"li": 1.0})
    assert [place.key for place in queue_order([one, same, other])] == [1, 3, 2]
    full = [set[str]()] * (BATCH - 1)
    assert [place.key for place in queue_order([one, same, other], batch=full)] == [1, 2, 3]
    assert [place.key for place in queue_order([same, other], batch=[{"sato"}])] == [3, 2]


def test_the_place_after_another() -> None:
    order = [Place(key, Reason.NEED) for key in (4, 2, 9)]
    asked = [next_place(order, after) for after in (None, 4, 2, 9, 7)]
    assert [place and place.key for place in asked] == [4, 2, 9, 4, 4]
    assert next_place([], 3) is None


# --- in a project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Return a project with a hundred short notes of fifty patients, and needs."""
    with new_project(tmp_path / "p") as made:
        made.store.database._writer.execute("PRAGMA synchronous = OFF")
        notes = [Document(f"n{i}", "Ana Sato", group=f"p{i // 2}") for i in range(100)]
        import_documents(made.store, notes)
        made.store.database._writer.execute("UPDATE document SET fold = (key - 1) / 2 % 5")
        made.store.set_needs({key: (key * 37) % 101 for key in range(1, 101)})
        yield made


def decide(project: Project, key: int, state: State = State.DONE) -> None:
    row = project.store.row(key)
    assert row is not None
    project.store.apply_edit(key, [SetState(state)], request=f"r{key}", base=row.version, who="ana")


def test_all_are_handed_out_once(project: Project) -> None:
    store, seen, reasons = project.store, list[int](), list[Reason]()
    while (found := next_in_queue(store)) is not None:
        assert next_in_queue(store) == found  # asked twice, the same
        row, reason = found
        assert queue(store, limit=1) == [found]
        assert row.sampled == row.held_out == (reason is not Reason.NEED)
        decide(project, row.key, State.LATER if len(seen) % 7 == 3 else State.DONE)
        seen.append(row.key)
        reasons.append(reason)
    assert sorted(seen) == list(range(1, 101))
    assert reasons == [*[Reason.NEED] * 4, Reason.RANDOM] * 20
    assert queue(store) == []


def test_what_was_drawn_stays_drawn(project: Project) -> None:
    store = project.store
    for _ in range(EVERY - 1):
        found = next_in_queue(store)
        assert found is not None
        decide(project, found[0].key)
    found = next_in_queue(store)
    assert found is not None
    drawn, reason = found
    assert reason is Reason.RANDOM
    elsewhere = next_in_queue(store, drawn.key)  # goes on without deciding
    assert elsewhere is not None
    assert elsewhere[1] is Reason.NEED
    decide(project, elsewhere[0].key)
    order = queue(store)
    assert next(row.key for row, why in order if why is Reason.RANDOM) == drawn.key
    assert {row.key for row in store.documents() if row.sampled} == of_patient(project, drawn.key)


def of_patient(project: Project, key: int) -> set[int]:
    """Return the documents of the patient of a document."""
    rows = project.store.documents()
    (group,) = (row.group for row in rows if row.key == key)
    return {row.key for row in rows if row.group == group}


def held_out_order(project: Project) -> list[int]:
    """Return the held-out documents in the order in which they are handed out."""
    return [row.key for row, why in queue(project.store, limit=100) if why is not Reason.NEED]


def test_patients_that_were_reviewed_by_choice_are_passed(project: Project) -> None:
    order = held_out_order(project)
    chosen, passed, last = of_patient(project, order[4]), order[:2], order[-2:]
    for key in sorted(chosen | {*passed, *last}):
        decide(project, key)
    sampled = {row.key for row in project.store.documents() if row.sampled}
    assert sampled == set()  # nobody drew them
    while (found := next_in_queue(project.store)) is not None:
        row, _ = found
        sampled = {one.key for one in project.store.documents() if one.sampled}
        if row.key == order[6]:
            assert sampled == set(order[:8])
        if row.held_out:
            assert set(last).isdisjoint(sampled)
        decide(project, row.key)


def test_a_drawn_patient_is_finished_before_others_that_came_later(project: Project) -> None:
    store, key = project.store, project.key.derive("random turns")
    for _ in range(EVERY - 1):
        found = next_in_queue(store)
        assert found is not None
        decide(project, found[0].key)
    found = next_in_queue(store)
    assert found is not None
    drawn = found[0]
    earlier = next(
        name
        for name in map(str, range(10_000))
        if key.number("group", name) < key.number("group", drawn.group or "")
    )
    import_documents(store, [Document("new", "Ana Sato", group=earlier)])
    store.database._writer.execute("UPDATE document SET fold = 0 WHERE id = 'new'")
    order = held_out_order(project)
    assert set(order[:2]) == of_patient(project, drawn.key)
    assert order[2] == 101


def test_the_rest_comes_when_nothing_else_is_left(project: Project) -> None:
    for row in project.store.documents():
        if not row.held_out:
            decide(project, row.key)
    reasons = [reason for _, reason in queue(project.store)]
    assert reasons == [*[Reason.REST] * 4, Reason.RANDOM] * 4


def test_notes_of_reviewed_patients_count_more(project: Project) -> None:
    store = project.store
    ordinary = [row.key for row in store.documents() if not row.held_out]
    one, its, two, others = ordinary[:4]
    store.set_needs(dict.fromkeys(range(1, 101), 0.0) | {its: 10.0, others: 10.5, one: 20.0})
    assert [row.key for row, _ in queue(store, limit=3)] == [one, others, its]
    decide(project, one)
    assert [row.key for row, _ in queue(store, limit=2)] == [its, others]
    assert two not in [row.key for row, _ in queue(store, limit=2)]


def test_draws_are_uniform(tmp_path: Path) -> None:
    first = Counter[int]()
    for secret in range(2000):
        draws = Key(secret.to_bytes(32, "big")).derive("random turns")
        units = [("group", str(n)) for n in (0, 0, 0, 1, 2, 3, 4, 5, 6, 7)]  # one has three
        every = [
            Candidate(n, None, True, unit, draws.number(*unit)) for n, unit in enumerate(units)
        ]
        first[int(units[queue_order(every, turn=EVERY - 1)[0].key][1])] += 1
    expected = 2000 / 8
    chi_square = sum((first[key] - expected) ** 2 / expected for key in range(8))
    assert chi_square < 35  # 7 degrees of freedom; more once in 100,000
