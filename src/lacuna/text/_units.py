"""Kernel of the units: where they and paragraphs begin. Rules: :mod:`lacuna.text.units`."""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.text.characters import DIGIT, HIRAGANA, KATAKANA, LINE, LOWER, MARK, ClassTable
from lacuna.types import CodeArray, IntArray, LongArray

CARRIAGE_RETURN, LINE_FEED = 0x0D, 0x0A


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

    Units are cut at spaces only, or around every sign that is no part of a word as well. The last
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
    return LOWER <= kind <= DIGIT or kind in (MARK, HIRAGANA, KATAKANA)
