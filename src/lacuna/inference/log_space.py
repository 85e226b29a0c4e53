"""Chains in log space: slow sums that never underflow, samples, and the k best paths.

The scaled kernels of `chain_kernels.py` lose a sequence if its only possible paths weigh less than
1e-300 of an impossible one. That is rare, so this twin is short rather than fast; what is rarely
needed (pairs, samples, k best) exists only here.

Notation as in `chain_kernels.py`: histories H, labels K, states (history, label), h(v) the history
that label v becomes. Scores are logarithms here, -inf for what is forbidden.
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray


@kernel
def log_tables(
    log_emission: FloatArray, transition: FloatArray, start: FloatArray, stop: FloatArray
) -> tuple[FloatArray, FloatArray, float, int]:
    """Return (alpha, beta, log_partition, blocked), all logarithms.

    alpha[t, h, w] = log Σ weights of labellings of 0..t that end in state (h, w)
    beta[t, u, v] = log Σ weights of what may follow state (u, v)
    """
    steps, labels = log_emission.shape
    histories = transition.shape[0]
    alpha = np.full((steps, histories, labels), -np.inf)
    beta = np.full((steps, histories, labels), -np.inf)
    alpha[0, histories - 1] = start + log_emission[0]
    blocked = -1 if alpha[0].max() > -np.inf else 0
    for t in range(1, steps):
        for u in range(histories):
            for v in range(labels):
                h = v if histories > 1 else 0
                for w in range(labels):
                    step = transition[u, v, w] + log_emission[t, w]
                    alpha[t, h, w] = log_add(alpha[t, h, w], alpha[t - 1, u, v] + step)
        if blocked < 0 and alpha[t].max() == -np.inf:
            blocked = t
    beta[steps - 1] = stop
    for t in range(steps - 1, 0, -1):
        for u in range(histories):
            for v in range(labels):
                h = v if histories > 1 else 0
                for w in range(labels):
                    step = transition[u, v, w] + log_emission[t, w]
                    beta[t - 1, u, v] = log_add(beta[t - 1, u, v], step + beta[t, h, w])
    total = -np.inf
    for h in range(histories):
        for w in range(labels):
            total = log_add(total, alpha[steps - 1, h, w] + stop[h, w])
    if blocked < 0 and total == -np.inf:
        blocked = steps
    return alpha, beta, total, blocked


@kernel
def log_moves(
    log_emission: FloatArray,
    transition: FloatArray,
    alpha: FloatArray,
    beta: FloatArray,
    log_partition: float,
    t: int,
) -> FloatArray:
    """Return moves[u, v, w] = p(state t-1 is (u, v), label t is w), as probabilities."""
    _, histories, labels = alpha.shape
    moves = np.empty((histories, labels, labels))
    for u in range(histories):
        for v in range(labels):
            h = v if histories > 1 else 0
            for w in range(labels):
                moves[u, v, w] = np.exp(
                    alpha[t - 1, u, v]
                    + transition[u, v, w]
                    + log_emission[t, w]
                    + beta[t, h, w]
                    - log_partition
                )
    return moves


@kernel
def sample_paths(
    log_emission: FloatArray,
    transition: FloatArray,
    start: FloatArray,
    beta: FloatArray,
    uniform: FloatArray,
) -> IntArray:
    """Draw one labelling per row of `uniform` (numbers in [0, 1), one per step), front to back.

    p(label 0 is w) ∝ exp(start[w] + log_emission[0, w] + beta[0, H-1, w])
    p(label t is w | state t-1 is (u, v))
        ∝ exp(transition[u, v, w] + log_emission[t, w] + beta[t, h(v), w])
    """
    steps, histories, _ = beta.shape
    paths = np.empty((uniform.shape[0], steps), np.int32)
    for d in range(uniform.shape[0]):
        u, v = histories - 1, 0
        for t in range(steps):
            if t == 0:
                h = histories - 1
                weights = start + log_emission[0] + beta[0, h]
            else:
                h = v if histories > 1 else 0
                weights = transition[u, v] + log_emission[t] + beta[t, h]
            u, v = h, _choose(np.exp(weights - weights.max()), uniform[d, t])
            paths[d, t] = v
    return paths


@kernel
def _choose(weights: FloatArray, uniform: float) -> int:
    """Return the index whose share of the total contains `uniform`; never one of weight zero."""
    target = uniform * weights.sum()
    chosen = 0
    total = 0.0
    for i in range(len(weights)):
        if weights[i] > 0.0:
            chosen = i
            total += weights[i]
            if target < total:
                break
    return chosen


@kernel
def k_best_paths(
    log_emission: FloatArray,
    transition: FloatArray,
    start: FloatArray,
    stop: FloatArray,
    count: int,
) -> tuple[IntArray, FloatArray]:
    """Return (paths[r, t], scores[r]) of the `count` best labellings of one sequence, best first.

    best[h, w, r] = log weight of the r-th best labelling up to t that ends in state (h, w)
    origin[t, h, w, r] = where it came from, as (u · K + v) · count + rank there
    A rank that does not exist has score -inf.
    """
    steps, labels = log_emission.shape
    histories = transition.shape[0]
    origin = np.zeros((steps, histories, labels, count), np.int64)
    best = np.full((histories, labels, count), -np.inf)
    best[histories - 1, :, 0] = start + log_emission[0]
    for t in range(1, steps):
        ahead = np.full((histories, labels, count), -np.inf)
        for u in range(histories):
            for v in range(labels):
                h = v if histories > 1 else 0
                for r in range(count):
                    if best[u, v, r] == -np.inf:
                        break
                    for w in range(labels):
                        value = best[u, v, r] + transition[u, v, w] + log_emission[t, w]
                        source = (u * labels + v) * count + r
                        _insert(ahead[h, w], origin[t, h, w], count, value, source)
        best = ahead
    scores = np.full(count, -np.inf)
    states = np.zeros(count, np.int64)
    for h in range(histories):
        for w in range(labels):
            for r in range(count):
                source = (h * labels + w) * count + r
                _insert(scores, states, count, best[h, w, r] + stop[h, w], source)
    paths = np.zeros((count, steps), np.int32)
    for r in range(count):
        source = states[r]
        for t in range(steps - 1, -1, -1):
            state, rank = source // count, source % count
            paths[r, t] = state % labels
            source = origin[t, state // labels, state % labels, rank]
    return paths, scores


@kernel
def _insert(values: FloatArray, origins: LongArray, count: int, value: float, origin: int) -> None:
    """Keep the best `count` values in descending order, with their origins."""
    if value <= values[count - 1]:
        return
    place = count - 1
    while place > 0 and values[place - 1] < value:
        values[place] = values[place - 1]
        origins[place] = origins[place - 1]
        place -= 1
    values[place] = value
    origins[place] = origin


@kernel
def log_add(a: float, b: float) -> float:
    """Return log(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    return a if b == -np.inf else a + np.log1p(np.exp(b - a))
