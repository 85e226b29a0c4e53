"""The demo project: its first note has two errors of the bundled model, and comes first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lacuna.deid.keys import Key
from lacuna.web.demo_notes import (
    FIRST,
    GENERATED,
    LABELS,
    MISSED,
    SECOND,
    WRONG,
    add_demo_notes,
    create_demo,
    demo_notes,
)
from lacuna.web.document_output import output_of
from lacuna.web.operations import Add
from lacuna.web.parts import Part, fold_of, part_of
from lacuna.web.project import Project
from lacuna.web.queue import Reason, next_in_queue
from lacuna.web.suggestions import Suggester


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Project]:
    with create_demo(tmp_path / "p") as project:
        yield project


def test_the_first_note_comes_first_with_and_without_needs(demo: Project) -> None:
    def first() -> tuple[str, Reason]:
        found = next_in_queue(demo.store)
        assert found is not None
        document = demo.store.document(found[0].key)
        assert document is not None
        return document.source.text, found[1]

    assert first() == (FIRST, Reason.NEED)
    suggester = Suggester.open(demo)
    assert suggester is not None
    suggester.fill(demo.store)
    assert first() == (FIRST, Reason.NEED)
    needs = sorted((row.need or 0 for row in demo.store.documents()), reverse=True)
    assert needs[0] > 1.2 * needs[1]  # not by a hair
    assert len(needs) == GENERATED + 2


def test_the_model_makes_both_errors(demo: Project) -> None:
    suggester = Suggester.open(demo)
    assert suggester is not None
    found = suggester.for_document(demo.store, 1)
    labels = {FIRST[s.spans[0][0] : s.spans[0][1]]: s.label for s in found.suggestions}
    assert labels == {
        "03/14/2024": "DATE",
        "Maria Okafor": "PATIENT",
        "Feldman": "DOCTOR",
        WRONG: "DOCTOR",  # it is a company
    }
    label = demo.settings.labels[0]
    assert (LABELS[0], label.name, label.key) == ("PATIENT", "PATIENT", "1")


def test_labels_and_policy(demo: Project) -> None:
    keys = {label.name: label.key for label in demo.settings.labels}
    assert keys["FINDING"] == "0"
    suggester = Suggester.open(demo)
    assert suggester is not None
    assert set(suggester.detector.tagger.labels) <= set(keys)
    start = SECOND.index("pain in left arm")
    leg = SECOND.index("leg,")
    finding = Add("f", "FINDING", ((start, start + 7), (leg, leg + 3)))
    demo.store.apply_edit(2, [finding], request="f", base=0, who="ana")
    output = output_of(demo, suggester, 2)
    assert "pain in left arm and leg" in output.text
    start = FIRST.index(MISSED)
    name = Add("n", "PATIENT", ((start, start + len(MISSED)),))
    demo.store.apply_edit(1, [name], request="n", base=0, who="ana")
    for key in (1, 2):
        assert MISSED not in output_of(demo, suggester, key).text


def test_again_adds_nothing(demo: Project) -> None:
    imported = add_demo_notes(demo)
    assert (imported.documents, imported.present) == (0, GENERATED + 2)


def test_the_first_patient_is_never_held_out() -> None:
    for number in range(60):
        key = Key(number.to_bytes(32, "big"))
        first, second, *_ = demo_notes(key)
        parts = {part_of(fold_of(key, note.unit)) for note in (first, second)}
        assert parts == {Part.LEARN}
