"""Worker processes: ``python -m lacuna.archive.process PARENT IN:OUT IN:OUT …``.

One process loads the model and then forks: there is a worker for each pair of pipes but the first,
and the loaded model is shared. A worker reads jobs from one pipe and writes results to the other;
every message is preceded by its length. Through the first pair the main process sends the options;
when it closes that pair, or ends, all workers are stopped. Nothing is printed.

Signals and garbage collection are set before anything else is imported, so this module imports
little, and the rest inside functions.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, NoReturn

import msgspec

from lacuna.errors import LacunaError

if TYPE_CHECKING:
    from lacuna.archive.worker import Worker

RARELY = 50_000  #: new objects between garbage collections; a job leaves hardly any garbage
_LENGTH = 8


class Ready(msgspec.Struct, frozen=True):
    """The answer when everything is loaded, or why it could not be."""

    error: str | None = None


class Pipes:
    """The two ends through which a worker and the main process communicate."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming: IO[bytes] = os.fdopen(incoming, "rb")
        self.outgoing: IO[bytes] = os.fdopen(outgoing, "wb")

    def send(self, message: bytes) -> None:
        """Write a message, preceded by its length."""
        self.outgoing.write(len(message).to_bytes(_LENGTH, "big"))
        self.outgoing.write(message)
        self.outgoing.flush()

    def receive(self) -> bytes | None:
        """Read a message; ``None`` if the other side has ended."""
        head = self.incoming.read(_LENGTH)
        if len(head) < _LENGTH:
            return None
        size = int.from_bytes(head, "big")
        message = self.incoming.read(size)
        return message if len(message) == size else None

    def close(self) -> None:
        """Close both ends."""
        self.incoming.close()
        with suppress(OSError):  # the other side may be gone
            self.outgoing.close()


def main() -> None:
    """Run as a process."""
    gc.disable()  # loading makes no garbage, and collecting would take a tenth of the time
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process decides
    _, parent, *pairs = sys.argv
    end_with(int(parent))
    control, *pipes = [Pipes(*map(int, pair.split(":"))) for pair in pairs]

    from lacuna.archive.messages import decode_options
    from lacuna.archive.worker import Worker
    from lacuna.kernels import load_without_blas

    load_without_blas()
    message = control.receive()
    if message is None:
        return
    try:
        worker = Worker(decode_options(message))
    except (LacunaError, OSError) as error:
        control.send(msgspec.msgpack.encode(Ready(in_words(error))))
        return
    worker.warm_up()
    gc.freeze()
    gc.set_threshold(RARELY)
    gc.enable()
    fork_workers(worker, control, pipes)


def in_words(error: LacunaError | OSError) -> str:
    """Return what is wrong with the model, or with another file."""
    if isinstance(error, OSError):
        return f"{error.filename or 'system'}: {error.strerror or type(error).__name__}"
    return str(error)


def fork_workers(worker: Worker, control: Pipes, pipes: Sequence[Pipes]) -> NoReturn:
    """Fork a worker for each pair of pipes, and stop them when the main process says so."""
    parent = os.getpid()
    children = []
    for own in pipes:
        child = os.fork()
        if child == 0:
            end_with(parent)
            for other in (control, *pipes):
                if other is not own:  # otherwise the end of the other side would go unnoticed
                    other.close()
            serve(worker, own)
        children.append(child)
    for own in pipes:
        own.close()
    control.send(msgspec.msgpack.encode(Ready()))
    control.receive()
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    os._exit(0)


def serve(worker: Worker, pipes: Pipes) -> NoReturn:
    """Do jobs until the pipe is closed, then end."""
    from lacuna.archive.messages import Job

    decode = msgspec.msgpack.Decoder(Job).decode
    with suppress(BrokenPipeError):
        while (message := pipes.receive()) is not None:
            pipes.send(msgspec.msgpack.encode(worker.do(decode(message))))
    os._exit(0)


def end_with(parent: int) -> None:
    """Ask the system to kill this process when its parent ends (Linux only)."""
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended already
            os._exit(0)


if __name__ == "__main__":
    main()
