"""Scores of tokens equal the plain sum of the weights of their features."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.features.extract import FeatureIndex, build_index
from lacuna.features.plan import make_plan
from lacuna.features.templates import parse_templates
from lacuna.models import scoring
from lacuna.models.file import StoredModel
from lacuna.models.scoring import (
    WIDE,
    Scorer,
    SparseRows,
    in_all_bytes,
    in_few_bytes,
    stored_weights,
    without_small,
)
from lacuna.text.document import Document
from lacuna.text.word_types import number_types
from lacuna.types import FloatArray, RealArray
from tests.features.firing import rows_by_token
from tests.features.reference import table_of
from tests.features.strategies import corpora

TAGS = 3
TEMPLATE_SETS = (
    ["lower[-2..2]", "suffix2[0]", "lower[-1] lower[0]", "row[0]", "lower[0] kind[1] place[0]"],
    ["lower[1]", "lower[3]"],  # a window on one side only
    ["lower[-1]", "kind[-1] kind[0]"],
    ["kind[0] kind[1]"],  # no word templates at all
    ["lower[0]"],  # no combining templates
)


def model_of(documents: list[Document], lines: list[str]) -> tuple[FeatureIndex, RealArray]:
    """Return an index of all features, and weights of many sizes, some of them 0."""
    table = table_of(documents)
    index = build_index(table, number_types(table.hashes), make_plan(parse_templates(lines)))
    rng = np.random.default_rng(len(index))
    weights = rng.normal(size=(len(index), TAGS)) * rng.integers(0, 2, (len(index), TAGS))
    return index, weights.astype(np.float32)


def plain_sums(index: FeatureIndex, weights: RealArray, documents: list[Document]) -> FloatArray:
    table = table_of(documents)
    rows = rows_by_token(table, index.plan, index.rows(table, number_types(table.hashes)))
    return np.array([weights[row[row >= 0]].sum(axis=0) for row in rows]).reshape(-1, TAGS)


@pytest.mark.parametrize("lines", TEMPLATE_SETS)
@given(corpora, corpora)
def test_scores_are_sums_of_weights(
    lines: list[str], training: list[Document], others: list[Document]
) -> None:
    index, weights = model_of(training, lines)
    scorer = Scorer(*without_small(index, weights, 1e-6), TAGS)
    for documents in (training, others, training):  # the last time with cached types
        found = scorer.scores(table_of(documents))
        assert found == pytest.approx(plain_sums(index, weights, documents), abs=1e-5)


def test_kept_scores_are_forgotten_when_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [Document("a", "one two three"), Document("b", "four five one")]
    index, weights = model_of(documents, TEMPLATE_SETS[0])
    scorer = Scorer(*without_small(index, weights, 1e-6), TAGS)
    table = table_of(documents)
    before = scorer.scores(table)
    kept = scorer._types
    monkeypatch.setattr(scoring, "MOST_BYTES", 0)
    assert np.array_equal(scorer.scores(table), before)
    assert scorer._types is not kept


@given(st.integers(0, 5), st.integers(0, 10**6))
def test_sparse_rows_are_the_table_without_small_weights(features: int, seed: int) -> None:
    text = " ".join(f"w{i}" for i in range(features))
    index, _ = model_of([Document("a", text)], ["word[0]"])
    table = np.random.default_rng(seed).normal(size=(len(index), TAGS)).astype(np.float32)
    known, rows = without_small(index, table, 0.5)
    large = np.where(np.abs(table) >= 0.5, table, 0)
    kept = large.any(axis=1)
    order = known.keys.lookup(index.keys.hashes[kept])
    assert sorted(order.tolist()) == list(range(rows.rows))
    assert np.array_equal(rows.dense(TAGS)[order], large[kept])
    wide = rows.wide(TAGS)
    assert np.array_equal(wide, rows.dense(TAGS)[: len(wide)])
    assert len(wide) == ((large != 0).sum(axis=1) * WIDE > TAGS).sum()


@given(st.integers(1, 6), st.integers(0, 10**6))
def test_weights_in_few_bytes_are_the_same_to_eleven_bits(features: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(features, TAGS)).astype(np.float32)
    index, _ = model_of([Document("a", " ".join(f"w{i}" for i in range(features)))], ["word[0]"])
    _, rows = without_small(index, table[: len(index)], 0.1)
    names = ("borders", "weight_tags", "weights")
    stored = StoredModel("crf", {}, dict(zip(names, rows, strict=True)))
    few = in_few_bytes(stored)
    assert all(2 * few.arrays[name].nbytes == stored.arrays[name].nbytes for name in names)
    for model, tolerance in ((stored, 0.0), (few, 2.0**-11)):
        read = stored_weights(in_all_bytes(model), rows.rows, TAGS)
        assert np.array_equal(read.borders, rows.borders)
        assert np.array_equal(read.tags, rows.tags)
        assert np.allclose(read.values, rows.values, rtol=tolerance, atol=0)
        assert [array.dtype for array in read] == [array.dtype for array in rows]


def test_rows_without_weights_are_no_trouble() -> None:
    rows = SparseRows(np.zeros(1, np.int64), np.empty(0, np.uint16), np.empty(0, np.float32))
    assert rows.dense(TAGS).shape == (0, TAGS)


def test_a_feature_without_weights_changes_nothing() -> None:
    documents = [Document("a", "one two three two one")]
    index, weights = model_of(documents, ["lower[0]", "lower[-1] lower[0]"])
    weights[::2] = 0.0
    kept = weights != 0
    borders = np.concatenate(([0], np.cumsum(kept.sum(axis=1)))).astype(np.int64)
    sparse = SparseRows(borders, np.nonzero(kept)[1].astype(np.uint16), weights[kept])
    found = Scorer(index, sparse, TAGS).scores(table_of(documents))
    assert found == pytest.approx(plain_sums(index, weights, documents), abs=1e-5)
