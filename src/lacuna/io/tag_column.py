"""One column of tags, in one of three styles.

=========  =======================  ==================================================
prefixes   ``B-PER I-PER O``        all tag schemes; see :mod:`lacuna.encoding.schemes`
labels     ``PER PER O``            touching tokens of one label are one mention
brackets   ``(PER* *) *``           CoNLL-2012, may nest: ``(ORG(LOC) *)``
=========  =======================  ==================================================

What only looks like a column of labels may be anything, such as parts of speech. Without a word
from the user it is taken for labels only if most tokens at the beginning of the file are ``O``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from lacuna.encoding.schemes import OUTSIDE, Chunk, decode, parse_tag

BRACKETS = re.compile(r"(?:\([^()*]+)*(?:\*|(?<=[^(]))\)*|\)+")
BRACKET = re.compile(r"\((?P<label>[^()*]+)|\)")


class Style(StrEnum):
    """How the tags of a column are written."""

    PREFIXES = "prefixes"
    LABELS = "labels"
    BRACKETS = "brackets"


def style_of(cell: str) -> Style | None:
    """Return the style of a tag; ``None`` if that cannot be told from it."""
    if cell == OUTSIDE:
        return None
    if parse_tag(cell) is not None:
        return Style.PREFIXES
    return Style.BRACKETS if BRACKETS.fullmatch(cell) else Style.LABELS


class TagColumn:
    """Checks and decodes the cells of one column; the first decisive cell says the style."""

    def __init__(self, *, may_be_labels: bool) -> None:
        self.style: Style | None = None
        self.may_be_labels = may_be_labels
        self.known: set[str] = set()  #: cells that were checked

    def check(self, cell: str) -> bool:
        """Return whether a cell is a tag in the style of those before."""
        if not self._fits(cell):
            return False
        self.style = self.style or style_of(cell)
        self.known.add(cell)
        return True

    def is_one(self, cell: str) -> bool:
        """Return whether a cell is a tag without doubt: labels must have been seen."""
        return cell in self.known or (style_of(cell) is not Style.LABELS and self._fits(cell))

    def _fits(self, cell: str) -> bool:
        style = style_of(cell)
        if style is None:
            return self.style is not Style.BRACKETS
        if self.style is None:
            is_possible = self.may_be_labels if style is Style.LABELS else True
            return is_possible and not (style is Style.BRACKETS and self.known)
        return style is self.style

    def chunks(self, cells: Sequence[str]) -> list[Chunk]:
        """Return the chunks of a sentence; :class:`ValueError` if its brackets do not match."""
        if self.style is Style.BRACKETS:
            return _in_brackets(cells)
        return decode(self.spelled(cells))

    def spelled(self, cells: Sequence[str]) -> Sequence[str]:
        """Return the cells as tags with prefixes, unless they are brackets."""
        if self.style is not Style.LABELS:
            return cells
        return [cell if cell == OUTSIDE else f"I-{cell}" for cell in cells]


def _in_brackets(cells: Sequence[str]) -> list[Chunk]:
    chunks: list[Chunk] = []
    open_ones: list[tuple[str, int]] = []
    for i, cell in enumerate(cells):
        for match in BRACKET.finditer(cell):
            if match["label"]:
                open_ones.append((match["label"], i))
            elif open_ones:
                label, start = open_ones.pop()
                chunks.append(Chunk(label, start, i + 1))
            else:
                raise ValueError("a bracket is closed that was not opened in its sentence")
    if open_ones:
        raise ValueError("a bracket is not closed in its sentence")
    return chunks
