"""Sticks and Dirichlets: calculus, sampling and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma
from scipy.stats import ks_2samp

from lacuna.models.dp_hmm.sticks import (
    better_stick,
    divergence,
    even_stick,
    expected_log,
    log_prior,
    shares,
    stick_value,
)
from lacuna.types import FloatArray

seeds = st.integers(0, 10_000)


def problem(seed: int) -> tuple[FloatArray, FloatArray]:
    """Return logits and counts, some of them 0."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    counts = rng.gamma(0.5, 5.0, (int(rng.integers(1, 6)), size)) * rng.integers(0, 2, size)
    return rng.normal(size=size - 1), counts


def test_shares_by_hand() -> None:
    np.testing.assert_allclose(shares(np.array([0.5, 0.5, 1.0])), [0.5, 0.25, 0.25])
    np.testing.assert_allclose(shares(even_stick(7)), 1 / 7)
    assert log_prior(np.array([0.5, 1.0]), 3.0) == pytest.approx(np.log(3.0 * 0.25))


@settings(max_examples=50, deadline=None)
@given(seeds, st.floats(1, 4), st.floats(0.1, 4))
def test_the_gradient_is_that_of_differences(seed: int, alpha: float, alpha_t: float) -> None:
    logits, counts = problem(seed)
    _, gradient = stick_value(logits, counts, alpha=alpha, alpha_t=alpha_t)
    for k in range(len(logits)):
        step = 1e-5 * np.eye(len(logits))[k]
        up, down = (
            stick_value(point, counts, alpha=alpha, alpha_t=alpha_t)[0]
            for point in (logits + step, logits - step)
        )
        assert gradient[k] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(seeds, st.floats(1, 4), st.floats(0.1, 4))
def test_a_better_stick_is_better(seed: int, alpha: float, alpha_t: float) -> None:
    logits, counts = problem(seed)
    stick = np.append(1 / (1 + np.exp(-logits)), 1.0)
    found = better_stick(stick, counts, alpha=alpha, alpha_t=alpha_t)
    before, after = (
        stick_value(np.log(v[:-1] / (1 - v[:-1])), counts, alpha=alpha, alpha_t=alpha_t)[0]
        for v in (stick, found)
    )
    assert after >= before
    assert shares(found).sum() == pytest.approx(1.0)


def test_what_is_not_used_loses_its_share() -> None:
    counts = np.array([[30.0, 0.0, 10.0, 0.0], [5.0, 0.0, 20.0, 0.0]])
    stick = even_stick(4)
    for _ in range(5):
        stick = better_stick(stick, counts, alpha=1.0, alpha_t=1.0)
    assert shares(stick)[[1, 3]].max() < 1e-3


def test_a_process_over_few_atoms_is_a_dirichlet() -> None:
    """DP(αt, π) with π over K atoms, by breaking a second stick over atoms drawn from π."""
    rng = np.random.default_rng(4)
    base, alpha_t, draws = np.array([0.6, 0.3, 0.1]), 1.7, 4000
    v = rng.beta(1.0, alpha_t, (draws, 200))
    weights = v * np.cumprod(np.concatenate((np.ones((draws, 1)), 1 - v[:, :-1]), axis=1), axis=1)
    atoms = rng.choice(3, p=base, size=weights.shape)
    broken = np.stack([(weights * (atoms == k)).sum(axis=1) for k in range(3)], axis=1)
    direct = rng.dirichlet(alpha_t * base, draws)
    for k in range(3):
        assert ks_2samp(broken[:, k], direct[:, k]).pvalue > 0.01
    assert ks_2samp(broken[:, 0], rng.dirichlet(2 * alpha_t * base, draws)[:, 0]).pvalue < 1e-6


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_expected_logs_and_divergence_are_those_of_samples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    prior, counts = rng.gamma(2.0, 1.0, (1, 3)) + 0.5, rng.gamma(1.0, 4.0, (1, 3))
    own, other = prior + counts, prior
    logs = expected_log(prior, counts)
    np.testing.assert_allclose(logs, digamma(own) - digamma(own.sum()))
    drawn = rng.dirichlet(own[0], 20_000)
    from scipy.stats import dirichlet

    ratio = dirichlet.logpdf(drawn.T, own[0]) - dirichlet.logpdf(drawn.T, other[0])
    error = ratio.std() / np.sqrt(len(drawn))
    assert divergence(prior, counts) == pytest.approx(ratio.mean(), abs=6 * error)


def test_what_does_not_exist_has_no_part() -> None:
    prior, counts = np.array([[0.5, 0.0, 0.7]]), np.array([[2.0, 0.0, 1.0]])
    there = [0, 2]
    assert expected_log(prior, counts)[0, 1] == -np.inf
    np.testing.assert_allclose(
        expected_log(prior, counts)[:, there], expected_log(prior[:, there], counts[:, there])
    )
    assert divergence(prior, counts) == pytest.approx(divergence(prior[:, there], counts[:, there]))
    assert divergence(prior, np.zeros((1, 3))) == 0.0
