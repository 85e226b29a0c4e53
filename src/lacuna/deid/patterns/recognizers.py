"""Recognizers: given a text and a place, they read one identifier that begins there, or nothing.

The scan (:mod:`lacuna.deid.patterns.scan`) decides where a recognizer is called, at most twice per
character. All regular expressions follow one rule, so that the time is linear: they are matched,
never searched; there are no backreferences; a repeat is bounded, or it is possessive (``++``) and
ends at a character after which the next call begins.

At the end are checks on what was matched: calendar, check digits, number of digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from lacuna.deid.findings import Finding, Origin

Recognizer = Callable[[str, int], Finding | None]
Check = Callable[[re.Match[str]], bool]
_PATTERN = Origin.PATTERN

#: What follows a number that is a quantity.
QUANTITY = (
    r"(?:%|[ -]?(?i:mcg|mg|ug|µg|gm|g|kg|lbs?|ml|cc|dl|l|units?|iu|ui|meq|mmol|mm|cm|bpm|cal|kcal|"
    r"h|hr|hrs|hours?|mins?|minutes?|secs?|seconds?|days?|weeks?|wks?|months?|tabs?|tablets?|caps?|"
    r"capsules?|pills?|puffs?|doses?|drops|times|cells?|am|pm)(?![^\W\d_]))"
)


#: Probability of a finding whose form does not tell the kind of identifier.
UNSURE = 0.5


def found(start: int, end: int, label: str) -> Finding:
    """Return a finding of the patterns."""
    return Finding(start, end, label, _PATTERN)


def pattern(
    label: str,
    expression: str,
    check: Check | None = None,
    *,
    group: int = 0,
    probability: float = 1.0,
) -> Recognizer:
    """Return the recognizer of a regular expression; `group` is the part that is the identifier."""
    match = re.compile(expression).match

    def recognize(text: str, start: int) -> Finding | None:
        matched = match(text, start)
        if matched is None or (check is not None and not check(matched)):
            return None
        first, last = matched.span(group)
        return Finding(first, last, label, _PATTERN, probability)

    return recognize


def first_of(*recognizers: Recognizer) -> Recognizer:
    """Return a recognizer that tries several and takes the first finding."""

    def recognize(text: str, start: int) -> Finding | None:
        for recognizer in recognizers:
            if finding := recognizer(text, start):
                return finding
        return None

    return recognize


FIRST_YEAR, LAST_YEAR = 1850, 2149
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_VIN_VALUES = dict(
    zip(
        "0123456789ABCDEFGHJKLMNPRSTUVWXYZ",
        [*range(10), *range(1, 9), 1, 2, 3, 4, 5, 7, 9, *range(2, 10)],
        strict=True,
    )
)
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_DIGIT = re.compile(r"[0-9]")


def count_digits(text: str) -> int:
    """Return how many digits a text has."""
    return len(_DIGIT.findall(text))


def is_month_and_day(month: int, day: int) -> bool:
    """Whether some year has this day."""
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]


def is_date(first: str, middle: str, last: str) -> bool:
    """Whether three numbers are year, month, day; or day and month in either order, then year."""
    if len(first) == 4:
        return (
            FIRST_YEAR <= int(first) <= LAST_YEAR
            and len(last) <= 2
            and is_month_and_day(int(middle), int(last))
        )
    has_year = len(last) == 2 or (len(last) == 4 and FIRST_YEAR <= int(last) <= LAST_YEAR)
    one, other = int(first), int(middle)
    return (
        has_year
        and len(first) <= 2
        and (is_month_and_day(one, other) or is_month_and_day(other, one))
    )


def passes_luhn(digits: str) -> bool:
    """Check payment cards: every second digit from the right counts double, sum mod 10 = 0."""
    total = 0
    for place, digit in enumerate(map(int, reversed(digits))):
        total += digit if place % 2 == 0 else (2 * digit) // 10 + (2 * digit) % 10
    return total % 10 == 0


def passes_mod_97(account: str) -> bool:
    """Check IBANs: country and check digits go last, A is 10 … Z is 35; mod 97 it is 1."""
    moved = account[4:] + account[:4]
    return int("".join(str(int(character, 36)) for character in moved)) % 97 == 1


def passes_vin(vin: str) -> bool:
    """Check North American VINs: the ninth character is a weighted sum mod 11, X for 10."""
    total = sum(_VIN_VALUES[c] * w for c, w in zip(vin, _VIN_WEIGHTS, strict=True))
    return vin[8] == "0123456789X"[total % 11]


def passes_weights(digits: str, weights: Sequence[int], modulus: int, remainder: int) -> bool:
    """Check a sum: Σ weights[k] digits[k] mod `modulus` = `remainder`."""
    total = sum(w * int(digit) for w, digit in zip(weights, digits, strict=True))
    return total % modulus == remainder


def passes_verhoeff(digits: str) -> bool:
    """Check Verhoeff's scheme: the product of turned digits in the dihedral group D5 is 0."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit)
        for _ in range(place % 8):
            value = _TURN[value]
        total = _product(total, value)
    return total == 0


_TURN = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def _product(a: int, b: int) -> int:
    """Return a · b in D5: 0 to 4 are rotations, 5 to 9 reflections."""
    if a < 5:
        return (a + b) % 5 if b < 5 else 5 + (a + b) % 5
    return 5 + (a - b) % 5 if b < 5 else (a - b) % 5
