"""Findings of several detectors → one plan: spans that do not overlap, each with one label.

The rule, in four steps:

1. White space at the border of a finding is left out; one that ends inside a word, a number or an
   emoji grows to its end ("Smi" in "Smith" becomes "Smith"), so no half of a name is left over.
2. Findings that share a character become one span, together with all they overlap in turn.
3. That span has the label of its longest finding; among equally long ones of the most trusted
   (:class:`~lacuna.deid.findings.Origin`), then the most probable, then the first by name. Labels
   that hide all come before those that leave something to be seen (the year of a date).
4. Spans that touch and have the same label become one if *different* detectors found them. What one
   detector reports as two things stays two things, and so does all that a space sets apart
   ("Smith John" may be two people).

So every character that somebody found, border white space apart, is inside a span of the plan.
Takes time linear in the text and n log n in the findings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from lacuna.deid.findings import Finding, Origin
from lacuna.errors import RedactionError
from lacuna.text.characters import (
    APOSTROPHE,
    DIGIT,
    FLAG,
    LETTER,
    LINE,
    LOWER,
    MARK,
    UPPER,
    class_table,
)

_RANK = {origin: rank for rank, origin in enumerate(Origin)}
_JOINER = "\u200d"


def resolve(
    text: str, findings: Iterable[Finding], *, lenient: Collection[str] = ()
) -> list[Finding]:
    """Return the plan: findings in text order that neither overlap nor begin or end in a word.

    Parameters
    ----------
    text
        Of the document.
    findings
        In any order.
    lenient
        Labels of which something is left to be seen.

    Raises
    ------
    RedactionError
        When a finding lies outside the text.
    """
    plan: list[Finding] = []
    origins: set[Origin] = set()  # who found the last span of the plan
    for start, end, cluster in _clusters(text, findings):
        strongest = _strongest(cluster, lenient)
        finders = {finding.origin for finding in cluster}
        before = plan[-1] if plan else None
        if (
            before is not None
            and before.end == start
            and before.label == strongest.label
            and not finders & origins
        ):
            start = plan.pop().start
            strongest = _strongest([before, strongest], lenient)
            finders |= origins
        plan.append(strongest._replace(start=start, end=end))
        origins = finders
    return plan


def _clusters(text: str, findings: Iterable[Finding]) -> Iterator[tuple[int, int, list[Finding]]]:
    """Yield start and end of what overlapping findings cover, grown to whole words, and them."""
    trimmed = [_trimmed(text, finding) for finding in findings]
    cluster: list[Finding] = []
    first = last = 0
    for finding in sorted(finding for finding in trimmed if finding.start < finding.end):
        start, end = finding.start, finding.end
        if not cluster or start >= last:
            if cluster:
                yield first, last, cluster
            cluster = []
            while start > last and _is_inside(text, start):
                start -= 1
            first = last = start
        if end > last:
            last = end
            while last < len(text) and _is_inside(text, last):
                last += 1
        cluster.append(finding)
    if cluster:
        yield first, last, cluster


def _strongest(cluster: Sequence[Finding], lenient: Collection[str]) -> Finding:
    if len(cluster) == 1:
        return cluster[0]
    return min(
        cluster,
        key=lambda f: (
            f.label in lenient,
            f.start - f.end,
            _RANK[f.origin],
            -f.probability,
            f.label,
        ),
    )


def _trimmed(text: str, finding: Finding) -> Finding:
    """Return the finding without white space at its borders; maybe empty."""
    start, end = finding.start, finding.end
    if not 0 <= start < end <= len(text):
        raise RedactionError(
            f"a finding covers [{start}, {end}), the text has {len(text)} characters"
        )
    if not (text[start].isspace() or text[end - 1].isspace()):
        return finding
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return finding._replace(start=start, end=end)


def _is_inside(text: str, place: int) -> bool:
    """Whether a token goes on at `place`; the tokens of :mod:`lacuna.text.tokenizer`, or longer."""
    classes = _classes()
    before, after = classes[ord(text[place - 1])], classes[ord(text[place])]
    if before <= LINE or after <= LINE:
        return False
    if after == MARK or (text[place - 1] == _JOINER and after >= APOSTROPHE):
        return True
    if before == MARK or LOWER <= before <= LETTER:
        if LOWER <= after <= LETTER:
            return True
    elif before == after and DIGIT <= after <= FLAG:
        return True
    if before == MARK:  # a mark within a number
        return DIGIT <= after <= FLAG
    if after == APOSTROPHE:  # O|'Brien
        return place + 1 < len(text) and _is_irish(text, place)
    return before == APOSTROPHE and _is_irish(text, place - 1)  # O'|Brien


def _is_irish(text: str, apostrophe: int) -> bool:
    """Whether the apostrophe stands between one capital and another: ``O'Brien``."""
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
    return class_table().tobytes()
