"""Kernels of exact inference over subgraphs: loops only; `subgraphs.py` checks and names.

A subgraph is walked word by word, node by node. What matters of the past is which nodes are
active: bits next_0 … next_m of the next word as far as they are known, then cur_m … cur_{N-1} of
this word as far as they are still to come. A step concerns two of these bits only, a = next_m and
c = cur_m, and turns them into next_m and d = next_{m+1}:

    c = 0    (a, 0) → (a, 0)         the node is not active
    c = 1    (a, 1) → (a ∨ stay, on)  for every non-empty choice of stay, on and end

With s, o and e the weights of the three children, the choices that lead to the same bits together
weigh  END = e,  STAY = s(1 + e),  ON = o(1 + e)  and  BOTH = so(1 + e):

    y00 = x00 + END · x01
    y10 = x10 + STAY · x01 + (STAY + END) · x11          first index a, second c or d
    y01 =       ON · x01
    y11 =       BOTH · x01 + (BOTH + ON) · x11

There are 2^{N+1} states between two nodes, and 2^N between two words. Before node m the bits of a
state are, from the lowest, next_m, cur_m … cur_{N-1}, next_0 … next_{m-1}: the two that matter come
first. A step moves next_m to the top, so that behind the last node all is as before the first one
of the next word, with a lowest bit that is 0.

Eight sentences of about the same length are walked in step, so that every line of a loop works on
eight numbers that lie side by side: the last index of all arrays. A sentence that is through has
children of no weight.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray, RealArray

Bits = npt.NDArray[np.uint8]

LANES = 8
PASS, END, STAY, ON, BOTH = 0, 1, 2, 3, 4  #: columns of the weights of a node; of T: PASS, STAY
STAY_BIT, ON_BIT, END_BIT = 1, 2, 4
#: Scores beyond it, either way, count as this: e^50 to one is certain, and no product overflows.
LIMIT = 50.0
#: Before node 0 the bits 1, 3, 5 … are B0, B1, B2 …
IN_A_PART = 0xAAAA


@kernel
def child_weights(
    scores: RealArray, first: int, length: int, place: IntArray, lane: int, weights: FloatArray
) -> None:
    """weights[k, j, lane] = exp(score) of column j at word k of a sentence; 0 where impossible.

    place[m, i] is the column of child i (stay, on, end) of node m, -1 for none.
    """
    weights[:, :, lane] = 0.0
    for k in range(length):
        row = scores[first + k]
        weights[k, 0, lane] = np.exp(min(max(np.float64(row[0]), -LIMIT), LIMIT))
        for m in range(len(place)):
            for i in range(2 if k == length - 1 else 0, 3):
                if place[m, i] >= 0:
                    score = np.float64(row[place[m, i]])
                    weights[k, place[m, i], lane] = np.exp(min(max(score, -LIMIT), LIMIT))


@kernel
def node_weights(taken: FloatArray, left: FloatArray, place: IntArray, weights: FloatArray) -> None:
    """weights[0] of T and weights[1 + m] of node m from taken[j], left[j] of their children.

    A child weighs left[j] where it is not taken: 1, or 0 where it is forced.
    """
    weights[0, PASS], weights[0, STAY] = left[0], taken[0]
    for m in range(len(place)):
        j, node = place[m], weights[1 + m]
        for n in range(LANES):
            stay, no_stay = (taken[j[0], n], left[j[0], n]) if j[0] >= 0 else (0.0, 1.0)
            on, no_on = (taken[j[1], n], left[j[1], n]) if j[1] >= 0 else (0.0, 1.0)
            end, no_end = (taken[j[2], n], left[j[2], n]) if j[2] >= 0 else (0.0, 1.0)
            node[PASS, n] = no_stay * no_on * no_end
            node[END, n] = no_stay * no_on * end
            node[STAY, n] = stay * no_on * (no_end + end)
            node[ON, n] = no_stay * on * (no_end + end)
            node[BOTH, n] = stay * on * (no_end + end)


@kernel
def start_step(states: FloatArray, weights: FloatArray, out: FloatArray) -> None:
    """Let T make B0 active or not; states of a word become states before node 0 (next_0 = 0)."""
    x, y = states.reshape(-1, 2, LANES), out.reshape(-1, 2, 2, LANES)
    passes, starts = weights[PASS], weights[STAY]
    for g in range(len(x)):
        for n in range(LANES):
            y[g, 0, 0, n] = passes[n] * x[g, 0, n]
            y[g, 1, 0, n] = starts[n] * x[g, 0, n] + (passes[n] + starts[n]) * x[g, 1, n]
            y[g, 0, 1, n] = 0.0
            y[g, 1, 1, n] = 0.0


@kernel
def node_step(states: FloatArray, weights: FloatArray, out: FloatArray) -> None:
    """Out = states with the node of their lowest bits done, next_m moved to the top."""
    x, y = states.reshape(-1, 2, 2, LANES), out.reshape(2, -1, 2, LANES)  # rest c a, a rest d
    for g in range(len(x)):
        for n in range(LANES):
            fresh, again = x[g, 1, 0, n], x[g, 1, 1, n]
            passes, end, stay = weights[PASS, n], weights[END, n], weights[STAY, n]
            on, both = weights[ON, n], weights[BOTH, n]
            y[0, g, 0, n] = passes * x[g, 0, 0, n] + end * fresh
            y[1, g, 0, n] = passes * x[g, 0, 1, n] + stay * fresh + (stay + end) * again
            y[0, g, 1, n] = on * fresh
            y[1, g, 1, n] = both * fresh + (both + on) * again


@kernel
def node_step_back(
    states: FloatArray,
    weights: FloatArray,
    slope: FloatArray,
    out: FloatArray,
    chosen: FloatArray,
) -> None:
    """Out = ∂/∂states from slope = ∂/∂out of :func:`node_step`.

    chosen[w] = w · ∂/∂w for each weight: how probable it is that its choice is made.
    """
    x, y = states.reshape(-1, 2, 2, LANES), slope.reshape(2, -1, 2, LANES)
    before = out.reshape(-1, 2, 2, LANES)
    chosen[:] = 0.0
    for g in range(len(x)):
        for n in range(LANES):
            fresh, again = x[g, 1, 0, n], x[g, 1, 1, n]
            y00, y10, y01, y11 = y[0, g, 0, n], y[1, g, 0, n], y[0, g, 1, n], y[1, g, 1, n]
            chosen[END, n] += y00 * fresh + y10 * again
            chosen[STAY, n] += y10 * (fresh + again)
            chosen[ON, n] += y01 * fresh + y11 * again
            chosen[BOTH, n] += y11 * (fresh + again)
            passes, end, stay = weights[PASS, n], weights[END, n], weights[STAY, n]
            on, both = weights[ON, n], weights[BOTH, n]
            before[g, 0, 0, n] = passes * y00
            before[g, 0, 1, n] = passes * y10
            before[g, 1, 0, n] = end * y00 + stay * y10 + on * y01 + both * y11
            before[g, 1, 1, n] = (stay + end) * y10 + (both + on) * y11
    for w in range(5):
        for n in range(LANES):
            chosen[w, n] *= weights[w, n]


@kernel
def start_step_back(
    states: FloatArray, weights: FloatArray, slope: FloatArray, chosen: FloatArray, beta: FloatArray
) -> None:
    """Beta = ∂/∂states of :func:`start_step`; chosen[STAY] = p(T starts a mention)."""
    x, y, out = (
        states.reshape(-1, 2, LANES),
        slope.reshape(-1, 2, 2, LANES),
        beta.reshape(-1, 2, LANES),
    )
    passes, starts = weights[PASS], weights[STAY]
    chosen[STAY] = 0.0
    for g in range(len(x)):
        for n in range(LANES):
            off, active = y[g, 0, 0, n], y[g, 1, 0, n]
            chosen[STAY, n] += starts[n] * active * (x[g, 0, n] + x[g, 1, n])
            out[g, 0, n] = passes[n] * off + starts[n] * active
            out[g, 1, n] = (passes[n] + starts[n]) * active


@kernel
def walk_word(states: FloatArray, weights: FloatArray, steps: FloatArray) -> None:
    """steps[0] behind T, steps[1 + m] behind node m; the last holds the states of the next word."""
    start_step(states, weights[0], steps[0])
    for m in range(len(steps) - 1):
        node_step(steps[m], weights[1 + m], steps[m + 1])


@kernel
def forward(
    taken: FloatArray, left: FloatArray, place: IntArray, alpha: FloatArray, scale: FloatArray
) -> FloatArray:
    """alpha[k, σ] ∝ weight of all beginnings that lead to the states σ before word k; log Z.

    The rows of alpha sum to one; scale[k] is what the row behind word k was divided by. Where
    nothing is possible log Z is -inf.
    """
    nodes = len(place)
    weights, steps = np.empty((nodes + 1, 5, LANES)), np.empty((nodes + 1, 2 << nodes, LANES))
    log_partition = np.zeros(LANES)
    alpha[0] = 0.0
    alpha[0, 0] = 1.0
    for k in range(len(taken)):
        node_weights(taken[k], left[k], place, weights)
        walk_word(alpha[k], weights, steps)
        total, behind, onward = scale[k], steps[nodes], alpha[k + 1]
        total[:] = 0.0
        for i in range(len(onward)):
            for n in range(LANES):
                total[n] += behind[2 * i, n]
        for i in range(len(onward)):
            for n in range(LANES):
                onward[i, n] = behind[2 * i, n] / total[n] if total[n] > 0.0 else 0.0
        log_partition += np.log(total)
    return log_partition


@kernel
def backward(
    taken: FloatArray,
    left: FloatArray,
    place: IntArray,
    alpha: FloatArray,
    scale: FloatArray,
    chosen: FloatArray,
    outside: FloatArray,
) -> None:
    """chosen[k, 1 + m, w] = p(node m makes choice w at word k), T at m = -1; outside[k] = p(no B).

    beta[σ] = ∂ log Z / ∂ alpha[k, σ], the last word first.
    """
    nodes, size = len(place), alpha.shape[1]
    weights, steps = np.empty((nodes + 1, 5, LANES)), np.empty((nodes + 1, 2 << nodes, LANES))
    slope, other = np.zeros((2 << nodes, LANES)), np.zeros((2 << nodes, LANES))
    beta = np.zeros((1 << nodes, LANES))
    beta[0] = 1.0
    for k in range(len(taken) - 1, -1, -1):
        node_weights(taken[k], left[k], place, weights)
        walk_word(alpha[k], weights, steps)
        for i in range(size):
            for n in range(LANES):
                slope[2 * i, n] = beta[i, n] / scale[k, n]
                slope[2 * i + 1, n] = 0.0
        for m in range(nodes - 1, -1, -1):
            node_step_back(steps[m], weights[1 + m], slope, other, chosen[k, 1 + m])
            slope, other = other, slope
        outside[k] = 0.0
        for i in range(0, 2 * size, 2):
            if not i & IN_A_PART:
                for n in range(LANES):
                    outside[k, n] += steps[0, i, n] * slope[i, n]
        start_step_back(alpha[k], weights[0], slope, chosen[k, 0], beta)


@kernel
def expect(
    scores: RealArray,
    sentences: LongArray,
    order: LongArray,
    place: IntArray,
    marginals: RealArray,
    covered: FloatArray,
    log_partition: FloatArray,
) -> None:
    """marginals[t, j] = p(column j is active), covered[t] = p(a B is active), log Z by sentence.

    `order` lists the sentences, the longest first. `marginals` may be `scores`.
    """
    nodes, columns = len(place), scores.shape[1]
    longest = sentences[order[0] + 1] - sentences[order[0]]
    alpha, scale = np.empty((longest + 1, 1 << nodes, LANES)), np.empty((longest, LANES))
    taken, left = np.empty((longest, columns, LANES)), np.ones((longest, columns, LANES))
    chosen, outside = np.empty((longest, nodes + 1, 5, LANES)), np.empty((longest, LANES))
    for block in range(0, len(order), LANES):
        own = order[block : block + LANES]
        words = sentences[own[0] + 1] - sentences[own[0]]
        taken[:words] = 0.0
        for n in range(len(own)):
            first, last = sentences[own[n]], sentences[own[n] + 1]
            child_weights(scores, first, last - first, place, n, taken[:words])
        found = forward(taken[:words], left, place, alpha, scale)
        backward(taken[:words], left, place, alpha, scale, chosen, outside)
        for n in range(len(own)):
            log_partition[own[n]] = found[n]
            first = sentences[own[n]]
            for k in range(sentences[own[n] + 1] - first):
                covered[first + k] = 1.0 - outside[k, n]
                sum_up(chosen[k], taken[k], place, n, marginals[first + k])


@kernel
def sum_up(
    chosen: FloatArray, taken: FloatArray, place: IntArray, lane: int, marginals: RealArray
) -> None:
    """marginals[j] = p(column j is active): the sum of the choices that have it.

    END stands beside other children in e / (1 + e) of all cases.
    """
    marginals[0] = chosen[0, STAY, lane]
    for m in range(len(place)):
        stay, on, end = place[m]
        both = chosen[1 + m, BOTH, lane]
        stays, goes_on = chosen[1 + m, STAY, lane], chosen[1 + m, ON, lane]
        if stay >= 0:
            marginals[stay] = stays + both
        if on >= 0:
            marginals[on] = goes_on + both
        if end >= 0:
            share = taken[end, lane] / (1.0 + taken[end, lane])
            marginals[end] = chosen[1 + m, END, lane] + share * (stays + goes_on + both)


@kernel
def forced_log_weights(
    scores: RealArray, place: IntArray, forced: Bits, log_weights: FloatArray
) -> None:
    """log_weights[p] = log Σ of the weights of all subgraphs that hold the columns forced[p, k, j].

    All for one sentence. A child that must be taken weighs nothing where it is not.
    """
    length, columns = scores.shape
    alpha, scale = np.empty((length + 1, 1 << len(place), LANES)), np.empty((length, LANES))
    taken, left = np.empty((length, columns, LANES)), np.empty((length, columns, LANES))
    for n in range(LANES):
        child_weights(scores, 0, length, place, n, taken)
    for block in range(0, len(forced), LANES):
        left[:] = 1.0
        lanes = min(LANES, len(forced) - block)
        for n in range(lanes):
            for k in range(length):
                for j in range(columns):
                    left[k, j, n] = 1.0 - forced[block + n, k, j]
        found = forward(taken, left, place, alpha, scale)
        log_weights[block : block + lanes] = found[:lanes]
