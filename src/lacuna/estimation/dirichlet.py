"""Dirichlet distributions as a prior and counts: q(φ) = Dir(a + c), p(φ) = Dir(a).

Every row of the arrays is one distribution. An outcome whose a is 0 does not exist.
"""

from __future__ import annotations

import numpy as np

from lacuna.types import FloatArray


def expected_log(prior: FloatArray, counts: FloatArray) -> FloatArray:
    """E_q[ln φ_i] = ψ(a_i + c_i) − ψ(Σ (a + c)); -inf for what does not exist."""
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
