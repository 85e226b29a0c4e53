"""Promises in a model file: calibrated thresholds, and the pipeline for which they hold.

They are in the header of the file under ``"calibration"``. A promise holds for the pipeline it was
made with: the same weights, recognizers, lists and terms. The pipeline is identified by a hash; any
other pipeline is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

import msgspec

from lacuna.deid.calibration import Calibration, CurvePoint
from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.file import StoredModel

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
