"""Mentions ↔ properly nested brackets in a text, for inline and i2b2-2006."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lacuna.text.document import Document, Mention


class Builder:
    """Builds a text with mentions from pieces of text and opening and closing brackets."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0
        self._open: list[tuple[str, int]] = []
        self._mentions: list[Mention] = []

    def add(self, piece: str) -> None:
        """Append text."""
        self._pieces.append(piece)
        self._size += len(piece)

    def open(self, label: str) -> None:
        """Begin a mention here."""
        self._open.append((label, self._size))

    def close(self, label: str) -> None:
        """End the innermost mention, which must have this label."""
        if not self._open:
            raise ValueError("a closing tag without its opening tag")
        opened, start = self._open.pop()
        if opened != label:
            raise ValueError("tags cross: the closing tag is not that of the innermost open one")
        if start == self._size:
            raise ValueError("a tag marks no text")
        self._mentions.append(Mention.of(label, (start, self._size)))

    @property
    def is_open(self) -> bool:
        """Whether a mention has begun and not ended."""
        return bool(self._open)

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self._pieces)

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """All mentions that have ended."""
        return tuple(self._mentions)


class Event(NamedTuple):
    """Text, then a bracket; the last piece of a document has no bracket (empty label)."""

    piece: str
    label: str
    is_start: bool


def events(document: Document) -> Iterator[Event]:
    """Walk through a document whose mentions nest: outer mentions open first and close last."""
    text, place = document.text, 0
    open_ones: list[Mention] = []
    for mention in document.mentions:  # reading order: outer before inner
        while open_ones and open_ones[-1].end <= mention.start:
            closed = open_ones.pop()
            yield Event(text[place : closed.end], closed.label, False)
            place = closed.end
        yield Event(text[place : mention.start], mention.label, True)
        place = mention.start
        open_ones.append(mention)
    for closed in reversed(open_ones):
        yield Event(text[place : closed.end], closed.label, False)
        place = closed.end
    yield Event(text[place:], "", False)
