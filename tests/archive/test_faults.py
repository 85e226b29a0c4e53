"""Whatever is wrong with inputs, or with the disk: the command says so, the others are done."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lacuna.archive.inputs import list_inputs
from lacuna.archive.options import InputOptions
from tests.archive.conftest import RunOver, contents

Command = Callable[..., subprocess.CompletedProcess[str]]
NAME = "Okafor"
LONG = "no fever and no pain were reported " * 30_000  # one line of 1 MB


def test_the_others_are_done_and_the_exit_code_says_so(
    notes: Path, tmp_path: Path, command: Command
) -> None:
    (notes / "long.txt").write_text(f"{LONG}Call Ana {NAME} about it. {LONG}\n")
    rows = [{"text": f"Call Ana {NAME} about it."}, {"text": f"{LONG}Call Ana {NAME} about it."}]
    (notes / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ("--workers", 2, "--policy", "mask", "--group-from", "^g[^/]+", "--rename", "keep")
    good = command(notes, "-o", tmp_path / "good", *options)
    assert good.returncode == 0, good.stderr

    (notes / "bytes.txt").write_bytes(f"Call Ana {NAME} ".encode() + b"\x81 about it.\n")
    (notes / "mark-up.xml").write_text(f"<deIdi2b2><TEXT>Call Ana {NAME}</TEXT>")
    (notes / "quotes.csv").write_text(f'text\n"Call Ana {NAME} about it.\n')
    with (notes / "rows.jsonl").open("ab") as stream:
        stream.write(f'{{"text": "Call Ana {NAME} '.encode() + b'\x81"}\n{"text": 5}\nnonsense\n')
    run = command(notes, "-o", tmp_path / "safe", *options)
    assert run.returncode == 1
    assert "6 documents failed and were not written" in run.stderr
    assert NAME not in run.stdout + run.stderr
    assert contents(tmp_path / "safe") == contents(tmp_path / "good")
    assert NAME.encode() not in b"".join(p.read_bytes() for p in (tmp_path / "safe").glob("*.*"))


def test_a_file_that_may_not_be_read_fails_alone(
    notes: Path, tmp_path: Path, run_over: RunOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_over(notes, tmp_path / "good")
    honest = Path.open

    def opened(path: Path, *arguments: object, **options: object) -> object:
        if path.name == "d4.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return honest(path, *arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", opened)
    report = run_over(notes, tmp_path / "safe")
    monkeypatch.undo()
    assert report.tally.reasons == {"Permission denied": 1}
    expected = contents(tmp_path / "good")
    del expected["g2/d4.txt"]
    assert contents(tmp_path / "safe") == expected


@pytest.mark.parametrize("workers", [1, 2])
def test_where_no_more_can_be_written_the_run_stops_and_can_be_continued(
    notes: Path, tmp_path: Path, command: Command, workers: int
) -> None:
    (notes / "long.txt").write_text(f"{LONG}Call Ana {NAME} about it.\n")
    options = ("-o", tmp_path / "safe", "--policy", "mask", "--workers", workers, "--rename=keep")
    stopped = command(
        notes,
        *options,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (len(LONG) // 2, -1)),
    )
    assert stopped.returncode == 1
    assert "stopped: cannot write to the output folder" in stopped.stderr
    assert NAME not in stopped.stdout + stopped.stderr
    there = contents(tmp_path / "safe")
    assert not any(name.endswith(".part") for name in there)
    assert "long.txt" not in there
    assert command(notes, *options, "--resume").returncode == 0
    whole = contents(tmp_path / "safe")
    assert whole.keys() == {"long.txt", *(str(p.relative_to(notes)) for p in notes.rglob("d*.txt"))}
    assert there.items() <= whole.items()


def test_a_folder_that_may_not_be_read_is_counted(
    notes: Path, tmp_path: Path, run_over: RunOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = os.scandir

    def scan(path: str | Path) -> object:
        if str(path).endswith("g2"):
            raise PermissionError(13, "Permission denied", str(path))
        return honest(path)

    monkeypatch.setattr(os, "scandir", scan)
    report = run_over(notes, tmp_path / "safe")
    assert report.run.left_aside == {"folders that cannot be read": 1}
    assert report.tally.documents == 10


def test_files_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    names = [
        "a.txt",
        "a/b.txt",
        "a-c/d.txt",
        "a/.git/x.txt",
        "B/a.txt",
        ".x/y.txt",
        "z.txt",
        "a/q.ann",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    inputs = list_inputs(tmp_path, InputOptions())
    listed = [file.name for file in inputs.files]
    assert listed == ["B/a.txt", "a/b.txt", "a-c/d.txt", "a.txt", "z.txt"]
    assert listed == sorted(listed, key=lambda name: Path(name).parts)
    assert [file.path.read_text() for file in inputs.files] == listed
    assert inputs.skipped == {
        "hidden files and settings": 2,
        "files of a kind that is not read (others 1)": 1,
    }
