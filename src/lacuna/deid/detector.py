"""Finding everything that says who somebody is: a tagger and recognizers, with one threshold.

    redacted(t) = mentions and single tokens of the tagger with P(identifier) ≥ t
                  ∪ what the recognizers found (patterns, word lists, known names, terms)

A mention of the tagger is taken whole when one of its tokens reaches the threshold. A token that
reaches it outside any mention is an identifier of no known kind.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from lacuna.deid._cover import covered_tokens, surest_tokens
from lacuna.deid.findings import Finding, Origin
from lacuna.models.base import Examined, Tagger
from lacuna.text.document import Document
from lacuna.types import BoolArray, FloatArray, LongArray

#: Label of a token that is probably an identifier, nobody knows of which kind.
UNNAMED = "IDENTIFIER"
DEFAULT_THRESHOLD = 0.5
MODEL = Origin.MODEL

Recognizer = Callable[[Document], Iterable[Finding]]
#: Drops findings, by terms that are never identifiers.
Filter = Callable[[Document, list[Finding]], list[Finding]]


class Detected(NamedTuple):
    """What was found in a document.

    document
        As it came.
    findings
        Of the tagger above the threshold, and of all recognizers.
    probability
        P(identifier) of each token, by the tagger alone.
    covered
        Whether each token is touched by a finding.
    """

    document: Document
    findings: list[Finding]
    probability: FloatArray
    covered: BoolArray

    @property
    def expected_missed(self) -> float:
        """How many identifier tokens the tagger expects among those left in the text."""
        return float(self.probability.sum(where=~self.covered))


def keep_all(_: Document, findings: list[Finding]) -> list[Finding]:
    """Drop nothing."""
    return findings


@dataclass(frozen=True, slots=True)
class Detector:
    """A tagger, recognizers that work on their own, and how sure the tagger must be."""

    tagger: Tagger
    recognizers: tuple[Recognizer, ...] = ()
    threshold: float = DEFAULT_THRESHOLD
    drop: Filter = keep_all

    def detect(self, documents: Sequence[Document]) -> list[Detected]:
        """Return what is found in each document; those of a group should come together."""
        return [self._detected(examined) for examined in self.tagger.examine(documents)]

    def recognized(self, document: Document) -> list[Finding]:
        """Return what is found whatever the threshold."""
        findings = [f for recognize in self.recognizers for f in recognize(document)]
        return self.drop(document, findings)

    def _detected(self, examined: Examined) -> Detected:
        document = examined.document
        tagged = self.drop(document, tagger_findings(examined, self.threshold))
        recognized = self.recognized(document)
        findings = [*_better_named(tagged, recognized), *recognized]
        return Detected(document, findings, examined.probability, covered(examined, findings))


def _better_named(tagged: list[Finding], recognized: list[Finding]) -> list[Finding]:
    """Leave out tokens of no known kind that lie inside something recognized, which has one."""
    if not recognized or all(finding.label != UNNAMED for finding in tagged):
        return tagged
    named = sorted((finding.start, finding.end) for finding in recognized)
    starts = [start for start, _ in named]
    # how far the first ones go: one that begins before a token and ends behind it holds it
    reach = list(accumulate((end for _, end in named), max))

    def is_inside(finding: Finding) -> bool:
        before = bisect_right(starts, finding.start)
        return before > 0 and reach[before - 1] >= finding.end

    return [f for f in tagged if f.label != UNNAMED or not is_inside(f)]


def tagger_findings(examined: Examined, threshold: float) -> list[Finding]:
    """Return mentions of which a token reaches the threshold, and single tokens that do."""
    _, found, start, end, probability = examined
    surest, alone = surest_tokens(start, end, probability, *_borders(found), threshold)
    findings = [
        Finding(start, end, label, MODEL, sure)
        for (start, end, label), sure in zip(found, surest.tolist(), strict=True)
        if sure >= threshold
    ]
    findings += [
        Finding(int(start[t]), int(end[t]), UNNAMED, MODEL, float(probability[t]))
        for t in alone.tolist()
    ]
    return findings


def covered(examined: Examined, findings: Iterable[Finding]) -> BoolArray:
    """Return for each token whether a finding touches it."""
    return covered_tokens(examined.start, examined.end, *_borders(list(findings)))


def _borders(spans: Sequence[tuple[Any, ...]]) -> tuple[LongArray, LongArray]:
    """Return the starts and the ends of what begins with them."""
    starts = np.array([span[0] for span in spans], np.int64)
    return starts, np.array([span[1] for span in spans], np.int64)


def token_range(examined: Examined, start: int, end: int) -> tuple[int, int]:
    """Return the tokens that characters ``[start, end)`` touch: the first, and one behind."""
    first = int(np.searchsorted(examined.end, start, side="right"))
    return first, max(first, int(np.searchsorted(examined.start, end, side="left")))
