"""Finding everything that says who somebody is: a tagger and recognizers, with one threshold.

    redacted(t) = mentions and single tokens of the tagger with P(identifier) ≥ t
                  ∪ what the recognizers found (patterns, word lists, known names, terms)

A mention of the tagger is taken whole when one of its tokens reaches the threshold. A token that
reaches it outside any mention is an identifier of no known kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.deid.findings import Finding, Origin
from lacuna.models.base import Examined, Tagger
from lacuna.text.document import Document
from lacuna.types import BoolArray, FloatArray

#: Label of a token that is probably an identifier, nobody knows of which kind.
UNNAMED = "IDENTIFIER"
DEFAULT_THRESHOLD = 0.5

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
        return float(self.probability[~self.covered].sum())


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
        document = examined.found
        tagged = list(tagger_findings(examined, self.threshold))
        findings = [*self.drop(document, tagged), *self.recognized(document)]
        return Detected(document, findings, examined.probability, covered(examined, findings))


def tagger_findings(examined: Examined, threshold: float) -> Iterator[Finding]:
    """Yield mentions of which a token reaches the threshold, and single tokens that do."""
    reached = examined.probability >= threshold
    numbers = np.flatnonzero(reached).tolist()
    inside: set[int] = set()
    for mention in examined.found.mentions:
        for span in mention.spans:
            first, last = token_range(examined, span.start, span.end)
            if reached[first:last].any():
                sure = float(examined.probability[first:last].max())
                yield Finding(span.start, span.end, mention.label, Origin.MODEL, sure)
                inside.update(range(first, last))
    for token in numbers:
        if token not in inside:
            start, end = int(examined.start[token]), int(examined.end[token])
            sure = float(examined.probability[token])
            yield Finding(start, end, UNNAMED, Origin.MODEL, sure)


def covered(examined: Examined, findings: Iterable[Finding]) -> BoolArray:
    """Return for each token whether a finding touches it."""
    touched = np.zeros(len(examined.start), np.bool_)
    for finding in findings:
        first, last = token_range(examined, finding.start, finding.end)
        touched[first:last] = True
    return touched


def token_range(examined: Examined, start: int, end: int) -> tuple[int, int]:
    """Return the tokens that characters ``[start, end)`` touch: the first, and one behind."""
    first = int(np.searchsorted(examined.end, start, side="right"))
    return first, max(first, int(np.searchsorted(examined.start, end, side="left")))
