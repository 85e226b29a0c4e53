"""The k best paths of a chain. Loops only; `chain.py` checks and names.

Notation as in `_chain.py`: histories H, labels K, states (history, label), h(v) the history that
label v becomes. Scores are logarithms here, with -inf for what is forbidden.
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray


@kernel
def _insert(values: FloatArray, origins: LongArray, count: int, value: float, origin: int) -> None:
    """Keep the best `count` values in falling order, with where they came from."""
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
