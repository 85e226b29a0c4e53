"""What the server and its teacher say to each other: records in frames over two pipes.

A frame is its length in four bytes (big-endian) and a msgpack record. Texts are not sent: the
teacher reads documents from the database of the project by key and version.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

import msgspec

from lacuna.web.teaching.gate import Compared
from lacuna.web.teaching.learnable import Version

MOST_BYTES = 1 << 28  #: of a frame
_LENGTH = struct.Struct(">I")


class _Message(msgspec.Struct, frozen=True, tag=True):
    pass


class Warm(_Message, frozen=True):
    """Prepare a lesson; nothing is answered. The fields are those of :class:`Teach`."""

    folder: str
    documents: tuple[Version, ...]
    judged_on: tuple[Version, ...]
    live: str | None


class Teach(_Message, frozen=True):
    """Learn.

    Attributes
    ----------
    job
        Number of this lesson; answers name it.
    folder
        Of the project.
    documents, judged_on
        What to learn from, and the documents of the gate: keys and versions.
    live
        The model file that suggests now; ``None`` if there is none.
    draft
        Where to write models; a number is added to the name.
    early, iterations
        After how many iterations a model is judged for the first time, and at the end; 0: as the
        kind of model has it.
    """

    job: int
    folder: str
    documents: tuple[Version, ...]
    judged_on: tuple[Version, ...]
    live: str | None
    draft: str
    early: int = 8
    iterations: int = 0


class Stop(_Message, frozen=True):
    """End the lesson after this iteration and judge what there is."""

    job: int


class Working(_Message, frozen=True):
    """How far a lesson is."""

    job: int
    state: str
    iteration: int = 0
    iterations: int = 0


class Made(_Message, frozen=True):
    """A model was made, judged and written to a draft.

    Attributes
    ----------
    file, sha256
        The draft, and its SHA-256 in hexadecimal.
    base_sha256
        Of the file it started from; ``None`` if it started from nothing.
    compared
        With the model that was live when the lesson began.
    replaces
        Whether it should replace the model of this lesson that was made before, if there is one.
    is_last
        Whether the lesson ends with it.
    """

    job: int
    file: str
    sha256: str
    base_sha256: str | None
    iterations: int
    seconds: float
    compared: Compared
    replaces: bool
    is_last: bool


class Ended(_Message, frozen=True):
    """A lesson has ended; `error` says why if it failed, and quotes no text."""

    job: int
    error: str | None = None


Asked = Warm | Teach | Stop
Told = Working | Made | Ended

_asked = msgspec.msgpack.Decoder(Asked)
_told = msgspec.msgpack.Decoder(Told)


def send(stream: BinaryIO, message: Asked | Told) -> None:
    """Write a frame."""
    content = msgspec.msgpack.encode(message)
    stream.write(_LENGTH.pack(len(content)) + content)
    stream.flush()


def receive_asked(stream: BinaryIO) -> Asked | None:
    """Read what the server asks for; ``None`` at the end."""
    content = _frame(stream)
    return None if content is None else _asked.decode(content)


def receive_told(stream: BinaryIO) -> Told | None:
    """Read what the teacher tells; ``None`` at the end."""
    content = _frame(stream)
    return None if content is None else _told.decode(content)


def _frame(stream: BinaryIO) -> bytes | None:
    """Return the content of a frame; ``None`` if the stream ends, also in the middle of one."""
    head = _exactly(stream, _LENGTH.size)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MOST_BYTES:
        return None
    return _exactly(stream, length)


def _exactly(stream: BinaryIO, count: int) -> bytes | None:
    content = b""
    while len(content) < count:
        more = stream.read(count - len(content))
        if not more:
            return None
        content += more
    return content
