"""The process that de-identifies for the server: ``python -m lacuna.web.deid_process PARENT``.

It reads one order from its standard input, does it, and writes messages to its standard output,
each preceded by its length. It ends with its parent, or when it is asked to (SIGTERM), and then
leaves no file that is not complete. Nothing else is printed.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from types import FrameType
from typing import NoReturn

from lacuna.archive.process import Pipes, end_with
from lacuna.errors import LacunaError
from lacuna.web.deid_orders import Failed, Message, Progress, decode_order, encode

TELL_EVERY = 0.1  #: seconds between messages
OWNER_ONLY = 0o077


def main() -> None:
    """Run as a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides
    signal.signal(signal.SIGTERM, _stop)
    end_with(int(sys.argv[1]))
    os.umask(OWNER_ONLY)
    pipes = Pipes(os.dup(0), os.dup(1))
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # nothing but messages may get there
        os.dup2(silence, stream)
    content = pipes.receive()
    if content is None:
        return
    try:
        pipes.send(encode(_done(content, pipes)))
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(1)


def _done(content: bytes, pipes: Pipes) -> Message:
    from lacuna.web.deid_work import do_order

    last = float("-inf")

    def tell(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= TELL_EVERY:
            last = now
            pipes.send(encode(progress))

    try:
        return do_order(decode_order(content), tell)
    except BrokenPipeError:
        raise
    except LacunaError as error:  # names files and ids, quotes no text
        return Failed(str(error))
    except OSError as error:
        return Failed(error.strerror or type(error).__name__)
    except Exception as error:  # its message could quote a note
        return Failed(type(error).__name__, is_ours=True)


def _stop(_: int, __: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
