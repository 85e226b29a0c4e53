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

    best[w] = log weight of the best labelling up to t that ends with w
    origin[t, w] = the label before it
    """
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    labels = len(start)
    origin = np.empty((longest, labels), np.int32)
    best = np.empty(labels)
    ahead = np.empty(labels)
    begin, end = _possible(transition[0])
    for s in range(len(offsets) - 1):
        first, last = offsets[s], offsets[s + 1]
        score[s] = 0.0
        if first == last:
            continue
        for w in range(labels):
            best[w] = start[w] + log_emission[first, w]
        for t in range(1, last - first):
            # ahead[w] = max_v best[v] + transition[v, w]
            ahead[:] = -np.inf
            origin[t] = 0
            for v in range(labels):
                value, before = best[v], np.int32(v)
                if value == -np.inf:
                    continue
                if begin[v]:
                    for w in range(begin[v], end[v]):
                        candidate = value + transition[0, v, w]
                        if candidate > ahead[w]:
                            ahead[w] = candidate
                            origin[t, w] = before
                    continue
                for w in range(end[v]):  # from 0 on, so that it vectorises
                    candidate = value + transition[0, v, w]
                    if candidate > ahead[w]:
                        ahead[w] = candidate
                        origin[t, w] = before
            for w in range(labels):
                best[w] = ahead[w] + log_emission[first + t, w]
        score[s] = -np.inf
        label = np.int32(0)
        for w in range(labels):
            if best[w] + stop[0, w] > score[s]:
                score[s] = best[w] + stop[0, w]
                label = np.int32(w)
        for t in range(last - first - 1, -1, -1):
            path[first + t] = label
            if t > 0:
                label = origin[t, label]


@kernel
def _possible(transition: FloatArray) -> tuple[LongArray, LongArray]:
    """Return begin[v] and end[v] of a range that holds all w with transition[v, w] > -inf.

    begin is 0 unless that saves more than half of the range.
    """
    labels = len(transition)
    begin = np.zeros(labels, np.int64)
    end = np.zeros(labels, np.int64)
    for v in range(labels):
        for w in range(labels):
            if transition[v, w] > -np.inf:
                if end[v] == 0:
                    begin[v] = w
                end[v] = w + 1
        if 2 * begin[v] <= end[v]:
            begin[v] = 0
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
