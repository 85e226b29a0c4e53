"""Finding identifiers: a tagger with a threshold, and recognizers that need no model.

    redacted(t) = mentions and single tokens of the tagger with P(identifier) ≥ t
                  ∪ what the recognizers find (patterns, word lists, known values, terms)

A mention of the tagger is taken whole if one of its tokens reaches the threshold. A token that
reaches it outside any mention is an identifier of unknown kind.

Memory is bounded: a long document is read through overlapping windows, cut at white space if there
is any, and everything found in a window counts. Alignment sees one window at a time.

:func:`lacuna.pipeline.detection.open_detection` makes a detector from options; what happens to the
findings is in :mod:`lacuna.deid.redact`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.vocabulary import Vocabulary
from lacuna.errors import ConfigError
from lacuna.kernels import kernel
from lacuna.models.base import Examined, Tagger
from lacuna.text.document import Document, Tokens
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray

#: Label of a token that is probably an identifier of unknown kind.
UNNAMED = "IDENTIFIER"
DEFAULT_THRESHOLD = 0.5
WINDOW = 1 << 17  #: characters
OVERLAP = 2000
TOGETHER = 1 << 20  #: characters examined in one call of the tagger
_LOOK_BACK = 10_000  # characters searched for white space to cut at


class Detected(NamedTuple):
    """What was found in a document.

    document
        The document as given.
    findings
        Of the tagger above the threshold, and of the recognizers.
    start, end
        Character offsets of the tokens.
    probability
        P(identifier) of each token, by the tagger alone.
    covered
        Whether each token is touched by a finding.
    protected
        Everyday words that are part of a name here and stay; see :mod:`lacuna.deid.second_look`.
    spans
        The starts and the ends of the findings, if they are at hand.
    """

    document: Document
    findings: list[Finding]
    start: IntArray
    end: IntArray
    probability: FloatArray
    covered: BoolArray
    protected: Sequence[str] = ()
    spans: tuple[LongArray, LongArray] | None = None

    @property
    def borders(self) -> tuple[LongArray, LongArray]:
        """The starts and the ends of the findings."""
        return borders_of(self.findings) if self.spans is None else self.spans

    def with_more(self, findings: list[Finding]) -> Detected:
        """Return this with findings added."""
        also = covered_tokens(self.start, self.end, *borders_of(findings))
        every = np.logical_or(self.covered, also)
        return self._replace(findings=[*self.findings, *findings], covered=every, spans=None)

    @property
    def expected_missed(self) -> float:
        """The expected number of identifier tokens among those that stay in the text."""
        return float(self.probability.sum(where=~self.covered))


def find_nothing(_: Document) -> Iterable[Finding]:
    """Find nothing."""
    return ()


def keep_all(_: Document, findings: list[Finding]) -> list[Finding]:
    """Drop nothing."""
    return findings


@dataclass(frozen=True, slots=True)
class Recognizers:
    """Everything that finds identifiers without a model.

    Attributes
    ----------
    find
        Returns what patterns, word lists, known values and *always* terms find.
    drop
        Leaves out findings inside *never* terms, also those of the tagger.
    """

    find: Callable[[Document], Iterable[Finding]] = find_nothing
    drop: Callable[[Document, list[Finding]], list[Finding]] = keep_all

    def findings(self, document: Document) -> list[Finding]:
        """Return what is found, without *never* terms."""
        return self.drop(document, list(self.find(document)))


def check_threshold(threshold: float) -> None:
    """Raise ConfigError unless a threshold is a probability."""
    if not 0 <= threshold <= 1:
        raise ConfigError(f"a threshold must be between 0 and 1, got {threshold}")


@dataclass(frozen=True, slots=True)
class Detector:
    """A tagger, recognizers, and the probability from which the tagger is believed."""

    tagger: Tagger
    recognizers: Recognizers = Recognizers()
    threshold: float = DEFAULT_THRESHOLD
    vocabulary: Vocabulary | None = None  #: the words of the tagger, if documents are compared

    def __post_init__(self) -> None:
        check_threshold(self.threshold)

    def detect(self, documents: Sequence[Document]) -> list[Detected]:
        """Return what is found in each document; documents of a group should come together."""
        return [self.detected(examined) for examined in self.tagger.examine(documents)]

    def detected(self, examined: Examined) -> Detected:
        """Return what is found, given what the tagger makes of a document."""
        document = examined.document
        tagged = self.recognizers.drop(document, tagger_findings(examined, self.threshold))
        recognized = self.recognizers.findings(document)
        findings = [*better_named(tagged, recognized), *recognized]
        start, end = examined.start.astype(np.int32), examined.end.astype(np.int32)
        borders = borders_of(findings)
        is_covered = covered_tokens(start, end, *borders)
        return Detected(
            document, findings, start, end, examined.probability, is_covered, spans=borders
        )


def detect_bounded(detector: Detector, documents: Sequence[Document]) -> list[Detected]:
    """Return what is found in each document, in bounded memory."""
    found: list[Detected] = []
    for batch in bounded_batches(documents):
        if len(batch[0].text) > WINDOW:
            found.append(_detect_long(detector, batch[0]))
        else:
            found += detector.detect(batch)
    return found


def bounded_batches(documents: Sequence[Document]) -> Iterator[list[Document]]:
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
    """Detect window by window; each half of an overlap takes its tokens from the nearer window."""
    findings = []
    columns = bytearray(), bytearray(), bytearray()  # they grow in place, unlike lists of arrays
    done = 0  # characters whose tokens are complete
    for start, end in windows(document.text):
        piece = replace(document, text=document.text[start:end], mentions=(), tokens=None)
        (part,) = detector.detect([piece])
        findings += [f._replace(start=f.start + start, end=f.end + start) for f in part.findings]
        until = end if end == len(document.text) else end - OVERLAP // 2
        ours = (part.start + start >= done) & (part.start + start < until)
        arrays = part.start + np.int32(start), part.end + np.int32(start), part.probability
        for column, array in zip(columns, arrays, strict=True):
            column += array[ours].tobytes()
        done = int(arrays[1][ours].max(initial=done))
    tokens = np.frombuffer(columns[0], np.int32), np.frombuffer(columns[1], np.int32)
    probability = np.frombuffer(columns[2], np.float64)
    is_covered = covered_tokens(*tokens, *borders_of(findings))
    return Detected(document, findings, *tokens, probability, is_covered)


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
    """Return the last position up to `place` that does not cut a word, if one is near."""
    if place >= len(text):
        return len(text)
    for back in range(place, max(place - _LOOK_BACK, 0), -1):
        if text[back - 1].isspace():
            return back
    return place


def better_named(tagged: list[Finding], recognized: list[Finding]) -> list[Finding]:
    """Leave out tokens of unknown kind inside something recognized, whose kind is known."""
    if not recognized or all(finding.label != UNNAMED for finding in tagged):
        return tagged
    named = sorted((finding.start, finding.end) for finding in recognized)
    starts = [start for start, _ in named]
    # reach[i]: the last end of the first i + 1; a token is inside one that starts before it and
    # ends after it
    reach = list(accumulate((end for _, end in named), max))

    def is_inside(finding: Finding) -> bool:
        before = bisect_right(starts, finding.start)
        return before > 0 and reach[before - 1] >= finding.end

    return [f for f in tagged if f.label != UNNAMED or not is_inside(f)]


def tagger_findings(examined: Examined, threshold: float) -> list[Finding]:
    """Return mentions with a token that reaches the threshold, and single tokens that do."""
    _, found, start, end, probability = examined
    surest, alone = surest_tokens(start, end, probability, *borders_of(found), threshold)
    findings = [
        Finding(start, end, label, Origin.MODEL, sure)
        for (start, end, label), sure in zip(found, surest.tolist(), strict=True)
        if sure >= threshold
    ]
    findings += [
        Finding(int(start[t]), int(end[t]), UNNAMED, Origin.MODEL, float(probability[t]))
        for t in alone.tolist()
    ]
    return findings


def covered(examined: Examined, findings: Iterable[Finding]) -> BoolArray:
    """Return for each token whether a finding touches it."""
    return covered_tokens(examined.start, examined.end, *borders_of(list(findings)))


def borders_of(spans: Sequence[tuple[Any, ...]]) -> tuple[LongArray, LongArray]:
    """Return the starts and the ends of spans."""
    starts = np.array([span[0] for span in spans], np.int64)
    return starts, np.array([span[1] for span in spans], np.int64)


def token_range(tokens: Examined | Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the tokens that characters ``[start, end)`` touch: first, and one past the last."""
    first = int(np.searchsorted(tokens.end, start, side="right"))
    return first, max(first, int(np.searchsorted(tokens.start, end, side="left")))


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

    The first is -1 for a span that touches no token. The second are tokens outside all spans that
    reach the threshold.
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
