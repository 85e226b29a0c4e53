"""For comparison with the literature: inference over unfoldings, as in Muis and Lu (2016).

The functions are those of `inference/subgraphs.py`. The usual inside recursion multiplies the
values of children and sums over hyperedges,

    v(node) = Σ over non-empty choices Π over chosen children (weight · v(child))

It counts a node that two parents share once for each of them, each time with its own choices: not
subgraphs, but the trees they unfold to, of which there are far more (2, 8, 128, 32,768 for one to
four words, against 2, 8, 80, 3,584 subgraphs).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lacuna.encoding.gapped import Parts
from lacuna.encoding.hypergraph import Edges, Slice, encode
from lacuna.inference.batch import chunks, run_chunks
from lacuna.inference.subgraph_kernels import ON_BIT, STAY_BIT, Bits
from lacuna.inference.subgraphs import SubgraphExpectations, places
from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray, RealArray


def expectations(
    graph: Slice,
    scores: RealArray,
    sentences: LongArray,
    *,
    spoil: bool = False,
    threads: int | None = None,
) -> SubgraphExpectations:
    """Return expectations over unfoldings; an edge may be expected more than once."""
    place = places(graph)
    marginals = scores if spoil else np.empty_like(scores)
    log_partition = np.empty(len(sentences) - 1)

    def one_chunk(first: int, last: int) -> None:
        a, b = sentences[first], sentences[last]
        borders = sentences[first : last + 1] - a
        expect_unfolded(scores[a:b], borders, place, marginals[a:b], log_partition[first:last])

    run_chunks(one_chunk, chunks(sentences), threads=threads)
    return SubgraphExpectations(log_partition, marginals)


def best_subgraphs(
    graph: Slice, scores: RealArray, sentences: LongArray, *, threads: int | None = None
) -> Edges:
    """Return the edges of the best unfolding of every sentence, which form a subgraph."""
    place = places(graph)
    edges = np.zeros((len(scores), 1 + graph.nodes), np.uint8)

    def one_chunk(first: int, last: int) -> None:
        a, b = sentences[first], sentences[last]
        best_unfolded(scores[a:b], sentences[first : last + 1] - a, place, edges[a:b])

    run_chunks(one_chunk, chunks(sentences), threads=threads)
    return edges


def mention_probabilities(graph: Slice, scores: RealArray, mentions: Sequence[Parts]) -> FloatArray:
    """Return for mentions of one sentence the probability that their paths are in the unfolding."""
    edges = [encode([mention], len(scores), graph) for mention in mentions]
    probability = np.empty(len(mentions))
    if edges:
        unfolded_paths(scores, places(graph), np.stack(edges), probability)
    return np.clip(probability, 0.0, 1.0)


def coverage(graph: Slice, scores: RealArray, sentences: LongArray) -> FloatArray:
    """Return for every token the probability that it is in a part of some mention."""
    covered = np.empty(len(scores))
    cover_unfolded(scores, sentences, places(graph), covered)
    return np.clip(covered, 0.0, 1.0)


@kernel
def node_value(
    scores: RealArray, place: IntArray, m: int, onward: FloatArray, odds: FloatArray
) -> float:
    """odds[i] = log(weight of child i · v(child)) for node m; return log v(node m).

    v = (1 + stay)(1 + on)(1 + end) - 1: the children are taken independently, but not none.
    onward[m] is log v of node m of the next word, -inf after the last.
    """
    total = 0.0
    for i in range(3):
        odds[i] = -np.inf
        if place[m, i] >= 0:
            odds[i] = scores[place[m, i]] + (onward[m + i] if i < 2 else 0.0)
        total += softplus(odds[i])
    return total + math.log(-math.expm1(-total)) if total > 0.0 else -math.inf


@kernel
def inside(scores: RealArray, place: IntArray, value: FloatArray, odds: FloatArray) -> None:
    """value[k, m] = log v(node m of word k) and odds[k, m] of its children, last word first."""
    length = len(scores)
    value[length] = -np.inf
    for k in range(length - 1, -1, -1):
        for m in range(len(place)):
            value[k, m] = node_value(scores[k], place, m, value[k + 1], odds[k, m])


@kernel
def softplus(x: float) -> float:
    """Return log(1 + e^x)."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@kernel
def logistic(x: float) -> float:
    """Return e^x / (1 + e^x)."""
    return 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else 0.0


@kernel
def child_probability(odds: FloatArray, i: int) -> float:
    """Return p(a node takes child i | it takes any)."""
    total = softplus(odds[0]) + softplus(odds[1]) + softplus(odds[2])
    return logistic(odds[i]) / -math.expm1(-total) if total > 0.0 else 0.0


@kernel
def expect_unfolded(
    scores: RealArray,
    sentences: LongArray,
    place: IntArray,
    marginals: RealArray,
    log_partition: FloatArray,
) -> None:
    """marginals[t, j] = expected number of edges of column j, which may pass 1; log Z."""
    nodes = len(place)
    longest = np.max(sentences[1:] - sentences[:-1])
    value, odds = np.empty((longest + 1, nodes)), np.empty((longest, nodes, 3))
    uses = np.empty(nodes)  # expected number of uses of the nodes of a word, from the word before
    onward = np.empty(nodes + 1)
    for s in range(len(sentences) - 1):
        first, last = sentences[s], sentences[s + 1]
        inside(scores[first:last], place, value, odds)
        log_partition[s] = 0.0
        uses[:] = 0.0
        for k in range(last - first):
            row = marginals[first + k]
            start = scores[first + k, 0] + value[k, 0]
            log_partition[s] += softplus(start)
            row[0] = logistic(start)
            uses[0] += logistic(start)
            onward[:] = 0.0
            for m in range(nodes):
                for i in range(3):
                    if place[m, i] >= 0:
                        taken = uses[m] * child_probability(odds[k, m], i)
                        row[place[m, i]] = taken
                        if i < 2:
                            onward[m + i] += taken
            uses[:] = onward[:nodes]


@kernel
def best_unfolded(scores: RealArray, sentences: LongArray, place: IntArray, edges: Bits) -> None:
    """Fill edges[t] with the nodes and choices of the best unfolding."""
    nodes = len(place)
    longest = np.max(sentences[1:] - sentences[:-1])
    value, choice = np.empty((longest + 1, nodes)), np.empty((longest, nodes), np.uint8)
    active, onward = np.empty(nodes, np.bool_), np.empty(nodes + 1, np.bool_)
    for s in range(len(sentences) - 1):
        first, last = sentences[s], sentences[s + 1]
        value[last - first] = -np.inf
        for k in range(last - first - 1, -1, -1):
            for m in range(nodes):
                _best_children(scores[first + k], place, m, value[k + 1], value[k], choice[k])
        active[:] = False
        for k in range(last - first):
            row = edges[first + k]
            row[0] = scores[first + k, 0] + value[k, 0] > 0.0
            active[0] |= row[0] > 0
            onward[:] = False
            for m in range(nodes):
                row[1 + m] = choice[k, m] if active[m] else 0
                onward[m] |= row[1 + m] & STAY_BIT > 0
                onward[m + 1] |= row[1 + m] & ON_BIT > 0
            active[:] = onward[:nodes]


@kernel
def _best_children(
    scores: RealArray, place: IntArray, m: int, onward: FloatArray, value: FloatArray, choice: Bits
) -> None:
    """Take every child that adds to the score, or the best one if none does."""
    total, taken, highest, likeliest = 0.0, 0, -np.inf, 0
    for i in range(3):
        if place[m, i] >= 0:
            score = scores[place[m, i]] + (onward[m + i] if i < 2 else 0.0)
            if score > highest:
                highest, likeliest = score, 1 << i
            if score > 0.0:
                total, taken = total + score, taken | (1 << i)
    value[m], choice[m] = (total, taken) if taken else (highest, likeliest)


@kernel
def unfolded_paths(
    scores: RealArray, place: IntArray, edges: Bits, probability: FloatArray
) -> None:
    """probability[p] = p(path edges[p] is there): each node on it takes the child that leads on."""
    length, nodes = len(scores), len(place)
    value, odds = np.empty((length + 1, nodes)), np.empty((length, nodes, 3))
    inside(scores, place, value, odds)
    for p in range(len(edges)):
        probability[p] = 1.0
        for k in range(length):
            if edges[p, k, 0]:
                probability[p] *= logistic(scores[k, 0] + value[k, 0])
            for m in range(nodes):
                for i in range(3):
                    if edges[p, k, 1 + m] & (1 << i):
                        probability[p] *= child_probability(odds[k, m], i)


@kernel
def cover_unfolded(
    scores: RealArray, sentences: LongArray, place: IntArray, covered: FloatArray
) -> None:
    """covered[t] = 1 - Z with no B at t / Z: a walk to the first word for every word."""
    nodes = len(place)
    longest = np.max(sentences[1:] - sentences[:-1])
    value, odds = np.empty((longest + 1, nodes)), np.empty((longest, nodes, 3))
    here, onward, unused = np.empty(nodes), np.empty(nodes), np.empty(3)
    for s in range(len(sentences) - 1):
        first = sentences[s]
        inside(scores[first : sentences[s + 1]], place, value, odds)
        for k in range(sentences[s + 1] - first):
            onward[:] = value[k]
            onward[::2] = -np.inf
            log_ratio = -softplus(scores[first + k, 0] + value[k, 0])
            for j in range(k - 1, -1, -1):
                row = scores[first + j]
                for m in range(nodes):
                    here[m] = node_value(row, place, m, onward, unused)
                log_ratio += softplus(row[0] + here[0]) - softplus(row[0] + value[j, 0])
                onward[:] = here
            covered[first + k] = -np.expm1(log_ratio)
