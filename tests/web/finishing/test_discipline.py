"""No document that a model or its ancestors have seen counts in its sealed score."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from lacuna.cli.main import command_line
from lacuna.deid.promises import promises_of
from lacuna.models.answers import save
from lacuna.models.base import NO_CARD
from lacuna.models.file import file_digest, read_model, write_model
from lacuna.models.registry import load
from lacuna.pipeline.training import train_model
from lacuna.text.document import Document
from lacuna.web.finishing.discipline import SealBrokenError, ancestors, check_seal, seen_with
from lacuna.web.finishing.finish import finish
from lacuna.web.finishing.promise_meter import promise_meter
from lacuna.web.finishing.records import FinishAsked, RefusedError
from lacuna.web.finishing.sealed import sealed_patients
from lacuna.web.importing import import_documents
from lacuna.web.model_files import NoSuchModelError
from lacuna.web.operations import State
from lacuna.web.parts import SEAL, Part
from lacuna.web.project import Project
from lacuna.web.teaching.models import set_live
from tests.web.finishing.tiny import (
    MODEL,
    add_notes,
    decide,
    decide_a_line,
    groups_in,
    keys_of,
    note,
    tiny_project,
    with_model,
)

ASKED = FinishAsked(level=0.3)


@pytest.fixture
def project(tmp_path: Path, base: Path) -> Iterator[Project]:
    """Return a project in which five sealed patients are reviewed."""
    with tiny_project(tmp_path / "ward7", base=base) as made:
        for part, patients in ((Part.LEARN, 4), (Part.GATE, 2), (Part.SEAL, 5)):
            decide(made, add_notes(made, part, patients))
        yield made


def scored(project: Project, asked: FinishAsked = ASKED) -> set[int]:
    return {key for key, _ in finish(project, asked, who="ana").scored}


def source(project: Project, key: int) -> Document:
    found = project.store.document(key)
    assert found is not None
    return found.document


def record_taught(
    project: Project, path: Path, learnt: list[int], *, compared: list[int] | None = None
) -> int:
    """Say that a file is a model that learnt from documents of this project."""
    with project.store.database.writing() as connection:
        cursor = connection.execute(
            "INSERT INTO taught (made_at, made_by, purpose, file, sha256, learnt_from, compared_on,"
            " went_live, why, scores, iterations, seconds)"
            " VALUES ('', 'ana', 'teach', ?, ?, ?, ?, 1, '', '{}', 1, 1)",
            (
                str(path.relative_to(project.folder)),
                bytes.fromhex(file_digest(path)),
                msgspec.json.encode([[key, 1] for key in learnt]).decode(),
                msgspec.json.encode([[key, 1] for key in compared or []]).decode(),
            ),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid


def test_the_same_note_imported_for_another_patient(project: Project) -> None:
    learnt = source(project, keys_of(project, Part.LEARN)[0])
    group = list(zip(range(9), groups_in(project, Part.SEAL), strict=False))[-1][1]
    import_documents(
        project.store, [replace(learnt, id="again", group=group, text=learnt.text + " \n")]
    )
    new = keys_of(project, Part.SEAL)[-1]
    decide(project, [new])
    made = finish(project, ASKED, who="ana")
    assert {key for key, _ in made.scored} == set(keys_of(project, Part.SEAL)) - {new}
    assert made.outcome.left_out == 1


def test_the_same_note_imported_twice_for_sealed_patients_is_no_harm(project: Project) -> None:
    sealed = source(project, keys_of(project, Part.SEAL)[0])
    import_documents(project.store, [replace(sealed, id="again")])
    decide(project, keys_of(project, Part.SEAL))
    assert scored(project) == set(keys_of(project, Part.SEAL))


def test_a_sealed_note_imported_again_to_be_learnt_from(project: Project) -> None:
    sealed = source(project, keys_of(project, Part.SEAL)[0])
    group = list(zip(range(9), groups_in(project, Part.LEARN), strict=False))[-1][1]
    import_documents(project.store, [replace(sealed, id="again", group=group)])
    decide(project, keys_of(project, Part.LEARN))
    assert scored(project) == set(keys_of(project, Part.SEAL)[1:])


def test_parts_of_open_documents_are_seen(project: Project) -> None:
    """A line of a note was learnt from; a sealed patient has the same note, another the patient."""
    part = add_notes(project, Part.LEARN, 2, skip=4)
    decide_a_line(project, part)
    sealed = keys_of(project, Part.SEAL)
    with project.store.database.writing() as connection:
        connection.execute(
            "UPDATE document SET text = (SELECT text FROM document WHERE key = ?) WHERE key = ?",
            (part[0], sealed[0]),
        )
        connection.execute(
            "UPDATE document SET grp = (SELECT grp FROM document WHERE key = ?) WHERE key = ?",
            (part[1], sealed[1]),
        )
    made = finish(project, ASKED, who="ana")
    assert {key for key, _ in made.scored} == set(sealed[2:])
    assert {*part} <= {key for key, _ in made.learnt_from}
    assert made.outcome.left_out == 2


def test_a_base_that_was_taught_on_sealed_notes(project: Project) -> None:
    """Somebody takes the model of everything as the model to start from."""
    everything = finish(project, FinishAsked(everything=True), who="ana")
    based = with_model(project, everything.file)
    with pytest.raises(RefusedError, match="may have seen") as refused:
        finish(based, ASKED, who="ana")
    assert refused.value.kind == "too-few"
    with pytest.raises(RefusedError, match="may have seen"):  # nor again
        finish(based, FinishAsked(level=0.3, again=True), who="ana")
    new = add_notes(project, Part.SEAL, 1, skip=5)
    decide(project, new)
    assert scored(based) == set(new)


def test_children_of_such_a_base(project: Project) -> None:
    """The file was trained further elsewhere, so its hash is another one."""
    everything = finish(project, FinishAsked(everything=True), who="ana")
    start = load(project.folder / everything.file)
    outside = [Document.from_dict({"id": "x", "text": "Dr. Li in Rome.", "mentions": []})]
    save(train_model(outside, start=start), project.folder / "further.lacuna")
    with pytest.raises(RefusedError, match="may have seen"):
        finish(with_model(project, "further.lacuna"), ASKED, who="ana")
    with project.store.database.reading() as connection:
        based = with_model(project, "further.lacuna")
        assert {one.have for one in promise_meter(connection, based)} == {0}
    (project.folder / everything.file).unlink()  # then nobody knows its card
    with pytest.raises(RefusedError, match="may have seen"):
        finish(with_model(project, "further.lacuna"), ASKED, who="ana")
    assert scored(with_model(project, MODEL)) == set(keys_of(project, Part.SEAL))


def test_a_copy_of_such_a_base_with_other_bytes(project: Project) -> None:
    """It was calibrated, say: another hash, the same card."""
    everything = finish(project, FinishAsked(everything=True), who="ana")
    stored = read_model(project.folder / everything.file)
    write_model(
        project.folder / "copy.lacuna", replace(stored, header={**stored.header, "note": 1})
    )
    assert file_digest(project.folder / "copy.lacuna") != everything.sha256
    with pytest.raises(RefusedError, match="may have seen"):
        finish(with_model(project, "copy.lacuna"), ASKED, who="ana")


def test_a_child_of_a_finished_model_promises_nothing(project: Project) -> None:
    """Its seal was looked at for the parent; the promise of the parent is not inherited."""
    made = finish(project, FinishAsked(level=0.5), who="ana")
    assert made.outcome.promise is not None
    command = ["train", "more.jsonl", "-o", "child.lacuna", "--from", made.file]
    (project.folder / "more.jsonl").write_text(json.dumps(note("more").to_dict()))
    with contextlib.chdir(project.folder):
        assert CliRunner().invoke(command_line(), command).exit_code == 0
    assert promises_of(read_model(project.folder / made.file)) is not None
    assert promises_of(read_model(project.folder / "child.lacuna")) is None
    based = with_model(project, "child.lacuna")
    with pytest.raises(RefusedError) as refused:
        finish(based, ASKED, who="ana")
    assert refused.value.kind == "seal-was-opened"
    assert finish(based, FinishAsked(level=0.5, again=True), who="ana").outcome.promise is None


def test_a_patient_who_was_moved_to_the_seal(project: Project) -> None:
    """An ancestor has learnt from the patient, who is sealed since; nothing of lacuna does that."""
    learnt = keys_of(project, Part.LEARN)[0]
    taught = project.folder / "models" / "old.lacuna"
    taught.write_bytes((project.folder / MODEL).read_bytes())
    record_taught(project, taught, [learnt])
    with project.store.database.writing() as connection:
        connection.execute("UPDATE document SET fold = ? WHERE key = ?", (SEAL, learnt))
    assert scored(project) == set(keys_of(project, Part.SEAL)) - {learnt}


def test_a_patient_who_was_moved_out_of_the_seal(project: Project) -> None:
    """One of two notes was moved, and is learnt from."""
    first, *_ = add_notes(project, Part.SEAL, 1, notes=2, skip=5)
    decide(project, keys_of(project, Part.SEAL))
    with project.store.database.writing() as connection:
        connection.execute("UPDATE document SET fold = 1 WHERE key = ?", (first,))
    made = finish(project, ASKED, who="ana")
    assert first in {key for key, _ in made.learnt_from}
    assert {key for key, _ in made.scored} == set(keys_of(project, Part.SEAL)[:5])


def test_a_patient_who_was_looked_at_stays_so(project: Project) -> None:
    """Opened and reviewed again, with a further note: the patient is not new."""
    finish(project, ASKED, who="ana")
    sealed = keys_of(project, Part.SEAL)
    decide(project, sealed[:1], State.OPEN)
    add_notes(project, Part.SEAL, 1, tag="later-")
    new = add_notes(project, Part.SEAL, 1, skip=5)
    decide(project, keys_of(project, Part.SEAL))
    assert scored(project) == set(new)


def test_a_finished_model_does_not_suggest(project: Project) -> None:
    """It has learnt from the gate, so no other model could be compared with it."""
    for everything in (False, True):
        made = finish(project, FinishAsked(level=0.3, everything=everything), who="ana")
        with pytest.raises(NoSuchModelError):
            set_live(project, made.key)


def test_grandchildren_and_notes_a_model_was_compared_on(project: Project) -> None:
    sealed = keys_of(project, Part.SEAL)
    base = project.folder / "base.lacuna"
    (project.folder / "models" / "old.lacuna").write_bytes(base.read_bytes())
    old = record_taught(
        project, project.folder / "models" / "old.lacuna", sealed[:1], compared=sealed[1:2]
    )
    with project.store.database.reading() as connection:
        assert ancestors(connection, project.folder, base) == [old]
    first = finish(project, ASKED, who="ana")  # base.lacuna is the old model
    assert {key for key, _ in first.scored} == set(sealed[2:])
    based = with_model(project, first.file)
    with project.store.database.reading() as connection:
        found = ancestors(connection, project.folder, based.folder / first.file)
    assert found == [old, first.key]
    asked = FinishAsked(level=0.3, again=True)
    assert scored(based, asked) == set(sealed[2:])


def test_a_base_without_a_card_is_known_by_its_hash(project: Project) -> None:
    """And so is a model that was made from it."""
    sealed, base = keys_of(project, Part.SEAL), project.folder / MODEL
    save(load(base).with_card(NO_CARD), base)
    (project.folder / "models" / "old.lacuna").write_bytes(base.read_bytes())
    old = record_taught(project, project.folder / "models" / "old.lacuna", sealed[:1])
    first = finish(project, ASKED, who="ana")
    assert {key for key, _ in first.scored} == set(sealed[1:])
    with project.store.database.reading() as connection:
        found = ancestors(connection, project.folder, project.folder / first.file)
    assert found == [old, first.key]


def test_other_notes_of_a_patient_that_was_learnt_from(project: Project) -> None:
    """A note of a patient was learnt from, another is sealed: nobody knows how, but it is seen."""
    learnt, sealed = keys_of(project, Part.LEARN)[0], keys_of(project, Part.SEAL)
    with project.store.database.writing() as connection:
        connection.execute(
            "UPDATE document SET grp = (SELECT grp FROM document WHERE key = ?) WHERE key = ?",
            (learnt, sealed[0]),
        )
    assert scored(project) == set(sealed[1:])


def test_the_check_raises(project: Project) -> None:
    sealed = keys_of(project, Part.SEAL)
    with project.store.database.reading() as connection:
        patients = sealed_patients(connection)
        check_seal(connection, patients, seen_with(connection, keys_of(project, Part.LEARN)))
        with pytest.raises(SealBrokenError):
            check_seal(connection, patients, seen_with(connection, sealed[:1]))
        check_seal(connection, patients[1:], seen_with(connection, sealed[:1]))


def test_a_plan_that_is_wrong_writes_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Suppose an error in our code: a sealed note is learnt from."""
    monkeypatch.setattr("lacuna.web.finishing.finish_plan.is_touched", lambda *_: False)
    monkeypatch.setattr("lacuna.web.finishing.finish_plan.check_seal", lambda *_: None)
    monkeypatch.setattr("lacuna.web.finishing.finish_plan.IS_SEALED", "false")
    with pytest.raises(SealBrokenError):
        finish(project, ASKED, who="ana")
    assert list((project.folder / "models").iterdir()) == []
    count = project.store.database.reader.execute("SELECT count(*) FROM seal_look").fetchone()
    assert count == (0,)
