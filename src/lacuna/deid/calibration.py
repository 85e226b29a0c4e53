"""The recall dial: how much to redact so that little is missed, by conformal risk control.

The whole pipeline is calibrated. With a threshold t it redacts

    redacted(t) = {tokens with P(identifier) ≥ t} ∪ what patterns, lists and known names found

so a token that only the model can find is missed if its probability is below t. The loss of a unit
(a patient; a document if there are no groups) is the share of its identifier tokens that
are missed, 0 if it has none. It can only grow with t. With n units that the model has not seen
and their mean loss R(t), the threshold is the highest t with

    (n · R(t) + 1) / (n + 1) ≤ level.

Then the expected loss on another unit, drawn like these, is at most `level` (Angelopoulos et al.,
"Conformal Risk Control", 2024). The expectation is over draws of all n + 1 units: it is a promise
about the average, not about every archive.

:func:`calibration_units` runs the pipeline on annotated documents, :func:`calibrate` finds the
threshold. :class:`Promises` are calibrated thresholds in the header of a model file, under
``"calibration"``. They hold for the pipeline they were made with: the same weights, recognizers,
lists and terms. The pipeline is identified by a hash; any other pipeline is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

import msgspec
import numpy as np

from lacuna.deid.detector import Detector, covered, tagger_findings, token_range
from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.base import Examined, group_batches
from lacuna.models.file import StoredModel
from lacuna.text.document import Document
from lacuna.types import BoolArray, FloatArray

#: Below this value of (n + 1) · level a single missed token decides the threshold.
COMFORTABLE = 3.0
CURVE_POINTS = 101
NEVER = -1.0  #: below every threshold


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """The tokens of a patient: the highest threshold at which each is redacted.

    Attributes
    ----------
    identifiers
        Of every identifier token: P(identifier), 1 if recognizers find it, -1 if a *never* term
        keeps it.
    others
        The same of every other token.
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
    """A threshold and the promise it keeps.

    Attributes
    ----------
    level
        Upper bound on the expected share of identifier tokens missed per unit.
    threshold
        Tokens with at least this probability are redacted.
    units
        How many units it is based on.
    missed, precision
        On the calibration set.
    """

    level: float
    threshold: float
    units: int
    missed: float
    precision: float

    @property
    def is_tight(self) -> bool:
        """Whether there are so few units that more would allow a better threshold."""
        return (self.units + 1) * self.level < COMFORTABLE


def units_needed(level: float) -> int:
    """Return the least number of units for a level: with fewer, even no miss is not enough."""
    return ceil(round(1 / level, 9)) - 1


def calibrate(units: Sequence[Unit], level: float) -> Calibration:
    """Return the highest threshold that keeps the promise.

    Raises
    ------
    ConfigError
        If the level is not between 0 and 1, or there are too few units for it.
    """
    if not 0 < level < 1:
        raise ConfigError(f"the share that may be missed is between 0 and 1, got {level}")
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
    rise to the first p at which the sum up to and including p is too much.
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
    """Return what thresholds from 0 to 1 do, denser where few tokens are missed."""
    return [
        CurvePoint(float(t), *outcome(units, float(t)))
        for t in np.linspace(0.0, 1.0, CURVE_POINTS) ** 2
    ]


def calibration_units(detector: Detector, documents: Iterable[Document]) -> list[Unit]:
    """Return the unit of each group, or document without one.

    What recognizers find counts as redacted whatever the threshold. A mention of the tagger is
    redacted as a whole when one of its tokens reaches the threshold.
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
    """Yield the group of each document, which tokens are identifiers, when each is redacted."""
    for batch in group_batches(documents):
        plain = [replace(document, mentions=()) for document in batch]
        for gold, examined in zip(batch, detector.tagger.examine(plain), strict=True):
            yield gold.unit, _in_mentions(examined, gold), redacted_up_to(detector, examined)


def redacted_up_to(detector: Detector, examined: Examined) -> FloatArray:
    """Return for each token the highest threshold at which it is redacted; -1 if none."""
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


KEY = "calibration"


class Promises(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Calibrated thresholds of one pipeline, and its curve."""

    pipeline: str
    calibrations: tuple[Calibration, ...]
    curve: tuple[CurvePoint, ...]

    def at(self, level: float, pipeline: str) -> Calibration:
        """Return the calibration for a level, if it was made with this pipeline.

        Raises
        ------
        ConfigError
            If the pipeline is another one, or was not calibrated for this level.
        """
        if pipeline != self.pipeline:
            raise ConfigError(
                "the model was calibrated with other recognizers, lists or terms than are used now;"
                " calibrate it again with the same options"
            )
        for calibration in self.calibrations:
            if calibration.level == level:
                return calibration
        known = ", ".join(f"{calibration.level:g}" for calibration in self.calibrations)
        raise ConfigError(
            f"the model is not calibrated for --max-missed {level:g}, only for {known};"
            " run lacuna calibrate with that level"
        )


def weights_hash(stored: StoredModel) -> str:
    """Return a hash of everything in a model file except the calibration."""
    hasher = hashlib.sha256(stored.kind.encode())
    header = {key: value for key, value in stored.header.items() if key != KEY}
    hasher.update(msgspec.json.encode(header, order="deterministic"))
    for name in sorted(stored.arrays):
        array = stored.arrays[name]
        hasher.update(f"{name} {array.dtype} {array.shape}\0".encode())
        hasher.update(array.tobytes())
    return hasher.hexdigest()


def pipeline_hash(stored: StoredModel, parts: Iterable[str]) -> str:
    """Return a hash of a model and the names or hashes of everything else that detects."""
    hasher = hashlib.sha256(weights_hash(stored).encode())
    for part in parts:
        hasher.update(b"\0" + part.encode())
    return hasher.hexdigest()


def with_promises(stored: StoredModel, promises: Promises) -> StoredModel:
    """Return the model with other promises."""
    return replace(stored, header={**stored.header, KEY: msgspec.to_builtins(promises)})


def promises_of(stored: StoredModel) -> Promises | None:
    """Return the promises of a model file, if there are any."""
    if KEY not in stored.header:
        return None
    try:
        return msgspec.convert(stored.header[KEY], Promises)
    except msgspec.ValidationError:
        raise ModelFileError(stored.source, "its calibration is damaged") from None
