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
from typing import Any, NamedTuple, Protocol

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


class HasTokens(Protocol):
    """Something with the starts and ends of tokens."""

    @property
    def start(self) -> IntArray: ...  # noqa: D102
    @property
    def end(self) -> IntArray: ...  # noqa: D102


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
    """

    document: Document
    findings: list[Finding]
    start: IntArray
    end: IntArray
    probability: FloatArray
    covered: BoolArray
    protected: Sequence[str] = ()

    def with_more(self, findings: list[Finding]) -> Detected:
        """Return this with findings added."""
        (also,) = covered([self], [findings])
        every = np.logical_or(self.covered, also)
        return self._replace(findings=[*self.findings, *findings], covered=every)

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
        return self.detected(self.tagger.examine(documents))

    def detected(self, examined: Sequence[Examined]) -> list[Detected]:
        """Return what is found, given what the tagger makes of documents."""
        tagged = tagger_findings(examined, self.threshold)
        pairs = zip(examined, tagged, strict=True)
        every = [self._findings(one.document, by_tagger) for one, by_tagger in pairs]
        return [
            Detected(
                one.document,
                findings,
                one.start.astype(np.int32, copy=False),
                one.end.astype(np.int32, copy=False),
                one.probability,
                tokens,
            )
            for one, findings, tokens in zip(examined, every, covered(examined, every), strict=True)
        ]

    def _findings(self, document: Document, tagged: list[Finding]) -> list[Finding]:
        tagged = self.recognizers.drop(document, tagged)
        recognized = self.recognizers.findings(document)
        return [*better_named(tagged, recognized), *recognized]


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
    found = Detected(document, [], *tokens, probability, np.zeros(len(probability), np.bool_))
    return found.with_more(findings)


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


def tagger_findings(examined: Sequence[Examined], threshold: float) -> list[list[Finding]]:
    """Return mentions with a token that reaches the threshold, and single tokens that do.

    One list for each document.
    """
    if not examined:
        return []
    spans = [one.found for one in examined]
    surest, alone, alone_end = surest_tokens(
        *_tokens_of(examined),
        np.concatenate([one.probability for one in examined]),
        *borders_of(spans),
        threshold,
    )
    sure, found, first = iter(surest.tolist()), [], 0
    for one, last in zip(examined, alone_end.tolist(), strict=True):
        findings = [
            Finding(start, end, label, Origin.MODEL, p)
            for (start, end, label), p in zip(one.found, sure, strict=False)
            if p >= threshold
        ]
        _, _, starts, ends, probability = one
        findings += [
            Finding(int(starts[t]), int(ends[t]), UNNAMED, Origin.MODEL, float(probability[t]))
            for t in alone[first:last].tolist()
        ]
        found.append(findings)
        first = last
    return found


def covered(
    documents: Sequence[HasTokens], spans: Sequence[Sequence[tuple[Any, ...]]]
) -> list[BoolArray]:
    """Return for each token of each document whether one of its spans or findings touches it."""
    if not documents:
        return []
    start, end, last = _tokens_of(documents)
    return np.split(covered_tokens(start, end, last, *borders_of(spans)), last[:-1])


def _tokens_of(
    documents: Sequence[HasTokens],
) -> tuple[IntArray, IntArray, LongArray]:
    """Return starts and ends of the tokens of all documents, and where those of each end."""
    start = np.concatenate([one.start for one in documents])
    end = np.concatenate([one.end for one in documents])
    return start, end, np.cumsum([len(one.start) for one in documents])


def borders_of(
    spans: Sequence[Sequence[tuple[Any, ...]]],
) -> tuple[LongArray, LongArray, LongArray]:
    """Return starts and ends of the spans of all documents, and where those of each end."""
    every = [span for own in spans for span in own]
    starts = np.array([span[0] for span in every], np.int64)
    ends = np.array([span[1] for span in every], np.int64)
    return starts, ends, np.cumsum([len(own) for own in spans])


def token_range(tokens: Examined | Tokens, start: int, end: int) -> tuple[int, int]:
    """Return the tokens that characters ``[start, end)`` touch: first, and one past the last."""
    first = int(np.searchsorted(tokens.end, start, side="right"))
    return first, max(first, int(np.searchsorted(tokens.start, end, side="left")))


@kernel
def surest_tokens(
    start: IntArray,
    end: IntArray,
    last_token: LongArray,
    probability: FloatArray,
    span_start: LongArray,
    span_end: LongArray,
    last_span: LongArray,
    threshold: float,
) -> tuple[FloatArray, LongArray, LongArray]:
    """Return the highest probability in each span, and tokens that reach the threshold outside.

    Documents follow one another; `last_token` and `last_span` are where those of each end.

    Returns
    -------
    sure, alone, last_alone
        The highest probability in each span, -1 if it touches no token. The tokens outside all
        spans that reach the threshold, numbered within their documents, and where those of each
        document end.
    """
    sure = np.full(span_start.size, -1.0)
    is_alone = probability >= threshold
    alone, last_alone = np.empty(is_alone.sum(), np.int64), np.empty_like(last_token)
    token, i, count = 0, 0, 0
    for d in range(last_token.size):
        own_start, own_end = start[token : last_token[d]], end[token : last_token[d]]
        while i < last_span[d]:
            first = np.searchsorted(own_end, span_start[i], side="right")
            last = first
            while last < own_start.size and own_start[last] < span_end[i]:
                sure[i] = max(sure[i], probability[token + last])
                last += 1
            if sure[i] >= threshold:
                is_alone[token + first : token + last] = False
            i += 1
        for t in range(own_start.size):
            if is_alone[token + t]:
                alone[count] = t
                count += 1
        last_alone[d] = count
        token = last_token[d]
    return sure, alone[:count], last_alone


@kernel
def covered_tokens(
    start: IntArray,
    end: IntArray,
    last_token: LongArray,
    span_start: LongArray,
    span_end: LongArray,
    last_span: LongArray,
) -> BoolArray:
    """Return for each token whether a span of its document touches it.

    Documents follow one another; `last_token` and `last_span` are where those of each end.
    """
    covered = np.empty(start.size, np.bool_)
    token, i = 0, 0
    for d in range(last_token.size):
        own_start, own_end = start[token : last_token[d]], end[token : last_token[d]]
        # borders[t]: how many spans begin at token t, less those that ended before it
        borders = np.zeros(own_start.size + 1, np.int64)
        while i < last_span[d]:
            first = np.searchsorted(own_end, span_start[i], side="right")
            borders[first] += 1
            borders[max(first, np.searchsorted(own_start, span_end[i], side="left"))] -= 1
            i += 1
        inside = 0
        for t in range(own_start.size):
            inside += borders[t]
            covered[token + t] = inside > 0
        token = last_token[d]
    return covered
