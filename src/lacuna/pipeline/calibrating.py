"""Promises of a pipeline, from annotated documents the model has not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lacuna.deid.calibrating import calibration_units
from lacuna.deid.calibration import calibrate, curve
from lacuna.deid.promises import Promises
from lacuna.pipeline.detecting import Detection
from lacuna.text.document import Document


def make_promises(
    detection: Detection, documents: Iterable[Document], levels: Sequence[float]
) -> Promises:
    """Return thresholds for some levels, and the curve, for exactly this way of detecting.

    Raises
    ------
    ConfigError
        If there are too few patients or documents for a level.
    """
    units = calibration_units(detection.detector, documents)
    calibrations = tuple(calibrate(units, level) for level in sorted(set(levels)))
    return Promises(detection.pipeline, calibrations, tuple(curve(units)))
