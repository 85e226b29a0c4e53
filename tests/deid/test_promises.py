"""Promises stand in the model file and hold for one pipeline only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lacuna.deid.calibration import (
    Calibration,
    CurvePoint,
    Promises,
    pipeline_hash,
    promises_of,
    weights_hash,
    with_promises,
)
from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.file import StoredModel, read_model, write_model

STORED = StoredModel("crf", {"tags": ["O"]}, {"weights": np.arange(3.0), "more": np.zeros(2)})
PROMISES = Promises("abc", (Calibration(0.05, 0.25, 40, 0.02, 0.9),), (CurvePoint(0.0, 0.0, 0.1),))


def test_they_come_back_from_the_file_and_leave_the_model_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.lacuna"
    write_model(path, with_promises(STORED, PROMISES))
    again = read_model(path)
    assert promises_of(again) == PROMISES
    assert weights_hash(again) == weights_hash(STORED)
    assert promises_of(STORED) is None


def test_a_promise_for_another_pipeline_or_level_is_refused() -> None:
    assert PROMISES.at(0.05, "abc").threshold == 0.25
    with pytest.raises(ConfigError, match="calibrate it again"):
        PROMISES.at(0.05, "abd")
    with pytest.raises(ConfigError, match=r"only for 0\.05"):
        PROMISES.at(0.01, "abc")


@pytest.mark.parametrize(
    "other",
    [
        replace(STORED, kind="two-pass"),
        replace(STORED, header={"tags": ["O", "B-X"]}),
        replace(STORED, arrays={"weights": np.arange(3.0), "more": np.ones(2)}),
        replace(STORED, arrays={"weights": np.arange(3.0)}),
        replace(STORED, arrays={"weights": np.arange(3.0), "more": np.zeros((2, 1))}),
    ],
)
def test_any_change_of_the_model_changes_the_hash(other: StoredModel) -> None:
    assert weights_hash(other) != weights_hash(STORED)


def test_the_pipeline_is_the_model_and_all_its_parts_in_order() -> None:
    hashes = {
        pipeline_hash(STORED, parts)
        for parts in ([], ["patterns"], ["patterns", "x"], ["x", "patterns"], ["patternsx"])
    }
    assert len(hashes) == 5


@pytest.mark.parametrize("damaged", [3, {}, {"pipeline": 1}, {"pipeline": "a", "curve": [{}]}])
def test_a_damaged_calibration_is_a_clear_error(damaged: object) -> None:
    stored = replace(STORED, header={**STORED.header, "calibration": damaged})
    with pytest.raises(ModelFileError, match="damaged"):
        promises_of(stored)
