"""Re-ranking: features of taggings, learning to choose, and the model that does it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from lacuna import Document, Mention, train
from lacuna.errors import ConfigError, ModelFileError
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.subtags import TagList
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm.reranking import (
    BUCKETS,
    Reranker,
    candidates,
    fit_reranker,
    lesson,
    ranking_objective,
)
from lacuna.models.dp_hmm.storage import restore_dp_hmm
from lacuna.models.file import StoredModel, read_model, write_model
from lacuna.text.word_types import WordTypes
from tests.models.examples import corpus

TAGS = ("O", "I-LOC", "I-PER")
NOTHING = WordTypes.build(np.zeros(0, np.uint64))
SMALL = DpHmm(subtags={"outside": 4, "entity": 2}, iterations=5, rare=2, rerank=5)
PLAIN = Reranker(np.eye(1, BUCKETS)[0])


def table_of(*texts: str) -> TokenTable:
    return token_table([Document(f"d{n}", text) for n, text in enumerate(texts)])


def listed(*paths: list[int]) -> TagList:
    """Return a list of taggings, each half as probable as the one before."""
    return TagList(np.array(paths, np.int32), np.log(0.5) * np.arange(1.0, len(paths) + 1))


def columns(features: csr_array) -> list[dict[int, float]]:
    """Return the hashed features of every candidate: columns and values."""
    return [
        dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        for row in (features[[c]][:, 1:].tocsr() for c in range(features.shape[0]))
    ]


def test_a_mention_has_features_of_its_label_length_and_words() -> None:
    table = table_of("see Ana Sato now")
    lists = [listed([0, 2, 2, 0], [0, 2, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0])]
    found = candidates(lists, TAGS, table, NOTHING)
    np.testing.assert_allclose(found.features[:, [0]].toarray()[:, 0], lists[0].log_p)
    person, first_name, place, nothing = map(set, columns(found.features))
    # label; label and length, word before, word behind, first word, last word
    assert len(person) == len(place) == len(first_name) == 6
    assert len(person & first_name) == 3  # label, word before, first word
    assert not person & place
    assert not nothing


def test_a_rare_word_has_features_of_its_label_elsewhere_in_the_document() -> None:
    table = table_of("Sato came. Sato left.", "Sato")
    assert np.diff(table.sentences).tolist() == [3, 3, 1]
    lists = [listed([2, 0, 0], [0, 0, 0]), listed([0, 0, 0], [2, 0, 0]), listed([0], [2])]
    found = candidates(lists, TAGS, table, NOTHING)
    known = candidates(lists, TAGS, table, WordTypes.build(table.hashes))
    more = [
        len(a) - len(b)
        for a, b in zip(*map(columns, (found.features, known.features)), strict=True)
    ]
    # Elsewhere it is outside, PER, or not there. A word outside both times says nothing.
    assert more == [1, 0, 1, 1, 0, 0]


def test_sure_sentences_are_left_alone() -> None:
    table = table_of("Ana. Sato.")
    sure = TagList(np.array([[2, 0]], np.int32), np.zeros(1))
    found = candidates([sure, listed([0, 0], [2, 0])], TAGS, table, NOTHING)
    assert found.tokens.tolist() == [2, 3, 2, 3]
    assert PLAIN.choose([sure, sure], TAGS, table, NOTHING).tolist() == [2, 0, 2, 0]


def test_the_gradient_is_that_of_the_objective() -> None:
    rng = np.random.default_rng(0)
    features = csr_array(rng.random((6, BUCKETS)) * (rng.random((6, BUCKETS)) < 3e-4))
    objective = ranking_objective(features, np.array([0, 2]), np.array([1, 4]))
    point, way = 0.3 * rng.normal(size=(2, BUCKETS))
    up, down = (objective(point + step * way)[0] for step in (1e-5, -1e-5))
    assert objective(point)[1] @ way == pytest.approx((up - down) / 2e-5, rel=1e-6)


def test_the_objective_is_the_log_probability_of_the_right_ones() -> None:
    features = np.zeros((3, BUCKETS))
    features[:, 0] = np.log([0.5, 0.3, 0.2])
    value, _ = ranking_objective(csr_array(features), np.array([0]), np.array([1]))(PLAIN.weights)
    assert value == pytest.approx(-np.log(0.3))


def test_the_right_one_has_the_fewest_wrong_tags() -> None:
    table = table_of("see Ana Sato now")
    lists = [listed([0, 0, 0, 0], [0, 1, 2, 0], [0, 2, 0, 0])]
    found = candidates(lists, TAGS, table, NOTHING)
    for gold, right in (([0, 2, 2, 0], 1), ([0, 2, 0, 1], 2), ([1, 0, 0, 0], 0), ([-1] * 4, 0)):
        assert lesson(found, np.array(gold, np.int32)).right.tolist() == [right]


def test_it_learns_what_is_right_more_often_than_probable() -> None:
    table = table_of(*["see Ana Sato now"] * 20)
    lists = [listed([0, 0, 0, 0], [0, 2, 2, 0])] * 20
    gold = np.tile(np.array([0, 2, 2, 0], np.int32), 20)
    found = candidates(lists, TAGS, table, NOTHING)
    reranker = fit_reranker([lesson(found, gold)])
    assert reranker.choose(lists, TAGS, table, NOTHING).tolist() == gold.tolist()
    assert not PLAIN.choose(lists, TAGS, table, NOTHING).any()
    np.testing.assert_array_equal(fit_reranker([]).weights, PLAIN.weights)


@pytest.fixture(scope="module")
def model() -> DpHmmModel:
    made = train(corpus(12), SMALL)
    assert isinstance(made, DpHmmModel)
    return made


def test_a_model_with_a_plain_reranker_tags_as_without(model: DpHmmModel) -> None:
    documents = corpus(5, seed=3)
    plain, without = replace(model, reranker=PLAIN), replace(model, reranker=None)
    assert plain.find(documents) == without.find(documents)
    assert model.reranker is not None
    assert model.reranker.weights[1:].any()


def test_file_there_and_back(model: DpHmmModel, tmp_path: Path) -> None:
    path = tmp_path / "ranked.lacuna"
    write_model(path, model.store())
    again = restore_dp_hmm(read_model(path))
    documents = corpus(5, seed=3)
    assert again.find(documents, probabilities=True) == model.find(documents, probabilities=True)
    assert restore_dp_hmm(replace(model, reranker=None).store()).reranker is None


@pytest.mark.parametrize("weights", [np.zeros(3), np.full(BUCKETS, np.nan)])
def test_damaged_weights_are_refused(model: DpHmmModel, weights: np.ndarray) -> None:
    whole = model.store()
    with pytest.raises(ModelFileError):
        restore_dp_hmm(
            StoredModel(whole.kind, whole.header, {**whole.arrays, "reranking": weights})
        )


@pytest.mark.parametrize("wrong", [{"rerank": -1}, {"decoder": "direct"}])
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="rerank"):
        replace(SMALL, **wrong)


def test_one_group_is_too_few_to_learn_from() -> None:
    mention = Mention.of("PER", (4, 7))
    made = train([Document("d", "See Ana now. Call Bo.", (mention,))], SMALL)
    assert isinstance(made, DpHmmModel)
    assert made.reranker is not None
    np.testing.assert_array_equal(made.reranker.weights, PLAIN.weights)
