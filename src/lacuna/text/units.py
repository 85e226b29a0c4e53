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

from lacuna.text._units import unit_borders
from lacuna.text.align import align
from lacuna.text.characters import class_table, code_points
from lacuna.text.document import Document, Tokens
from lacuna.text.overlap import flatten
from lacuna.text.tokenizer import tokenize
from lacuna.types import FloatArray

#: AUTO is SPACE where at least so many mentions begin and end with such a unit.
FITTING = 0.9


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
    start, end, paragraphs = unit_borders(code_points(text), class_table(), units is Units.SPACE)
    return Tokens(start, end, paragraphs)


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


def spread(values: FloatArray, units: Tokens, tokens: Tokens) -> FloatArray:
    """Return for each token the greatest value of the units it shares characters with, else 0."""
    first = np.searchsorted(units.end, tokens.start, side="right")
    last = np.searchsorted(units.start, tokens.end, side="left")
    runs = np.stack((first, last), axis=1).reshape(-1)
    greatest = np.maximum.reduceat(np.append(values, 0.0), runs)[::2] if len(runs) else values[:0]
    return np.where(first < last, greatest, 0.0)
