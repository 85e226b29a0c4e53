"""Running the pipeline on annotated documents, to know when each identifier token is hidden.

Documents are read as ``lacuna deid`` reads them: text and group only, long ones through windows,
those of a patient together. For every token there is a highest threshold at which it is redacted,
because each finding is there up to a threshold: a mention of the tagger up to its surest token,
something recognized always.

A token counts as hidden if it can no longer be read in the output, see
:mod:`lacuna.deid.what_stays`:

* A finding whose label is kept hides nothing.
* A finding that is generalised or shifted hides a token only if the token does not stay, or if
  the policy would leave it under its true label as well (the year of a date). Where several such
  findings meet, all must hide it. This errs on the safe side: the plan may hide it all the same.

The second look (:mod:`lacuna.deid.second_look`) looks at each of its steps for what was found at
that step; what it finds there is redacted at all lower thresholds as well.

So the loss can only grow with the threshold. Identifier tokens are those that the policy, applied
to the annotation, removes: a kept state or the year of a date is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from lacuna.deid.actions import Mask
from lacuna.deid.detector import (
    WINDOW,
    Detector,
    better_named,
    bounded_batches,
    covered,
    detect_bounded,
    tagger_findings,
    token_range,
    windows,
)
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.policy import Policy
from lacuna.deid.second_look import STEPS, SecondLook
from lacuna.deid.vocabulary import WordCounts
from lacuna.deid.what_stays import NOTHING, WhatStays
from lacuna.models.base import Examined, group_batches
from lacuna.text.document import Document
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray

NEVER = -1.0  #: below every threshold
HIDES_ALL = Policy("everything is hidden", Mask())
Labels = list[str | None]  #: of each identifier token, by the annotation


class Seen(NamedTuple):
    """A document as the pipeline saw it.

    probability
        P(identifier) of each token, by the tagger alone.
    found
        The highest threshold at which a finding touches the token, -1 if none.
    words
        Its words, if the model has a vocabulary.
    """

    probability: FloatArray
    found: FloatArray
    words: WordCounts | None


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """The tokens of a patient: the highest threshold at which each is hidden.

    Attributes
    ----------
    identifiers
        Of every identifier token: P(identifier), 1 if recognizers find it, -1 if it is never
        hidden.
    others
        The same of every other token.
    documents
        Its documents.
    """

    identifiers: FloatArray
    others: FloatArray
    documents: tuple[Seen, ...] = ()


class Scored(NamedTuple):
    """The tokens of a document.

    start, end
        Character offsets.
    is_identifier
        Whether the policy removes the token where the annotation is followed.
    hidden
        The highest threshold at which it cannot be read any more, -1 if none.
    seen
        What the pipeline saw.
    """

    start: IntArray
    end: IntArray
    is_identifier: BoolArray
    hidden: FloatArray
    seen: Seen


def calibration_units(
    detector: Detector,
    documents: Iterable[Document],
    policy: Policy = HIDES_ALL,
    *,
    second_look: bool = False,
) -> list[Unit]:
    """Return the unit of each group, or document without one, in order of first appearance."""
    stays = WhatStays(policy)
    units = []
    for of_unit in _examined_units(detector, documents):
        tokens = [scored(detector, stays, *pair) for pair in of_unit]
        if second_look:
            _look_again(detector, policy, stays, of_unit, tokens)
        units.append(_unit(tokens))
    return units


def _look_again(
    detector: Detector,
    policy: Policy,
    stays: WhatStays,
    documents: Sequence[tuple[Document, Sequence[Piece]]],
    tokens: Sequence[Scored],
) -> None:
    """Raise the thresholds of tokens that the second look finds in the documents of a patient."""
    for step in STEPS:
        at_step = replace(detector, threshold=step)
        found = [
            at_step.detected([pieces[0][1]])[0]
            if len(pieces) == 1
            else detect_bounded(at_step, [Document(gold.id, gold.text, group=gold.group)])[0]
            for gold, pieces in documents
        ]
        looked = SecondLook(policy, detector.recognizers, step).look(found)
        for one, scores in zip(looked, tokens, strict=True):
            again = [finding for finding in one.findings if finding.origin is Origin.AGAIN]
            _raise_to(scores.seen.found, step, scores, again)
            _raise_to(scores.hidden, step, scores, [f for f in again if stays.hides(f.label)])


def _raise_to(
    thresholds: FloatArray, step: float, tokens: Scored, findings: Sequence[Finding]
) -> None:
    """Raise the thresholds of the tokens that findings touch to a step."""
    (is_found,) = covered([tokens], [findings])
    np.maximum(thresholds, step, out=thresholds, where=is_found)


#: A stretch of a document that is examined at once: where it begins, and what was found.
Piece = tuple[int, Examined]


def _examined_units(
    detector: Detector, documents: Iterable[Document]
) -> Iterator[list[tuple[Document, list[Piece]]]]:
    """Yield all documents of each unit with what the tagger makes of them."""
    by_unit: dict[tuple[str, str], list[Document]] = {}
    for document in documents:
        by_unit.setdefault(document.unit, []).append(document)
    for batch in group_batches(one for unit in by_unit.values() for one in unit):
        pairs = zip(batch, _examined(detector, batch), strict=True)
        for _, of_unit in groupby(pairs, key=lambda pair: pair[0].unit):
            yield list(of_unit)


def _examined(detector: Detector, documents: Sequence[Document]) -> Iterator[list[Piece]]:
    """Yield the pieces of each document, cut as :func:`~lacuna.deid.detector.detect_bounded`."""
    plain = [Document(one.id, one.text, group=one.group) for one in documents]
    for batch in bounded_batches(plain):
        if len(batch[0].text) <= WINDOW:
            for examined in detector.tagger.examine(batch):
                yield [(0, examined)]
            continue
        (long,) = batch
        yield [
            (start, detector.tagger.examine([Document(long.id, long.text[start:end])])[0])
            for start, end in windows(long.text)
        ]


def scored(detector: Detector, stays: WhatStays, gold: Document, pieces: Sequence[Piece]) -> Scored:
    """Return the tokens of a document, given what the tagger makes of its pieces."""
    parts = [_scored_piece(detector, stays, gold, *piece) for piece in pieces]
    start, end, is_identifier, hidden, probability, found = (
        np.concatenate([part[column] for part in parts]) for column in range(6)
    )
    if len(parts) > 1:  # tokens in the overlap of two windows: what one window finds is found
        borders = np.stack((start, end), axis=1)
        borders, place = np.unique(borders, axis=0, return_inverse=True)
        start, end = borders.T
        is_identifier, hidden, probability, found = (
            _highest(place.astype(np.int64).reshape(-1), len(borders), column)
            for column in (is_identifier, hidden, probability, found)
        )
    words = None if detector.vocabulary is None else detector.vocabulary.count(gold.text)
    return Scored(
        start, end, is_identifier.astype(np.bool_), hidden, Seen(probability, found, words)
    )


def _highest(place: LongArray, size: int, values: FloatArray | BoolArray) -> FloatArray:
    """Return the highest of the values that have each place."""
    highest = np.full(size, NEVER)
    np.maximum.at(highest, place, values)
    return highest


def _unit(documents: Sequence[Scored]) -> Unit:
    return Unit(
        np.concatenate([one.hidden[one.is_identifier] for one in documents]),
        np.concatenate([one.hidden[~one.is_identifier] for one in documents]),
        tuple(one.seen for one in documents),
    )


def _scored_piece(
    detector: Detector, stays: WhatStays, gold: Document, offset: int, examined: Examined
) -> tuple[IntArray, IntArray, BoolArray, FloatArray, FloatArray, FloatArray]:
    is_identifier, labels = _annotated(stays, gold, offset, examined)
    found, hidden = redacted_up_to(detector, stays, examined, labels)
    start, end = examined.start + offset, examined.end + offset
    return start, end, is_identifier, hidden, examined.probability, found


def redacted_up_to(
    detector: Detector, stays: WhatStays, examined: Examined, labels: Labels
) -> tuple[FloatArray, FloatArray]:
    """Return for each token the highest thresholds at which it is found, and hidden; -1: none."""
    document, recognizers = examined.document, detector.recognizers
    tagged = recognizers.drop(document, tagger_findings([examined], 0.0)[0])
    recognized = [f._replace(probability=1.0) for f in recognizers.findings(document)]
    found = _up_to(examined, [*tagged, *recognized])
    findings = [*better_named(tagged, recognized), *recognized]
    hidden = _up_to(examined, [f for f in findings if stays.hides(f.label)])
    lenient = [f for f in findings if not (stays.hides(f.label) or stays.keeps(f.label))]
    if lenient:
        partly = _up_to(examined, lenient)
        partly[_still_read(stays, examined, lenient, labels)] = NEVER
        hidden = np.maximum(hidden, partly)
    return found, hidden


def _up_to(examined: Examined, findings: Iterable[Finding]) -> FloatArray:
    """Return for each token the highest probability of a finding that touches it, -1 if none."""
    highest = np.full(len(examined.start), NEVER)
    for finding in findings:
        first, last = token_range(examined, finding.start, finding.end)
        np.maximum(highest[first:last], finding.probability, out=highest[first:last])
    return highest


def _still_read(
    stays: WhatStays, examined: Examined, findings: Iterable[Finding], labels: Labels
) -> BoolArray:
    """Return for each token whether one of the findings leaves it readable against the policy."""
    text, still = examined.document.text, np.zeros(len(examined.start), np.bool_)
    for finding in findings:
        first, last = token_range(examined, finding.start, finding.end)
        if first == last:
            continue
        surface = text[examined.start[first] : examined.end[last - 1]]
        left = stays.of(finding.label, surface)
        for t in range(first, last):
            word = text[examined.start[t] : examined.end[t]]
            if word in left.words:
                meant = NOTHING if labels[t] is None else stays.of(labels[t], surface)
                still[t] |= word not in meant.words or (meant.is_moved and not left.is_moved)
    return still


def _annotated(
    stays: WhatStays, gold: Document, offset: int, examined: Examined
) -> tuple[BoolArray, Labels]:
    """Return which tokens the policy removes by the annotation, and their labels.

    Where mentions overlap, the label that hides most counts.
    """
    inside = np.zeros(len(examined.start), np.bool_)
    labels: Labels = [None] * len(examined.start)
    for mention in sorted(gold.mentions, key=lambda mention: stays.hides(mention.label)):
        if stays.keeps(mention.label):
            continue
        for span in mention.spans:
            first, last = token_range(examined, span.start - offset, span.end - offset)
            left = stays.of(mention.label, gold.text[span.start : span.end])
            for t in range(first, last):
                token = slice(examined.start[t] + offset, examined.end[t] + offset)
                if gold.text[token] not in left.unchanged:
                    inside[t], labels[t] = True, mention.label
    return inside, labels
