"""Occurrences of one word that like to agree: everything against enumeration."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.errors import InferenceError
from lacuna.inference import agreement
from lacuna.inference.agreement import Graphs, exact_sums, is_exact, solve
from lacuna.types import FloatArray


def graphs_of(parts: list[tuple[FloatArray, FloatArray]]) -> Graphs:
    """Put graphs (node scores, agreement) one after the other; what means nothing is NaN."""
    widest = max(len(agreement) for _, agreement in parts)
    agreement = np.full((len(parts), widest), np.nan)
    node = np.full((sum(len(scores) for scores, _ in parts), widest), np.nan)
    borders = np.cumsum([0] + [len(scores) for scores, _ in parts])
    for g, (scores, agree) in enumerate(parts):
        agreement[g, : len(agree)] = agree
        node[borders[g] : borders[g + 1], : len(agree)] = scores
    labels = np.array([len(agree) for _, agree in parts], np.int32)
    return Graphs(node, borders, labels, agreement)


class Enumerated:
    """All labellings of one graph and their scores, pair by pair."""

    def __init__(self, node: FloatArray, agreement: FloatArray) -> None:
        self.shape = node.shape
        self.all = list(product(range(len(agreement)), repeat=len(node)))
        self.scores = np.array(
            [
                sum(node[i, label] for i, label in enumerate(y))
                + sum(agreement[a] for a, b in combinations(y, 2) if a == b)
                for y in self.all
            ]
        )
        self.log_partition = float(np.logaddexp.reduce(self.scores))
        possible = self.log_partition > -np.inf
        self.chances = np.exp(self.scores - self.log_partition) if possible else self.scores

    def marginals(self) -> FloatArray:
        found = np.zeros(self.shape)
        for y, chance in zip(self.all, self.chances, strict=True):
            found[np.arange(len(y)), list(y)] += chance
        return found

    def pairs(self) -> FloatArray:
        found = np.zeros(self.shape[1])
        for y, chance in zip(self.all, self.chances, strict=True):
            for a, b in combinations(y, 2):
                found[a] += chance * (a == b)
        return found


@st.composite
def parts(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    nodes, labels = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    node = rng.normal(scale=draw(st.sampled_from([0.1, 3.0, 40.0])), size=(nodes, labels))
    if draw(st.booleans()):
        node[rng.random(node.shape) < 0.2] = -np.inf
    return node, rng.normal(scale=draw(st.sampled_from([0.5, 8.0])), size=labels)


@settings(max_examples=150)
@given(items=st.lists(parts(), min_size=1, max_size=3))
def test_sums_and_best_labels_are_those_of_enumeration(
    items: list[tuple[FloatArray, FloatArray]],
) -> None:
    expected = [Enumerated(*item) for item in items]
    graphs = graphs_of(items)
    before = [array.copy() for array in graphs]
    if any(e.log_partition == -np.inf for e in expected):
        for call in (exact_sums, solve):
            with pytest.raises(InferenceError):
                call(graphs)
        return
    sums, solved = exact_sums(graphs), solve(graphs)
    assert solved.exact.all()
    for array, copy in zip(graphs, before, strict=True):
        np.testing.assert_array_equal(array, copy)
    for g, e in enumerate(expected):
        own, size = slice(*graphs.borders[g : g + 2]), graphs.labels[g]
        assert sums.log_partition[g] == pytest.approx(e.log_partition)
        np.testing.assert_allclose(sums.marginals[own, :size], e.marginals(), atol=1e-9)
        np.testing.assert_allclose(solved.marginals[own, :size], e.marginals(), atol=1e-9)
        np.testing.assert_allclose(sums.pairs[g, :size], e.pairs(), atol=1e-8)
        attained = e.scores[e.all.index(tuple(solved.best[own].tolist()))]
        assert attained == pytest.approx(e.scores.max())


def test_one_node_is_carried_by_many() -> None:
    node = np.array([[2.0, 0.0], [0.0, 3.0], [0.0, 3.0]])
    alone, together = (
        solve(graphs_of([(node, np.full(2, agree))])).best.tolist() for agree in (0.0, 1.5)
    )
    assert (alone, together) == ([0, 1, 1], [1, 1, 1])


def test_many_nodes_stay_finite() -> None:
    rng = np.random.default_rng(1)
    node = rng.normal(scale=50, size=(400, 2))
    solved = solve(graphs_of([(node, np.array([2.0, 3.0]))]))
    assert solved.exact.all()
    np.testing.assert_allclose(solved.marginals.sum(axis=1), 1.0, rtol=1e-9)


def test_what_is_exact() -> None:
    nodes, labels = np.array([499, 500, 62, 63]), np.array([2, 2, 3, 3], np.int32)
    assert is_exact(nodes, labels).tolist() == [True, False, True, False]


@pytest.fixture
def approximate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "EXACT_CELLS", 0)


@pytest.mark.usefixtures("approximate")
def test_messages_between_two_nodes_are_exact() -> None:
    """A graph of two nodes is a tree, where belief propagation makes no error."""
    rng = np.random.default_rng(2)
    items = [(rng.normal(scale=2, size=(2, 3)), rng.normal(scale=2, size=3)) for _ in range(30)]
    graphs = graphs_of(items)
    solved = solve(graphs)
    assert not solved.exact.any()
    np.testing.assert_allclose(solved.marginals, exact_sums(graphs).marginals, atol=1e-5)


@pytest.mark.usefixtures("approximate")
def test_messages_are_near_where_pairs_weigh_little() -> None:
    rng = np.random.default_rng(3)
    items = [(rng.normal(scale=2, size=(6, 3)), np.abs(rng.normal(size=3)) / 5) for _ in range(30)]
    graphs = graphs_of(items)
    solved, sums = solve(graphs), exact_sums(graphs)
    far = np.abs(solved.marginals - sums.marginals).max()
    without = [(node, np.zeros_like(agreement)) for node, agreement in items]
    ignored = np.abs(exact_sums(graphs_of(without)).marginals - sums.marginals).max()
    assert far < 0.01 < 0.1 < ignored
    assert (solved.best == sums.marginals.argmax(axis=1)).all()
