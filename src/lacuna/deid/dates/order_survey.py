"""A quick look at the numeric dates of a text: how many are day first, how many month first."""

from __future__ import annotations

from lacuna.deid.dates.order import OrderEvidence
from lacuna.kernels import kernel
from lacuna.text.characters import code_points
from lacuna.types import CodeArray


def numeric_order_evidence(text: str) -> OrderEvidence:
    """Return the evidence of all numeric dates of a text with a number over 12, without detection.

    A quick survey, linear and compiled: it sees only ``14/02/2022`` and its like, not weekdays.
    """
    return OrderEvidence(*_count_numeric(code_points(text)))


_ZERO, _NINE, _DASH, _STOP, _SLASH = map(ord, "09-./")
_CASE, _SMALL_A, _SMALL_Z, _LATIN_LETTERS = 0x20, ord("a"), ord("z"), 0xC0


@kernel
def _count_numeric(codes: CodeArray) -> tuple[int, int]:
    """Return how many dates are day first and month first: d/d/y with equal signs, on borders."""
    day_first = month_first = 0
    i = 0
    while i < codes.size:
        if not _ZERO <= codes[i] <= _NINE:
            i += 1
            continue
        start = i
        first, i = _number(codes, start)
        if i - start > 2 or i >= codes.size or not _is_sign(codes[i]):
            continue
        sign, middle = codes[i], i + 1
        second, after = _number(codes, middle)
        if not 1 <= after - middle <= 2 or after >= codes.size or codes[after] != sign:
            continue
        last = after + 1
        year, end = _number(codes, last)
        is_short = end - last == 2
        if not (is_short or (end - last == 4 and 1900 <= year <= 2099)):
            continue
        if _is_joined(codes, start - 1, -1, sign) or _is_joined(codes, end, 1, sign):
            continue
        if is_short and sign != _SLASH and (middle - start < 3 or last - middle < 3):
            continue  # 1.13.45 is rather a version or a section
        if first > 12:
            day_first += _is_day_of(first, second)
        elif second > 12:
            month_first += _is_day_of(second, first)
        i = end
    return day_first, month_first


@kernel
def _number(codes: CodeArray, i: int) -> tuple[int, int]:
    """Return the number at `i`, up to five digits of it, and where its digits end."""
    number, start = 0, i
    while i < codes.size and _ZERO <= codes[i] <= _NINE:
        if i < start + 5:
            number = 10 * number + int(codes[i]) - _ZERO
        i += 1
    return number, i


@kernel
def _is_sign(code: int) -> bool:
    return code in (_SLASH, _STOP, _DASH)


@kernel
def _is_of_word(code: int) -> bool:
    """Whether a character is a digit or a letter; letters other than Latin ones count too."""
    return _ZERO <= code <= _NINE or _SMALL_A <= code | _CASE <= _SMALL_Z or code >= _LATIN_LETTERS


@kernel
def _is_joined(codes: CodeArray, beside: int, step: int, sign: int) -> bool:
    """Whether a word or a chain of numbers goes on beside a date; a dash may be of a range."""
    if not 0 <= beside < codes.size:
        return False
    if _is_of_word(codes[beside]):
        return True
    is_chain = codes[beside] == sign or codes[beside] == _SLASH
    further = beside + step
    return is_chain and 0 <= further < codes.size and _is_of_word(codes[further])


@kernel
def _is_day_of(day: int, month: int) -> int:
    """Return 1 if some year has this day, else 0."""
    if not 1 <= month <= 12:
        return 0
    is_short = month == 4 or month == 6 or month == 9 or month == 11
    return int(day <= (29 if month == 2 else 30 if is_short else 31))
