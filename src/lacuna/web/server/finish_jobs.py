"""Finish at work, in a process of its own, while people review."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from lacuna.web.finishing.records import FinishAsked, Step
from lacuna.web.server.events import Hub
from lacuna.web.server.problems import Problem

ENDED = frozenset({"done", "failed", "stopped"})
SECONDS_TO_END = 5


class FinishJobs:
    """The job of a server; there is one at a time.

    Parameters
    ----------
    events
        Of the project.
    log_error
        Takes what went wrong.
    """

    def __init__(self, events: Hub, log_error: Callable[[str], None]) -> None:
        self._events, self._log_error = events, log_error
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self.job: Step | None = None

    def start(self, folder: Path, who: str, asked: FinishAsked) -> None:
        """Begin; raises :class:`Problem` (409) while one runs."""
        with self._lock:
            if self._is_closed or (self.job is not None and self.job.state not in ENDED):
                raise Problem(409, "A model is being finished already.", kind="running")
            command = [
                sys.executable,
                "-m",
                "lacuna.web.finishing.finish_process",
                str(folder),
                who,
            ]
            self._process = subprocess.Popen(
                [*command, msgspec.json.encode(asked).decode()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self.job = Step("preparing")
        threading.Thread(target=self._follow, args=(self._process,), daemon=True).start()
        self._events.tell("finish")

    def stop(self) -> None:
        """Stop the job, if one runs; nothing is written then."""
        with self._lock:
            process = self._process
            if process is None or self.job is None or self.job.state in ENDED:
                return
            process.terminate()
            words = "Stopped; nothing was written, and the seal stays closed."
            self.job = msgspec.structs.replace(self.job, state="stopped", message=words)
        self._events.tell("finish")

    def close(self) -> None:
        """Stop, and wait for the process to end."""
        self._is_closed = True
        self.stop()
        if self._process is not None:
            try:
                self._process.wait(SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                self._process.kill()

    def _follow(self, process: subprocess.Popen[bytes]) -> None:
        """Take over the steps that the process tells."""
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self._take(process, msgspec.json.decode(line, type=Step))
        code = process.wait()
        with self._lock:
            is_last = self._process is process
            is_lost = is_last and self.job is not None and self.job.state not in ENDED
        if is_lost:
            self._log_error(f"finish ended with code {code}")
            self._take(process, Step("failed", message="It failed: its process has ended."))

    def _take(self, process: subprocess.Popen[bytes], step: Step) -> None:
        with self._lock:
            if self._process is not process or self.job is None or self.job.state == "stopped":
                return
            seconds = max(step.seconds, self.job.seconds)
            self.job = msgspec.structs.replace(step, seconds=seconds)
        self._events.tell("finish")
