"""Kernels: chains of states seen as chains of tags. `projection.py` checks and names.

The states of tag s are borders[s] to borders[s + 1]; weights are not in log space.
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray

#: Tags less probable than this are not followed to the next.
NEGLIGIBLE = 1e-6
#: Nor are states less probable than this.
NEGLIGIBLE_STATE = 1e-12


@kernel
def tag_pairs(
    emission: FloatArray,
    active: LongArray,
    transition: FloatArray,
    alpha: FloatArray,
    beta: FloatArray,
    scale: FloatArray,
    borders: LongArray,
    tags: FloatArray,
    pairs: FloatArray,
) -> None:
    """pairs[r, s, s'] = p(the tag before row r is s and that of row r is s'), r from step 1 on.

    = Σ_{v in s, w in s'} alpha[before r, v] transition[v, w] emission[r, w] beta[r, w] / scale[r]
    """
    labels, size = transition.shape[0], len(borders) - 1
    reach, ahead = np.empty(labels), np.empty(labels)
    first = active[0]
    for t in range(1, len(active)):
        for i in range(active[t]):
            r, before = first + i, first - active[t - 1] + i
            inverse = 1.0 / scale[r] if scale[r] > 0.0 else 0.0
            for w in range(labels):
                ahead[w] = emission[r, w] * beta[r, w] * inverse
            for s in range(size):
                if not tags[before, s] > NEGLIGIBLE:
                    continue
                reach[:] = 0.0
                for v in range(borders[s], borders[s + 1]):
                    weight, row = alpha[before, v], transition[v]
                    # v adds no more than its own probability; subnormal numbers are slow
                    if weight * beta[before, v] > NEGLIGIBLE_STATE:
                        for w in range(labels):
                            reach[w] += weight * row[w]
                for q in range(size):
                    total = 0.0
                    for w in range(borders[q], borders[q + 1]):
                        total += reach[w] * ahead[w]
                    pairs[r, s, q] = total
        first += active[t]


@kernel
def best_tags(tags: FloatArray, pairs: FloatArray, active: LongArray, path: IntArray) -> None:
    """Fill path[r] of every sequence: the best under p̂(s' | s) = pairs / tags.

    score[s'] = max_s score[s] + ln pairs[r, s, s'] − ln tags[before r, s]
    """
    size, steps = tags.shape[1], len(active)
    base = np.zeros(steps + 1, np.int64)
    base[1:] = np.cumsum(active)
    origin = np.zeros((steps, size), np.int32)
    for i in range(active[0] if steps else 0):
        score = np.log(tags[i])
        n = 1
        while n < steps and i < active[n]:
            r, before = base[n] + i, base[n - 1] + i
            onward = np.full(size, -np.inf)
            for s in range(size):
                if score[s] > -np.inf and tags[before, s] > 0.0:
                    given = score[s] - np.log(tags[before, s])
                    for q in range(size):
                        if pairs[r, s, q] > 0.0:
                            value = given + np.log(pairs[r, s, q])
                            if value > onward[q]:
                                onward[q], origin[n, q] = value, s
            score = onward
            n += 1
        best = np.argmax(score)
        for m in range(n - 1, -1, -1):
            path[base[m] + i] = best
            best = origin[m, best]


@kernel
def tag_lists(tags: FloatArray, pairs: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
    """Return the `count` best labellings of one sequence, best first, and their ln p̂.

    score[s', r'] is the r'-th highest of score[s, r] + ln pairs[n, s, s'] − ln tags[n - 1, s];
    fewer than `count` labellings leave -inf.
    """
    steps, size = tags.shape
    score, onward = np.full((size, count), -np.inf), np.empty((size, count))
    score[:, 0] = np.log(tags[0])
    origin = np.zeros((steps, size, count), np.int32)  # tag before · count + its place
    for n in range(1, steps):
        onward[:] = -np.inf
        for s in range(size):
            if not tags[n - 1, s] > NEGLIGIBLE:
                continue
            for q in range(size):
                if pairs[n, s, q] > 0.0:
                    step = np.log(pairs[n, s, q]) - np.log(tags[n - 1, s])
                    for r in range(count):
                        value, place = score[s, r] + step, s * count + r
                        if not _insert(value, place, onward[q], origin[n, q]):
                            break
        score[:] = onward
    ends, last = np.full(count, -np.inf), np.zeros(count, np.int32)
    for s in range(size):
        for r in range(count):
            _insert(score[s, r], s * count + r, ends, last)
    paths = np.zeros((count, steps), np.int32)
    for r in range(count):
        place = last[r]
        for n in range(steps - 1, -1, -1):
            paths[r, n] = place // count
            place = origin[n, place // count, place % count]
    return paths, ends


@kernel
def _insert(value: float, place: int, values: FloatArray, places: IntArray) -> bool:
    """Put a value into a list, highest first; whether it is high enough."""
    r = len(values)
    while r > 0 and value > values[r - 1]:
        if r < len(values):
            values[r], places[r] = values[r - 1], places[r - 1]
        r -= 1
    if r == len(values):
        return False
    values[r], places[r] = value, place
    return True


@kernel
def direct_tags(
    emission: FloatArray,
    transition: FloatArray,
    start: FloatArray,
    stop: FloatArray,
    borders: LongArray,
    path: IntArray,
) -> float:
    """Fill path[n], keeping for every tag its best prefix with its forward vector f; its weight.

    δ_{n+1}(s') = max_s Σ_{z, z'} f_n(s, z) transition[(s, z), (s', z')] emission[n + 1, (s', z')]
    """
    steps, labels = emission.shape
    tags = len(borders) - 1
    prefix, onward = start * emission[0], np.empty(labels)
    reach = np.empty((tags, labels))
    origin = np.zeros((steps, tags), np.int32)
    for n in range(1, steps):
        reach[:] = 0.0
        for s in range(tags):
            for v in range(borders[s], borders[s + 1]):
                if prefix[v] > 0.0:
                    for w in range(labels):
                        reach[s, w] += prefix[v] * transition[v, w]
        highest = 0.0
        for q in range(tags):
            most = -1.0
            for s in range(tags):
                total = 0.0
                for w in range(borders[q], borders[q + 1]):
                    total += reach[s, w] * emission[n, w]
                if total > most:
                    most, origin[n, q] = total, s
            highest = max(highest, most)
            for w in range(borders[q], borders[q + 1]):
                onward[w] = reach[origin[n, q], w] * emission[n, w]
        if not highest > 0.0:
            return 0.0
        prefix = onward / highest
    best, most = 0, -1.0
    for s in range(tags):
        total = 0.0
        for v in range(borders[s], borders[s + 1]):
            total += prefix[v] * stop[v]
        if total > most:
            best, most = s, total
    for n in range(steps - 1, -1, -1):
        path[n] = best
        best = origin[n, best]
    return most
