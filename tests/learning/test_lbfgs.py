"""The optimiser on problems with known answers."""

from __future__ import annotations

from itertools import islice, pairwise

import numpy as np
import pytest

from lacuna.learning.lbfgs import minimise
from lacuna.types import FloatArray, RealArray


def quadratic(size: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """A positive definite matrix with eigenvalues from 1 to 1000, and a vector."""
    basis, _ = np.linalg.qr(rng.normal(size=(size, size)))
    matrix = basis @ np.diag(np.geomspace(1, 1000, size)) @ basis.T
    return matrix, rng.normal(size=size)


@pytest.mark.parametrize("memory", [3, 6, 20])
def test_finds_the_minimum_of_a_quadratic_and_never_rises(memory: int) -> None:
    matrix, vector = quadratic(30, np.random.default_rng(0))

    def objective(x: RealArray) -> tuple[float, RealArray]:
        return float(x @ matrix @ x / 2 - vector @ x), matrix @ x - vector

    steps = list(islice(minimise(objective, np.zeros(30), memory=memory), 300))
    values = [step.value for step in steps]
    assert all(later <= earlier for earlier, later in pairwise(values))
    np.testing.assert_allclose(steps[-1].point, np.linalg.solve(matrix, vector), atol=1e-5)


def test_direction_is_that_of_the_two_loop_recursion() -> None:
    # With exact arithmetic on a quadratic in n dimensions, memory n and exact inner products,
    # the second step already uses curvature: compare with the textbook recursion.
    matrix, vector = quadratic(5, np.random.default_rng(1))

    def objective(x: RealArray) -> tuple[float, RealArray]:
        return float(x @ matrix @ x / 2 - vector @ x), matrix @ x - vector

    points = [step.point for step in islice(minimise(objective, np.zeros(5)), 4)]
    s, y, g = [], [], [matrix @ p - vector for p in points]
    for before, after in zip(range(3), range(1, 4), strict=True):
        s.append(points[after] - points[before])
        y.append(g[after] - g[before])
        q, alphas = g[after].copy(), []
        for si, yi in zip(reversed(s), reversed(y), strict=True):
            alphas.append(si @ q / (si @ yi))
            q -= alphas[-1] * yi
        q *= s[-1] @ y[-1] / (y[-1] @ y[-1])
        for si, yi, alpha in zip(s, y, reversed(alphas), strict=True):
            q += (alpha - yi @ q / (si @ yi)) * si
        if after < 3:
            taken = points[after + 1] - points[after]
            cosine = taken @ -q / np.linalg.norm(taken) / np.linalg.norm(q)
            assert cosine == pytest.approx(1, abs=1e-9)


def test_scaling_makes_a_badly_scaled_problem_easy() -> None:
    curvature = np.geomspace(1, 1e6, 50)

    def objective(x: RealArray) -> tuple[float, RealArray]:
        return float(curvature @ (x - 1) ** 2), 2 * curvature * (x - 1)

    scaled = list(islice(minimise(objective, np.zeros(50), scale=1 / np.sqrt(curvature)), 6))
    plain = list(islice(minimise(objective, np.zeros(50)), 6))
    assert scaled[-1].value < 1e-8
    assert plain[-1].value > 1


def test_l1_gives_the_soft_threshold() -> None:
    # min Σ (x - a)²/2 + λ|x|  is  sign(a) · max(|a| - λ, 0)
    target = np.array([3.0, -2.0, 0.5, -0.1, 0.0, 1.0])

    def objective(x: RealArray) -> tuple[float, RealArray]:
        return float(((x - target) ** 2).sum() / 2), x - target

    *_, last = islice(minimise(objective, np.zeros(6), l1=1.0), 100)
    expected = np.sign(target) * np.maximum(np.abs(target) - 1, 0)
    np.testing.assert_allclose(last.point, expected, atol=1e-6)
    assert np.count_nonzero(last.point) == 2


def test_starting_at_the_minimum_ends_at_once() -> None:
    steps = list(minimise(lambda x: (float(x @ x), 2 * x), np.zeros(3)))
    assert [step.iteration for step in steps] == [0]
