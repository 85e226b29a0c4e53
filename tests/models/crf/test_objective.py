"""The CRF's likelihood and gradient: finite differences, enumeration, merged features."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.encoding.schemes import Scheme, moves, tag_set
from lacuna.features.extract import FeatureRows
from lacuna.inference.batch import pack_by_time
from lacuna.inference.chain import packed_expectations
from lacuna.learning.emission import Lists, factor, merge_equal
from lacuna.models.crf.objective import Base, CrfObjective, Shares, pair_counts
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray, RealArray

OFFSETS = np.array([-1, 0, 1], np.int32)
TAGS = tag_set(["A", "B"], Scheme.BIO)


class Problem:
    """A small random corpus: word types, features of types at offsets, features of tokens."""

    def __init__(self, seed: int, *, labels: int = len(TAGS)) -> None:
        rng = np.random.default_rng(seed)
        self.sentences: LongArray = np.array([0, 3, 4, 8])
        self.features = 14
        types = rng.integers(0, 4, size=8).astype(np.int32)
        size = 4 + 2
        by_word = rng.integers(-1, 9, size=(3 * size, 3)).astype(np.int32)
        by_token = rng.integers(8, self.features, size=(8, 2)).astype(np.int32)
        by_token[by_token == 8] = -1
        # a type or token has a feature once; word and token features are disjoint
        by_word, by_token = _once(by_word), _once(by_token)
        self.rows = FeatureRows(types, size, by_word, by_token)
        self.pack = pack_by_time(self.sentences)
        self.moves = moves(TAGS, Scheme.BIO)
        self.table = self.moves.allowed
        self.gold = _random_path(rng, self.sentences, self.table)
        self.observed = np.zeros((labels, labels))
        for first, last in pairwise(self.sentences):
            for t in range(first + 1, last):
                self.observed[self.gold[t - 1], self.gold[t]] += 1
        order = self.pack.rows
        self.emission = factor(self.rows, self.sentences, OFFSETS, order, self.features)
        self.rng = rng

    def objective(self, l2: float, support: LongArray | None = None) -> CrfObjective:
        gold = self.gold[self.pack.rows]
        return CrfObjective(
            self.emission, gold, [self.pack], self.observed, self.moves, l2=l2, support=support
        )

    def single_scores(self, weights: RealArray) -> FloatArray:
        """Emission scores by definition, one row of weights per feature."""
        scores = np.zeros((8, weights.shape[1]))
        for first, last in pairwise(self.sentences):
            for t in range(first, last):
                for o, offset in enumerate(OFFSETS):
                    place = t + offset
                    kind = self.rows.types[place] if first <= place < last else None
                    word = kind if kind is not None else (4 if place < first else 5)
                    for r in self.rows.by_word[o * self.rows.size + word]:
                        scores[t] += weights[r] if r >= 0 else 0
                for r in self.rows.by_token[t]:
                    scores[t] += weights[r] if r >= 0 else 0
        return scores


def _once(index: IntArray) -> IntArray:
    for row in index:
        seen: set[int] = set()
        for j, value in enumerate(row):
            if value in seen:
                row[j] = -1
            seen.add(int(value))
    return index


def _random_path(
    rng: np.random.Generator,
    sentences: LongArray,
    table: BoolArray,
) -> IntArray:
    path = np.zeros(int(sentences[-1]), np.int32)
    for first, last in pairwise(sentences):
        label = 0
        for t in range(first, last):
            label = int(rng.choice(np.flatnonzero(table[label])))
            path[t] = label
    return path


@settings(max_examples=8)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.3]))
def test_gradient_by_central_differences(seed: int, l2: float) -> None:
    problem = Problem(seed)
    objective = problem.objective(l2)
    point = problem.rng.normal(size=objective.parameters)
    _, gradient = objective(point)
    h = 1e-6
    for n in range(0, len(point), 5):
        step = np.zeros_like(point)
        step[n] = h
        expected = (objective(point + step)[0] - objective(point - step)[0]) / (2 * h)
        if n >= objective.parameters - len(TAGS) ** 2:
            i, j = divmod(n - (objective.parameters - len(TAGS) ** 2), len(TAGS))
            if not problem.table[i, j]:
                assert gradient[n] == pytest.approx(2 * l2 * point[n])
                continue
        assert gradient[n] == pytest.approx(expected, rel=1e-5, abs=1e-6)


@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_changes_of_another_model(seed: int) -> None:
    """Scores of another model are added; the penalty and its gradient are those of changes."""
    problem = Problem(seed)
    old, changed = problem.objective(0.0), problem.objective(0.4)
    w0 = problem.rng.normal(size=old.parameters)
    scores, moves = old._scores(w0)
    changed.base = Base(scores.copy(), moves.copy())
    point = problem.rng.normal(size=old.parameters)
    value, gradient = changed(point)
    total = old(w0 + point)[0]
    assert value == pytest.approx(total + 0.4 * float(np.dot(point, point)), rel=1e-9)
    h, cut = 1e-6, old.parameters - len(TAGS) ** 2
    for n in range(0, cut, 3):
        step = np.zeros_like(point)
        step[n] = h
        expected = (changed(point + step)[0] - changed(point - step)[0]) / (2 * h)
        assert gradient[n] == pytest.approx(expected, rel=1e-5, abs=1e-6)


@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_answers_of_another_model(seed: int) -> None:
    """All sentences have its shares of labels: the value is least at its own weights."""
    problem = Problem(seed)
    old, objective = problem.objective(0.0), problem.objective(0.0)
    own = problem.rng.normal(size=old.parameters)
    scores, moves = old._scores(own)
    said = packed_expectations(old.chain(moves), scores.astype(np.float64), problem.pack)
    objective.observed = np.zeros_like(objective.observed)
    objective.use_shares(Shares(np.arange(8), said.marginals, said.transition[0]))
    least, gradient = objective(own)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-9)
    point = own + problem.rng.normal(size=old.parameters)
    value, gradient = objective(point)
    assert value > least
    h = 1e-6
    for n in range(0, old.parameters - len(TAGS) ** 2, 3):
        step = np.zeros_like(point)
        step[n] = h
        expected = (objective(point + step)[0] - objective(point - step)[0]) / (2 * h)
        assert gradient[n] == pytest.approx(expected, rel=1e-5, abs=1e-6)


@given(st.integers(0, 10_000))
def test_value_by_enumeration_with_every_feature_on_its_own(seed: int) -> None:
    problem = Problem(seed)
    objective = problem.objective(0.7)
    point = problem.rng.normal(size=objective.parameters)
    merged, moves = objective.tables(point)
    weights = problem.emission.expand(merged)
    scores = problem.single_scores(weights)
    value = 0.0
    for first, last in pairwise(problem.sentences):
        right = _score(scores, moves, problem, first, tuple(problem.gold[first:last]))
        paths = product(range(len(TAGS)), repeat=int(last - first))
        everything = [_score(scores, moves, problem, first, path) for path in paths]
        value += np.logaddexp.reduce(everything) - right
    value += 0.7 * (float((weights**2).sum()) + float((moves**2).sum()))
    assert objective(point)[0] == pytest.approx(value, rel=1e-9)


def _score(
    scores: FloatArray, moves: RealArray, problem: Problem, first: int, path: tuple[int, ...]
) -> float:
    table = problem.table
    if not table[0, path[0]] or not table[path[-1], 0]:
        return -np.inf
    total = sum(float(scores[first + t, label]) for t, label in enumerate(path))
    for before, after in pairwise(path):
        total += float(moves[before, after]) if table[before, after] else -np.inf
    return total


def test_only_supported_weights_exist() -> None:
    problem = Problem(3)
    pairs = pair_counts(problem.emission, problem.gold[problem.pack.rows], len(TAGS))
    support = np.flatnonzero(pairs > 0)
    objective = problem.objective(0.1, support)
    point = problem.rng.normal(size=objective.parameters)
    weights, moves = objective.tables(point)
    assert np.count_nonzero(weights) == len(support) < weights.size
    np.testing.assert_array_equal(objective.vector(weights, moves), point)
    full = problem.objective(0.1)
    whole, gradient = full(full.vector(weights, moves))
    value, part = objective(point)
    assert value == pytest.approx(whole)
    np.testing.assert_allclose(part[: len(support)], gradient[: weights.size][support])


def test_features_on_the_same_types_are_one() -> None:
    lists = Lists(np.array([0, 2, 4, 5, 5, 5]), np.array([0, 1, 0, 1, 1], np.int32))
    tokens = Lists(np.array([0, 0, 0, 0, 1, 2]), np.array([7, 7], np.int32))
    merged = merge_equal(lists, tokens)
    assert merged.group.tolist() == [0, 0, 1, 2, 2]
    assert merged.size.tolist() == [2, 1, 2]
    assert merged.words == 2


def test_the_centre_pulls() -> None:
    problem = Problem(5)
    objective = problem.objective(2.0)
    point = problem.rng.normal(size=objective.parameters)
    plain = problem.objective(0.0)(point)
    objective.centre = point.copy()
    value, gradient = objective(point)
    assert value == pytest.approx(plain[0])
    np.testing.assert_allclose(gradient, plain[1])
