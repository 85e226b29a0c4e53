"""Language-independent units of text, for models that take a text as it is.

``SPACE`` units are separated by white space; ``WORD`` units are runs of letters and digits, and
every other sign is a unit of its own. Paragraphs, separated by an empty line, serve as sentences.

::

    Smith, B. (1992).   →  Smith, B. (1992).            space
                        →  Smith , B . ( 1992 ) .       word
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

import numpy as np

from lacuna.kernels import kernel
from lacuna.text.align import align
from lacuna.text.characters import (
    DIGIT,
    HIRAGANA,
    KATAKANA,
    LINE,
    LOWER,
    MARK,
    ClassTable,
    class_table,
    code_points,
)
from lacuna.text.document import Document, Tokens
from lacuna.text.overlap import flatten
from lacuna.text.tokens import tokenize
from lacuna.types import CodeArray, FloatArray, IntArray, LongArray

#: AUTO is SPACE if at least this share of mentions begins and ends with such a unit.
FITTING = 0.9

CARRIAGE_RETURN, LINE_FEED = 0x0D, 0x0A


class Units(StrEnum):
    """What a model takes as a word."""

    AUTO = "auto"  #: SPACE if the mentions of the training corpus fit, else WORD
    SPACE = "space"
    WORD = "word"
    TOKEN = "token"  #: tokens and sentences of :mod:`lacuna.text.tokens`


def cut_units(text: str, units: Units) -> Tokens:
    """Return the units of a text."""
    if units is Units.TOKEN:
        return tokenize(text)
    start, end, paragraphs = unit_borders(code_points(text), class_table(), units is Units.SPACE)
    return Tokens(start, end, paragraphs)


def with_units(document: Document, units: Units) -> Document:
    """Give a document its units as tokens, unless it has tokens of its own."""
    if document.tokens is not None:
        return document
    return replace(document, tokens=cut_units(document.text, units))


def choose_units(documents: Iterable[Document]) -> Units:
    """Return the units that ``AUTO`` means for these annotated documents."""
    fitting, mentions = 0, 0
    for document in documents:
        kept, _ = flatten(document.mentions)
        found = align(kept, cut_units(document.text, Units.SPACE))
        fitting += len(found.aligned)
        mentions += len(kept)
    return Units.SPACE if fitting >= FITTING * mentions else Units.WORD


def spread(values: FloatArray, units: Tokens, tokens: Tokens) -> FloatArray:
    """Return for each token the greatest value of the units that overlap it, else 0."""
    first = np.searchsorted(units.end, tokens.start, side="right")
    last = np.searchsorted(units.start, tokens.end, side="left")
    runs = np.stack((first, last), axis=1).reshape(-1)
    greatest = np.maximum.reduceat(np.append(values, 0.0), runs)[::2] if len(runs) else values[:0]
    return np.where(first < last, greatest, 0.0)


@kernel
def all_unit_borders(
    codes: CodeArray, texts: LongArray, table: ClassTable, at_spaces: bool
) -> tuple[IntArray, IntArray, LongArray, LongArray]:
    """Return start and end of the units of many texts, and borders of paragraphs and of texts.

    Text d is codes[texts[d]:texts[d + 1]].
    """
    start = np.empty(codes.size, np.int32)
    end = np.empty(codes.size, np.int32)
    paragraphs = np.zeros(codes.size + 1, np.int64)
    documents = np.zeros(len(texts), np.int64)
    borders = 0
    for d in range(len(texts) - 1):
        own_start, own_end, own = unit_borders(codes[texts[d] : texts[d + 1]], table, at_spaces)
        count = documents[d]
        for i in range(len(own_start)):
            start[count + i] = texts[d] + own_start[i]
            end[count + i] = texts[d] + own_end[i]
        for i in range(len(own) - 1):
            paragraphs[borders] = count + own[i]
            borders += 1
        documents[d + 1] = count + len(own_start)
    units = documents[-1]
    paragraphs[borders] = units
    return start[:units].copy(), end[:units].copy(), paragraphs[: borders + 1].copy(), documents


@kernel
def unit_borders(
    codes: CodeArray, table: ClassTable, at_spaces: bool
) -> tuple[IntArray, IntArray, IntArray]:
    """Return start and end of every unit, and the units that paragraphs begin with.

    Units are cut at spaces only, or also around every sign that is not part of a word. The last
    paragraph border is the number of units.
    """
    start = np.empty(codes.size, np.int32)
    end = np.empty(codes.size, np.int32)
    paragraphs = np.zeros(codes.size + 1, np.int32)
    units = borders = 0
    lines = 2  # line breaks since the last unit; the first begins a paragraph
    for i in range(codes.size):
        kind = table[codes[i]]
        if kind <= LINE:
            if kind == LINE and not (
                codes[i] == LINE_FEED and i > 0 and codes[i - 1] == CARRIAGE_RETURN
            ):
                lines += 1
            continue
        touches = units > 0 and end[units - 1] == i
        if touches and (
            at_spaces or kind == MARK or (_in_word(kind) and _in_word(table[codes[i - 1]]))
        ):
            end[units - 1] = i + 1
            continue
        if lines > 1:
            paragraphs[borders] = units
            borders += 1
        start[units] = i
        end[units] = i + 1
        units += 1
        lines = 0
    paragraphs[borders] = units
    return start[:units].copy(), end[:units].copy(), paragraphs[: borders + 1].copy()


@kernel
def _in_word(kind: int) -> bool:
    """Whether a character of this class is part of a WORD unit."""
    return LOWER <= kind <= DIGIT or kind in (MARK, HIRAGANA, KATAKANA)
