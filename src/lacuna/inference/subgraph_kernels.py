"""Kernels of exact inference over subgraphs; `subgraphs.py` checks the arguments.

The nodes of a word (B0, O1, B1, …, T) and their children stay, on and end are defined in
`encoding/hypergraph.py`: read that first. A subgraph is walked word by word, node by node. What
matters of the past is which nodes are active: bits next_0 … next_m of the next word, as far as they
are known, then cur_m … cur_{N-1} of this word, as far as they are still to come. A step concerns
two of these bits only, a = next_m and c = cur_m, and turns them into next_m and d = next_{m+1}:

    c = 0    (a, 0) → (a, 0)         the node is not active
    c = 1    (a, 1) → (a ∨ stay, on)  for every non-empty choice of stay, on and end

With s, o and e the weights of the three children, the choices that lead to the same bits together
weigh  END = e,  STAY = s(1 + e),  ON = o(1 + e)  and  BOTH = so(1 + e). With x_ac the weight of all
beginnings of a subgraph with bits (a, c) before a node, and y_ad after it,

    y00 = x00 + END · x01
    y10 = x10 + STAY · x01 + (STAY + END) · x11          first index a, second c or d
    y01 =       ON · x01
    y11 =       BOTH · x01 + (BOTH + ON) · x11

There are 2^{N+1} states between two nodes, and 2^N between two words. Before node m the bits of a
state are, from the lowest, next_m, cur_m … cur_{N-1}, next_0 … next_{m-1}: the two that matter come
first. A step moves next_m to the top, so that after the last node everything is as before the first
one of the next word, with a lowest bit that is 0.

Sixteen sentences of similar length are walked in step: a number in the formulas is a row of sixteen
adjacent numbers, row i from i · LANES on. (The compiler turns flat arrays with constant strides
into vector instructions.) After the end of a sentence its children have no weight.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray, RealArray

Bits = npt.NDArray[np.uint8]
LANES = 16
PASS, END, STAY, ON, BOTH = 0, 1, 2, 3, 4  #: rows of the weights of a node; of T: PASS, STAY
STAY_BIT, ON_BIT, END_BIT = 1, 2, 4

#: Scores are clipped to ± this: e^50 to one is certain, and no product overflows.
LIMIT = 50.0

#: Before node 0 the bits 1, 3, 5 … are B0, B1, B2 …
IN_A_PART = 0xAAAA


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
    alpha, scale = np.empty((longest + 1, LANES << nodes)), np.empty((longest, LANES))
    taken, left = np.empty((longest, columns, LANES)), np.ones((longest, columns, LANES))
    chosen, outside = np.empty((longest, nodes + 1, 5 * LANES)), np.empty((longest, LANES))
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
def forced_log_weights(
    scores: RealArray, place: IntArray, forced: Bits, log_weights: FloatArray
) -> None:
    """log_weights[p] = log Σ of the weights of all subgraphs with the columns forced[p, k, j].

    All for one sentence. A forced child that is not taken has weight 0.
    """
    length, columns = scores.shape
    alpha, scale = np.empty((length + 1, LANES << len(place))), np.empty((length, LANES))
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


@kernel
def forward(
    taken: FloatArray, left: FloatArray, place: IntArray, alpha: FloatArray, scale: FloatArray
) -> FloatArray:
    """alpha[k, σ] ∝ weight of all beginnings that lead to the states σ before word k; log Z.

    The rows of alpha sum to one; scale[k] is what the row after word k was divided by.
    """
    nodes = len(place)
    weights = np.empty((nodes + 1, 5 * LANES))
    steps = np.empty((nodes + 1, (2 << nodes) * LANES))
    log_partition = np.zeros(LANES)
    alpha[0] = 0.0
    alpha[0, :LANES] = 1.0
    for k in range(len(taken)):
        node_weights(taken[k], left[k], place, weights)
        walk_word(alpha[k], weights, steps)
        total, after, onward = scale[k], steps[nodes], alpha[k + 1]
        total[:] = 0.0
        for i in range(1 << nodes):
            row = after[2 * i * LANES : (2 * i + 1) * LANES]
            for n in range(LANES):
                total[n] += row[n]
        for i in range(1 << nodes):
            row, to = (
                after[2 * i * LANES : (2 * i + 1) * LANES],
                onward[i * LANES : (i + 1) * LANES],
            )
            for n in range(LANES):
                to[n] = row[n] / total[n] if total[n] > 0.0 else 0.0
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
    nodes = len(place)
    weights = np.empty((nodes + 1, 5 * LANES))
    steps = np.empty((nodes + 1, (2 << nodes) * LANES))
    slope, other = np.empty((2 << nodes) * LANES), np.empty((2 << nodes) * LANES)
    beta = np.zeros((1 << nodes) * LANES)
    beta[:LANES] = 1.0
    for k in range(len(taken) - 1, -1, -1):
        node_weights(taken[k], left[k], place, weights)
        walk_word(alpha[k], weights, steps)
        slope[:] = 0.0
        for i in range(1 << nodes):
            row, to = beta[i * LANES : (i + 1) * LANES], slope[2 * i * LANES : (2 * i + 1) * LANES]
            for n in range(LANES):
                to[n] = row[n] / scale[k, n]
        for m in range(nodes - 1, -1, -1):
            node_step_back(steps[m], weights[1 + m], slope, other, chosen[k, 1 + m])
            slope, other = other, slope
        outside[k] = 0.0
        for i in range(0, 2 << nodes, 2):
            if not i & IN_A_PART:
                for n in range(LANES):
                    outside[k, n] += steps[0, i * LANES + n] * slope[i * LANES + n]
        start_step_back(alpha[k], weights[0], slope, chosen[k, 0], beta)


@kernel
def walk_word(states: FloatArray, weights: FloatArray, steps: FloatArray) -> None:
    """Fill steps[0] after T, steps[1 + m] after node m; the last one is for the next word."""
    start_step(states, weights[0], steps[0])
    for m in range(len(steps) - 1):
        node_step(steps[m], weights[1 + m], steps[m + 1])


@kernel
def start_step(states: FloatArray, weights: FloatArray, out: FloatArray) -> None:
    """Let T make B0 active or not; states of a word become states before node 0 (next_0 = 0)."""
    for g in range(len(states) // (2 * LANES)):
        x = states[2 * g * LANES : (2 * g + 2) * LANES]  # B0 not active, active
        y = out[4 * g * LANES : (4 * g + 4) * LANES]
        for n in range(LANES):
            passes, starts = weights[PASS * LANES + n], weights[STAY * LANES + n]
            y[n] = passes * x[n]
            y[LANES + n] = 0.0
            y[2 * LANES + n] = starts * x[n] + (passes + starts) * x[LANES + n]
            y[3 * LANES + n] = 0.0


@kernel
def node_step(states: FloatArray, weights: FloatArray, out: FloatArray) -> None:
    """Fill out with the states after the node of their lowest bits, next_m moved to the top."""
    half = len(states) // 2
    for g in range(half // (2 * LANES)):
        x = states[4 * g * LANES : (4 * g + 4) * LANES]  # x00, x10, x01, x11
        low = out[2 * g * LANES : (2 * g + 2) * LANES]  # y00, y01
        high = out[half + 2 * g * LANES : half + (2 * g + 2) * LANES]  # y10, y11
        for n in range(LANES):
            x01, x11 = x[2 * LANES + n], x[3 * LANES + n]
            passes, end = weights[PASS * LANES + n], weights[END * LANES + n]
            stay, on = weights[STAY * LANES + n], weights[ON * LANES + n]
            both = weights[BOTH * LANES + n]
            low[n] = passes * x[n] + end * x01
            high[n] = passes * x[LANES + n] + stay * x01 + (stay + end) * x11
            low[LANES + n] = on * x01
            high[LANES + n] = both * x01 + (both + on) * x11


@kernel
def start_step_back(
    states: FloatArray, weights: FloatArray, slope: FloatArray, chosen: FloatArray, beta: FloatArray
) -> None:
    """Fill beta = ∂/∂states of :func:`start_step`; chosen[STAY] = p(T starts a mention)."""
    chosen[:] = 0.0
    for g in range(len(states) // (2 * LANES)):
        x, out = (
            states[2 * g * LANES : (2 * g + 2) * LANES],
            beta[2 * g * LANES : (2 * g + 2) * LANES],
        )
        y = slope[4 * g * LANES : (4 * g + 4) * LANES]
        for n in range(LANES):
            passes, starts = weights[PASS * LANES + n], weights[STAY * LANES + n]
            chosen[STAY * LANES + n] += starts * y[2 * LANES + n] * (x[n] + x[LANES + n])
            out[n] = passes * y[n] + starts * y[2 * LANES + n]
            out[LANES + n] = (passes + starts) * y[2 * LANES + n]


@kernel
def node_step_back(
    states: FloatArray,
    weights: FloatArray,
    slope: FloatArray,
    out: FloatArray,
    chosen: FloatArray,
) -> None:
    """Fill out = ∂/∂states from slope = ∂/∂out of :func:`node_step`.

    chosen[w] = w · ∂/∂w for each weight: the probability that its choice is made.
    """
    half = len(states) // 2
    chosen[:] = 0.0
    for g in range(half // (2 * LANES)):
        x = states[4 * g * LANES : (4 * g + 4) * LANES]
        before = out[4 * g * LANES : (4 * g + 4) * LANES]
        low = slope[2 * g * LANES : (2 * g + 2) * LANES]
        high = slope[half + 2 * g * LANES : half + (2 * g + 2) * LANES]
        for n in range(LANES):
            x01, x11 = x[2 * LANES + n], x[3 * LANES + n]
            y00, y01, y10, y11 = low[n], low[LANES + n], high[n], high[LANES + n]
            chosen[END * LANES + n] += y00 * x01 + y10 * x11
            chosen[STAY * LANES + n] += y10 * (x01 + x11)
            chosen[ON * LANES + n] += y01 * x01 + y11 * x11
            chosen[BOTH * LANES + n] += y11 * (x01 + x11)
            passes, end = weights[PASS * LANES + n], weights[END * LANES + n]
            stay, on = weights[STAY * LANES + n], weights[ON * LANES + n]
            both = weights[BOTH * LANES + n]
            before[n] = passes * y00
            before[LANES + n] = passes * y10
            before[2 * LANES + n] = end * y00 + stay * y10 + on * y01 + both * y11
            before[3 * LANES + n] = (stay + end) * y10 + (both + on) * y11
    for i in range(len(chosen)):
        chosen[i] *= weights[i]


@kernel
def child_weights(
    scores: RealArray, first: int, length: int, place: IntArray, lane: int, weights: FloatArray
) -> None:
    """weights[k, j, lane] = exp(score) of column j at word k of a sentence; 0 if impossible.

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

    A child that is not taken weighs left[j]: 1, or 0 if it is forced.
    """
    for n in range(LANES):
        weights[0, PASS * LANES + n], weights[0, STAY * LANES + n] = left[0, n], taken[0, n]
    for m in range(len(place)):
        j, node = place[m], weights[1 + m]
        for n in range(LANES):
            stay, no_stay = (taken[j[0], n], left[j[0], n]) if j[0] >= 0 else (0.0, 1.0)
            on, no_on = (taken[j[1], n], left[j[1], n]) if j[1] >= 0 else (0.0, 1.0)
            end, no_end = (taken[j[2], n], left[j[2], n]) if j[2] >= 0 else (0.0, 1.0)
            node[PASS * LANES + n] = no_stay * no_on * no_end
            node[END * LANES + n] = no_stay * no_on * end
            node[STAY * LANES + n] = stay * no_on * (no_end + end)
            node[ON * LANES + n] = no_stay * on * (no_end + end)
            node[BOTH * LANES + n] = stay * on * (no_end + end)


@kernel
def sum_up(
    chosen: FloatArray, taken: FloatArray, place: IntArray, lane: int, marginals: RealArray
) -> None:
    """marginals[j] = p(column j is active): the sum of the choices that have it.

    END goes with other children in e / (1 + e) of all cases.
    """
    marginals[0] = chosen[0, STAY * LANES + lane]
    for m in range(len(place)):
        stay, on, end = place[m]
        node = chosen[1 + m]
        both = node[BOTH * LANES + lane]
        stays, goes_on = node[STAY * LANES + lane], node[ON * LANES + lane]
        if stay >= 0:
            marginals[stay] = stays + both
        if on >= 0:
            marginals[on] = goes_on + both
        if end >= 0:
            share = taken[end, lane] / (1.0 + taken[end, lane])
            marginals[end] = node[END * LANES + lane] + share * (stays + goes_on + both)
