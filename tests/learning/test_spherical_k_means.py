"""Spherical k-means: every round is at least as good, and tiny cases against all groupings."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.learning import spherical_k_means
from lacuna.learning.spherical_k_means import Round, k_means_rounds, nearest_centres


def unit_vectors(seed: int, count: int, size: int) -> np.ndarray:
    vectors: np.ndarray = np.random.default_rng(seed).standard_normal((count, size), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def best_sum(vectors: np.ndarray, groups: tuple[int, ...]) -> float:
    """Return Σ cos with the best centres of given groups: the lengths of their sums."""
    chosen = np.array(groups)
    return sum(float(np.linalg.norm(vectors[chosen == g].sum(axis=0))) for g in set(groups))


def rounds_of(vectors: np.ndarray, groups: int, seed: int = 0) -> list[Round]:
    return list(k_means_rounds(vectors, groups, np.random.default_rng(seed)))


@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(2, 5), st.integers(1, 20))
@settings(deadline=None)
def test_every_round_is_at_least_as_good(seed: int, count: int, size: int, groups: int) -> None:
    vectors = unit_vectors(seed, count, size)
    rounds = rounds_of(vectors, groups, seed)
    similarity = np.array([step.similarity for step in rounds])
    assert (np.diff(similarity) > -1e-6).all()
    for step in rounds:  # no group is empty, and no centres are better than those of the next round
        assert set(step.groups.tolist()) == set(range(min(groups, count)))
        assert step.similarity * count <= best_sum(vectors, tuple(step.groups.tolist())) + 1e-4


def test_the_best_of_all_groupings_is_found() -> None:
    vectors = unit_vectors(5, 7, 2)
    best = max(best_sum(vectors, groups) for groups in product(range(2), repeat=7))
    found = max(rounds_of(vectors, 2, seed)[-1].similarity * 7 for seed in range(10))
    assert found == pytest.approx(best, abs=1e-4)


def test_bundles_of_directions_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), 25)
    vectors = (np.eye(6)[truth] + 0.05 * rng.standard_normal((100, 6))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    best = max((rounds_of(vectors, 4, seed)[-1] for seed in range(5)), key=lambda r: r.similarity)
    assert len(set(zip(truth.tolist(), best.groups.tolist(), strict=True))) == 4


def test_equal_vectors_and_more_groups_than_vectors() -> None:
    equal = np.repeat(unit_vectors(0, 1, 3), 5, axis=0)
    assert sorted(np.bincount(rounds_of(equal, 3)[-1].groups).tolist()) == [1, 1, 3]
    assert sorted(rounds_of(unit_vectors(0, 3, 3), 9)[-1].groups.tolist()) == [0, 1, 2]


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, centres = unit_vectors(1, 50, 4), unit_vectors(2, 6, 4)
    nearest, cosine = nearest_centres(vectors, centres)
    assert (nearest == (vectors @ centres.T).argmax(axis=1)).all()
    monkeypatch.setattr(spherical_k_means, "ROWS_AT_ONCE", 7)
    again = nearest_centres(vectors, centres)
    assert (again[0] == nearest).all()
    np.testing.assert_allclose(again[1], cosine, rtol=1e-6)
