"""Finding everything that says who somebody is: a tagger and recognizers, with one threshold.

    redacted(t) = mentions and single tokens of the tagger with P(identifier) ≥ t
                  ∪ what the recognizers found (patterns, word lists, known names, terms)

A mention of the tagger is taken whole when one of its tokens reaches the threshold. A token that
reaches it outside any mention is an identifier of no known kind.

Detection in bounded memory: long documents are read through overlapping windows.

A window ends at white space where there is any. The next one begins before the end of the last, so
that a name at the border stands whole in one of them; what either finds is found. Alignment sees
one window at a time.

Kernels: the tokens that spans of characters touch, and how sure the tagger is of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from lacuna.deid.findings import Finding, Origin
from lacuna.kernels import kernel
from lacuna.models.base import Examined, Tagger
from lacuna.text.document import Document
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray

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


WINDOW = 1 << 17  #: characters
OVERLAP = 2000
TOGETHER = 1 << 20  #: characters examined in one go
_LOOK_BACK = 10_000  # for white space to end at


def detect_bounded(detector: Detector, documents: Sequence[Document]) -> list[Detected]:
    """Return what is found in each document, looking at few characters at a time."""
    found: list[Detected] = []
    for batch in _batches(documents):
        if len(batch[0].text) > WINDOW:
            found.append(_detect_long(detector, batch[0]))
        else:
            found += detector.detect(batch)
    return found


def _batches(documents: Sequence[Document]) -> Iterator[list[Document]]:
    """Cut documents into batches of about ``TOGETHER`` characters, long documents alone."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        length = len(document.text)
        if batch and (length > WINDOW or size + length > TOGETHER):
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += length
        if length > WINDOW:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _detect_long(detector: Detector, document: Document) -> Detected:
    """Tokens in the overlap of two windows are counted twice."""
    findings = []
    probability, covered = bytearray(), bytearray()  # they grow in place, unlike a list of arrays
    for start, end in windows(document.text):
        piece = replace(document, text=document.text[start:end], mentions=(), tokens=None)
        (part,) = detector.detect([piece])
        findings += [f._replace(start=f.start + start, end=f.end + start) for f in part.findings]
        probability += part.probability.tobytes()
        covered += part.covered.tobytes()
    return Detected(
        document,
        findings,
        np.frombuffer(probability, np.float64),
        np.frombuffer(covered, np.bool_),
    )


def windows(text: str) -> Iterator[tuple[int, int]]:
    """Yield the borders of windows that cover a text."""
    start = 0
    while True:
        end = _break_before(text, start + WINDOW)
        yield start, end
        if end == len(text):
            return
        start = _break_before(text, end - OVERLAP)


def _break_before(text: str, place: int) -> int:
    """Return the last place up to `place` that does not cut a word, if one is near."""
    if place >= len(text):
        return len(text)
    for back in range(place, max(place - _LOOK_BACK, 0), -1):
        if text[back - 1].isspace():
            return back
    return place


@kernel
def surest_tokens(
    start: IntArray,
    end: IntArray,
    probability: FloatArray,
    span_start: LongArray,
    span_end: LongArray,
    threshold: float,
) -> tuple[FloatArray, LongArray]:
    """Return the highest probability in each span, and tokens that reach the threshold outside.

    A span that touches no token has -1. Outside: of all spans that themselves reach the threshold.
    """
    sure = np.full(span_start.size, -1.0)
    alone = probability >= threshold
    for i in range(span_start.size):
        first = np.searchsorted(end, span_start[i], side="right")
        last = first
        while last < start.size and start[last] < span_end[i]:
            sure[i] = max(sure[i], probability[last])
            last += 1
        if sure[i] >= threshold:
            alone[first:last] = False
    return sure, np.flatnonzero(alone)


@kernel
def covered_tokens(
    start: IntArray, end: IntArray, span_start: LongArray, span_end: LongArray
) -> BoolArray:
    """Return for each token whether a span touches it."""
    # borders[t]: how many spans begin at token t, less those that ended before it
    borders = np.zeros(start.size + 1, np.int64)
    for i in range(span_start.size):
        first = np.searchsorted(end, span_start[i], side="right")
        borders[first] += 1
        borders[max(first, np.searchsorted(start, span_end[i], side="left"))] -= 1
    covered = np.empty(start.size, np.bool_)
    inside = 0
    for t in range(start.size):
        inside += borders[t]
        covered[t] = inside > 0
    return covered


@kernel
def histograms(probability: FloatArray, covered: BoolArray, bins: int) -> LongArray:
    """Return how many tokens lie in each bin: row 0 of those that stay, row 1 of the covered."""
    counts = np.zeros((2, bins), np.int64)
    for t in range(probability.size):
        counts[int(covered[t]), min(int(probability[t] * bins), bins - 1)] += 1
    return counts
