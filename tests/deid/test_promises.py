"""Promises stand in the model file and hold for one pipeline only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lacuna.deid.calibration import Calibration, CurvePoint
from lacuna.deid.drift import Baseline
from lacuna.deid.promises import (
    Promises,
    in_words,
    pipeline_hash,
    promises_of,
    weights_hash,
    with_promises,
)
from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.file import StoredModel, read_model, write_model

STORED = StoredModel("crf", {"tags": ["O"]}, {"weights": np.arange(3.0), "more": np.zeros(2)})
BASELINE = Baseline(60, 40, {"unknown words:3": 60}, 0.01)
PROMISES = Promises(
    "abc",
    (
        Calibration(0.05, 0.25, 40, 0.02, 0.9),
        Calibration(0.05, 0.125, 60, 0.01, 0.8, 0.95, BASELINE),
    ),
    (CurvePoint(0.0, 0.0, 0.1),),
)


def test_they_come_back_from_the_file_and_leave_the_model_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.lacuna"
    write_model(path, with_promises(STORED, PROMISES))
    again = read_model(path)
    assert promises_of(again) == PROMISES
    assert weights_hash(again) == weights_hash(STORED)
    assert promises_of(STORED) is None


def test_a_promise_for_another_pipeline_or_level_is_refused() -> None:
    assert PROMISES.at(0.05, None, "abc").threshold == 0.25
    assert PROMISES.at(0.05, 0.95, "abc").threshold == 0.125
    with pytest.raises(ConfigError, match="calibrate it again"):
        PROMISES.at(0.05, None, "abd")
    known = r"only for --max-missed 0\.05, --max-missed 0\.05 --confidence 0\.95"
    for level, confidence in ((0.01, None), (0.05, 0.9)):
        with pytest.raises(ConfigError, match=known):
            PROMISES.at(level, confidence, "abc")


def test_the_words_say_which_promise_it_is() -> None:
    assert in_words(0.05, None).startswith("on average at most 5.00%")
    assert in_words(0.05, 0.95).startswith("with confidence 95.0%, at most 5.00%")


def test_promises_of_earlier_versions_are_read() -> None:
    old = {"level": 0.05, "threshold": 0.2, "units": 40, "missed": 0.0, "precision": 1.0}
    header = {"calibration": {"pipeline": "abc", "calibrations": [old], "curve": []}}
    promises = promises_of(replace(STORED, header=header))
    assert promises is not None
    assert promises.at(0.05, None, "abc").baseline is None


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
