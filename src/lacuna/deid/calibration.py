"""The recall dial: how much to redact so that little is missed, by conformal risk control.

The whole pipeline is calibrated. With a threshold t it redacts

    redacted(t) = {tokens with P(identifier) ≥ t} ∪ what patterns, lists and known names found

so a token that only the model can find is missed when its probability lies below t. The loss of a
unit (a patient; a document where there are no groups) is the share of its identifier tokens that
are missed, 0 where it has none. It can only grow with t. With n units that the model has not seen
and their mean loss R(t), the threshold is the highest t with

    (n · R(t) + 1) / (n + 1) ≤ level.

Then the expected loss on another unit, drawn like these, is at most `level` (Angelopoulos et al.,
"Conformal Risk Control", 2024). The expectation is over draws of all n + 1 units: it is a promise
about the average, not about every archive.

From annotated documents to a calibrated threshold, by running the pipeline on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from lacuna.deid.detector import Detector, covered, tagger_findings, token_range
from lacuna.errors import ConfigError
from lacuna.models.base import Examined, group_batches
from lacuna.text.document import Document
from lacuna.types import BoolArray, FloatArray

#: Below this value of (n + 1) · level one single missed token decides where the threshold lies.
COMFORTABLE = 3.0
CURVE_POINTS = 101


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """What calibration knows of a patient: the probability of every token.

    Attributes
    ----------
    identifiers
        Of every identifier token: P(identifier), 1 where the rest of the pipeline finds it, -1
        where it is never taken out.
    others
        Of every other token: the same.
    """

    identifiers: FloatArray
    others: FloatArray


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What a threshold does on the calibration set."""

    threshold: float
    missed: float  #: mean share of identifier tokens missed per unit
    precision: float  #: share of redacted tokens that are identifiers


@dataclass(frozen=True, slots=True)
class Calibration:
    """A threshold and what is promised with it.

    Attributes
    ----------
    level
        Expected share of identifier tokens missed per unit: at most this.
    threshold
        Tokens with at least this probability are redacted.
    units
        How many it rests on.
    missed, precision
        What it does on the calibration set.
    """

    level: float
    threshold: float
    units: int
    missed: float
    precision: float

    @property
    def is_tight(self) -> bool:
        """Whether so few units decide that more would allow a better threshold."""
        return (self.units + 1) * self.level < COMFORTABLE


def units_needed(level: float) -> int:
    """Return how many units a level needs at least: with fewer, even no miss is not enough."""
    return ceil(round(1 / level, 9)) - 1


def calibrate(units: Sequence[Unit], level: float) -> Calibration:
    """Return the highest threshold that keeps the promise.

    Raises
    ------
    ConfigError
        If the level is no share, or there are too few units for it.
    """
    if not 0 < level < 1:
        raise ConfigError(f"the share that may be missed lies between 0 and 1, got {level}")
    needed = units_needed(level)
    if len(units) < needed:
        raise ConfigError(
            f"{len(units)} patients or documents are too few to promise {level:.3g}:"
            f" at least {needed} are needed"
        )
    threshold = _highest(units, allowed=level * (len(units) + 1) - 1)
    if threshold < 0:
        raise ConfigError(
            f"{level:.3g} cannot be promised: terms that are never taken out miss more than that"
        )
    missed, precision = outcome(units, threshold)
    return Calibration(level, threshold, len(units), missed, precision)


def _highest(units: Sequence[Unit], allowed: float) -> float:
    """Return the highest t with Σ_units loss(t) ≤ `allowed`.

    A token of probability p in a unit with k identifier tokens adds 1/k as soon as t > p. So t may
    rise to the first p at which the sum of those up to and including p is too much.
    """
    scores = np.concatenate([unit.identifiers for unit in units] or [np.zeros(0)])
    sizes = [len(unit.identifiers) for unit in units]
    shares = np.repeat([1 / size if size else 0.0 for size in sizes], sizes)
    order = np.argsort(scores, kind="stable")
    losses = np.cumsum(shares[order])
    too_much = np.searchsorted(losses, allowed + 1e-12, side="right")
    return float(scores[order[too_much]]) if too_much < len(order) else 1.0


def outcome(units: Sequence[Unit], threshold: float) -> tuple[float, float]:
    """Return the mean share missed per unit, and the precision over all units."""
    losses = [_share_below(unit.identifiers, threshold) for unit in units]
    hits = sum(int((unit.identifiers >= threshold).sum()) for unit in units)
    wrong = sum(int((unit.others >= threshold).sum()) for unit in units)
    precision = hits / (hits + wrong) if hits + wrong else 1.0
    return float(np.mean(losses)) if losses else 0.0, precision


def _share_below(values: FloatArray, threshold: float) -> float:
    return float((values < threshold).mean()) if len(values) else 0.0


def curve(units: Sequence[Unit]) -> list[CurvePoint]:
    """Return what thresholds from all to nothing do, closest where few tokens are missed."""
    return [
        CurvePoint(float(t), *outcome(units, float(t)))
        for t in np.linspace(0.0, 1.0, CURVE_POINTS) ** 2
    ]


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
    sure[~covered(examined, detector.recognizers.drop(examined.document, every))] = NEVER
    sure[covered(examined, detector.recognizers.findings(examined.document))] = 1.0
    return sure


def _in_mentions(examined: Examined, gold: Document) -> BoolArray:
    inside = np.zeros(len(examined.start), np.bool_)
    for mention in gold.mentions:
        for span in mention.spans:
            first, last = token_range(examined, span.start, span.end)
            inside[first:last] = True
    return inside
