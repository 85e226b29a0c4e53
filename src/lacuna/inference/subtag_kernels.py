"""Kernels that turn chains of states into chains of tags; `subtags.py` checks and names.

The states of tag s are borders[s] to borders[s + 1]; weights are not in log space.
"""

from __future__ import annotations

import numpy as np

from lacuna.inference.chain_kernels import SMALLEST
from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray

#: Tags less probable than this are not followed to the next.
NEGLIGIBLE = 1e-6
#: Nor are states less probable than this.
NEGLIGIBLE_STATE = 1e-10


@kernel
def project(
    rows: LongArray,
    emission: FloatArray,
    alpha: FloatArray,
    scale: FloatArray,
    moves: FloatArray,
    back: FloatArray,
    stop: FloatArray,
    borders: LongArray,
    tags: FloatArray,
    pairs: FloatArray,
) -> bool:
    """Fill tags[n, s] and pairs[n, s, s'] of one sequence; False if it underflows.

    tags[n, s] = p(the tag of step n is s), pairs[n, s, s'] = p(it is s', that before it s). Step n
    is row rows[n] of the input of `chain_kernels.forward`; back[w, v] = moves[v, w].

        beta[v] = Σ_w ahead[w] back[w, v],   ahead[w] = emission[w] beta[w] / scale of the next step

    where only likely states w are used: the others add less than their probability.
    """
    last = len(rows) - 1
    beta, ahead = stop.copy(), np.zeros(len(stop))
    total = (alpha[rows[last]] * beta).sum()
    if not total > SMALLEST:
        return False
    beta /= total
    for n in range(last, -1, -1):
        states = alpha[rows[n]] * beta
        for s in range(len(borders) - 1):
            for v in range(borders[s], borders[s + 1]):
                tags[n, s] += states[v]
        if n < last:
            _pairs(states, alpha[rows[n]], moves, ahead, borders, tags[n], pairs[n + 1])
        if n > 0:
            onward = np.zeros(len(stop))
            for w in range(len(stop)):
                ahead[w] = 0.0
                if states[w] > NEGLIGIBLE_STATE:
                    weight, row = emission[rows[n], w] * beta[w] / scale[rows[n]], back[w]
                    ahead[w] = weight
                    for v in range(len(stop)):
                        onward[v] += weight * row[v]
            beta = onward
    return True


@kernel
def _pairs(
    states: FloatArray,
    alpha: FloatArray,
    moves: FloatArray,
    ahead: FloatArray,
    borders: LongArray,
    tags: FloatArray,
    pairs: FloatArray,
) -> None:
    """pairs[s, s'] = Σ_{v in s, w in s'} alpha[v] moves[v, w] ahead[w], of likely v and tags s."""
    reach = np.empty(len(ahead))
    for s in range(len(borders) - 1):
        if not tags[s] > NEGLIGIBLE:
            continue
        reach[:] = 0.0
        for v in range(borders[s], borders[s + 1]):
            if states[v] > NEGLIGIBLE_STATE:
                weight, row = alpha[v], moves[v]
                for w in range(len(ahead)):
                    reach[w] += weight * row[w]
        for q in range(len(borders) - 1):
            total = 0.0
            for w in range(borders[q], borders[q + 1]):
                total += reach[w] * ahead[w]
            pairs[s, q] = total


@kernel
def best_tags(tags: FloatArray, pairs: FloatArray, path: IntArray) -> None:
    """Fill path[n] of one sequence: the best under p̂(s' | s) = pairs / tags.

    score[s'] = max_s score[s] + ln pairs[n, s, s'] − ln tags[n - 1, s]
    """
    steps, size = tags.shape
    origin = np.zeros((steps, size), np.int32)
    score = np.log(tags[0])
    for n in range(1, steps):
        onward = np.full(size, -np.inf)
        for s in range(size):
            if score[s] > -np.inf and tags[n - 1, s] > NEGLIGIBLE:
                given = score[s] - np.log(tags[n - 1, s])
                for q in range(size):
                    if pairs[n, s, q] > 0.0:
                        value = given + np.log(pairs[n, s, q])
                        if value > onward[q]:
                            onward[q], origin[n, q] = value, s
        score = onward
    best = np.argmax(score)
    for n in range(steps - 1, -1, -1):
        path[n] = best
        best = origin[n, best]


@kernel
def tag_lists(tags: FloatArray, pairs: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
    """Return the `count` best labellings of one sequence, best first, and their ln p̂.

    score[s', r'] is the r'-th highest of score[s, r] + ln pairs[n, s, s'] − ln tags[n - 1, s];
    fewer than `count` labellings leave -inf.
    """
    steps, size = tags.shape
    score, onward = np.full((size, count), -np.inf), np.empty((size, count))
    score[:, 0] = np.log(tags[0])
    origin = np.zeros((steps, size, count), np.int32)  # previous tag · count + its rank
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
    """Insert a value into a list, highest first; return whether it is high enough."""
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
    """Fill path[n], keeping every tag's best prefix with its forward vector f; return the weight.

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
