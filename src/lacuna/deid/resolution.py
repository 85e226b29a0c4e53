"""From the findings of several detectors to one plan: disjoint spans, each with one label.

The rule has four steps:

1. White space at the ends of a finding is removed; a finding that ends inside a word, a number or
   an emoji grows to its end ("Smi" in "Smith" becomes "Smith"), so that no half of a name is left.
   Invisible characters (soft hyphens, zero width spaces, writing directions) do not end a word, and
   those at the ends of a word belong to it.
2. Findings that share a character become one span, together with everything they overlap in turn.
3. The span gets the label of its longest finding. Ties go to findings that are more likely than
   not, then to the most trusted (see :class:`~lacuna.deid.findings.Origin`), then to the most
   probable, then to the first by name. Labels that hide everything take precedence over those that
   leave something visible (the year of a date).
4. Spans that touch and have the same label become one if *different* detectors found them. What one
   detector reports as two things stays two, and so does everything with a space in between ("Smith
   John" may be two people).

So every character of a finding, except white space at its ends, is inside a span of the plan.
The time is linear in the text and n log n in the findings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

import numpy as np

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.folding import hidden_spaces
from lacuna.errors import RedactionError
from lacuna.text.characters import (
    APOSTROPHE,
    DIGIT,
    FLAG,
    LETTER,
    LINE,
    LOWER,
    MARK,
    SYMBOL,
    UPPER,
    class_table,
)

_RANK = {origin: rank for rank, origin in enumerate(Origin)}
EVEN = 0.5
_JOINER = "\u200d"
_HIDDEN = SYMBOL + 1  # class of invisible characters that are spaces to the tokenizer


def resolve(
    text: str, findings: Iterable[Finding], *, lenient: Collection[str] = ()
) -> list[Finding]:
    """Return the plan: findings in text order that do not overlap and do not cut a word.

    Parameters
    ----------
    text
        Of the document.
    findings
        In any order.
    lenient
        Labels whose actions leave something visible.

    Raises
    ------
    RedactionError
        If a finding is outside the text.
    """
    plan: list[Finding] = []
    last: list[Finding] = []  # the findings in the last span of the plan
    for start, end, cluster in _clusters(text, findings):
        strongest = cluster[0] if len(cluster) == 1 else _strongest(cluster, lenient)
        if plan and plan[-1].end == start and _are_one(plan[-1], last, strongest, cluster):
            before = plan.pop()
            start = before.start
            strongest = _strongest([before, strongest], lenient)
            cluster += last
        if start != strongest.start or end != strongest.end:
            strongest = Finding(start, end, *strongest[2:])
        plan.append(strongest)
        last = cluster
    return plan


def _are_one(
    one: Finding, found: Sequence[Finding], other: Finding, beside: Sequence[Finding]
) -> bool:
    """Whether spans that touch are one thing: of the same label, by different detectors."""
    return one.label == other.label and {finding.origin for finding in found}.isdisjoint(
        [finding.origin for finding in beside]
    )


def _clusters(text: str, findings: Iterable[Finding]) -> Iterator[tuple[int, int, list[Finding]]]:
    """Yield overlapping findings with the start and end they cover, grown to whole words."""
    cluster: list[Finding] = []
    first = last = 0
    for finding in sorted(_trimmed(text, findings)):
        start, end = finding[:2]
        if start >= last or not cluster:
            if cluster:
                yield first, last, cluster
            cluster = []
            while start > last and text[start - 1] != " " and _is_inside(text, start):
                start -= 1
            first = last = start
        if end > last:
            last = end
            while last < len(text) and text[last] != " " and _is_inside(text, last):
                last += 1
        cluster.append(finding)
    if cluster:
        yield first, last, cluster


def _strongest(cluster: Sequence[Finding], lenient: Collection[str]) -> Finding:
    def weakness(finding: Finding) -> tuple[bool, int, bool, int, float, str]:
        start, end, label, origin, sure = finding
        return label in lenient, start - end, sure <= EVEN, _RANK[origin], -sure, label

    return min(cluster, key=weakness)


def _trimmed(text: str, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings without white space at their ends; those of white space only are skipped."""
    size = len(text)
    for finding in findings:
        start, end = finding[:2]
        if not 0 <= start < end <= size:
            raise RedactionError(
                f"a finding covers [{start}, {end}), the text has {size} characters"
            )
        if text[start].isspace() or text[end - 1].isspace():
            while start < end and text[start].isspace():
                start += 1
            while end > start and text[end - 1].isspace():
                end -= 1
            if start < end:
                yield Finding(start, end, *finding[2:])
        else:
            yield finding


def _is_inside(text: str, place: int) -> bool:
    """Whether a token continues at `place`; tokens as in :mod:`lacuna.text.tokens`, or longer."""
    classes = _classes()
    before, after = classes[ord(text[place - 1])], classes[ord(text[place])]
    if before <= LINE or after <= LINE:
        return False
    if after == MARK or (text[place - 1] == _JOINER and after >= APOSTROPHE):
        return True
    if after == _HIDDEN:
        return LOWER <= before <= FLAG or before in (MARK, _HIDDEN)
    if before in (MARK, _HIDDEN):  # a letter or digit after them belongs to the word before them
        return LOWER <= after <= FLAG
    if LOWER <= before <= LETTER and LOWER <= after <= LETTER:
        return True
    if before == after and DIGIT <= after <= FLAG:
        return True
    if before == DIGIT and LOWER <= after <= LETTER:  # #3|F
        return text[max(place - 6, 0) : place].rstrip("0123456789").endswith("#")
    if after == APOSTROPHE:  # O|'Brien
        return _is_irish(text, place)
    return before == APOSTROPHE and _is_irish(text, place - 1)  # O'|Brien


def _is_irish(text: str, apostrophe: int) -> bool:
    """Whether the apostrophe is between two capitals: ``O'Brien``."""
    classes = _classes()
    if not 1 <= apostrophe < len(text) - 1:
        return False
    alone = apostrophe == 1 or not LOWER <= classes[ord(text[apostrophe - 2])] <= LETTER
    return (
        alone
        and classes[ord(text[apostrophe - 1])] == UPPER
        and classes[ord(text[apostrophe + 1])] == UPPER
    )


@cache
def _classes() -> bytes:
    return np.where(hidden_spaces(), np.uint8(_HIDDEN), class_table()).tobytes()
