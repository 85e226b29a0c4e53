"""Shares of sub-tags by breaking a stick, and Dirichlet distributions as prior plus counts.

    π_k = v_k Π_{j<k} (1 − v_j),  v_k ~ Beta(1, α),  v_K = 1

A Dirichlet process DP(αt, π) whose base measure π has K atoms is the Dirichlet
Dir(αt π_1, …, αt π_K): one row of probabilities φ for every context that sub-tags are drawn in.
With q(φ) at its best, rows of expected counts c determine how good a stick is:

    f(v) = Σ_rows Σ_k [ln Γ(αt π_k + c_k) − ln Γ(αt π_k)] + ln p(v | α) + terms without v

:func:`expected_log` and :func:`divergence` are about q(φ) = Dir(a + c) and p(φ) = Dir(a), one
distribution per row of the arrays. An outcome with a = 0 does not exist.
"""

from __future__ import annotations

import numpy as np

from lacuna.types import FloatArray

#: Lower bound of a share: ln Γ and ψ are still finite.
SMALLEST_SHARE = 1e-100
#: Logits of v stay between -MOST_LOGIT and MOST_LOGIT.
MOST_LOGIT = 12.0
#: Steps of one search; the next M-step continues it.
MOST_STEPS = 15


def shares(stick: FloatArray) -> FloatArray:
    """π_k = v_k Π_{j<k} (1 − v_j); the last v is 1."""
    left = np.concatenate((np.ones(1), np.cumprod(1.0 - stick[:-1])))
    return np.maximum(stick * left, SMALLEST_SHARE)


def even_stick(size: int) -> FloatArray:
    """Return the stick with equal shares: v_k = 1 / (K − k), k from 0."""
    return 1.0 / np.arange(size, 0, -1)


def log_prior(stick: FloatArray, alpha: float) -> float:
    """Ln p(v | α) = Σ_{k<K} [ln α + (α − 1) ln(1 − v_k)]."""
    return float((np.log(alpha) + (alpha - 1.0) * np.log1p(-stick[:-1])).sum())


def stick_value(
    logits: FloatArray, counts: FloatArray, *, alpha: float, alpha_t: float
) -> tuple[float, FloatArray]:
    """Return f(v) and its gradient by the logits of v_1 … v_{K-1}; counts[row, k]."""
    from scipy.special import digamma, gammaln  # slow to load, and tagging does not need it

    v = 1.0 / (1.0 + np.exp(-logits))
    stick = np.append(v, 1.0)
    prior = alpha_t * shares(stick)
    value = (gammaln(prior + counts) - gammaln(prior)).sum() + log_prior(stick, alpha)
    # g_k = π_k ∂f/∂π_k
    g = prior * (digamma(prior + counts) - digamma(prior)).sum(axis=0)
    # ∂f/∂logit_k = g_k (1 − v_k) − v_k Σ_{j>k} g_j − (α − 1) v_k
    later = np.cumsum(g[::-1])[::-1][1:]
    return float(value), g[:-1] * (1.0 - v) - v * later - (alpha - 1.0) * v


def better_stick(
    stick: FloatArray, counts: FloatArray, *, alpha: float, alpha_t: float
) -> FloatArray:
    """Return a stick with a higher f, or the same one."""
    if len(stick) < 2:
        return stick
    from scipy.optimize import minimize

    counts = counts[counts.sum(axis=1) > 0.0]  # other rows do not depend on v

    def falling(logits: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = stick_value(logits, counts, alpha=alpha, alpha_t=alpha_t)
        return -value, -gradient

    start = np.clip(np.log(stick[:-1]) - np.log1p(-stick[:-1]), -MOST_LOGIT, MOST_LOGIT)
    before = falling(start)[0]
    found = minimize(
        falling,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-MOST_LOGIT, MOST_LOGIT)] * len(start),
        options={"maxiter": MOST_STEPS},
    )
    if not found.fun < before:
        return stick
    return np.append(1.0 / (1.0 + np.exp(-found.x)), 1.0)


def expected_log(prior: FloatArray, counts: FloatArray) -> FloatArray:
    """E_q[ln φ_i] = ψ(a_i + c_i) − ψ(Σ (a + c)); -inf if a_i is 0."""
    from scipy.special import digamma

    there = prior > 0.0
    own = digamma(np.where(there, prior + counts, 1.0))
    total = digamma((prior + counts).sum(axis=-1, keepdims=True))
    return np.where(there, own - total, -np.inf)


def divergence(prior: FloatArray, counts: FloatArray) -> float:
    """Sum over rows of KL(Dir(a + c) ‖ Dir(a)).

    KL = ln Γ(A + C) − ln Γ(A) − Σ [ln Γ(a + c) − ln Γ(a)] + Σ c E[ln φ],  A = Σ a, C = Σ c
    """
    from scipy.special import gammaln

    there = prior > 0.0
    a = np.where(there, prior, 1.0)
    own = gammaln(a + np.where(there, counts, 0.0)) - gammaln(a)
    total, more = prior.sum(axis=-1), counts.sum(axis=-1)
    logs = np.where(counts > 0.0, expected_log(prior, counts), 0.0)
    whole = gammaln(total + more) - gammaln(total)
    return float(whole.sum() - own.sum() + (counts * logs).sum())
