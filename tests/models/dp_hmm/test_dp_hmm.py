"""The HMM with sub-tags as a model: settings, decoders, and its file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lacuna import Document
from lacuna.encoding.flat import tag_document
from lacuna.encoding.schemes import Scheme
from lacuna.errors import ConfigError, InferenceError, ModelFileError
from lacuna.evaluation.scores import score
from lacuna.models.base import FitOptions
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm.storage import restore_dp_hmm
from lacuna.models.dp_hmm.training import fit_dp_hmm
from lacuna.models.file import StoredModel, read_model, write_model
from lacuna.models.settings import configure
from tests.models.examples import corpus

TAGGED = [tag_document(document) for document in corpus(20)]
ARRAYS = ["borders", "words", "classes", "log_words", "log_moves", "tokens"]
SMALL = DpHmm(subtags={"outside": 6, "entity": 3}, iterations=12, rare=2)


def model_with(config: DpHmm, seed: int = 0) -> DpHmmModel:
    *_, last = fit_dp_hmm(TAGGED, config, FitOptions(seed))
    model = last.model()
    assert isinstance(model, DpHmmModel)
    return model


@pytest.fixture(scope="module")
def model() -> DpHmmModel:
    return model_with(SMALL)


def f1(model: DpHmmModel) -> float:
    documents = corpus(10, seed=9)
    return score(zip(documents, model.find(documents), strict=True)).section("strict").micro.f1


@pytest.mark.parametrize("decoder", ["projected", "direct", "max-path", "submitted"])
def test_every_decoder_finds_names(model: DpHmmModel, decoder: Any) -> None:
    assert f1(replace(model, config=replace(SMALL, decoder=decoder))) > 0.9


def test_the_exhaustive_decoder_is_for_short_sentences(model: DpHmmModel) -> None:
    all_tags = replace(model, config=replace(SMALL, decoder="exhaustive"))
    (found,) = all_tags.find([Document("d", "Call Ana Sato now.")])
    assert [mention.label for mention in found.mentions] == ["PER"]
    with pytest.raises(InferenceError, match="another decoder"):
        all_tags.find([Document("d", "word " * 40)])


@pytest.mark.parametrize(
    "changes",
    [
        {"inference": "mean-field"},
        {"scheme": Scheme.BIO},
        {"weights": "geometric"},
        {"restarts": 3},
        {"subtags": {"outside": 1, "entity": 1}},
    ],
)
def test_every_form_learns_names(changes: dict[str, Any]) -> None:
    assert f1(model_with(replace(SMALL, **changes))) > 0.8


def test_the_objective_never_rises() -> None:
    for inference in ("structured", "mean-field"):
        config = replace(SMALL, inference=inference)
        values = [s.objective for s in fit_dp_hmm(TAGGED, config, FitOptions(1))]
        assert np.all(np.diff(values) <= 1e-9 * abs(values[0]))


def test_probabilities_of_tags_sum_to_one_and_agree_with_the_chain(model: DpHmmModel) -> None:
    document = corpus(1, seed=4)[0]
    tags = model.tag_probabilities(document)
    np.testing.assert_allclose(tags.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.identifier_probability(document), 1 - tags[:, 0], atol=1e-9)


def test_subtags_are_set_by_tag_and_label() -> None:
    config = configure(DpHmm, ["subtags.outside=7", "subtags.PER=2"])
    assert [config.subtags_of(tag) for tag in ("O", "I-PER", "I-LOC")] == [7, 2, 8]
    sizes = np.diff(model_with(replace(config, iterations=3)).borders)
    assert sizes[0] <= 7
    assert sizes[2] <= 2


@pytest.mark.parametrize(
    "changes",
    [
        {"subtags": {"outside": 0}},
        {"subtags": {"XYZ": 3}},
        {"alpha": 0.5},
        {"alpha_e": 0.0},
        {"alpha_t": float("nan")},
        {"scheme": Scheme.BILOU},
        {"rare": 0},
        {"restarts": 0},
        {"phrases": -1},
    ],
)
def test_wrong_settings_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        next(fit_dp_hmm(TAGGED, replace(SMALL, **changes), FitOptions(0)))


def test_file_there_and_back(model: DpHmmModel, tmp_path: Path) -> None:
    path = tmp_path / "names.lacuna"
    digest = write_model(path, model.store())
    again = restore_dp_hmm(read_model(path))
    documents = corpus(5, seed=9)
    assert model.find(documents, probabilities=True) == again.find(documents, probabilities=True)
    assert again.config == model.config
    assert write_model(path, again.store()) == digest


def damaged(model: DpHmmModel, header: dict[str, Any], arrays: dict[str, Any]) -> StoredModel:
    stored = model.store()
    return StoredModel(stored.kind, {**stored.header, **header}, {**stored.arrays, **arrays})


@pytest.mark.parametrize("name", ARRAYS)
def test_a_missing_short_or_flat_array_is_refused(model: DpHmmModel, name: str) -> None:
    whole = model.store()
    rest = {key: array for key, array in whole.arrays.items() if key != name}
    for arrays in (
        rest,
        {**rest, name: whole.arrays[name][:-1]},
        {**rest, name: np.zeros_like(whole.arrays[name], np.int32)},
    ):
        with pytest.raises(ModelFileError):
            restore_dp_hmm(StoredModel(whole.kind, whole.header, arrays))


@pytest.mark.parametrize("name", ["log_words", "log_moves", "tokens"])
@pytest.mark.parametrize("value", [np.nan, np.inf, "opposite"])
def test_values_that_cannot_be_are_refused(model: DpHmmModel, name: str, value: Any) -> None:
    array = model.store().arrays[name].copy()
    opposite = -1.0 if name == "tokens" else 1.0
    array.reshape(-1)[0] = opposite if value == "opposite" else value
    with pytest.raises(ModelFileError):
        restore_dp_hmm(damaged(model, {}, {name: array}))


def test_borders_that_are_no_borders_are_refused(model: DpHmmModel) -> None:
    for change in ([0, 0], [1, 2], [-1, 3], [0, 1000]):
        borders = model.borders.copy()
        borders[:2] = change
        with pytest.raises(ModelFileError):
            restore_dp_hmm(damaged(model, {}, {"borders": borders}))


@pytest.mark.parametrize(
    "header",
    [
        {"config": None},
        {"config": {"alpha": 0}},
        {"config": {"scheme": "BILOU"}},
        {"tags": []},
        {"tags": ["O", "O"]},
        {"tags": ["O", "I-"]},
        {"tags": ["I-PER", "O"]},
        {"card": 3},
    ],
)
def test_a_damaged_header_is_refused(model: DpHmmModel, header: dict[str, Any]) -> None:
    with pytest.raises(ModelFileError):
        restore_dp_hmm(damaged(model, header, {}))
