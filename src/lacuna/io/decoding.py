"""From bytes to text: in a given encoding, or in one that is auto-detected for each file.

Auto-detected are, in this order:

1. UTF-32 and UTF-16 by their byte-order mark;
2. UTF-16 without one, if one byte of most characters is zero, on the same side;
3. UTF-8, with or without a byte-order mark;
4. the *fallback* encoding, which is usually that of old Windows programs.

Almost any bytes are valid in a fallback encoding, so it is used only if the bytes look like it:
there is no zero byte, and hardly any sequence that is valid UTF-8. UTF-8 with a few damaged bytes
is refused, because in the fallback encoding *Zoë* would become *ZoÃ«*, a name that nobody knows.
A text with many zero bytes is refused as well: it is no UTF-8, though it may be valid, but UTF-16
in another script, or no text at all.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple

from lacuna.errors import ConfigError, CorpusFormatError

AUTO, NONE = "auto", "none"
UTF_8 = "utf-8"
FALLBACK = "cp1252"
HEAD_BYTES = 1 << 12
_MARKS = (  # that of UTF-16 is the beginning of that of UTF-32
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPED = re.compile("[\udc80-\udcff]")  # invalid bytes, as surrogateescape keeps them
_VALID = re.compile("[^\0-\x7f\udc80-\udcff]")
_RARE = 4  #: invalid bytes for each sequence that is valid UTF-8 by chance
_MOST_ZEROS = 16  #: one zero byte among so many may be in a text
_CHUNK = 1 << 20


class Decoded(NamedTuple):
    """A text, and the encoding that was detected, ``""`` for UTF-8 or a given one."""

    text: str
    detected: str = ""


_ASCII = "".join(map(chr, range(0x20, 0x7F)))


@dataclass(frozen=True, slots=True)
class Encodings:
    """How bytes become text.

    Attributes
    ----------
    encoding
        Of all files; ``"auto"`` detects it for each.
    fallback
        For files that are not UTF-8; ``"none"`` refuses them.

    Raises
    ------
    ConfigError
        If there is no such encoding.
    """

    encoding: str = AUTO
    fallback: str = FALLBACK

    def __post_init__(self) -> None:
        for option, name, word in (
            ("--encoding", self.encoding, AUTO),
            ("--fallback-encoding", self.fallback, NONE),
        ):
            if name != word:
                _check(option, name)

    @property
    def declared(self) -> str:
        """The given encoding; UTF-8 if it is auto-detected."""
        return UTF_8 if self.encoding == AUTO else self.encoding

    @property
    def is_like_ascii(self) -> bool:
        """Whether ASCII characters are their own bytes, in what is read without zero bytes."""
        return self.encoding == AUTO or _ASCII.encode(self.encoding, "replace") == _ASCII.encode()

    def by_head(self, head: bytes) -> str:
        """Return the encoding as far as the first bytes show it: UTF-8 may be the fallback."""
        if self.encoding != AUTO:
            return self.encoding
        for mark, name in _MARKS:
            if head.startswith(mark):
                return name
        return _utf_16_without_mark(head[:HEAD_BYTES]) or UTF_8

    def of_file(self, path: Path) -> str:
        """Return the encoding of a file, reading all of it in pieces if it has to be detected."""
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
            if self.by_head(head) != UTF_8 or self.encoding != AUTO:
                return self.by_head(head)
            pieces = iter(lambda: stream.read(_CHUNK), b"")
            return self._of(_decoded(head, pieces))

    def open_lines(self, path: Path) -> TextIOWrapper:
        """Open a file of lines that end at a line feed; invalid bytes become lone surrogates.

        UTF-8 is not told from the fallback encoding: :meth:`mend` does that for each line or cell.
        """
        with path.open("rb") as stream:
            encoding = self.by_head(stream.read(HEAD_BYTES))
        return path.open(encoding=encoding, errors="surrogateescape", newline="\n")

    def detected(self, encoding: str) -> str:
        """Return the name of an encoding if it was detected and is not UTF-8, or ``""``."""
        if self.encoding != AUTO or encoding == UTF_8:
            return ""
        return encoding[: len("utf-16")].upper() if encoding.startswith("utf-") else encoding

    def decode(self, content: bytes, *, replace: bool = False) -> Decoded:
        """Decode a whole file; `replace` turns invalid bytes into U+FFFD instead of raising.

        Raises
        ------
        CorpusFormatError
            Naming the options that help.
        """
        encoding = self.by_head(content[:HEAD_BYTES])
        if self.encoding == AUTO and encoding == UTF_8:
            if content.count(0) * _MOST_ZEROS > len(content):
                raise _unreadable("not a text: contains many zero bytes; see --encoding")
            try:
                return Decoded(content.decode(UTF_8))
            except UnicodeDecodeError:
                return self.mend(content.decode(UTF_8, "surrogateescape"), replace=replace)
        try:
            text = content.decode(encoding, "replace" if replace else "strict")
        except UnicodeError:
            raise _unreadable(f"not valid {encoding}; see --encoding") from None
        return Decoded(text, self.detected(encoding))

    def mend(self, text: str, *, replace: bool = False) -> Decoded:
        """Return a text that was read as UTF-8, or as the given encoding, with surrogateescape.

        Invalid bytes are read in the fallback encoding, together with everything around them.
        """
        if text.isascii() or not _ESCAPED.search(text):
            return Decoded(text)
        try:
            encoding = self._of([text])
            if encoding != UTF_8:
                content = text.encode(UTF_8, "surrogateescape")
                return Decoded(content.decode(encoding), encoding)
        except UnicodeError:
            if not replace:
                raise _unreadable(
                    f"neither valid UTF-8 nor {self.fallback}; see --encoding and"
                    " --fallback-encoding"
                ) from None
        except CorpusFormatError:
            if not replace:
                raise
        return Decoded(_ESCAPED.sub("\ufffd", text))

    def _of(self, pieces: Iterable[str]) -> str:
        """Return whether a text, read as UTF-8 with surrogateescape, is that or the fallback."""
        invalid = valid = 0
        has_zero = False
        for piece in pieces:
            has_zero = has_zero or "\0" in piece
            if not piece.isascii():
                invalid += len(_ESCAPED.findall(piece))
                valid += len(_VALID.findall(piece))
        if not invalid:
            return UTF_8
        if self.encoding != AUTO:
            raise _unreadable(f"not valid {self.encoding}; see --encoding")
        if self.fallback == NONE:
            raise _unreadable("not valid UTF-8; see --encoding and --fallback-encoding")
        if has_zero:
            raise _unreadable("not a text: contains zero bytes; see --encoding")
        if valid * _RARE > invalid:
            raise _unreadable("UTF-8 with some invalid bytes; see --on-bad-bytes")
        return self.fallback


def _check(option: str, name: str) -> None:
    try:
        "".encode(name)
    except (LookupError, UnicodeError, ValueError):
        raise ConfigError(
            f"{option} {name}: unknown encoding; known are e.g. utf-8, cp1252, latin-1, utf-16"
        ) from None


def _utf_16_without_mark(head: bytes) -> str | None:
    """Return UTF-16 if most characters have one zero byte, nearly always on the same side."""
    zeros = head[0::2].count(0), head[1::2].count(0)  # of big-endian and little-endian characters
    is_most = 2 * max(zeros) > len(head) // 2
    if len(head) < 4 or not is_most or min(zeros) * _RARE > max(zeros):
        return None
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


def _decoded(head: bytes, pieces: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(UTF_8)("surrogateescape")
    yield decoder.decode(head)
    for piece in pieces:
        yield decoder.decode(piece)
    yield decoder.decode(b"", final=True)


def _unreadable(reason: str) -> CorpusFormatError:
    return CorpusFormatError("document", reason)
