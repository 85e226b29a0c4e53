"""Runs of de-identification, one at a time, each in a process of its own.

What a run writes is there when it is done; if it fails or is stopped, nothing stays.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from glob import escape
from pathlib import Path

from lacuna.archive.manifest import private_folder
from lacuna.archive.process import Pipes
from lacuna.deid.keys import PASSPHRASE_VARIABLE
from lacuna.errors import ConfigError, LacunaError
from lacuna.web.deid_orders import Ended, Failed, Order, Progress, decode_message, encode

PROCESS = ("-m", "lacuna.web.deid_process")  #: arguments of Python
MOST_REMEMBERED = 100
SECONDS_TO_STOP = 1.0  #: then it is killed
ENDED = "the process that de-identifies ended unexpectedly"


class RunState(StrEnum):
    """How a run is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


class BusyError(LacunaError):
    """Another run is going on."""


@dataclass(slots=True)
class DeidRun:
    """A run.

    Attributes
    ----------
    number, order
        Its number, and what was asked.
    state, progress, remarks
        How far it is, and what a person should know about it, in sentences.
    error
        Why it failed, without quoting a text.
    """

    number: int
    order: Order
    state: RunState = RunState.RUNNING
    progress: Progress = field(default_factory=Progress)
    remarks: list[str] = field(default_factory=list)
    error: str | None = None
    process: subprocess.Popen[bytes] | None = None
    must_stop: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None


class DeidRuns:
    """The runs of a server.

    Parameters
    ----------
    on_change
        Called when a run has come further, or has ended; in its thread.
    log_error
        Takes the type of an error in lacuna.
    """

    def __init__(
        self,
        on_change: Callable[[], None] = lambda: None,
        log_error: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._on_change, self._log_error = on_change, log_error
        self._runs: dict[int, DeidRun] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._is_closed = False

    def get(self, number: int) -> DeidRun | None:
        """Return a run by its number."""
        return self._runs.get(number)

    def all(self) -> list[DeidRun]:
        """Return all runs, the newest first."""
        with self._lock:
            return [*reversed(self._runs.values())]

    def start(self, order: Order) -> DeidRun:
        """Begin a run.

        Raises
        ------
        BusyError
            If another one is going on.
        ConfigError
            If its output exists, or cannot be made.
        """
        with self._lock:
            if self._is_closed or any(one.state is RunState.RUNNING for one in self._runs.values()):
                raise BusyError("another run is going on")
            _make_places(order)
            run = DeidRun(next(self._numbers), order)
            self._runs[run.number] = run
            while len(self._runs) > MOST_REMEMBERED:
                del self._runs[next(iter(self._runs))]
            run.thread = threading.Thread(target=self._work, args=(run,), daemon=True)
            run.thread.start()
        return run

    def stop(self, run: DeidRun) -> None:
        """Stop a run and wait until it has ended; nothing that it wrote stays."""
        run.must_stop.set()
        if run.process is not None:
            run.process.terminate()
        if run.thread is not None:
            run.thread.join(3 * SECONDS_TO_STOP)

    def close(self) -> None:
        """Stop what is going on; no further run begins."""
        with self._lock:
            self._is_closed = True
            running = [one for one in self._runs.values() if one.state is RunState.RUNNING]
        for run in running:
            self.stop(run)

    # --- in the thread of a run

    def _work(self, run: DeidRun) -> None:
        """Start the process and listen to it; the system ends it with this thread."""
        state = RunState.FAILED
        try:
            state = self._listen(run)
        except Exception as error:
            run.error = f"an error in lacuna: {type(error).__name__}"
            self._log_error(type(error).__name__)
        finally:
            if state is not RunState.DONE:
                _remove(run.order)
            run.state = state
            self._on_change()

    def _listen(self, run: DeidRun) -> RunState:
        process, pipes = _started(run.order)
        run.process = process
        killer = threading.Thread(target=_kill_if_asked, args=(run, process), daemon=True)
        killer.start()
        last: Ended | Failed | None = None
        try:
            while (content := pipes.receive()) is not None:
                message = decode_message(content)
                if isinstance(message, Progress):
                    run.progress = message
                    self._on_change()
                else:
                    last = message
        finally:
            pipes.close()
            process.wait()
            is_stopped = run.must_stop.is_set()
            run.must_stop.set()  # the killer ends, too
            killer.join()
        if isinstance(last, Ended):
            run.progress, run.remarks = last.progress, last.remarks
            return RunState.DONE
        if is_stopped:
            return RunState.STOPPED
        run.error = ENDED if last is None else last.reason
        if last is None or last.is_ours:
            self._log_error(run.error)
            run.error = f"an error in lacuna: {run.error}"
        return RunState.FAILED


def _kill_if_asked(run: DeidRun, process: subprocess.Popen[bytes]) -> None:
    """Wait for the end; if it is asked for, ask the process, then kill it."""
    run.must_stop.wait()
    with suppress(OSError):
        process.terminate()
    try:
        process.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()


def _started(order: Order) -> tuple[subprocess.Popen[bytes], Pipes]:
    """Start a process and give it an order."""
    kept = {name: value for name, value in os.environ.items() if name != PASSPHRASE_VARIABLE}
    process = subprocess.Popen(
        [sys.executable, *PROCESS, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("LACUNA_DEBUG") else subprocess.DEVNULL,
        env=kept,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    pipes = Pipes(os.dup(process.stdout.fileno()), os.dup(process.stdin.fileno()))
    process.stdout.close()
    process.stdin.close()
    with suppress(BrokenPipeError):  # it has ended already
        pipes.send(encode(order))
    return process, pipes


# --- what it writes


def _make_places(order: Order) -> None:
    """Make the empty file or folders that a run fills; they must be new."""
    if order.report is not None:
        Path(order.report).parent.mkdir(mode=0o700, exist_ok=True)
    made: list[Path] = []
    try:
        for path in _places(order):
            if _is_file(order):
                path.touch(0o600, exist_ok=False)
            else:
                path.mkdir(0o700)
            made.append(path)
    except OSError as error:
        _remove_all(made)
        if isinstance(error, FileExistsError):
            raise ConfigError("there is such a file or folder already") from None
        raise ConfigError(f"its folder cannot be made: {error.strerror}") from None


def _places(order: Order) -> list[Path]:
    """Return what a run writes, besides its report."""
    if order.output is None:
        return []
    output = Path(order.output)
    return [output] if order.source is None else [private_folder(output), output]


def _is_file(order: Order) -> bool:
    return order.source is None and order.format == "jsonl"


def _remove(order: Order) -> None:
    """Remove what a run has written that was not finished."""
    report = [] if order.report is None else [Path(order.report)]
    paths = [*_places(order), *report]
    parts = [part for path in paths for part in _parts(path)]
    _remove_all([*paths, *parts])


def _remove_all(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _parts(path: Path) -> list[Path]:
    """Return what a process that was killed left of a file or folder (lacuna.io.writing)."""
    return [*path.parent.glob(f".{escape(path.name[:80])}.*.part")]
