"""Labels of the occurrences of one word, which like to agree: complete graphs.

    score(y) = Σ_i node[i, y_i] + Σ_{i<j} [y_i = y_j] agreement[y_i]
             = Σ_i node[i, y_i] + Σ_l agreement[l] c_l (c_l - 1) / 2,   c_l = nodes with label l

A score thus depends on the nodes one by one and on the counts c, and sums and maxima over all
labellings are found exactly, node by node, with the counts as state: (m + 1)^(L - 1) states for m
nodes and L labels. Where that is too much, loopy belief propagation takes its place, and the
result says so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.errors import InferenceError
from lacuna.inference._alignment import solve_all, sums_of_all
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray

EXACT_CELLS = 250_000  #: nodes × states up to which inference is exact
ROUNDS = 100  #: of messages at most
TOLERANCE = 1e-6  #: change of messages below which they have settled


class Graphs(NamedTuple):
    """Complete graphs, one after the other.

    node[i, l]
        Score of label l for node i; columns from ``labels`` of its graph on mean nothing.
    borders
        Graph g has the nodes borders[g] to borders[g + 1].
    labels
        How many labels the nodes of each graph choose from.
    agreement[g, l]
        What each pair of nodes of graph g earns that both have label l.
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


def is_exact(nodes: LongArray, labels: IntArray) -> BoolArray:
    """Whether graphs with so many nodes and labels are small enough for exact inference."""
    cells = nodes * (nodes + 1.0) ** (labels - 1.0)
    return np.asarray(cells <= EXACT_CELLS)


def exact_sums(graphs: Graphs) -> Sums:
    """Sum over all labellings of every graph, whatever its size."""
    marginals = np.zeros_like(graphs.node)
    pairs = np.zeros_like(graphs.agreement)
    total = sums_of_all(*graphs, marginals, pairs)
    if not np.isfinite(total).all():
        raise InferenceError("a graph has no labelling of finite score")
    return Sums(total, marginals, pairs)


def solve(graphs: Graphs) -> Solved:
    """Label the nodes: exactly, or by the largest beliefs where a graph is too large."""
    exact = is_exact(np.diff(graphs.borders), graphs.labels)
    best = np.zeros(len(graphs.node), np.int64)
    marginals = np.zeros_like(graphs.node)
    pairs = np.zeros_like(graphs.agreement)
    solve_all(*graphs, exact, ROUNDS, TOLERANCE, best, marginals, pairs)
    if not np.isfinite(marginals).all():
        raise InferenceError("a graph has no labelling of finite score")
    return Solved(best, marginals, exact)
