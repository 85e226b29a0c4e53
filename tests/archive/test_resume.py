"""Continuing runs: same bytes in the end, and refusals where that cannot be."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from lacuna.archive import worker
from lacuna.archive.messages import FilesJob, Result
from lacuna.archive.options import BadBytes, Columns, Rename
from lacuna.deid.keys import Key
from lacuna.errors import ConfigError, StoppedError
from tests.archive.conftest import RunOver, contents, deid, lines
from tests.archive.kills import kill_and_continue, write_notes


def test_killed_five_times_it_gives_the_same_bytes(model: Path, tmp_path: Path) -> None:
    kill_and_continue(model, tmp_path, times=5, seed=3)


@pytest.mark.usefixtures("interruptible")
def test_interrupted_it_leaves_no_process_and_no_half_file(model: Path, tmp_path: Path) -> None:
    write_notes(tmp_path / "notes")
    safe = tmp_path / "safe"
    run = subprocess.Popen(
        [*deid(model), str(tmp_path / "notes"), "-o", str(safe), "--workers", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(600):
        if list(safe.glob("*")) or run.poll() is not None:
            break
        time.sleep(0.05)
    (first,) = children(str(run.pid))
    workers = [first, *children(first)]
    assert len(workers) == 3
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=30)
    assert run.returncode == 130, said
    assert "Traceback" not in said
    assert not list(safe.rglob("*.part"))
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def children(process: str) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


def test_what_is_finished_is_not_done_again(
    notes: Path, tmp_path: Path, run_over: RunOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"group_from": "^[^/]+", "policy": "research"}
    run_over(notes, tmp_path / "whole", **options)
    run_over(notes, tmp_path / "safe", **options)
    expected = contents(tmp_path / "whole")
    (tmp_path / "safe" / "g0" / "d1.txt").unlink()
    (tmp_path / "safe" / "g2" / "d4.txt").write_text("something else")
    (tmp_path / "safe" / "g2" / ".d4.txt.0123.part").write_text("half")
    done: list[str] = []
    honest = worker.Worker._do_files

    def watch(self: worker.Worker, job: FilesJob) -> Result:
        done.extend(task.id for task in job.files)
        return honest(self, job)

    monkeypatch.setattr(worker.Worker, "_do_files", watch)
    report = run_over(notes, tmp_path / "safe", resume=True, **options)
    assert done == ["g0/d0", "g0/d1", "g2/d4", "g2/d5"]  # whole groups
    assert contents(tmp_path / "safe") == expected
    assert report.tally.documents == 12
    assert report.run.taken_over == 8


def test_an_input_that_changed_is_done_again(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    run_over(notes, tmp_path / "safe")
    (notes / "g0" / "d0.txt").write_text("No fever.\n")
    report = run_over(notes, tmp_path / "safe", resume=True)
    assert report.run.taken_over == 11
    assert (tmp_path / "safe" / "g0" / "d0.txt").read_text() == "No fever.\n"


def test_an_output_whose_input_is_gone_is_mentioned(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    run_over(notes, tmp_path / "safe")
    (notes / "g0" / "d0.txt").unlink()
    report = run_over(notes, tmp_path / "safe", resume=True)
    assert report.tally.documents == 11
    (warning,) = report.run.warnings
    assert "the input of 1 output no longer exists: g0/d0.txt; remove it" in warning
    (tmp_path / "safe" / "g0" / "d0.txt").unlink()
    assert run_over(notes, tmp_path / "safe", resume=True).run.warnings == []


def test_tables_that_share_groups_are_done_together(tmp_path: Path, run_over: RunOver) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    first = "Call Ana Okafor about the results."
    second = "Call Boris Petrov about the results."
    (folder / "a.jsonl").write_text(f'{{"text": "{first}", "group": "p"}}\n')
    (folder / "b.jsonl").write_text(f'{{"text": "{second}", "group": "p"}}\n')
    run_over(folder, tmp_path / "safe")
    expected = contents(tmp_path / "safe")
    texts = [lines(tmp_path / "safe" / name)[0]["text"] for name in ("a.jsonl", "b.jsonl")]
    assert texts[0] != texts[1]  # two people
    (tmp_path / "safe" / "b.jsonl").unlink()
    report = run_over(folder, tmp_path / "safe", resume=True)
    assert report.run.taken_over == 0
    assert contents(tmp_path / "safe") == expected


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"threshold": 0.2}, "--threshold"),
        ({"policy": "mask"}, "--policy"),
        ({"key": Key(bytes(32))}, "--key"),
        ({"patterns": False}, "--no-patterns"),
        ({"group_from": "d(.)"}, "--group-from"),
        ({"bad_bytes": BadBytes.REPLACE}, "--on-bad-bytes"),
        ({"fallback_encoding": "none"}, "--fallback-encoding"),
        ({"columns": Columns("note")}, "--text-column"),
    ],
)
def test_other_settings_are_refused(
    notes: Path, tmp_path: Path, run_over: RunOver, change: dict[str, Any], named: str
) -> None:
    run_over(notes, tmp_path / "safe")
    with pytest.raises(ConfigError, match=f"other settings.*{named}"):
        run_over(notes, tmp_path / "safe", resume=True, **change)


def test_without_a_key_surrogates_cannot_be_continued(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    run_over(notes, tmp_path / "safe", policy="research", key=None)
    with pytest.raises(ConfigError, match="without --key"):
        run_over(notes, tmp_path / "safe", policy="research", key=None, resume=True)


def test_without_a_key_masks_can_be_continued(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    (notes / "g0" / "okafor.txt").write_text("Call Ana Okafor about the results.\n")
    options: dict[str, Any] = {"policy": "mask", "key": None, "rename": Rename.AUTO}
    run_over(notes, tmp_path / "safe", **options)
    expected = contents(tmp_path / "safe")
    for name in list(expected)[:4]:
        (tmp_path / "safe" / name).unlink()
    report = run_over(notes, tmp_path / "safe", **options, resume=True)
    assert contents(tmp_path / "safe") == expected
    assert report.run.taken_over == 9


def test_a_folder_that_holds_something_is_refused(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    (tmp_path / "safe").mkdir()
    (tmp_path / "safe" / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not empty"):
        run_over(notes, tmp_path / "safe")
    with pytest.raises(ConfigError, match="no run to continue"):
        run_over(notes, tmp_path / "safe", resume=True)
    assert list(contents(tmp_path / "safe")) == ["mine.txt"]


@pytest.mark.parametrize("content", ["", '{"lacuna":"0.1'])
def test_killed_before_it_began_it_can_be_continued(
    notes: Path, tmp_path: Path, run_over: RunOver, content: str
) -> None:
    (tmp_path / "safe.private").mkdir()
    (tmp_path / "safe.private" / "manifest.jsonl").write_text(content)
    options: dict[str, Any] = {"policy": "mask", "key": None, "resume": True}
    assert run_over(notes, tmp_path / "safe", **options).run.taken_over == 0
    assert run_over(notes, tmp_path / "safe", **options).run.taken_over == 12


def test_a_damaged_manifest_is_refused(notes: Path, tmp_path: Path, run_over: RunOver) -> None:
    run_over(notes, tmp_path / "safe")
    path = tmp_path / "safe.private" / "manifest.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[:-20])  # cut off: the last output is done again
    assert run_over(notes, tmp_path / "safe", resume=True).run.taken_over == 11
    path.write_bytes(content.replace(b'"input"', b'"imput"'))
    with pytest.raises(ConfigError, match="damaged"):
        run_over(notes, tmp_path / "safe", resume=True)


@pytest.mark.parametrize(
    ("table", "fails_at"), [(False, 2), (False, 6), (False, 15), (True, 2), (True, 3), (True, 4)]
)
def test_a_full_disk_stops_the_run_and_leaves_nothing_half(
    notes: Path,
    tmp_path: Path,
    run_over: RunOver,
    monkeypatch: pytest.MonkeyPatch,
    table: bool,
    fails_at: int,
) -> None:
    import errno
    import os

    if table:
        (tmp_path / "in.jsonl").write_text('{"text": "Call Ana Okafor about it."}\n' * 3)
    source = tmp_path / "in.jsonl" if table else notes
    honest = os.fsync
    calls = 0

    def full(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls == fails_at:
            raise OSError(errno.ENOSPC, "No space left on device")
        honest(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoppedError, match="No space left"):
        run_over(source, tmp_path / "safe")
    monkeypatch.undo()
    assert not list((tmp_path / "safe").rglob(".*"))
    is_begun = (tmp_path / "safe").exists()  # otherwise nothing was finished, and nothing is left
    assert is_begun == (tmp_path / "safe.private").exists() == (fails_at > 4)
    report = run_over(source, tmp_path / "safe", resume=is_begun)
    assert report.tally.failed == 0
    run_over(source, tmp_path / "whole")
    assert contents(tmp_path / "safe") == contents(tmp_path / "whole")


def test_links_in_the_output_are_not_followed(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    run_over(notes, tmp_path / "safe")
    outside = tmp_path / "outside"
    outside.mkdir()
    for path in sorted((tmp_path / "safe" / "g0").iterdir()):
        path.unlink()
    (tmp_path / "safe" / "g0").rmdir()
    (tmp_path / "safe" / "g0").symlink_to(outside)
    with pytest.raises(StoppedError, match="symbolic link"):
        run_over(notes, tmp_path / "safe", resume=True)
    assert not list(outside.iterdir())
