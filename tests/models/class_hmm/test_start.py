"""The starting point of training: the optimum if that is known, with distinct states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lacuna.encoding.schemes import Scheme
from lacuna.models.class_hmm.chain_counts import ClassCorpus
from lacuna.models.class_hmm.start import (
    assigned_counts,
    equal_shares,
    neighbour_shares,
    penalised_logits,
    position_shares,
    start_point,
)
from tests.models.class_hmm.class_problems import OUTCOMES, Problem


@settings(max_examples=50)
@given(
    st.lists(st.floats(0, 1e5), min_size=1, max_size=30).filter(lambda c: sum(c) > 1e-9),
    st.floats(1e-3, 10),
)
@example(
    [0.0, 47570.0, 64392.0, 37126.0, 34232.0, 34232.0, 41940.0, 57800.0, 40330.0, 58760.0], 0.001
)
def test_the_slope_is_zero_at_the_best_weights(counts: list[float], kappa: float) -> None:
    column = np.array(counts)[:, None]
    weights = penalised_logits(column, kappa)
    share = np.exp(weights) / np.exp(weights).sum()
    slope = 2 * kappa * weights - (column - column.sum() * share)
    assert np.abs(slope).max() <= 1e-6 * max(1.0, column.max())


def test_columns_are_apart_and_one_without_counts_is_flat() -> None:
    counts = np.array([[3.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    weights = penalised_logits(counts, 0.1)
    np.testing.assert_allclose(weights[:, :1], penalised_logits(counts[:, :1], 0.1))
    assert weights[:, 1].tolist() == [0.0, 0.0, 0.0]
    assert weights[0, 0] > weights[1, 0] > weights[2, 0]


@pytest.mark.parametrize("seed", range(5))
def test_words_alone_with_one_state_begin_at_the_optimum(seed: int) -> None:
    problem = Problem(seed, states=1, scheme=Scheme.IO, basic=True)
    objective = problem.objective(0.2)
    counts = assigned_counts(problem.corpus, np.ones((8, 1)), problem.borders)
    own = np.arange(OUTCOMES, dtype=np.int32)
    point, scale = start_point(objective, counts, own, noise=0.0, rng=problem.rng)
    _, gradient = objective(point)
    assert np.abs(gradient).max() < 1e-6
    assert (scale > 0).all()
    assert np.isfinite(scale).all()


def test_counts_by_hand() -> None:
    corpus = ClassCorpus.of(
        np.array([0, 1, 0], np.int32),
        np.array([0, 1, 1], np.int32),
        np.array([0, 2, 2, 3]),
        csr_array(np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])),
    )
    shares = np.array([[1.0, 0.0], [0.25, 0.75], [0.5, 0.5]])
    counts = assigned_counts(corpus, shares, np.array([0, 2, 4, 6]))
    np.testing.assert_allclose(
        counts.emission[:, :4], [[1, 0, 0.5, 0.5], [0, 0, 0.125, 0.375], [0, 0, 0.125, 0.375]]
    )
    assert counts.transition[0, 2:4].tolist() == [0.25, 0.75]
    assert counts.transition.sum() == 1.0
    assert counts.start.tolist() == [1.0, 0.0, 0.5, 0.5, 0.0, 0.0]


def test_shares_to_start_with() -> None:
    """Words with the same classes beside them have the same shares."""
    corpus = ClassCorpus.of(
        np.zeros(7, np.int32),
        np.array([0, 1, 0, 0, 0, 1, 0], np.int32),
        np.array([0, 4, 4, 7]),
        csr_array(np.eye(1)),
    )
    borders = np.array([0, 3, 5])
    third, half = [1 / 3] * 3, [0.5, 0.5, 0.0]
    assert equal_shares(corpus, borders).tolist() == [
        third, half, third, third, third, half, third
    ]  # fmt: skip
    shares = neighbour_shares(corpus, borders, np.random.default_rng(0))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares[[1, 5], 2] == 0).all()
    np.testing.assert_array_equal(shares[0], shares[4])  # begins a sentence, before class 1
    np.testing.assert_array_equal(shares[1], shares[5])  # between two tokens of class 0
    assert len({tuple(row) for row in shares[[0, 2, 3, 6]].tolist()}) == 4
    place = np.array([0.0, np.nan, 0.5, 1.0, np.nan, 1.0, np.nan])
    placed = position_shares(corpus, borders, place, shares)
    assert placed[[0, 2, 3, 5]].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]
    np.testing.assert_array_equal(placed[[1, 4, 6]], shares[[1, 4, 6]])


def test_a_feature_of_several_outcomes_begins_with_their_mean() -> None:
    problem = Problem(4, states=1, scheme=Scheme.IO)
    objective = problem.objective(0.2)
    counts = assigned_counts(problem.corpus, np.ones((8, 1)), problem.borders)
    own = np.array([0, 1, 2, 3, 4, 0, 0, 0], np.int32)
    point, _ = start_point(objective, counts, own, noise=0.0, rng=problem.rng)
    single = penalised_logits(counts.emission, 0.2)
    weights = objective.tables(point).emission
    np.testing.assert_allclose(weights[0], single[[0, 5, 6, 7]].mean(axis=0))
    np.testing.assert_allclose(weights[1:], single[1:5])


def test_noise_tells_states_apart() -> None:
    problem = Problem(5, states=2)
    objective = problem.objective(0.2)
    counts = assigned_counts(problem.corpus, np.full((8, 2), 0.5), problem.borders)
    own = np.zeros(OUTCOMES, np.int32)
    for noise, apart in ((0.0, False), (0.1, True)):
        point, _ = start_point(objective, counts, own, noise=noise, rng=problem.rng)
        weights = objective.tables(point).emission
        assert (not np.allclose(weights[:, 0::2], weights[:, 1::2])) is apart
