"""Scores with intervals, and the promise, of a model that is finished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lacuna.deid.calibration import calibrate, curve, outcome, units_needed
from lacuna.deid.calibration_units import Unit, calibration_units
from lacuna.deid.detector import DEFAULT_THRESHOLD
from lacuna.deid.policy import Policy
from lacuna.deid.promises import Promises
from lacuna.deid.vocabulary import vocabulary_of
from lacuna.errors import ConfigError
from lacuna.evaluation.bootstrap import Interval, intervals
from lacuna.evaluation.scores import Scores
from lacuna.pipeline.detection import Detection
from lacuna.text.document import Document
from lacuna.text.plurals import counted
from lacuna.web.finishing.records import Figure, Figures, LabelFigures, Promised

SEED = 0  #: of the resampling: the same documents give the same intervals


def figures_of(scores: Scores, how: str) -> Figures:
    """Return scores with intervals over patients."""
    found = intervals(scores, rng=np.random.default_rng(SEED))
    strict, binary = scores.section("strict"), scores.section("binary")
    of_strict, recall = found["strict"], found["binary"].micro["recall"]
    labels = tuple(
        LabelFigures(
            label,
            counts.gold,
            _figure(counts.precision, of_strict.labels[label]["precision"]),
            _figure(counts.recall, of_strict.labels[label]["recall"]),
            _figure(counts.f1, of_strict.labels[label]["f1"]),
        )
        for label, counts in sorted(strict.labels.items())
    )
    return Figures(
        how,
        len(scores.ids),
        len(scores.units),
        _figure(strict.micro.f1, of_strict.micro["f1"]),
        Figure(1 - binary.micro.recall, 1 - recall.high, 1 - recall.low),
        labels,
    )


def _figure(value: float, interval: Interval) -> Figure:
    return Figure(value, interval.low, interval.high)


def promised(
    detection: Detection,
    documents: Sequence[Document],
    policy: Policy,
    level: float,
    confidence: float | None,
) -> tuple[Promises | None, Promised | None, str | None]:
    """Return what the pipeline can promise, for its file and in figures; else why it cannot.

    The promise with confidence comes with the one on average for the same level.
    """
    detector = detection.detector
    words = vocabulary_of(detection.stored, detector.tagger)
    units = calibration_units(
        replace(detector, vocabulary=words),
        documents,
        policy,
        second_look=detection.options.second_look,
    )
    if len(units) < (needed := units_needed(level, confidence)):
        sure = "" if confidence is None else f" with a confidence of {100 * confidence:g} %"
        patients = counted(len(units), "sealed patient is", "sealed patients are")
        why = f"{patients} too few; to promise at most {100 * level:g} % missed{sure}"
        return None, None, f"{why}, at least {needed:,} are needed"
    wanted = [None] if confidence is None else [None, confidence]
    try:
        made = tuple(calibrate(units, level, sure, most=DEFAULT_THRESHOLD) for sure in wanted)
    except ConfigError as error:
        return None, None, str(error)
    chosen = made[-1]
    facts = Promised(
        level,
        confidence,
        chosen.threshold,
        chosen.units,
        chosen.missed,
        chosen.precision,
        *_usual(units),
    )
    return Promises(detection.pipeline, made, tuple(curve(units))), facts, None


def _usual(units: Sequence[Unit]) -> tuple[float, float]:
    return outcome(units, DEFAULT_THRESHOLD)
