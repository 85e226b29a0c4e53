r"""One input file: read in chunks, by line or whole, with errors that name the position.

Line ends are kept and lines end at ``\n`` only. In a text, a byte-order mark is a character like
any other; formats in which it cannot be content use :meth:`Source.records`.
"""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from lacuna.errors import ConfigError, CorpusFormatError
from lacuna.io.columns import Columns
from lacuna.types import Task

CHUNK_BYTES = 1 << 18
HEAD_BYTES = 1 << 16
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in a file that documents cannot hold, and how often it was skipped."""

    path: str
    what: str
    count: int


def ignore(_: object) -> None:
    """Ignore a report."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """Something that a file does not say and that was taken for granted."""

    path: str
    what: str


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read, the same for every file of a corpus.

    Attributes
    ----------
    encoding
        Of all text files; XML names its own.
    task
        What the last column of conll files is.
    annotator
        Whose annotations to read from exports of Label Studio; the first of each document if
        ``None``.
    on_bytes
        Called with the number of bytes just read, for progress bars.
    on_skip
        Called with each :class:`Skipped`.
    on_assume
        Called with each :class:`Assumed`.
    columns
        Columns of conll files; ``None``: the first is the word, the last the tag.
    tagged
        Whether conll files must have tags; otherwise, a single column is one of words.
    """

    encoding: str = "utf-8"
    task: Task = Task.NER
    on_bytes: Callable[[int], None] = ignore
    on_skip: Callable[[Skipped], None] = ignore
    annotator: str | None = None
    on_assume: Callable[[Assumed], None] = ignore
    columns: Columns | None = None
    tagged: bool = True
    piece_characters: int | None = None

    def __post_init__(self) -> None:
        try:
            "".encode(self.encoding)
        except (LookupError, UnicodeError) as error:
            raise ConfigError(f"unknown text encoding {self.encoding!r}") from error


class _Pipe(io.RawIOBase):
    """The standard input (``None``) or a named pipe; each read returns as much as was asked for."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._stream: BinaryIO | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._stream is None:
            self._stream = sys.stdin.buffer if self._path is None else self._path.open("rb")
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if self._path is not None and self._stream is not None:
            self._stream.close()
        super().close()


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a corpus.

    Attributes
    ----------
    path
        Where it is; ``None`` is the standard input.
    id
        Id of its document, or what the automatic ids of its documents begin with.

    The standard input and pipes can be read only once: they are opened once and their head is kept.
    """

    path: Path | None
    id: str
    options: ReadOptions = field(default_factory=ReadOptions)
    _pipe: io.BufferedReader | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        is_pipe = self.path is None or self.path.is_fifo()
        pipe = io.BufferedReader(_Pipe(self.path), HEAD_BYTES) if is_pipe else None
        object.__setattr__(self, "_pipe", pipe)

    @property
    def name(self) -> str:
        """Name for messages."""
        return "<stdin>" if self.path is None else str(self.path)

    def companion(self, suffix: str) -> Source:
        """Return the companion file that differs only in its suffix."""
        if self.path is None:
            raise ConfigError("a format of several files cannot be read from the standard input")
        return Source(self.path.with_suffix(suffix), self.id, self.options)

    def error(
        self, reason: str, *, line: int | None = None, byte: int | None = None
    ) -> CorpusFormatError:
        """Return (not raise) the error for something wrong in this file."""
        return CorpusFormatError(self.name, reason, line=line, byte=byte)

    def skipped(self, what: str, count: int) -> None:
        """Report something that was skipped, if there was any."""
        if count:
            self.options.on_skip(Skipped(self.name, what, count))

    def assumed(self, what: str) -> None:
        """Report something that was taken for granted."""
        self.options.on_assume(Assumed(self.name, what))

    def head(self) -> bytes:
        """Look at the first bytes without consuming them."""
        if self._pipe is not None:
            return self._pipe.peek(HEAD_BYTES)[:HEAD_BYTES]
        with self._opened() as stream:
            return stream.read(HEAD_BYTES)

    def bytes_chunks(self) -> Iterator[bytes]:
        """Yield the raw content piece by piece."""
        with self._opened() as stream:
            while data := stream.read(CHUNK_BYTES):
                self.options.on_bytes(len(data))
                yield data

    def chunks(self) -> Iterator[str]:
        """Yield the decoded content piece by piece."""
        decoder = codecs.getincrementaldecoder(self.options.encoding)()
        consumed = 0
        for data in self.bytes_chunks():
            yield self._decode(decoder, data, consumed)
            consumed += len(data)
        yield self._decode(decoder, b"", consumed, final=True)

    def _decode(
        self, decoder: codecs.IncrementalDecoder, data: bytes, consumed: int, *, final: bool = False
    ) -> str:
        held_back = len(decoder.getstate()[0])  # incomplete character of the previous chunk
        try:
            return decoder.decode(data, final)
        except UnicodeError as error:
            byte = consumed - held_back + getattr(error, "start", 0)
            raise self.error(f"not valid {self.options.encoding}", byte=byte) from None

    def text(self) -> str:
        """Return the whole content."""
        with self._opened() as stream:
            data = stream.read()
        self.options.on_bytes(len(data))
        decoder = codecs.getincrementaldecoder(self.options.encoding)()
        return self._decode(decoder, data, 0, final=True)

    def pieces(self, characters: int) -> Iterator[str]:
        """Yield the decoded content in whole lines, at least so many characters at once."""
        pending: list[str] = []
        size = 0
        for chunk in self.chunks():
            pending.append(chunk)
            size += len(chunk)
            if size >= characters and "\n" in chunk:
                piece, line_end, rest = "".join(pending).rpartition("\n")
                yield piece + line_end
                pending, size = [rest], len(rest)
        if last := "".join(pending):
            yield last

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield (line number from 1, line without line feed); needs memory for the longest line."""
        number = 1
        pending: list[str] = []
        for chunk in self.chunks():
            first, *others = chunk.split("\n")
            pending.append(first)
            if others:
                yield number, "".join(pending)
                for line in others[:-1]:
                    number += 1
                    yield number, line
                number += 1
                pending = [others[-1]]
        if last := "".join(pending):
            yield number, last

    def records(self) -> Iterator[tuple[int, str]]:
        """Yield lines as :meth:`lines`, without byte-order mark and carriage return."""
        for number, line in self.lines():
            line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
            yield number, line.removesuffix("\r")

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        try:
            with self._pipe or Path(self.name).open("rb", buffering=0) as stream:
                yield stream
        except OSError as error:
            raise self.error(f"cannot be read: {error.strerror}") from error
