"""Best path and k best paths of a chain. Loops only; `chain.py` checks and names.

Notation as in `_chain.py`: histories H, labels K, states (history, label), h(v) the history that
label v becomes. Scores are logarithms here, with -inf for what is forbidden.
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray


@kernel
def best_paths(
    log_emission: FloatArray,
    offsets: LongArray,
    transition: FloatArray,
    start: FloatArray,
    stop: FloatArray,
    path: IntArray,
    score: FloatArray,
) -> None:
    """Fill path[t] with the labels of the best labelling and score[s] with its log weight.

    best[h, w] = log weight of the best labelling up to t that ends in state (h, w)
    origin[t, h, w] = the state before it, as u · K + v
    """
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    histories, labels = stop.shape
    origin = np.empty((longest, histories, labels), np.int32)
    best = np.empty((histories, labels))
    ahead = np.empty((histories, labels))
    begin, end = _possible(transition)
    for s in range(len(offsets) - 1):
        first, last = offsets[s], offsets[s + 1]
        score[s] = 0.0
        if first == last:
            continue
        best[:] = -np.inf
        for w in range(labels):
            best[histories - 1, w] = start[w] + log_emission[first, w]
        for t in range(1, last - first):
            # ahead[h(v), w] = max_{u, v} best[u, v] + transition[u, v, w]
            ahead[:] = -np.inf
            origin[t] = 0
            for u in range(histories):
                for v in range(labels):
                    value = best[u, v]
                    if value > -np.inf:
                        h = v if histories > 1 else 0
                        state = np.int32(u * labels + v)
                        if begin[u, v]:
                            for w in range(begin[u, v], end[u, v]):
                                candidate = value + transition[u, v, w]
                                if candidate > ahead[h, w]:
                                    ahead[h, w] = candidate
                                    origin[t, h, w] = state
                            continue
                        for w in range(end[u, v]):  # from 0 on, so that it vectorises
                            candidate = value + transition[u, v, w]
                            if candidate > ahead[h, w]:
                                ahead[h, w] = candidate
                                origin[t, h, w] = state
            for h in range(histories):
                for w in range(labels):
                    best[h, w] = ahead[h, w] + log_emission[first + t, w]
        score[s] = -np.inf
        state = np.int32(0)
        for h in range(histories):
            for w in range(labels):
                if best[h, w] + stop[h, w] > score[s]:
                    score[s] = best[h, w] + stop[h, w]
                    state = np.int32(h * labels + w)
        for t in range(last - first - 1, -1, -1):
            path[first + t] = state % labels
            if t > 0:
                state = origin[t, state // labels, state % labels]


@kernel
def _possible(transition: FloatArray) -> tuple[LongArray, LongArray]:
    """Return begin[u, v] and end[u, v] of labels that hold all w with transition[u, v, w] > -inf.

    begin is 0 unless that saves more than half of them.
    """
    histories, labels, _ = transition.shape
    begin = np.zeros((histories, labels), np.int64)
    end = np.zeros((histories, labels), np.int64)
    for u in range(histories):
        for v in range(labels):
            possible = np.flatnonzero(transition[u, v] > -np.inf)
            if possible.size:
                end[u, v] = possible[-1] + 1
                if 2 * possible[0] > end[u, v]:
                    begin[u, v] = possible[0]
    return begin, end


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
