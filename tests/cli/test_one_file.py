"""One file in, one file or the standard output out, and nothing else."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.archive.conftest import deid, tiny_model
from tests.cli.conftest import Lacuna, Run

NOTE = "Call Ana Okafor about the results on 03/14/2014.\r\n"
Command = Callable[..., Run]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("model") / "tiny.lacuna")


@pytest.fixture
def command(
    lacuna: Lacuna, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Run ``lacuna deid`` in the temporary folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, typed: str = "") -> Run:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
        return lacuna("deid", *arguments, "--model", model)

    return run


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_bytes(NOTE.encode())
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text(f"text;ward\n{NOTE.strip()};1\nNo fever.;2\n")
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*")}


def test_a_text_to_a_file(note: Path, tmp_path: Path, command: Command) -> None:
    run = command(note, "-o", tmp_path / "safe.txt")
    assert run.code == 0, run.err
    assert names(tmp_path) == {"note.txt", "safe.txt"}
    text = (tmp_path / "safe.txt").read_bytes().decode()
    assert "Okafor" not in text
    assert text.endswith(" on 2014.\r\n")
    assert run.out == ""
    assert "1 document, " in run.err
    assert "pass on" not in run.err
    before = (tmp_path / "safe.txt").read_bytes()
    again = command(note, "-o", tmp_path / "safe.txt")
    assert again.code == 2
    assert "exists already" in again.err
    assert (tmp_path / "safe.txt").read_bytes() == before


def test_a_text_to_standard_output(note: Path, tmp_path: Path, command: Command) -> None:
    run = command(note, "-o", "-")
    assert run.code == 0
    assert "Okafor" not in run.out
    assert run.out.endswith(" on 2014.\r\n")
    assert names(tmp_path) == {"note.txt"}
    assert "DATE" in run.err  # the table of what was replaced


@pytest.mark.parametrize("workers", [1, 2])
def test_tables(table: Path, tmp_path: Path, command: Command, workers: int) -> None:
    options = ("--keep-columns", "ward", "--workers", workers)
    run = command(table, "-o", "-", *options)
    assert run.code == 0, run.err
    header, first, second = run.out.splitlines()
    assert (header, second) == ("text;ward", "No fever.;2")
    assert first.endswith(" on 2014.;1")
    assert "Okafor" not in run.out
    to_file = command(table, "-o", tmp_path / "out.csv", *options)
    assert to_file.code == 0, to_file.err
    assert (tmp_path / "out.csv").read_text() == run.out
    assert names(tmp_path) == {"in.csv", "out.csv"}


def test_other_formats_become_json_lines(tmp_path: Path, command: Command) -> None:
    (tmp_path / "in.conll").write_text("Call O\nAna B-PER\nOkafor I-PER\n\n")
    run = command(tmp_path / "in.conll", "-o", tmp_path / "out.jsonl")
    assert run.code == 0, run.err
    assert "Okafor" not in json.loads((tmp_path / "out.jsonl").read_text())["text"]
    wrong = command(tmp_path / "in.conll", "-o", tmp_path / "out.txt")
    assert (wrong.code, "is a .jsonl file" in wrong.err) == (2, True)


def test_nothing_is_written_if_the_document_fails(
    note: Path, table: Path, tmp_path: Path, command: Command
) -> None:
    note.write_bytes(b"Ana Okafor \x81\n")
    table.write_bytes(b"text\nAna Okafor \x81\n")
    for source, output in ((note, "safe.txt"), (note, "-"), (table, "safe.csv"), (table, "-")):
        run = command(source, "-o", output)
        assert (run.code, run.out) == (1, "")
        assert "nothing was written" in run.err
        assert "Okafor" not in run.err
        assert names(tmp_path) == {"note.txt", "in.csv"}


def test_rows_that_fail_are_left_out(table: Path, command: Command) -> None:
    table.write_bytes(b"text\nNo fever.\nAna Okafor \x81\nNo pain.\n")
    run = command(table, "-o", "-")
    assert (run.code, run.out) == (1, "text\nNo fever.\nNo pain.\n")
    assert "1 document failed and was not written" in run.err


def test_standard_input_to_a_file(tmp_path: Path, command: Command) -> None:
    run = command("-", "-o", tmp_path / "safe.txt", typed=NOTE)
    assert run.code == 0, run.err
    assert "Okafor" not in (tmp_path / "safe.txt").read_text()
    assert names(tmp_path) == {"safe.txt"}
    (tmp_path / "folder").mkdir()
    for output in (tmp_path / "folder", tmp_path / "safe.txt"):
        wrong = command("-", "-o", output, typed=NOTE)
        assert wrong.code == 2
    dry = command("-", "--dry-run", typed=NOTE)
    assert (dry.code, dry.out) == (0, "")
    assert "DATE" in dry.err


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        (("--resume",), "--resume needs an output folder"),
        (("--vault", "v.vault"), "--vault needs an output folder"),
    ],
)
def test_what_needs_a_folder_is_refused(
    note: Path,
    tmp_path: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    advice: str,
) -> None:
    monkeypatch.setenv("LACUNA_PASSPHRASE", "open sesame, please")
    run = command(note, "-o", "safe.txt", *options)
    assert run.code == 2
    assert advice in run.err
    assert names(tmp_path) == {"note.txt"}


def test_a_folder_needs_a_folder(tmp_path: Path, command: Command) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for output in ("-", tmp_path / "safe.txt", tmp_path / "safe.docx"):
        run = command(notes, "-o", output)
        assert run.code == 2
        assert "the input is a folder, so the output must be one, too" in run.err
    assert names(tmp_path) & {"safe.txt", "safe.docx"} == set()


def test_a_kind_that_is_not_written(note: Path, tmp_path: Path, command: Command) -> None:
    for name in ("safe.docx", "safe.csv", "missing/safe.txt"):
        assert command(note, "-o", tmp_path / name).code == 2
    assert names(tmp_path) == {"note.txt"}


def test_a_folder_whose_name_looks_like_a_file_is_a_folder(
    note: Path, tmp_path: Path, command: Command
) -> None:
    (tmp_path / "safe.txt").mkdir()
    assert command(note, "-o", tmp_path / "safe.txt").code == 0
    assert (tmp_path / "safe.txt" / "note.txt").exists()
    assert (tmp_path / "safe.txt.private").is_dir()


@pytest.mark.parametrize("source", ["note.txt", "in.csv", "-"])
def test_a_full_device_is_exit_code_1(
    note: Path, table: Path, tmp_path: Path, model: Path, source: str
) -> None:
    assert note.exists()
    assert table.exists()
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [*deid(model), source, "-o", "-"],
            input=NOTE.encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            check=False,
        )
    assert run.returncode == 1
    assert b"No space left on device; nothing was written" in run.stderr
    assert b"Traceback" not in run.stderr
    assert b"Exception" not in run.stderr


def test_json_and_the_text_do_not_share_standard_output(note: Path, command: Command) -> None:
    run = command(note, "-o", "-", "--json")
    assert (run.code, run.out) == (2, "")
