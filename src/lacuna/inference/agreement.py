"""Labels of the occurrences of one word, which prefer to agree: complete graphs.

    score(y) = Σ_i node[i, y_i] + Σ_{i<j} [y_i = y_j] agreement[y_i]
             = Σ_i node[i, y_i] + Σ_l agreement[l] c_l (c_l - 1) / 2,   c_l = nodes with label l

So a score depends on the single nodes and on the counts c, and sums and maxima over all labellings
are found exactly, node by node, with the counts as state: (m + 1)^(L - 1) states for m nodes and L
labels. Larger graphs are solved by loopy belief propagation, and the result says so.

The number of a state has the counts of all labels but the first as its digits in base (nodes + 1),
so that taking label l > 0 adds base**(l - 1), and label 0 adds nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.errors import InferenceError
from lacuna.kernels import kernel
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray

EXACT_CELLS = 250_000  #: nodes × states up to which inference is exact
ROUNDS = 100  #: of messages, at most
TOLERANCE = 1e-6  #: change of messages below which they have converged


class Graphs(NamedTuple):
    """Complete graphs, concatenated.

    node[i, l]
        Score of label l for node i; columns from ``labels`` of its graph on are unused.
    borders
        Graph g has the nodes borders[g] to borders[g + 1].
    labels
        Number of labels of the nodes of each graph.
    agreement[g, l]
        Score of each pair of nodes of graph g that both have label l.
    """

    node: FloatArray
    borders: LongArray
    labels: IntArray
    agreement: FloatArray


class Sums(NamedTuple):
    """log Z of every graph, p(y_i = l) of every node, expected pairs[g, l] that agree on l."""

    log_partition: FloatArray
    marginals: FloatArray
    pairs: FloatArray


class Solved(NamedTuple):
    """Best label and marginals of every node, and which graphs were solved exactly."""

    best: LongArray
    marginals: FloatArray
    exact: BoolArray


def exact_sums(graphs: Graphs) -> Sums:
    """Sum over all labellings of every graph, whatever its size."""
    marginals = np.zeros_like(graphs.node)
    pairs = np.zeros_like(graphs.agreement)
    total = sums_of_all(*graphs, marginals, pairs)
    if not np.isfinite(total).all():
        raise InferenceError("a graph has no labelling of finite score")
    return Sums(total, marginals, pairs)


def solve(graphs: Graphs) -> Solved:
    """Label the nodes: exactly, or by the largest beliefs if a graph is too large."""
    exact = is_exact(np.diff(graphs.borders), graphs.labels)
    best = np.zeros(len(graphs.node), np.int64)
    marginals = np.zeros_like(graphs.node)
    pairs = np.zeros_like(graphs.agreement)
    solve_all(*graphs, exact, ROUNDS, TOLERANCE, best, marginals, pairs)
    if not np.isfinite(marginals).all():
        raise InferenceError("a graph has no labelling of finite score")
    return Solved(best, marginals, exact)


def is_exact(nodes: LongArray, labels: IntArray) -> BoolArray:
    """Whether graphs of these sizes are small enough for exact inference."""
    cells = nodes * (nodes + 1.0) ** (labels - 1.0)
    return np.asarray(cells <= EXACT_CELLS)


@kernel
def sums_of_all(
    node: FloatArray,
    borders: LongArray,
    labels: IntArray,
    agreement: FloatArray,
    marginals: FloatArray,
    pairs: FloatArray,
) -> FloatArray:
    """Return log Z of every graph; fill marginals and expected pairs."""
    total = np.empty(len(labels))
    for g in range(len(labels)):
        own, size = slice(borders[g], borders[g + 1]), labels[g]
        total[g] = graph_sums(
            node[own, :size], agreement[g, :size], marginals[own, :size], pairs[g, :size]
        )
    return total


@kernel
def solve_all(
    node: FloatArray,
    borders: LongArray,
    labels: IntArray,
    agreement: FloatArray,
    exact: BoolArray,
    rounds: int,
    tolerance: float,
    best: LongArray,
    marginals: FloatArray,
    pairs: FloatArray,
) -> None:
    """Fill the best label and the marginals of every node; NaN if no labelling is possible."""
    for g in range(len(labels)):
        own, size = slice(borders[g], borders[g + 1]), labels[g]
        scores, agree, chances = node[own, :size], agreement[g, :size], marginals[own, :size]
        if exact[g]:
            if graph_sums(scores, agree, chances, pairs[g, :size]) == -np.inf:
                chances[:] = np.nan
            else:
                graph_best(scores, agree, best[own])
        else:
            graph_messages(scores, agree, chances, rounds, tolerance)
            for i in range(len(scores)):
                best[borders[g] + i] = np.argmax(chances[i])


@kernel
def graph_sums(
    node: FloatArray, agreement: FloatArray, marginals: FloatArray, pairs: FloatArray
) -> float:
    """Return log Z of one graph; fill p(y_i = l) and the expected pairs that agree on l."""
    nodes, labels = node.shape
    steps = label_steps(nodes, labels)
    # ahead[i, c] = log Σ over labels of the nodes before i that lead to state c
    ahead = np.full((nodes + 1, steps[labels]), -np.inf)
    ahead[0, 0] = 0.0
    for i in range(nodes):
        for state in range(steps[labels]):
            if ahead[i, state] > -np.inf:
                for label in range(labels):
                    to = state + steps[label]
                    ahead[i + 1, to] = log_add(ahead[i + 1, to], ahead[i, state] + node[i, label])
    counts = np.zeros(labels)
    after = np.full(steps[labels], -np.inf)  # after[c] = log Σ over what follows state c
    total = -np.inf
    for state in range(steps[labels]):
        if ahead[nodes, state] > -np.inf:
            after[state] = pair_score(state, nodes, agreement, counts)
            total = log_add(total, ahead[nodes, state] + after[state])
    marginals[:] = 0.0
    pairs[:] = 0.0
    if total == -np.inf:
        return total
    for state in range(steps[labels]):
        if ahead[nodes, state] > -np.inf:
            chance = np.exp(ahead[nodes, state] + after[state] - total)
            pair_score(state, nodes, agreement, counts)
            for label in range(labels):
                pairs[label] += chance * counts[label]
    for i in range(nodes - 1, -1, -1):
        before = np.full(steps[labels], -np.inf)
        for state in range(steps[labels]):
            if ahead[i, state] > -np.inf:
                for label in range(labels):
                    way = node[i, label] + after[state + steps[label]]
                    before[state] = log_add(before[state], way)
                    marginals[i, label] += np.exp(ahead[i, state] + way - total)
        after = before
    return total


@kernel
def graph_best(node: FloatArray, agreement: FloatArray, best: LongArray) -> float:
    """Return the score of the best labelling of one graph, and fill its labels."""
    nodes, labels = node.shape
    steps = label_steps(nodes, labels)
    highest = np.full((nodes + 1, steps[labels]), -np.inf)
    highest[0, 0] = 0.0
    taken = np.zeros((nodes + 1, steps[labels]), np.int16)  # last label on the way to a state
    for i in range(nodes):
        for state in range(steps[labels]):
            for label in range(labels):
                score = highest[i, state] + node[i, label]
                if score > -np.inf and score > highest[i + 1, state + steps[label]]:
                    highest[i + 1, state + steps[label]] = score
                    taken[i + 1, state + steps[label]] = label
    counts = np.zeros(labels)
    found, at = -np.inf, 0
    for state in range(steps[labels]):
        if highest[nodes, state] > -np.inf:
            score = highest[nodes, state] + pair_score(state, nodes, agreement, counts)
            if score > found:
                found, at = score, state
    for i in range(nodes, 0, -1):
        best[i - 1] = taken[i, at]
        at -= steps[taken[i, at]]
    return found


@kernel
def graph_messages(
    node: FloatArray, agreement: FloatArray, marginals: FloatArray, rounds: int, tolerance: float
) -> int:
    """Fill approximate p(y_i = l) by loopy belief propagation; return the rounds it took."""
    nodes, labels = node.shape
    gain = np.exp(agreement) - 1.0
    message = np.full((nodes, nodes, labels), 1.0 / labels)  # from, to
    following = message.copy()
    cavity = np.empty(labels)
    for turn in range(rounds):
        # belief[i, l] ∝ exp node[i, l] · Π_j message[j, i, l]
        for i in range(nodes):
            for label in range(labels):
                marginals[i, label] = node[i, label]
                for j in range(nodes):
                    if j != i:
                        marginals[i, label] += np.log(message[j, i, label])
            marginals[i] = np.exp(marginals[i] - marginals[i].max())
            marginals[i] /= marginals[i].sum()
        change = 0.0
        for i in range(nodes):
            for j in range(nodes):
                if i == j:
                    continue
                # cavity: the belief of i without the message from j
                total, size = 0.0, float(labels)
                for label in range(labels):
                    cavity[label] = marginals[i, label] / message[j, i, label]
                    total += cavity[label]
                # Σ_k cavity[k] exp(agreement[l] [k = l]) = 1 + gain[l] cavity[l]; damped by half
                for label in range(labels):
                    cavity[label] = gain[label] * cavity[label] / total
                    size += cavity[label]
                for label in range(labels):
                    new = ((1.0 + cavity[label]) / size + message[i, j, label]) / 2
                    change = max(change, abs(new - message[i, j, label]))
                    following[i, j, label] = new
        message, following = following, message
        if change < tolerance:
            return turn + 1
    return rounds


@kernel
def pair_score(state: int, nodes: int, agreement: FloatArray, counts: FloatArray) -> float:
    """Return Σ_l agreement[l] · c_l (c_l - 1) / 2; counts[l] becomes c_l (c_l - 1) / 2."""
    rest, total = nodes, 0.0
    for label in range(1, len(agreement)):
        count = state % (nodes + 1)
        state //= nodes + 1
        rest -= count
        counts[label] = count * (count - 1) / 2
        total += agreement[label] * counts[label]
    counts[0] = rest * (rest - 1) / 2
    return total + float(agreement[0] * counts[0])


@kernel
def label_steps(nodes: int, labels: int) -> LongArray:
    """Return what each label adds to the number of a state and, last, the number of states."""
    steps = np.zeros(labels + 1, np.int64)
    steps[1:] = 1
    for label in range(2, labels + 1):
        steps[label] = steps[label - 1] * (nodes + 1)
    return steps


@kernel
def log_add(a: float, b: float) -> float:
    """Return log(exp a + exp b)."""
    if a < b:
        a, b = b, a
    if b == -np.inf:
        return a
    return a + float(np.log1p(np.exp(b - a)))
