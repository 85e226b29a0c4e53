"""Recognizers: given a text and a place, they read one identifier that begins there, or nothing.

The scan (:mod:`lacuna.deid.patterns.scan`) decides where a recognizer is called, at most twice per
character. All regular expressions follow one rule, so that the time is linear: they are matched,
never searched; there are no backreferences; a repeat is bounded, or it is possessive (``++``) and
ends at a character after which the next call begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable

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
