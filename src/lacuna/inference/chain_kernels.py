"""Sum-product over chains in scaled linear space. `chain.py` checks the arguments.

For training, for probabilities of mentions and of second-order chains, and for dp-hmm tagging.

A chain gives each of T tokens one of K labels. A labelling y weighs

    w(y) = start[y_0] · Π_t emission[t, y_t] · Π_{t>0} transition[h, y_{t-1}, y_t] · stop[h, y_last]

where the *history* h is the label before y_{t-1}: a first-order chain has none (H = 1, h = 0),
a second-order chain has H = K + 1 of them, where K means "before the first token".
A state is (history, label). From state (u, v), label w leads to state (h(v), w) with h(v) = 0 in
the first-order chain and v in the second-order one.

Many sequences are processed in step, so that each step of a first-order chain is one product of
matrices. Rows are in order of time: the ``active[t]`` sequences that have a step t, the longest
first, then those of step t + 1. Row i of a step continues row i of the previous step. Emissions are
divided by their row's maximum.
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import FloatArray, LongArray

#: Below this a step counts as impossible and the sequence is done in log space.
SMALLEST = 1e-250


@kernel
def sum_product(
    emission: FloatArray,
    active: LongArray,
    transition: FloatArray,
    start: FloatArray,
    stop: FloatArray,
    marginals: FloatArray,
    counts: FloatArray,
    ends: FloatArray,
    log_partition: FloatArray,
) -> None:
    """Fill marginals[r, w] and log_partition[i] (of the i-th longest); add to counts and ends.

    ends[h, w] = expected number of sequences whose last state is (h, w). A sequence that
    underflows gets log_partition = -inf and adds nothing; the caller does it in log space.
    """
    histories, labels = stop.shape
    alpha = np.empty((len(emission), histories, labels))
    beta = np.empty((len(emission), histories, labels))
    scale = np.empty(len(emission))
    total = np.empty(active[0])
    forward(emission, active, transition, start, alpha, scale)
    backward(emission, active, transition, stop, alpha, scale, beta, counts, total)
    for i in range(active[0]):
        log_partition[i] = np.log(np.float64(total[i]))
    first = 0
    for t in range(len(active)):
        for i in range(active[t]):
            r = first + i
            log_partition[i] += np.log(np.float64(scale[r]))
            row, forth, back = marginals[r], alpha[r], beta[r]
            for w in range(labels):
                row[w] = forth[0, w] * back[0, w]
            for h in range(1, histories):
                for w in range(labels):
                    row[w] += forth[h, w] * back[h, w]
            if t == len(active) - 1 or i >= active[t + 1]:
                ends += alpha[r] * beta[r]
        first += active[t]


@kernel
def tables(
    emission: FloatArray, transition: FloatArray, start: FloatArray, stop: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, bool]:
    """Return (alpha, beta, scale, is_possible) of one sequence.

    is_possible: some path has positive weight. Moves are not counted.
    """
    steps, labels = emission.shape
    histories = transition.shape[0]
    alpha = np.empty((steps, histories, labels))
    beta = np.empty((steps, histories, labels))
    scale = np.empty(steps)
    total = np.zeros(1)
    counts = np.zeros((0, labels, labels))
    active = np.ones(steps, np.int64)
    forward(emission, active, transition, start, alpha, scale)
    backward(emission, active, transition, stop, alpha, scale, beta, counts, total)
    return alpha, beta, scale, total[0] > 0.0


@kernel
def forward(
    emission: FloatArray,
    active: LongArray,
    transition: FloatArray,
    start: FloatArray,
    alpha: FloatArray,
    scale: FloatArray,
) -> None:
    """alpha[r, h, w] = p(state is (h, w) | emissions up to row r), scale[r] its normaliser.

    If no path of positive weight continues, scale and alpha are 0 from there.
    """
    histories, labels = transition.shape[:2]
    first = 0  # row where the step begins
    before = 0  # row where the previous step begins
    for t in range(len(active)):
        last = first + active[t]
        if t == 0:
            alpha[first:last] = 0.0
            alpha[first:last, histories - 1] = start
        else:
            _advance(alpha[before : before + active[t]], transition, alpha[first:last])
        for r in range(first, last):
            states, weights = alpha[r], emission[r]
            total = 0.0
            for h in range(histories):
                for w in range(labels):
                    states[h, w] *= weights[w]
                    total += states[h, w]
            scale[r] = total if total > SMALLEST else 0.0
            inverse = 1.0 / total if total > SMALLEST else 0.0
            for h in range(histories):
                for w in range(labels):
                    states[h, w] *= inverse
        before, first = first, last


@kernel
def _advance(states: FloatArray, transition: FloatArray, onward: FloatArray) -> None:
    """onward[r, h(v), w] = Σ_{u, v} states[r, u, v] · transition[u, v, w]."""
    histories, labels = transition.shape[:2]
    onward[:] = 0.0
    if histories == 1:
        rows = len(states)
        add_product(states.reshape(rows, labels), transition[0], onward.reshape(rows, labels))
        return
    for r in range(len(states)):
        for u in range(histories):
            for v in range(labels):
                weight = states[r, u, v]
                if weight > 0.0:
                    for w in range(labels):
                        onward[r, v, w] += weight * transition[u, v, w]


@kernel
def backward(
    emission: FloatArray,
    active: LongArray,
    transition: FloatArray,
    stop: FloatArray,
    alpha: FloatArray,
    scale: FloatArray,
    beta: FloatArray,
    counts: FloatArray,
    total: FloatArray,
) -> None:
    """beta[r, h, w] such that alpha[r, h, w] · beta[r, h, w] = p(the state at row r is (h, w)).

    counts[u, v, w] grows by Σ_r p(state before r is (u, v), label at r is w) / transition[u, v, w].
    total[i] = Σ alpha · stop at the end of the i-th longest sequence.
    """
    histories, labels = transition.shape[:2]
    onward = np.empty((active[0], histories, labels))
    last = len(emission)
    going_on = 0  # sequences that have a next step
    for t in range(len(active) - 1, -1, -1):
        first = last - active[t]
        for i in range(going_on, active[t]):
            total[i] = (alpha[first + i] * stop).sum()
            inverse = 1.0 / total[i] if total[i] > SMALLEST else 0.0
            beta[first + i] = stop * inverse
        if t > 0:
            # onward[r, h, w] = emission[r, w] · beta[r, h, w] / scale[r]
            for i in range(active[t]):
                r = first + i
                ahead, weights, after = onward[i], emission[r], beta[r]
                inverse = 1.0 / scale[r] if scale[r] > 0.0 else 0.0
                for h in range(histories):
                    for w in range(labels):
                        ahead[h, w] = weights[w] * after[h, w] * inverse
            before = first - active[t - 1]
            rows = slice(before, before + active[t])
            _retreat(onward[: active[t]], transition, alpha[rows], beta[rows], counts)
        going_on = active[t]
        last = first


@kernel
def _retreat(
    onward: FloatArray,
    transition: FloatArray,
    states: FloatArray,
    beta: FloatArray,
    counts: FloatArray,
) -> None:
    """beta[r, u, v] = Σ_w transition[u, v, w] · onward[r, h(v), w].

    counts[u, v, w] += Σ_r states[r, u, v] · onward[r, h(v), w], unless counts is empty.
    In a second-order chain beta is 0 where states is 0: nothing is multiplied with it.
    """
    histories, labels = transition.shape[:2]
    if histories == 1:
        ahead = onward.reshape(len(onward), labels)
        beta[:] = 0.0
        add_product(ahead, transition[0].T.copy(), beta.reshape(len(beta), labels))
        if len(counts):
            add_product(states.reshape(len(states), labels).T, ahead, counts[0])
        return
    for r in range(len(states)):
        for u in range(histories):
            for v in range(labels):
                inner = 0.0
                weight = states[r, u, v]
                if weight > 0.0:
                    for w in range(labels):
                        inner += transition[u, v, w] * onward[r, v, w]
                    for w in range(labels if len(counts) else 0):
                        counts[u, v, w] += weight * onward[r, v, w]
                beta[r, u, v] = inner


@kernel
def add_product(a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    """out[i, w] += Σ_v a[i, v] · b[v, w], in blocks of 2 × 4 that stay in registers.

    A BLAS would start threads of its own next to ours.
    """
    rows, inner = a.shape
    for i in range(0, rows - 1, 2):
        one, two = out[i], out[i + 1]
        for v in range(0, inner - 3, 4):
            a0, a1, a2, a3 = a[i, v], a[i, v + 1], a[i, v + 2], a[i, v + 3]
            c0, c1, c2, c3 = a[i + 1, v], a[i + 1, v + 1], a[i + 1, v + 2], a[i + 1, v + 3]
            for w in range(b.shape[1]):
                b0, b1, b2, b3 = b[v, w], b[v + 1, w], b[v + 2, w], b[v + 3, w]
                one[w] += a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3
                two[w] += c0 * b0 + c1 * b1 + c2 * b2 + c3 * b3
        for v in range(inner - inner % 4, inner):
            a0, c0 = a[i, v], a[i + 1, v]
            for w in range(b.shape[1]):
                one[w] += a0 * b[v, w]
                two[w] += c0 * b[v, w]
    for i in range(rows - rows % 2, rows):
        for v in range(inner):
            a0 = a[i, v]
            for w in range(b.shape[1]):
                out[i, w] += a0 * b[v, w]
