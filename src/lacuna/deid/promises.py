"""Promises in a model file: calibrated thresholds of one pipeline.

They are in the header, under ``"calibration"``, and hold for the pipeline they were made with: the
same weights, recognizers, lists, terms and policy. The pipeline is identified by a hash; any other
pipeline is refused.
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

    def at(self, level: float, confidence: float | None, pipeline: str) -> Calibration:
        """Return the calibration for a level, if it was made with this pipeline.

        Raises
        ------
        ConfigError
            If the pipeline is another one, or was not calibrated for this level and confidence.
        """
        if pipeline != self.pipeline:
            raise ConfigError(
                "the model was calibrated with another policy or with other recognizers, lists or"
                " terms than are used now; calibrate it again with the same options"
            )
        for calibration in self.calibrations:
            if (calibration.level, calibration.confidence) == (level, confidence):
                return calibration
        known = ", ".join(map(asked_by, self.calibrations))
        raise ConfigError(
            f"the model is not calibrated for {asked_for(level, confidence)}, only for {known};"
            " run lacuna calibrate with that level"
        )


def asked_for(level: float, confidence: float | None) -> str:
    """Return the options that ask for a promise."""
    sure = "" if confidence is None else f" --confidence {confidence:g}"
    return f"--max-missed {level:g}{sure}"


def asked_by(calibration: Calibration) -> str:
    """Return the options that ask for a calibrated promise."""
    return asked_for(calibration.level, calibration.confidence)


def in_words(level: float, confidence: float | None) -> str:
    """Explain a promise."""
    whom = (
        "patients (documents, if there are no patients) like those of the calibration; what the"
        " policy keeps is not counted"
    )
    if confidence is None:
        return (
            f"on average at most {level:.2%} of a patient's identifier tokens are missed, over"
            f" draws of {whom}. This is a mean over calibrations: a single one, and a single"
            " archive, may lie above it; --confidence gives a bound that can be signed"
        )
    return (
        f"with confidence {confidence:.1%}, at most {level:.2%} of a patient's identifier tokens"
        f" are missed in the mean over {whom}. The confidence is over the draw of the calibration"
        " set"
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
    """Return a hash of a model and the names or hashes of everything else that matters."""
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
