"""Finish in a process of its own, started by the server with ``PROJECT PERSON ASKED``.

`ASKED` is a :class:`FinishAsked` as JSON. Writes steps as JSON lines; the last one has the state
``done`` or ``failed``. SIGTERM stops it and leaves nothing behind.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

import msgspec

from lacuna.errors import LacunaError
from lacuna.web.finishing.finish import finish
from lacuna.web.finishing.records import FinishAsked, Step
from lacuna.web.project import open_project

NICE = 5  #: the page comes first


def main(folder: str, who: str, asked: str) -> int:
    """Finish; return the exit code."""
    with suppress(OSError, AttributeError):
        os.nice(NICE)
    os.umask(0o077)
    try:
        with open_project(Path(folder)) as project:
            finish(project, msgspec.json.decode(asked, type=FinishAsked), who=who, on_step=_say)
    except LacunaError as error:  # these messages quote no text
        words = str(error)
        _say(Step("failed", message=f"{words[:1].upper()}{words[1:]}."))
        return 2
    except KeyboardInterrupt:  # stopped; what was begun has been removed
        return 1
    except Exception as error:
        _say(Step("failed", message=f"It failed: an error in lacuna ({type(error).__name__})."))
        return 1
    return 0


def _say(step: Step) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(step) + b"\n")
    sys.stdout.buffer.flush()


def _stop(_: int, __: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)
    sys.exit(main(*sys.argv[1:]))
