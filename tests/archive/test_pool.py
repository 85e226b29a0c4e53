"""Worker processes: one that dies stops the run, and the main process does not wait for it."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from lacuna.archive import pool, run
from lacuna.archive.messages import RowsJob, RowTask, decode_options, encode_options
from lacuna.archive.options import ArchiveOptions
from lacuna.archive.pool import WAITING, Processes
from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.policy import load_policy
from lacuna.errors import ConfigError, StoppedError
from lacuna.pipeline.detection import open_detection
from tests.archive.conftest import KEY, RunOver
from tests.no_network.sitecustomize import EXIT_CODE
from tests.test_network import REACH_OUT


def options(model: Path) -> ArchiveOptions:
    return ArchiveOptions(
        input=Path(),
        output=None,
        detection=DetectionOptions(model=str(model)),
        policy=load_policy("mask"),
        threshold=0.5,
        key=KEY,
        vault=Path(os.fsdecode(b"stud\xff.vault")),
        passphrase="open sesame",
    )


def begin(workers: Processes, model: Path) -> None:
    told = options(model)
    workers.begin(told, open_detection(told.detection))


def processes(workers: Processes) -> list[int]:
    """Return the process that made the workers, and the workers."""
    first = workers._process.pid
    return [first, *map(int, Path(f"/proc/{first}/task/{first}/children").read_text().split())]


@pytest.mark.parametrize("dies", [0, 1, 2])
def test_a_worker_that_dies_stops_the_run(model: Path, dies: int) -> None:
    workers = Processes(2)
    try:
        begin(workers, model)
        os.kill(processes(workers)[dies], signal.SIGKILL)
        for number in range(WAITING + 3):  # more than there is room for
            workers.submit(max(dies - 1, 0), RowsJob(1, [RowTask(number, "a", None, "Ana Okafor")]))
        with pytest.raises(StoppedError, match="worker process"):
            workers.collect(wait=True)
    finally:
        workers.close()


def test_all_workers_are_gone_afterwards(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LACUNA_PASSPHRASE", "open sesame, please")
    monkeypatch.setenv("LACUNA_OTHER", "inherited")
    workers = Processes(3)
    begin(workers, model)
    there = processes(workers)
    assert len(there) == 4
    for process in there:  # the passphrase of a vault stays in the main process
        environment = Path(f"/proc/{process}/environ").read_bytes()
        assert b"LACUNA_OTHER" in environment
        assert b"PASSPHRASE" not in environment
        assert b"sesame" not in environment
    workers.close()
    workers.close()
    assert not any(Path(f"/proc/{process}").exists() for process in there)


def test_what_a_worker_cannot_load_is_an_error(model: Path, tmp_path: Path) -> None:
    told = options(model)
    detection = open_detection(told.detection)
    missing = msgspec.structs.replace(told.detection, model=str(tmp_path / "none.lacuna"))
    workers = Processes(2)
    try:
        with pytest.raises(ConfigError, match=r"none\.lacuna"):
            workers.begin(replace(told, detection=missing), detection)
    finally:
        workers.close()


def test_a_worker_that_reaches_for_the_network_ends(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, module = pool.PROCESS
    code = f"{REACH_OUT}\nfrom {module} import main; main()"
    monkeypatch.setattr(pool, "PROCESS", ("-c", code))
    workers = Processes(1)
    try:
        with pytest.raises(StoppedError, match="worker process"):
            begin(workers, model)
        assert workers._process.wait() == EXIT_CODE
    finally:
        workers.close()


def test_nothing_of_the_key_is_shown(model: Path) -> None:
    shown = repr(options(model))
    assert "key=Key(…)" in shown
    assert repr(KEY.secret) not in shown
    assert "sesame" not in shown


def test_a_worker_is_told_all_options_but_the_passphrase(model: Path) -> None:
    told = options(model)
    message = encode_options(told)
    assert b"sesame" not in message
    heard = decode_options(message)
    assert heard.key is not None
    assert heard.key.secret == KEY.secret
    assert heard == replace(told, key=heard.key, passphrase="")


def test_one_document_needs_no_processes(
    tmp_path: Path, run_over: RunOver, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("Call Ana Okafor about the results.\n")
    (tmp_path / "b.jsonl").write_text('{"text": "Call Ana Okafor about the results."}\n')
    monkeypatch.delattr(run, "Processes")
    run_over(tmp_path / "a.txt", tmp_path / "safe", workers=2)
    with pytest.raises(NameError):
        run_over(tmp_path / "b.jsonl", tmp_path / "table", workers=2)
