"""Worker processes: one that dies stops the run, and nobody waits for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lacuna.deid.policy import load_policy
from lacuna.deid.scope import Consistency
from lacuna.errors import StoppedError
from lacuna.pipeline.archive import pool
from lacuna.pipeline.archive.choices import BadBytes, Rename
from lacuna.pipeline.archive.messages import RowsJob, RowTask, Setup
from lacuna.pipeline.archive.pool import WAITING, Processes
from lacuna.pipeline.detecting import DetectionOptions
from tests.no_network.sitecustomize import EXIT_CODE
from tests.pipeline.archive.conftest import KEY
from tests.test_network import REACH_OUT


def setup(model: Path) -> Setup:
    return Setup(
        detection=DetectionOptions(model=str(model)),
        threshold=0.5,
        policy=load_policy("mask"),
        key=KEY.secret,
        consistency=Consistency.PATIENT,
        locale="en",
        encoding="utf-8",
        bad_bytes=BadBytes.FAIL,
        rename=Rename.AUTO,
        output=None,
        vault=False,
    )


def test_a_worker_that_dies_stops_the_run(model: Path) -> None:
    workers = Processes(setup(model), 1)
    try:
        workers._processes[0].kill()
        for number in range(WAITING + 3):  # more than there is room for
            workers.submit(0, RowsJob(1, [RowTask(number, "a", None, "Ana Okafor")]))
        with pytest.raises(StoppedError, match="worker process"):
            workers.collect(wait=True)
    finally:
        workers.close()


def test_a_worker_that_reaches_for_the_network_ends(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, module = pool.WORKER
    monkeypatch.setattr(pool, "WORKER", ("-c", f"{REACH_OUT}\nfrom {module} import main; main()"))
    workers = Processes(setup(model), 1)
    try:
        workers.submit(0, RowsJob(1, [RowTask(1, "a", None, "Ana Okafor")]))
        with pytest.raises(StoppedError, match="worker process"):
            workers.collect(wait=True)
        assert workers._processes[0].wait() == EXIT_CODE
    finally:
        workers.close()


def test_nothing_of_the_key_is_shown(model: Path) -> None:
    assert repr(setup(model)) == "Setup(…)"
