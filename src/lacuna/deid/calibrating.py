"""From annotated documents to a calibrated threshold, by running the pipeline on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from lacuna.deid.calibration import Unit
from lacuna.deid.detector import Detector, covered, tagger_findings, token_range
from lacuna.models.base import Examined, group_batches
from lacuna.text.document import Document
from lacuna.types import BoolArray, FloatArray

NEVER = -1.0  #: lies below every threshold


def calibration_units(detector: Detector, documents: Iterable[Document]) -> list[Unit]:
    """Return what calibration needs to know of each group, or document without one.

    What recognizers find counts as found whatever the threshold, and so does the rest of a mention
    of the tagger of which a token reaches it.
    """
    scores: dict[tuple[str, str], tuple[list[FloatArray], list[FloatArray]]] = {}
    for unit, is_identifier, sure in _token_scores(detector, documents):
        identifiers, others = scores.setdefault(unit, ([], []))
        identifiers.append(sure[is_identifier])
        others.append(sure[~is_identifier])
    return [Unit(np.concatenate(a), np.concatenate(b)) for a, b in scores.values()]


def _token_scores(
    detector: Detector, documents: Iterable[Document]
) -> Iterator[tuple[tuple[str, str], BoolArray, FloatArray]]:
    """Yield of each document its group, which tokens are identifiers, when each is redacted."""
    for batch in group_batches(documents):
        plain = [replace(document, mentions=()) for document in batch]
        for gold, examined in zip(batch, detector.tagger.examine(plain), strict=True):
            yield gold.unit, _in_mentions(examined, gold), redacted_up_to(detector, examined)


def redacted_up_to(detector: Detector, examined: Examined) -> FloatArray:
    """Return for each token the highest threshold at which it is redacted; -1 where at none."""
    sure = examined.probability.copy()
    for start, end, _ in examined.found:
        first, last = token_range(examined, start, end)
        sure[first:last] = sure[first:last].max(initial=0.0)
    every = list(tagger_findings(examined, 0.0))
    sure[~covered(examined, detector.drop(examined.document, every))] = NEVER
    sure[covered(examined, detector.recognized(examined.document))] = 1.0
    return sure


def _in_mentions(examined: Examined, gold: Document) -> BoolArray:
    inside = np.zeros(len(examined.start), np.bool_)
    for mention in gold.mentions:
        for span in mention.spans:
            first, last = token_range(examined, span.start, span.end)
            inside[first:last] = True
    return inside
