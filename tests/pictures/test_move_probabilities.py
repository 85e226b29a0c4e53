"""Chains as tables of probabilities."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.inference.chain import Chain, check_chain, first_order
from lacuna.pictures.transition_graph import move_probabilities


def test_probabilities_stay_what_they_are_in_a_sentence_that_goes_on() -> None:
    moves = np.array([[0.5, 0.3], [0.2, 0.2]])
    chain = first_order(np.log(moves), np.log([0.9, 0.1]), np.log(1 - moves.sum(axis=1)))
    found = move_probabilities(chain)
    assert found.are_probabilities
    np.testing.assert_allclose(found.table, [[0.625, 0.375], [0.5, 0.5]])
    without_end = first_order(np.log([[0.6, 0.4], [0.1, 0.9]]))
    assert move_probabilities(without_end).are_probabilities
    np.testing.assert_allclose(move_probabilities(without_end).table, [[0.6, 0.4], [0.1, 0.9]])


def test_weights_become_shares_and_what_is_forbidden_stays_out() -> None:
    found = move_probabilities(first_order([[1000.0, 1000.0 + np.log(3)], [-np.inf, 5.0]]))
    assert not found.are_probabilities
    np.testing.assert_allclose(found.table, [[0.25, 0.75], [0.0, 1.0]])


def test_a_label_that_only_ends_has_an_empty_row() -> None:
    found = move_probabilities(first_order([[0.0, 0.0], [-np.inf, -np.inf]]))
    np.testing.assert_allclose(found.table, [[0.5, 0.5], [0.0, 0.0]])


@st.composite
def second_order(draw: st.DrawFn) -> Chain:
    """Draw a generative chain over two labels: moves and the end sum to one."""
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    weights = rng.dirichlet(np.ones(3), size=(3, 2))
    start = rng.dirichlet(np.ones(2))
    return check_chain(Chain(np.log(weights[..., :2]), np.log(start), np.log(weights[..., 2])))


@given(second_order())
def test_second_order_with_one_history_is_first_order(chain: Chain) -> None:
    same = Chain(
        np.repeat(chain.transition[:1], 3, axis=0),
        chain.start,
        np.repeat(chain.stop[:1], 3, axis=0),
    )
    first = Chain(chain.transition[:1], chain.start, chain.stop[:1])
    np.testing.assert_allclose(
        move_probabilities(same).table, move_probabilities(first).table, atol=1e-9
    )


def test_second_order_moves_are_those_of_all_sequences() -> None:
    """Sum over every sequence of up to 11 labels; longer ones are rarer than 1 in 5,000."""
    rng = np.random.default_rng(5)
    weights = rng.dirichlet(np.ones(2), size=(3, 2)) * 0.45
    chain = Chain(np.log(weights), np.log([0.7, 0.3]), np.log(np.full((3, 2), 0.55)))
    counts = np.zeros((2, 2))
    for size in range(2, 12):
        for labels in product((0, 1), repeat=size):
            histories = (2, *labels)
            moves = list(zip(histories, labels, labels[1:], strict=False))
            p = [0.7, 0.3][labels[0]] * math.prod(weights[move] for move in moves) * 0.55
            for _, v, w in moves:
                counts[v, w] += p
    expected = counts / counts.sum(axis=1, keepdims=True)
    found = move_probabilities(chain)
    assert found.are_probabilities
    assert found.table == pytest.approx(expected, abs=1e-3)
    mean = np.exp(chain.transition).mean(axis=0) / 0.45
    assert np.abs(mean - expected).max() > 0.02  # histories do not count alike
