"""Model files of a class HMM: round trip, and damaged files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lacuna.encoding.flat import tag_document
from lacuna.errors import ModelFileError
from lacuna.models.base import FitOptions
from lacuna.models.class_hmm import ClassHmm, ClassHmmModel
from lacuna.models.class_hmm.storage import restore_class_hmm
from lacuna.models.class_hmm.training import fit_class_hmm
from lacuna.models.file import StoredModel, read_model, write_model
from tests.models.examples import corpus

ARRAYS = ["keys", "weights", "log_total", "transition", "start"]


def model_with(config: ClassHmm) -> ClassHmmModel:
    tagged = [tag_document(document) for document in corpus(20)]
    *_, last = fit_class_hmm(tagged, config, FitOptions(0))
    model = last.model()
    assert isinstance(model, ClassHmmModel)
    return model


@pytest.fixture(scope="module")
def model() -> ClassHmmModel:
    return model_with(ClassHmm(iterations=10))


@pytest.mark.parametrize("features", ["muc", "affixes"])
def test_file_there_and_back(features: str, tmp_path: Path) -> None:
    model = model_with(ClassHmm(features=features, iterations=10))
    path = tmp_path / "names.lacuna"
    digest = write_model(path, model.store())
    again = restore_class_hmm(read_model(path))
    documents = corpus(5, seed=9)
    assert model.find(documents, probabilities=True) == again.find(documents, probabilities=True)
    assert again.labels == model.labels == ("LOC", "PER")
    assert again.config == model.config
    assert write_model(path, again.store()) == digest


def damaged(model: ClassHmmModel, header: dict[str, Any], arrays: dict[str, Any]) -> StoredModel:
    stored = model.store()
    return StoredModel(stored.kind, {**stored.header, **header}, {**stored.arrays, **arrays})


@pytest.mark.parametrize("name", ARRAYS)
def test_a_missing_short_or_flat_array_is_refused(model: ClassHmmModel, name: str) -> None:
    whole = model.store()
    rest = {key: array for key, array in whole.arrays.items() if key != name}
    for arrays in (
        rest,
        {**rest, name: whole.arrays[name][:-1]},
        {**rest, name: whole.arrays[name].reshape(-1)[:1]},
        {**rest, name: whole.arrays[name].astype(np.int32)},
    ):
        with pytest.raises(ModelFileError):
            restore_class_hmm(StoredModel(whole.kind, whole.header, arrays))


@pytest.mark.parametrize("name", ARRAYS[1:])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_values_that_are_no_weights_are_refused(
    model: ClassHmmModel, name: str, value: float
) -> None:
    array = model.store().arrays[name].copy()
    array.reshape(-1)[-1] = value
    with pytest.raises(ModelFileError, match="has values outside"):
        restore_class_hmm(damaged(model, {}, {name: array}))


def test_a_repeated_feature_is_refused(model: ClassHmmModel) -> None:
    keys = model.store().arrays["keys"].copy()
    keys[0] = keys[1]
    with pytest.raises(ModelFileError, match="twice"):
        restore_class_hmm(damaged(model, {}, {"keys": keys}))


@pytest.mark.parametrize(
    "header",
    [
        {"config": None},
        {"config": {"states": 0}},
        {"config": {"states": 10**9}},
        {"config": {"scheme": "IOB1"}},
        {"tags": []},
        {"tags": ["O", "O"]},
        {"tags": ["O", "B-PER"]},
        {"tags": ["B-PER", "I-PER", "O"]},
        {"properties": ["nonsense"]},
        {"properties": ["AllCaps", "AllCaps"]},
        {"templates": ["nonsense"]},
        {"templates": ["lower[1]"]},
        {"card": 3},
    ],
)
def test_a_damaged_header_is_refused(model: ClassHmmModel, header: dict[str, Any]) -> None:
    with pytest.raises(ModelFileError):
        restore_class_hmm(damaged(model, header, {}))
