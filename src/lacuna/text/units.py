"""Units of text that no language has a say in, for models that take a text as it comes.

``SPACE`` units are what stands between white space; ``WORD`` units are runs of letters and digits,
and every other sign alone. Paragraphs, with an empty line between them, stand for sentences.

::

    Smith, B. (1992).   →  Smith, B. (1992).            space
                        →  Smith , B . ( 1992 ) .       word
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

import numpy as np

from lacuna.text.align import align
from lacuna.text.characters import DIGIT, HIRAGANA, KATAKANA, LINE, LOWER, MARK, class_table
from lacuna.text.characters import code_points as points_of
from lacuna.text.document import Document, Tokens
from lacuna.text.overlap import flatten
from lacuna.text.tokenizer import tokenize

#: AUTO is SPACE where at least so many mentions begin and end with such a unit.
FITTING = 0.9

CARRIAGE_RETURN, LINE_FEED = 0x0D, 0x0A


class Units(StrEnum):
    """What a model takes for a word."""

    AUTO = "auto"  #: SPACE where the mentions of the training corpus fit, else WORD
    SPACE = "space"
    WORD = "word"
    TOKEN = "token"  #: tokens and sentences of :mod:`lacuna.text.tokenizer`


def cut_units(text: str, units: Units) -> Tokens:
    """Return the units of a text."""
    if units is Units.TOKEN:
        return tokenize(text)
    codes = points_of(text)
    classes = class_table()[codes]
    solid = classes > LINE
    inside = solid.copy()  # goes on with the unit of the character before
    inside[:1] = False
    inside[1:] &= solid[:-1]
    if units is Units.WORD:
        mark = classes == MARK
        word = ((classes >= LOWER) & (classes <= DIGIT)) | mark
        word |= (classes == HIRAGANA) | (classes == KATAKANA)
        inside[1:] &= mark[1:] | (word[1:] & word[:-1])
    start = np.flatnonzero(solid & ~inside)
    end = np.flatnonzero(solid & ~np.append(inside[1:], False)) + 1
    breaks = classes == LINE
    breaks[1:] &= ~((codes[1:] == LINE_FEED) & (codes[:-1] == CARRIAGE_RETURN))
    lines = np.concatenate((np.zeros(1, np.int64), np.cumsum(breaks)))
    paragraphs = np.flatnonzero(lines[start[1:]] - lines[end[:-1]] > 1) + 1
    borders = np.concatenate(([0], paragraphs, [len(start)])) if len(start) else np.zeros(1)
    return Tokens(start.astype(np.int32), end.astype(np.int32), borders.astype(np.int32))


def with_units(document: Document, units: Units) -> Document:
    """Give a document its units as tokens, unless it came with tokens of its own."""
    if document.tokens is not None:
        return document
    return replace(document, tokens=cut_units(document.text, units))


def choose_units(documents: Iterable[Document]) -> Units:
    """Return the units that ``AUTO`` stands for with these annotated documents."""
    fitting, mentions = 0, 0
    for document in documents:
        kept, _ = flatten(document.mentions)
        found = align(kept, cut_units(document.text, Units.SPACE))
        fitting += len(found.aligned)
        mentions += len(kept)
    return Units.SPACE if fitting >= FITTING * mentions else Units.WORD
