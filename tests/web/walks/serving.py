"""A ``lacuna serve`` process, as a person starts it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType

LINK = re.compile(r"(http://127\.0\.0\.1:(\d+))/#k=(\S+)")
START_SECONDS = 120  # the first start compiles kernels
STOP_SECONDS = 60  # a request that compiles kernels is not interrupted


class Serve:
    """The process; it can be killed and started again in the same place.

    Parameters
    ----------
    folder
        Where it is started; paths for import and export lie below.
    arguments
        Of the command, e.g. a project or ``--demo``.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._folder, self._arguments = folder, arguments
        self.origin = self.token = ""
        self._port = 0
        self._said: list[str] = []
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Serve:
        self.start()
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def link(self) -> str:
        """The address that opens the page."""
        return f"{self.origin}/#k={self.token}"

    @property
    def said(self) -> str:
        """All that the process wrote so far."""
        return "".join(self._said)

    def start(self) -> None:
        """Start it, on the port of the last time, and wait for its link."""
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "lacuna", "serve", *self._arguments),
                *("--no-browser", "--port", str(self._port)),
            ],
            cwd=self._folder,
            env=os.environ
            | {"PYTHONPATH": os.pathsep.join(_python_path()), "PYTHONFAULTHANDLER": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        links: Queue[re.Match[str] | None] = Queue()
        threading.Thread(target=self._listen, args=(self._process, links), daemon=True).start()
        try:
            found = links.get(timeout=START_SECONDS)
        except Empty:
            found = None
        if found is None:
            self.kill()
            raise AssertionError(f"lacuna serve gave no link; it wrote:\n{self.said}")
        self.origin, self._port, self.token = found[1], int(found[2]), found[3]

    def _listen(self, process: subprocess.Popen[str], links: Queue[re.Match[str] | None]) -> None:
        """Keep what the process writes; a full pipe would stop it."""
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self._said.append(line)
                if found := LINK.search(line):
                    links.put(found)
        links.put(None)

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """Interrupt it, as Ctrl+C does."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGABRT)  # it writes what it is doing
            self._process.wait()
            doing = self.said[-5000:]
            raise AssertionError(f"lacuna serve did not end after Ctrl-C:\n{doing}") from None


def _python_path() -> list[str]:
    """Return where modules are found, also from another folder."""
    given = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    return [str(Path(part).resolve()) for part in given]
