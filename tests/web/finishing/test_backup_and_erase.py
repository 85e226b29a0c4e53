"""Backups while somebody writes, and patients who are erased to the last byte."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lacuna.cli.main import command_line
from lacuna.errors import ConfigError
from lacuna.text.document import Document
from lacuna.web.backup import back_up
from lacuna.web.erasing import Erased, erase, to_erase
from lacuna.web.finishing.finish import finish
from lacuna.web.finishing.records import FinishAsked
from lacuna.web.importing import import_documents
from lacuna.web.operations import Add, Asked, SetState, State
from lacuna.web.parts import Part, fold_of
from lacuna.web.project import Project, open_project
from lacuna.web.suggestions import Suggester
from tests.web.finishing.tiny import add_notes, decide, keys_of, tiny_project

MARK = "Quintilian"  #: a word of the patient's notes alone


@pytest.fixture
def project(tmp_path: Path, base: Path) -> Iterator[Project]:
    with tiny_project(tmp_path / "ward7", base=base) as made:
        for part, patients in ((Part.LEARN, 3), (Part.SEAL, 3)):
            decide(made, add_notes(made, part, patients))
        yield made


# --- backup


def test_a_copy_while_somebody_writes(project: Project, tmp_path: Path) -> None:
    finish(project, FinishAsked(), who="ana")
    written, stop = list[int](), threading.Event()

    def write() -> None:
        while not stop.is_set():
            number = len(written)
            import_documents(project.store, [Document(f"w{number}", "Seen." * 500)])
            key = project.store.database.reader.execute("SELECT max(key) FROM document").fetchone()
            decide(project, key)
            written.append(number)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            target = tmp_path / f"copy{number}"
            back_up(project.folder, target)
            with open_project(target) as copy:
                reader = copy.store.database.reader
                assert reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                own = list(reader.execute("SELECT id, version FROM document"))
                ids = [id_ for id_, _ in own if id_.startswith("w")]
                assert ids == [f"w{n}" for n in range(len(ids))]
                edits = reader.execute("SELECT count(*) FROM edit").fetchone()
                assert edits == (sum(version for _, version in own),)
    finally:
        stop.set()
        writer.join()
    assert len(written) > 5


def test_a_copy_is_the_project(project: Project, tmp_path: Path) -> None:
    made = finish(project, FinishAsked(), who="ana")
    (project.folder / "exports" / "notes.jsonl").write_text("{}")
    (project.folder / "own.toml").write_text("x = 1")
    done = back_up(project.folder, tmp_path / "copy")
    assert done.documents == 6
    assert done.elsewhere == ()
    names = {str(p.relative_to(tmp_path / "copy")) for p in (tmp_path / "copy").rglob("*")}
    assert names == {
        *("project.toml", "own.toml", "base.lacuna", "review.db", "models", "exports", "reports"),
        made.file,
        "reports/finished-0001.html",
    }
    for path in (tmp_path / "copy").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
    with open_project(tmp_path / "copy") as copy:
        assert copy.key.secret == project.key.secret
        assert copy.store.documents() == project.store.documents()
        assert Suggester.open(copy) is not None


def test_a_copy_replaces_nothing(project: Project, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for target in (tmp_path / "there", tmp_path / "no" / "where", project.folder / "inside"):
        with pytest.raises(ConfigError):
            back_up(project.folder, target)
    with pytest.raises(ConfigError, match="no project"):
        back_up(tmp_path / "there", tmp_path / "copy")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["there", "ward7"]


def test_a_copy_of_a_folder_without_its_model_leaves_nothing(
    project: Project, tmp_path: Path
) -> None:
    (project.folder / "base.lacuna").unlink()
    with pytest.raises(ConfigError):
        back_up(project.folder, tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["ward7"]


# --- erase


def holds(folder: Path, word: str) -> set[str]:
    """Return the files below a folder that hold a word."""
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and word.encode() in path.read_bytes()
    }


def add_patient(project: Project, part: Part = Part.LEARN) -> tuple[str, list[int]]:
    """Import two notes with the mark; edit them."""
    names = (f"{MARK}-{n}" for n in range(1000))
    fold = {Part.LEARN: 1, Part.SEAL: 5}[part]
    group = next(name for name in names if fold_of(project.key, ("group", name)) == fold)
    text = f"Seen by Dr. {MARK} in Bern. " + "No fever. " * 300
    notes = [Document(f"{MARK}-{part}-{n}", text, group=group) for n in range(2)]
    import_documents(project.store, notes)
    keys = [row.key for row in project.store.documents() if row.group == group]
    for key in keys:
        operations: list[Asked] = [
            Add("a", "DOCTOR", ((12, 12 + len(MARK)),)),
            SetState(comment=MARK),
        ]
        project.store.apply_edit(key, operations, request=f"e{key}", base=0, who="ana")
        project.store.apply_edit(key, [SetState(State.DONE)], request=f"d{key}", base=1, who="ana")
    return group, keys


def test_the_bytes_are_gone(project: Project) -> None:
    group, keys = add_patient(project)
    suggester = Suggester.open(project)
    assert suggester is not None
    for key in keys:
        suggester.for_document(project.store, key)
    others = [row for row in project.store.documents() if row.group != group]
    history = [edit for edit in project.store.history() if edit.document not in keys]
    assert holds(project.folder, MARK)
    project.close()
    erased = erase(project.folder, group, who="ana")
    assert erased == Erased(tuple(keys), (), ())
    assert holds(project.folder, MARK) == set()
    with open_project(project.folder) as again:
        assert again.store.documents() == others
        assert again.store.history() == history
        reader = again.store.database.reader
        assert reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert reader.execute("PRAGMA foreign_key_check").fetchall() == []
        (who, documents) = reader.execute("SELECT who, documents FROM erasure").fetchone()
        assert (who, json.loads(documents)) == ("ana", keys)
        with pytest.raises(Exception, match="append-only"), again.store.database.writing() as c:
            c.execute("DELETE FROM edit")
        import_documents(again.store, [Document("new", "Seen.")])
        assert again.store.documents()[-1].key > max(keys)  # models name documents by their keys


def test_a_document_without_a_patient(project: Project) -> None:
    import_documents(project.store, [Document("alone", f"Dr. {MARK}.")])
    project.close()
    with pytest.raises(ConfigError, match="no such patient"):
        erase(project.folder, "nobody", who="ana")
    assert len(erase(project.folder, "alone", who="ana").documents) == 1
    assert holds(project.folder, MARK) == set()


def test_models_and_files_are_named(project: Project) -> None:
    group, keys = add_patient(project)
    first = finish(project, FinishAsked(), who="ana")
    folder = project.folder
    (folder / "exports" / "notes.jsonl").write_text(MARK)
    back = back_up(folder, folder.parent / "copy")
    assert back.documents == 8
    copied = (folder.parent / "copy" / "review.db").read_bytes()
    (folder / "review.db.version-1").write_bytes(copied)
    with tiny_project(folder.parent / "other") as other:  # a copy from before the patient came
        other.close()
        content = (folder.parent / "other" / "review.db").read_bytes()
        (folder / "review.db.version-2").write_bytes(content)
    project.close()
    expected = Erased(
        tuple(keys),
        (first.file,),
        ("review.db.version-1", "exports/notes.jsonl", "reports/finished-0001.html"),
    )
    assert to_erase(folder, group) == expected
    assert erase(folder, group, who="ana") == expected
    assert holds(folder, MARK) <= {*expected.files, *expected.models}
    with open_project(folder) as again:
        models = again.store.database.reader.execute("SELECT models FROM erasure").fetchone()
        assert json.loads(models[0]) == [first.key]


def test_ids_in_scores_of_models_are_removed(project: Project) -> None:
    group, keys = add_patient(project)
    made = finish(project, FinishAsked(), who="ana")
    scores = json.dumps({"changes": [{"key": keys[0], "id": MARK}, {"key": 1, "id": "kept"}]})
    with project.store.database.writing() as connection:
        connection.execute("UPDATE taught SET scores = ?", (scores,))
    project.close()
    erase(project.folder, group, who="ana")
    with open_project(project.folder) as again:
        (found,) = again.store.database.reader.execute("SELECT scores FROM taught").fetchone()
    assert json.loads(found)["changes"] == [
        {"key": keys[0], "id": "erased"},
        {"key": 1, "id": "kept"},
    ]
    assert made.key == 1


def test_it_is_refused_while_the_project_is_open(project: Project) -> None:
    group, keys = add_patient(project)
    with pytest.raises(ConfigError, match="stop the server"):
        erase(project.folder, group, who="ana")
    assert {row.key for row in project.store.documents()} >= set(keys)
    decide(project, keys)  # and nothing is locked


def test_an_erased_patient_who_comes_back_is_not_new(project: Project) -> None:
    """A finished model was scored with the patient, who is erased and imported again."""
    group, keys = add_patient(project, Part.SEAL)
    notes = [project.store.document(key) for key in keys]
    finish(project, FinishAsked(), who="ana")
    project.close()
    erase(project.folder, group, who="ana")
    with open_project(project.folder) as again:
        import_documents(again.store, [one.document for one in notes if one is not None])
        new = [row.key for row in again.store.documents() if row.group == group]
        decide(again, keys_of(again, Part.SEAL))
        assert not set(new) & set(keys)
        made = finish(again, FinishAsked(again=True), who="ana")
        assert not {key for key, _ in made.scored} & set(new)
        assert made.outcome.left_out >= 1


# --- on the command line


def test_the_commands(project: Project, tmp_path: Path) -> None:
    group, _ = add_patient(project)
    project.close()
    run, app, folder = CliRunner(), command_line(["project"]), str(project.folder)
    done = run.invoke(app, ["project", "finish", folder, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["more_needed"] == 56
    assert run.invoke(app, ["project", "finish", folder, "--again"]).exit_code == 0
    assert run.invoke(app, ["project", "finish", folder, "--everything"]).exit_code == 0
    assert run.invoke(app, ["project", "finish", folder, "--level", "2"]).exit_code != 0
    assert run.invoke(app, ["project", "backup", folder, str(tmp_path / "c")]).exit_code == 0
    refused = run.invoke(app, ["project", "erase", folder, group], input="n\n")
    assert refused.exit_code == 1
    assert "finished-0001.lacuna" in refused.stderr
    gone = run.invoke(app, ["project", "erase", folder, group, "--yes", "--json"])
    assert gone.exit_code == 0
    assert len(json.loads(gone.stdout)["models"]) == 3
    assert holds(project.folder, group) == set()
