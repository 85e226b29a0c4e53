"""Kernel: which tokens may be part of a date."""

from __future__ import annotations

import numpy as np

from lacuna.features._places import NOTHING
from lacuna.kernels import kernel
from lacuna.types import BoolArray, CodeArray, IntArray, LongArray

NO_DATE, DAY, MONTH, YEAR, NUMERIC = range(5)
DASH, STOP, SLASH, ZERO, NINE = map(np.uint32, (0x2D, 0x2E, 0x2F, 0x30, 0x39))
LAST_DAY, FIRST_YEAR, LAST_YEAR = 31, 1900, 2099


@kernel
def date_parts(
    codes: CodeArray, start: IntArray, end: IntArray, before: LongArray, months: BoolArray
) -> LongArray:
    """Return what each token may be in a date; months[t]: it is the name of a month.

    DAY is a number from 1 to 31, YEAR one from 1900 to 2099. NUMERIC are all five tokens of
    three numbers joined by two equal signs of ``-./``: the one in the middle a DAY, one of the
    others too, and the third of two or four digits.
    """
    parts = np.full(len(start), NO_DATE, np.int64)
    for t in range(len(start)):
        value = _number(codes, start[t], end[t])
        if months[t]:
            parts[t] = MONTH
        elif 1 <= value <= LAST_DAY and end[t] - start[t] <= 2:
            parts[t] = DAY
        elif FIRST_YEAR <= value <= LAST_YEAR:
            parts[t] = YEAR
    for t in range(4, len(start)):
        sign = codes[start[t - 1]]
        if DASH <= sign <= SLASH and _is_numeric_date(codes, start, end, before, t - 4):
            parts[t - 4 : t + 1] = NUMERIC
    return parts


@kernel
def _is_numeric_date(
    codes: CodeArray, start: IntArray, end: IntArray, before: LongArray, t: int
) -> bool:
    """Whether the five tokens from t on make a numeric date; the fourth is one of ``-./``."""
    if codes[start[t + 1]] != codes[start[t + 3]]:
        return False
    for k in range(t + 1, t + 5):
        if before[k] != NOTHING:
            return False
    if end[t + 1] - start[t + 1] != 1 or end[t + 3] - start[t + 3] != 1:
        return False
    size = end[t] - start[t], end[t + 2] - start[t + 2], end[t + 4] - start[t + 4]
    first, middle, last = (
        _number(codes, start[t], end[t]),
        _number(codes, start[t + 2], end[t + 2]),
        _number(codes, start[t + 4], end[t + 4]),
    )
    if not 1 <= middle <= LAST_DAY or size[1] > 2:
        return False
    if 1 <= first <= LAST_DAY and size[0] <= 2:
        return last >= 0 and (size[2] == 2 or FIRST_YEAR <= last <= LAST_YEAR)
    return FIRST_YEAR <= first <= LAST_YEAR and 1 <= last <= LAST_DAY and size[2] <= 2


@kernel
def _number(codes: CodeArray, first: int, last: int) -> int:
    """Return the number that at most four digits write, else -1."""
    if last - first > 4:
        return -1
    value = 0
    for i in range(first, last):
        if not ZERO <= codes[i] <= NINE:
            return -1
        value = 10 * value + int(codes[i] - ZERO)
    return value
