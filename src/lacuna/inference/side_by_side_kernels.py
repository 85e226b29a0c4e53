"""Forward-backward and Viterbi of many first-order chains; `side_by_side.py` drives them.

Each of up to L sequences, the longest first, has a *lane*: a value of label w at step t is at
[t, w, lane], so the innermost loops run over lanes and always fill whole vectors. A lane is
computed past the end of its sequence, but nothing is read from there.

Most labels that continue a mention may follow few labels, all others many. ``table[n, v]`` is the
weight of the move from v to label ``many[n]``; the moves to other labels are listed: ``weights[m]``
from ``sources[m]`` to ``targets[m]``. With BIO tags half of the pairs of labels are not possible
moves and cost nothing.

Arrays have the precision of the scores they were filled with.
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import HashArray, IntArray, LongArray, RealArray

#: Lanes are processed in blocks of this size.
BLOCK = 16

#: Below this a step counts as impossible and the sequence is done in log space.
SMALLEST = 1e-30


@kernel
def forward(
    emission: RealArray,
    lengths: LongArray,
    many: HashArray,
    table: RealArray,
    sources: HashArray,
    targets: HashArray,
    weights: RealArray,
    start: RealArray,
    alpha: RealArray,
    inverse: RealArray,
) -> None:
    """alpha[t, w, l] = p(label t is w | emissions up to t); inverse[t, l] made it sum to 1.

    alpha[t, w] = inverse[t] · emission[t, w] · Σ_v alpha[t - 1, v] · weight(v → w). If no path
    of positive weight continues, inverse and alpha are 0 from there.
    """
    steps, labels, lanes = emission.shape
    every = np.arange(labels).astype(np.uint64)
    total, spare = np.empty(lanes, emission.dtype), np.empty(lanes, emission.dtype)
    for t in range(steps):
        size = width(lengths, t, lanes)
        onward = alpha[t]
        if t == 0:
            for w in range(labels):
                onward[w] = start[w]
        else:
            before = alpha[t - 1]
            for m in range(len(targets)):
                onward[targets[m]] = 0.0
            weighted_sums(before, every, table, size, onward, many, spare)
            for m in range(len(targets)):
                here, there, weight = onward[targets[m]], before[sources[m]], weights[m]
                for i in range(size):
                    here[i] += weight * there[i]
        total[:] = 0.0
        for w in range(labels):
            here, weight = onward[w], emission[t, w]
            for i in range(size):
                here[i] *= weight[i]
                total[i] += here[i]
        scale = inverse[t]
        for i in range(size):
            scale[i] = 1.0 / total[i] if total[i] > SMALLEST else 0.0
        for w in range(labels):
            here = onward[w]
            for i in range(size):
                here[i] *= scale[i]


@kernel
def backward(
    emission: RealArray,
    first: LongArray,
    lengths: LongArray,
    many: HashArray,
    back: RealArray,
    sources: HashArray,
    targets: HashArray,
    weights: RealArray,
    stop: RealArray,
    alpha: RealArray,
    inverse: RealArray,
    asked: RealArray,
    found: RealArray,
    whole: RealArray,
) -> None:
    """found[first[l] + t] = p(label t is one of those with asked[w] = 1).

    beta[v] = Σ_w weight(v → w) · onward[w], onward[w] = inverse · emission[t, w] · beta[w]; then
    alpha[t, w] · beta[w] = p(label t is w). back[v, n] = table[n, v]. whole[l] = Σ_w alpha · stop
    at the end of a sequence: 0 if it cannot end.
    """
    steps, labels, lanes = emission.shape
    every = np.arange(labels).astype(np.uint64)
    beta, onward = np.zeros((labels, lanes), alpha.dtype), np.zeros((labels, lanes), alpha.dtype)
    inside, total = np.empty(lanes, alpha.dtype), np.empty(lanes, alpha.dtype)
    spare = np.empty(lanes, alpha.dtype)
    active = 0
    for t in range(steps - 1, -1, -1):
        active = _begin(t, active, lengths, stop, alpha[t], beta, whole)
        size = width(lengths, t, lanes)
        inside[:] = 0.0
        total[:] = 0.0
        for w in range(labels):
            here, after, counts = alpha[t, w], beta[w], asked[w]
            for i in range(size):
                joint = here[i] * after[i]
                inside[i] += counts * joint
                total[i] += joint
        for lane in range(active):
            # the total is 1 except for rounding, which accumulates over a long sequence
            found[first[lane] + t] = inside[lane] / total[lane] if total[lane] > 0.0 else 0.0
        if t > 0:
            scale = inverse[t]
            for w in range(labels):
                ahead, weight, after = onward[w], emission[t, w], beta[w]
                for i in range(size):
                    ahead[i] = weight[i] * after[i] * scale[i]
            weighted_sums(onward, many, back, size, beta, every, spare)
            for m in range(len(targets)):
                here, there, move = beta[sources[m]], onward[targets[m]], weights[m]
                for i in range(size):
                    here[i] += move * there[i]


@kernel
def _begin(
    step: int,
    active: int,
    lengths: LongArray,
    stop: RealArray,
    alpha: RealArray,
    beta: RealArray,
    whole: RealArray,
) -> int:
    """Initialise beta for the sequences whose last step this is; return how many have this step."""
    while active < len(lengths) and lengths[active] > step:
        total = np.float64(0.0)
        for w in range(len(stop)):
            total += alpha[w, active] * stop[w]
        whole[active] = total
        for w in range(len(stop)):
            beta[w, active] = stop[w] / total if total > SMALLEST else 0.0
        active += 1
    return active


@kernel
def staying(
    emission: RealArray, lengths: LongArray, inverse: RealArray, first: float, again: float
) -> RealArray:
    """Return p(every label is the first label | emissions), without the weight of stopping.

    `first` is the weight of beginning with it, `again` that of the move to itself.
    """
    product = np.ones(len(lengths), np.float64)
    for t in range(len(emission)):
        weight = first if t == 0 else again
        for lane in range(len(lengths)):
            if t < lengths[lane]:
                product[lane] *= weight * emission[t, 0, lane] * inverse[t, lane]
    return product


@kernel
def advance_best(
    scores: RealArray,
    lengths: LongArray,
    many: HashArray,
    table: RealArray,
    sources: HashArray,
    targets: HashArray,
    weights: RealArray,
    start: RealArray,
    total: RealArray,
) -> None:
    """Turn scores[t, w, l] into those of the best labelling up to t that ends with w.

    The best of each step is subtracted and summed in total[l], so that small differences survive.
    Moves to the same target are adjacent.
    """
    steps, labels, lanes = scores.shape
    highest, spare = np.empty(lanes, scores.dtype), np.empty((2, lanes), scores.dtype)
    for t in range(steps):
        size = width(lengths, t, lanes)
        onward = scores[t]
        if t == 0:
            for w in range(labels):
                here = onward[w]
                for i in range(size):
                    here[i] += start[w]
        else:
            before = scores[t - 1]
            highest_sums(before, table, size, onward, many, spare)
            best = spare[0]
            for m in range(len(targets)):
                here, there, weight = onward[targets[m]], before[sources[m]], weights[m]
                is_first = m == 0 or targets[m - 1] != targets[m]
                is_last = m + 1 == len(targets) or targets[m + 1] != targets[m]
                for i in range(size):
                    value = weight + there[i]
                    best[i] = value if is_first else max(best[i], value)
                for i in range(size if is_last else 0):
                    here[i] += best[i]
        lower(onward, size, highest)
        for lane in range(len(lengths)):
            if t < lengths[lane]:
                total[lane] += highest[lane]


@kernel
def trace_back(
    best: RealArray,
    first: LongArray,
    lengths: LongArray,
    moves: RealArray,
    stop: RealArray,
    path: IntArray,
    total: RealArray,
) -> None:
    """Fill path[first[l] + t] with the labels of the best labelling; total[l] is its score.

    moves[w, v] is the weight of w after v, -inf if w may not follow.
    """
    labels = best.shape[1]
    for lane in range(len(lengths)):
        last = lengths[lane] - 1
        label, highest = 0, -np.inf
        for w in range(labels):
            value = np.float64(best[last, w, lane] + stop[w])
            if value > highest:
                label, highest = w, value
        total[lane] += highest
        for t in range(last, -1, -1):
            path[first[lane] + t] = label
            if t > 0:
                into, highest = moves[label], -np.inf
                for v in range(labels):
                    value = np.float64(best[t - 1, v, lane] + into[v])
                    if value > highest:
                        label, highest = v, value


@kernel
def fill(scores: RealArray, first: LongArray, lengths: LongArray, lanes: RealArray) -> None:
    """lanes[t, w, l] = scores[first[l] + t, w]; 0 after the end of a sequence."""
    for t in range(len(lanes)):
        here = lanes[t]
        for lane in range(lanes.shape[2]):
            if lane < len(lengths) and t < lengths[lane]:
                row = scores[first[lane] + t]
                for w in range(len(row)):
                    here[w, lane] = row[w]
            else:
                for w in range(len(here)):
                    here[w, lane] = 0.0


@kernel
def lower_all(lanes: RealArray, lengths: LongArray) -> None:
    """Subtract the highest score of every step from all: weights are then at most 1."""
    highest = np.empty(lanes.shape[2], lanes.dtype)
    for t in range(len(lanes)):
        lower(lanes[t], width(lengths, t, lanes.shape[2]), highest)


@kernel
def lower(lanes: RealArray, size: int, highest: RealArray) -> None:
    """Subtract highest[l] = max_w lanes[w, l] from lanes[w, l]; 0 if all are -inf."""
    highest[:] = -np.inf
    for w in range(len(lanes)):
        row = lanes[w, :size]
        for i in range(size):
            highest[i] = max(highest[i], row[i])
    for i in range(size):
        highest[i] = highest[i] if highest[i] > -np.inf else 0.0
    for w in range(len(lanes)):
        row = lanes[w, :size]
        for i in range(size):
            row[i] -= highest[i]


@kernel
def weighted_sums(
    rows: RealArray,
    which: HashArray,
    table: RealArray,
    size: int,
    out: RealArray,
    to: HashArray,
    spare: RealArray,
) -> None:
    """out[to[n], l] = Σ_m table[n, m] · rows[which[m], l], in blocks of two by four."""
    fours = len(which) - len(which) % 4
    for n in range(0, len(to), 2):
        is_pair = n + 1 < len(to)
        x, p = out[to[n]], table[n]
        y, q = (out[to[n + 1]], table[n + 1]) if is_pair else (spare, table[n])
        for i in range(size):
            x[i] = 0.0
            y[i] = 0.0
        for m in range(0, fours, 4):
            r0, r1, r2, r3 = which[m], which[m + 1], which[m + 2], which[m + 3]
            p0, p1, p2, p3 = p[m], p[m + 1], p[m + 2], p[m + 3]
            q0, q1, q2, q3 = q[m], q[m + 1], q[m + 2], q[m + 3]
            for i in range(size):
                a, b, c, d = rows[r0, i], rows[r1, i], rows[r2, i], rows[r3, i]
                x[i] += (p0 * a + p1 * b) + (p2 * c + p3 * d)
                y[i] += (q0 * a + q1 * b) + (q2 * c + q3 * d)
        for m in range(fours, len(which)):
            row, p0, q0 = rows[which[m]], p[m], q[m]
            for i in range(size):
                x[i] += p0 * row[i]
                y[i] += q0 * row[i]


@kernel
def highest_sums(
    rows: RealArray,
    table: RealArray,
    size: int,
    out: RealArray,
    to: HashArray,
    spare: RealArray,
) -> None:
    """out[to[n], l] += max_v table[n, v] + rows[v, l], in blocks of two by four."""
    first, second = spare[0], spare[1]
    fours = len(rows) - len(rows) % 4
    for n in range(0, len(to), 2):
        other = min(n + 1, len(to) - 1)
        p, q = table[n], table[other]
        for i in range(size):
            first[i] = -np.inf
            second[i] = -np.inf
        for v in range(0, fours, 4):
            p0, p1, p2, p3 = p[v], p[v + 1], p[v + 2], p[v + 3]
            q0, q1, q2, q3 = q[v], q[v + 1], q[v + 2], q[v + 3]
            for i in range(size):
                a, b, c, d = rows[v, i], rows[v + 1, i], rows[v + 2, i], rows[v + 3, i]
                first[i] = max(first[i], max(max(p0 + a, p1 + b), max(p2 + c, p3 + d)))
                second[i] = max(second[i], max(max(q0 + a, q1 + b), max(q2 + c, q3 + d)))
        for v in range(fours, len(rows)):
            row, p0, q0 = rows[v], p[v], q[v]
            for i in range(size):
                first[i] = max(first[i], p0 + row[i])
                second[i] = max(second[i], q0 + row[i])
        x, y = out[to[n]], out[to[other]]
        for i in range(size):
            x[i] += first[i]
        for i in range(size if other > n else 0):
            y[i] += second[i]


@kernel
def width(lengths: LongArray, step: int, lanes: int) -> int:
    """Return how many lanes must be processed at a step: those that have it, in whole blocks."""
    active = len(lengths)
    while active > 0 and lengths[active - 1] <= step:
        active -= 1
    return min((active + BLOCK - 1) // BLOCK * BLOCK, lanes)
