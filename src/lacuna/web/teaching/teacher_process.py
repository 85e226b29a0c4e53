"""The teacher's process, started by `teacher.py`.

It reads what is asked for from its standard input and tells on its standard output; whatever else
is printed goes nowhere. It ends when its input ends, so also if the server is killed. It keeps
nothing that is not in the project: killing it loses nothing.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from pathlib import Path
from typing import BinaryIO

from lacuna.errors import LacunaError
from lacuna.web.teaching.frames import Ended, Stop, Teach, Told, Warm, receive_asked, send
from lacuna.web.teaching.lessons import Classroom

OWNER_ONLY = 0o077


class Child:
    """Does what is asked, one thing after the other; a stop is heard at once."""

    def __init__(self, asked: BinaryIO, told: BinaryIO) -> None:
        self._in, self._out = asked, told
        self._waiting: queue.Queue[Warm | Teach | None] = queue.Queue()
        self._stop = threading.Event()
        self._stopped: set[int] = set()  # jobs
        self._room = Classroom()

    def run(self) -> None:
        """Work until the input ends."""
        threading.Thread(target=self._listen, daemon=True).start()
        while (asked := self._waiting.get()) is not None:
            try:
                self._do(asked)
            except Exception as error:
                if isinstance(asked, Teach):
                    self._tell(Ended(asked.job, what_went_wrong(error)))

    def _listen(self) -> None:
        while (asked := receive_asked(self._in)) is not None:
            if isinstance(asked, Stop):
                self._stopped.add(asked.job)
                self._stop.set()
            else:
                self._waiting.put(asked)
        os._exit(0)  # the server has ended, or does not want us any more

    def _do(self, asked: Warm | Teach) -> None:
        if isinstance(asked, Warm):
            if self._waiting.empty():  # else there is something better to do
                self._room.warm(asked)
            return
        self._stop.clear()
        if asked.job in self._stopped:
            self._stop.set()
        self._room.teach(asked, self._tell, self._stop)
        self._tell(Ended(asked.job))

    def _tell(self, message: Told) -> None:
        send(self._out, message)


def what_went_wrong(error: Exception) -> str:
    """Return words about an error that quote no text."""
    if isinstance(error, LacunaError):
        return str(error)
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    place = f" at {Path(step.tb_frame.f_code.co_filename).name}:{step.tb_lineno}" if step else ""
    return f"an error in lacuna: {type(error).__name__}{place}"


def main() -> None:
    """Work for the process that started this one."""
    os.umask(OWNER_ONLY)
    told = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    Child(sys.stdin.buffer, told).run()


if __name__ == "__main__":
    main()
