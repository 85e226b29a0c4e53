"""What a model suggests for a document, what it doubts, and how much a person is needed.

::

    suggestions   mentions that the model or a pattern finds, with labels of the project
    doubts        tokens outside them with P(identifier) ≥ 0.1, runs on one line together
    need          (Σ P of tokens outside suggestions + ½ Σ p(1 − p) of suggestions) / √(tokens/1000)

The need is about the number of identifiers that a person would correct. It is divided by the root
of the length, so that long documents do not always come first. Words of findings with labels that
the project does not have are no doubts, but they count for the need: what another model calls
``PATIENT`` may be a ``NAME`` of this project. Once people have passed over such words, a taught
model is sure that they are nothing, and they count no more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from lacuna.deid.detector import UNNAMED, Detected, covered
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.folding import fold_words
from lacuna.deid.resolution import resolve
from lacuna.text.document import Document, Mention
from lacuna.text.tokens import tokens_of
from lacuna.types import BoolArray, FloatArray, IntArray
from lacuna.web.edits import suggestion_uid
from lacuna.web.operations import Spans

DOUBTFUL = 0.1  #: P(identifier) from which a token outside suggestions is shown to people
LEAST_SHARE = 0.01  #: of the need; words with less are not remembered
PER_TOKENS = 1000


class Suggestion(msgspec.Struct, frozen=True):
    """A mention that a person may accept; `source` is ``"model"`` or ``"pattern"``."""

    uid: str
    label: str
    spans: Spans
    probability: float
    source: str


class Doubt(msgspec.Struct, frozen=True):
    """Words that may be an identifier; the label is the best guess, or ``IDENTIFIER``."""

    uid: str
    label: str
    spans: Spans
    probability: float


class Suggested(msgspec.Struct, frozen=True):
    """What a model says about a document.

    Attributes
    ----------
    suggestions, doubts
        In text order; none overlaps one of the other kind.
    need
        How much a person is needed.
    words, shares
        Folded words that the model is not sure of, and what each adds to the need.
    """

    suggestions: tuple[Suggestion, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    need: float = 0.0
    words: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()


class Read(NamedTuple):
    """A document as a model reads it.

    document, suggestions
        What is suggested for it.
    start, end, probability
        Of each token; P(identifier).
    is_left
        Whether each token is outside suggestions, and outside findings nobody asked for.
    is_doubtful
        Whether each of these may be an identifier.
    is_outside
        Whether each token is outside suggestions.
    aside
        Findings with labels that the project does not have.
    """

    document: Document
    suggestions: tuple[Suggestion, ...]
    start: IntArray
    end: IntArray
    probability: FloatArray
    is_left: BoolArray
    is_doubtful: BoolArray
    is_outside: BoolArray
    aside: Sequence[Finding] = ()

    def words(self, token: int) -> list[str]:
        """Return the folded words of a token; none if it is a sign."""
        return fold_words(self.document.text[self.start[token] : self.end[token]])


# --- suggestions


def read_findings(detected: Detected, labels: Collection[str]) -> Read:
    """Return how a flat model and patterns read a document, resolved as in de-identification."""
    findings, text = detected.findings, detected.document.text
    plan = resolve(text, [f for f in findings if f.label in labels and f.label != UNNAMED])
    aside = [f for f in findings if f.label not in labels and f.label != UNNAMED]
    unnamed = [f for f in findings if f.label == UNNAMED]
    made = tuple(_of_finding(finding) for finding in plan)
    tokens = detected.start, detected.end, detected.probability
    return _read(detected.document, made, tokens, aside=aside, unnamed=unnamed)


def read_mentions(
    found: Document, probability: FloatArray, labels: Collection[str], threshold: float
) -> Read:
    """Return how a model reads a document whose mentions may overlap and have gaps."""
    made: dict[str, Suggestion] = {}
    for mention in found.mentions:
        sure = 1.0 if mention.probability is None else mention.probability
        if mention.label in labels and sure >= threshold:
            spans = _spans(mention)
            uid = suggestion_uid(mention.label, spans)
            made[uid] = Suggestion(uid, mention.label, spans, sure, Origin.MODEL)
    others = [mention for mention in found.mentions if mention.label not in labels]
    aside = [
        Finding(span.start, span.end, mention.label, Origin.MODEL)
        for mention in others
        for span in mention.spans
    ]
    tokens = tokens_of(found)
    arrays = tokens.start, tokens.end, probability
    return _read(found, tuple(made.values()), arrays, aside=aside, unnamed=[])


def _read(
    document: Document,
    suggestions: tuple[Suggestion, ...],
    tokens: tuple[IntArray, IntArray, FloatArray],
    *,
    aside: Sequence[Finding],
    unnamed: Sequence[Finding],
) -> Read:
    nowhere = np.zeros(len(tokens[0]), np.bool_)
    read = Read(document, suggestions, *tokens, nowhere, nowhere, nowhere, aside)
    shown = [span for suggestion in suggestions for span in suggestion.spans]
    (is_shown,) = covered([read], [shown])
    (is_aside,) = covered([read], [aside])
    (is_unnamed,) = covered([read], [unnamed])
    is_left = ~is_shown & ~is_aside
    is_doubtful = is_left & (is_unnamed | (read.probability >= DOUBTFUL))
    return read._replace(is_left=is_left, is_doubtful=is_doubtful, is_outside=~is_shown)


def _of_finding(finding: Finding) -> Suggestion:
    spans = ((finding.start, finding.end),)
    source = Origin.PATTERN if finding.origin is Origin.PATTERN else Origin.MODEL
    uid = suggestion_uid(finding.label, spans)
    return Suggestion(uid, finding.label, spans, finding.probability, source)


def _spans(mention: Mention) -> Spans:
    return tuple((span.start, span.end) for span in mention.spans)


# --- doubts


def doubtful_runs(read: Read) -> list[tuple[int, int]]:
    """Return runs of doubtful tokens on one line, ``[first, last)``, without signs at the ends."""
    runs = []
    for first, last in _runs(read):
        with_words = [token for token in range(first, last) if read.words(token)]
        if with_words:
            runs.append((with_words[0], with_words[-1] + 1))
    return runs


def _runs(read: Read) -> Iterator[tuple[int, int]]:
    first = last = -1
    for token in np.flatnonzero(read.is_doubtful).tolist():
        between = read.document.text[read.end[token - 1] : read.start[token]]
        if token != last or between.splitlines() not in ([], [between]):
            if last >= 0:
                yield first, last
            first = token
        last = token + 1
    if last >= 0:
        yield first, last


# --- all together


def suggested(read: Read, runs: Sequence[tuple[int, int]], labels: Iterable[str]) -> Suggested:
    """Return what is suggested and doubted; `labels` are the best guesses for the runs."""
    length = max(len(read.start), 1) / PER_TOKENS
    doubts = []
    for (first, last), label in zip(runs, labels, strict=True):
        spans = ((int(read.start[first]), int(read.end[last - 1])),)
        sure = float(read.probability[first:last].max())
        doubts.append(Doubt(suggestion_uid(label, spans), label, spans, sure))
    missed = float(read.probability.sum(where=read.is_outside))
    wrong = sum(map(_uncertainty, read.suggestions))
    shares = {
        word: share / length**0.5 for word, share in _shares(read).items() if share >= LEAST_SHARE
    }
    return Suggested(
        read.suggestions,
        tuple(doubts),
        (missed + wrong) / length**0.5,
        tuple(shares),
        tuple(shares.values()),
    )


def _uncertainty(suggestion: Suggestion) -> float:
    return suggestion.probability * (1.0 - suggestion.probability) / 2


def _shares(read: Read) -> dict[str, float]:
    """Return uncertain words (of suggestions: with the label) and what each adds to the need."""
    shares: dict[str, float] = {}
    is_uncertain = read.is_outside & (read.is_doubtful | (read.probability >= DOUBTFUL))
    for token in np.flatnonzero(is_uncertain).tolist():
        for word in read.words(token):
            shares[word] = shares.get(word, 0.0) + float(read.probability[token])
    for suggestion in read.suggestions:
        surfaces = [read.document.text[start:end] for start, end in suggestion.spans]
        name = " ".join([suggestion.label, *fold_words(" ".join(surfaces))])
        shares[name] = shares.get(name, 0.0) + _uncertainty(suggestion)
    return shares
