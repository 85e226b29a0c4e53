"""Viterbi for a second-order chain, skipping what cannot be on the best path.

Scores are logarithms, -inf for what is forbidden. A label is *open* at a step if its emission
there is not -inf; only open labels are visited. Of the labels u that may precede v, the best one is
tried first; another is skipped if even its best move would not reach the worst score found so far.
Neither changes the best path.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray


class Bounds(NamedTuple):
    """of_source[v, u] = max_w transition[u, v, w] and of_target[v, w] = max_u of the same."""

    of_source: FloatArray
    of_target: FloatArray


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
    """Fill path[t] with the labels of the best labelling and score[s] with its log weight."""
    longest = 1
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    labels = len(start)
    bounds = _bounds(transition)
    opened = np.empty((longest + 1, labels), np.int32)
    count = np.empty(longest + 1, np.int32)
    origin = np.empty((longest, labels, labels), np.int32)
    best = np.empty((2, labels, labels))
    for s in range(len(offsets) - 1):
        first, last = offsets[s], offsets[s + 1]
        score[s] = 0.0
        if first < last:
            rows = log_emission[first:last]
            score[s] = -np.inf
            if _find_open(rows, opened, count):
                _advance(rows, opened, count, transition, bounds, start, best, origin)
                end = best[(last - first - 1) % 2]
                score[s] = _trace(opened, count, stop, end, origin, path[first:last])


@kernel
def _bounds(transition: FloatArray) -> Bounds:
    """Find the best moves of every label v."""
    labels = transition.shape[1]
    of_source = np.full((labels, labels + 1), -np.inf)
    of_target = np.full((labels, labels), -np.inf)
    for u in range(labels + 1):
        for v in range(labels):
            for w in range(labels):
                of_source[v, u] = max(of_source[v, u], transition[u, v, w])
                of_target[v, w] = max(of_target[v, w], transition[u, v, w])
    return Bounds(of_source, of_target)


@kernel
def _find_open(rows: FloatArray, opened: IntArray, count: IntArray) -> bool:
    """opened[t + 1, :count[t + 1]] = labels that are open at step t; before the first step it is K.

    Returns whether every step has one.
    """
    opened[0, 0] = rows.shape[1]
    count[0] = 1
    for t in range(len(rows)):
        number = 0
        for w in range(rows.shape[1]):
            if rows[t, w] > -np.inf:
                opened[t + 1, number] = w
                number += 1
        count[t + 1] = number
        if number == 0:
            return False
    return True


@kernel
def _advance(
    rows: FloatArray,
    opened: IntArray,
    count: IntArray,
    transition: FloatArray,
    bounds: Bounds,
    start: FloatArray,
    best: FloatArray,
    origin: IntArray,
) -> None:
    """Fill best and origin; a, b, c number the open labels u, v, w of steps t - 2, t - 1, t.

    best[t % 2, c, b] = log weight of the best labelling up to t that ends in v, w
                      = emission[t, w] + max_u best[(t - 1) % 2, b, a] + transition[u, v, w]
    origin[t, c, b] = the a of that u
    """
    onward = np.empty(rows.shape[1])
    source = np.empty(rows.shape[1], np.int32)
    for c in range(count[1]):
        best[0, c, 0] = start[opened[1, c]] + rows[0, opened[1, c]]
    for t in range(1, len(rows)):
        before, after, width = opened[t - 1], opened[t + 1], count[t + 1]
        earlier, ahead = best[(t - 1) % 2], best[t % 2]
        for b in range(count[t]):
            v, top = opened[t, b], 0
            for a in range(1, count[t - 1]):
                top = a if earlier[b, a] > earlier[b, top] else top
            value, u, lowest = earlier[b, top], before[top], np.inf
            for c in range(width):
                w = after[c]
                onward[c] = value + transition[u, v, w]
                source[c] = top
                if onward[c] < lowest and bounds.of_target[v, w] > -np.inf:
                    lowest = onward[c]
            for a in range(count[t - 1]):
                value, u = earlier[b, a], before[a]
                if value + bounds.of_source[v, u] > lowest and a != top:
                    for c in range(width):
                        candidate = value + transition[u, v, after[c]]
                        if candidate > onward[c]:
                            onward[c] = candidate
                            source[c] = a
            for c in range(width):
                ahead[c, b] = onward[c] + rows[t, after[c]]
                origin[t, c, b] = source[c]


@kernel
def _trace(
    opened: IntArray,
    count: IntArray,
    stop: FloatArray,
    best: FloatArray,
    origin: IntArray,
    path: IntArray,
) -> float:
    """Fill the path from its end and return its log weight."""
    steps = len(path)
    score, before, here = -np.inf, 0, 0
    for c in range(count[steps]):
        for b in range(count[steps - 1]):
            value = best[c, b] + stop[opened[steps - 1, b], opened[steps, c]]
            if value > score:
                score, before, here = value, b, c
    if score > -np.inf:
        for t in range(steps - 1, -1, -1):
            path[t] = opened[t + 1, here]
            if t > 0:
                before, here = origin[t, here, before], before
    return score
