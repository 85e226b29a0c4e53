"""``lacuna project``: init, import, export, status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lacuna.io.corpus import read_corpus
from lacuna.io.output import write_corpus
from lacuna.text.document import Document
from lacuna.web import documents_table, importing
from lacuna.web.operations import Asked, Reject, SetState, State
from lacuna.web.project import open_project
from tests.cli.conftest import Lacuna
from tests.web.strategies import note


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.jsonl"
    write_corpus([note(f"p{i // 2}/n{i}") for i in range(5)], path, format="jsonl")
    return path


def test_from_init_to_export(lacuna: Lacuna, tmp_path: Path, notes: Path) -> None:
    ward = tmp_path / "ward7"
    made = lacuna("project", "init", ward, "--labels", "PER,DATE", "--name", "Ward 7")
    assert made.code == 0
    assert f"lacuna project import {ward}" in made.err.replace("\n", "")
    imported = lacuna("project", "import", ward, notes, "--group-from", "^[^/]+")
    assert (imported.code, imported.err) == (0, f"5 documents, 10 mentions → {ward}\n")
    again = lacuna("project", "import", ward, notes, "--group-from", "^[^/]+")
    assert "0 documents, 0 mentions" in again.err
    assert "skipped, in the project already: 5 documents" in again.err
    nothing = lacuna("project", "export", ward)
    assert nothing.code == 2
    assert "no document to export; --documents all" in nothing.err
    with open_project(ward) as project:
        for key in (1, 2):
            done: list[Asked] = [Reject(f"g{key}"), SetState(State.DONE)]
            project.store.apply_edit(key, done, request=f"r{key}", base=0, who="ana")
    exported = lacuna("project", "export", ward, "--to", "brat", "-o", tmp_path / "brat")
    assert exported.code == 0
    assert exported.err.splitlines() == [
        "left out, brat cannot hold it: groups (2)",
        "left out, brat cannot hold it: probabilities (1)",
        f"2 documents, 2 mentions → {tmp_path / 'brat'}",
    ]
    texts = {d.id: [m.label for m in d.mentions] for d in read_corpus([tmp_path / "brat"])}
    assert texts == {"p0/n0": ["DATE"], "p0/n1": ["PER"]}
    status = lacuna("project", "status", ward, "--json").json
    assert status["counts"]["states"] == {"new": 3, "open": 0, "done": 2, "later": 0}
    assert (status["name"], status["mentions"], status["counts"]["groups"]) == ("Ward 7", 8, 3)
    shown = lacuna("project", "status", ward)
    assert "Ward 7: 2 of 5 documents reviewed" in shown.err
    assert "held out" in shown.out


def test_exports_go_to_the_project_by_default(lacuna: Lacuna, tmp_path: Path, notes: Path) -> None:
    ward = tmp_path / "ward7"
    lacuna("project", "init", ward)
    lacuna("project", "import", ward, notes)
    run = lacuna("project", "export", ward, "--documents", "all", "--json")
    assert run.json == {"documents": 5, "mentions": 10, "left_out": {}}
    (path,) = (ward / "exports").iterdir()
    assert path.read_bytes() == notes.read_bytes()  # byte for byte
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_does_not_fit_is_said_and_nothing_written(
    lacuna: Lacuna, tmp_path: Path, notes: Path
) -> None:
    ward = tmp_path / "ward7"
    lacuna("project", "init", ward)
    lacuna("project", "import", ward, notes)
    out = tmp_path / "out.txt"
    export = ["project", "export", ward, "--documents", "all"]
    refused = lacuna(*export, "--to", "txt", "-o", tmp_path / "txt")
    assert refused.code == 2
    assert "txt cannot hold mentions" in refused.err
    assert "--loss mentions leaves out what does not fit" in refused.err.replace("\n", " ")
    dry = lacuna(*export, "--to", "txt", "-o", tmp_path / "txt", "--loss", "mentions", "--dry-run")
    assert (dry.code, "mentions (10)" in dry.err) == (0, True)
    assert not (tmp_path / "txt").exists()
    one = lacuna(*export, "--loss", "mentions", "-o", out)
    assert one.code == 2
    assert "one document per file" in one.err
    unknown = lacuna(*export, "-o", tmp_path / "x")
    assert (unknown.code, "give --to" in unknown.err) == (2, True)
    assert {path.name for path in tmp_path.iterdir()} == {"ward7", "notes.jsonl"}


def test_another_document_with_the_same_id_is_refused(
    lacuna: Lacuna, tmp_path: Path, notes: Path
) -> None:
    ward = tmp_path / "ward7"
    lacuna("project", "init", ward)
    lacuna("project", "import", ward, notes)
    write_corpus(
        [Document("p0/n0", "Other."), Document("new", "x")], tmp_path / "b.jsonl", format="jsonl"
    )
    run = lacuna("project", "import", ward, tmp_path / "b.jsonl")
    assert run.code == 1
    assert "1 document, 0 mentions" in run.err
    assert "refused: 1 document with the id of another document" in run.err
    assert "first: p0/n0" in run.err.replace("\n", " ")


def test_a_broken_file_keeps_what_was_before_it(
    lacuna: Lacuna, tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "BATCH", 2)
    ward = tmp_path / "ward7"
    lacuna("project", "init", ward)
    notes.write_bytes(notes.read_bytes() + b'{"id": "x"}\n')
    run = lacuna("project", "import", ward, notes)
    assert run.code == 2
    assert "imported until then: 4 documents" in run.err
    assert f"{notes}:6" in run.err.replace("\n", "")


def test_ctrl_c_keeps_what_is_committed(
    lacuna: Lacuna, tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "BATCH", 2)
    insert = documents_table.insert_document

    def interrupted(*arguments: object) -> int:
        if arguments[1].id == "p1/n3":  # type: ignore[attr-defined]
            raise KeyboardInterrupt
        return insert(*arguments)  # type: ignore[arg-type]

    ward = tmp_path / "ward7"
    lacuna("project", "init", ward)
    monkeypatch.setattr(importing, "insert_document", interrupted)
    run = lacuna("project", "import", ward, notes)
    assert run.code == 130
    assert "imported until then: 2 documents" in run.err
    assert "nothing was written" not in run.err
    monkeypatch.setattr(importing, "insert_document", insert)
    assert "3 documents" in lacuna("project", "import", ward, notes).err
    assert json.loads(lacuna("project", "status", ward, "--json").out)["counts"]["documents"] == 5


@pytest.mark.parametrize("command", ["import", "export", "status"])
def test_no_project(lacuna: Lacuna, tmp_path: Path, notes: Path, command: str) -> None:
    run = lacuna("project", command, tmp_path, *([notes] if command == "import" else []))
    assert run.code == 2
    assert "is no project; make one with: lacuna project init" in run.err.replace("\n", " ")


def test_a_wrong_policy_makes_no_folder(lacuna: Lacuna, tmp_path: Path) -> None:
    run = lacuna("project", "init", tmp_path / "x", "--policy", "safe-harbour")
    assert (run.code, "did you mean safe-harbor" in run.err) == (2, True)
    assert not (tmp_path / "x").exists()


def test_chosen_documents_with_suggestions(lacuna: Lacuna, tmp_path: Path) -> None:
    ward, source = tmp_path / "ward7", tmp_path / "notes.jsonl"
    notes = [Document(f"n{i}", "Seen by Dr. Ann Whittaker on 03/14/2014.\n") for i in range(3)]
    write_corpus(notes, source, format="jsonl")
    lacuna("project", "init", ward)
    lacuna("project", "import", ward, source)
    export = ["project", "export", ward, "--keys", "3,1"]
    assert lacuna(*export, "--suggestions", "-o", tmp_path / "a.jsonl").code == 0
    documents = list(read_corpus([tmp_path / "a.jsonl"]))
    assert [document.id for document in documents] == ["n2", "n0"]
    assert {"DOCTOR", "DATE"} <= {m.label for m in documents[0].mentions if m.probability}
    assert lacuna(*export, "-o", tmp_path / "b.jsonl").code == 0
    assert all(not document.mentions for document in read_corpus([tmp_path / "b.jsonl"]))
    safe = lacuna(*export, "--deidentified", "-o", tmp_path / "c.jsonl")
    assert safe.code == 0
    content = (tmp_path / "c.jsonl").read_text()
    assert "Whittaker" not in content
    assert '"n2"' not in content
    assert len(content.splitlines()) == 2
    dry = lacuna(*export, "--deidentified", "--dry-run", "-o", tmp_path / "d.jsonl")
    assert (dry.code, (tmp_path / "d.jsonl").exists()) == (0, False)
    for wrong, reason in (
        (["--keys", "9"], "has no document 9"),
        (["--keys", "x"], "numbers with commas"),
        (["--policy", "mask"], "--policy needs --deidentified"),
        (["--suggestions", "--deidentified"], "exclude each other"),
        (["--keys", "1", "--deidentified", "--to", "brat"], "jsonl or txt"),
    ):
        refused = lacuna("project", "export", ward, "-o", tmp_path / "e.jsonl", *wrong)
        assert (refused.code, reason in refused.err.replace("\n", " ")) == (2, True)


def test_documents_that_cannot_be_de_identified(
    lacuna: Lacuna, tmp_path: Path, notes: Path
) -> None:
    ward = tmp_path / "ward7"
    lacuna("project", "init", ward, "--model", "none", "--labels", "PER,DATE")
    lacuna("project", "import", ward, notes)
    with open_project(ward) as project:
        project.store.apply_edit(1, [SetState(State.DONE)], request="r", base=0, who="ana")
    export = ["project", "export", ward, "--documents", "all"]
    run = lacuna(*export, "--deidentified", "-o", tmp_path / "o.jsonl")
    assert run.code == 1
    assert "left out, could not be de-identified: 4 documents" in run.err
    assert "4 documents: nobody has reviewed it" in run.err.replace("\n", " ")
    (safe,) = read_corpus([tmp_path / "o.jsonl"])
    assert "Sató" not in safe.text
    assert lacuna(*export, "--suggestions").code == 2
    assert lacuna("project", "init", tmp_path / "x", "--model", tmp_path / "no.lacuna").code == 2
