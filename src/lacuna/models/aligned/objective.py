"""The regularised likelihood of alignment, and its gradient.

    f(θ) = - Σ_g log p(y_g | x_g, θ) + λ ‖θ‖²

    node[i, l]      = Σ_{r ∈ features(i)} weights[r, l] + stay[s_i] [l = first_i]
    agreement[g, l] = (by_label[l] + by_shape[shape_g, l ≠ O]) / (m_g - 1)

for the graph g of the m_g occurrences of one word; first_i is the label that the tagger gave
occurrence i, s_i the band of its probability. Because of the division by m_g - 1, the other
occurrences together pull a node about as much whether there are two or twenty. Label 0 is O.

    ∂f/∂θ = expected - observed counts + 2λθ

Expected counts come from `inference/agreement.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.inference.agreement import Graphs, exact_sums
from lacuna.types import FloatArray, IntArray, LongArray, RealArray


class Occurrences(NamedTuple):
    """Features of repeated words.

    borders
        Word g has the occurrences borders[g] to borders[g + 1], two at least.
    labels, candidates[g, c]
        Number of candidate labels of word g, and the labels; entries beyond have no meaning.
        Candidate 0 is label 0.
    shape
        Of word g.
    features[i, k]
        Features of occurrence i.
    stay
        s_i.
    first
        The candidate that the tagger gave occurrence i.
    """

    borders: LongArray
    labels: IntArray
    candidates: IntArray
    shape: IntArray
    features: IntArray
    stay: IntArray
    first: IntArray

    @property
    def graph(self) -> LongArray:
        """The word of every occurrence."""
        return np.repeat(np.arange(len(self.labels)), np.diff(self.borders))

    @property
    def others(self) -> FloatArray:
        """m_g - 1, the number of other occurrences of word g."""
        return np.diff(self.borders) - 1.0


class AlignmentWeights(NamedTuple):
    """θ as tables: weights[feature, label], stay[s], by_label[l], by_shape[shape, l ≠ O]."""

    weights: FloatArray
    stay: FloatArray
    by_label: FloatArray
    by_shape: FloatArray

    def flat(self) -> FloatArray:
        """Return all of them as one vector."""
        return np.concatenate([np.ravel(table) for table in self])

    def like(self, flat: RealArray) -> AlignmentWeights:
        """Return a vector as tables of these shapes."""
        ends = np.cumsum([table.size for table in self])[:-1]
        parts = np.split(np.asarray(flat, np.float64), ends)
        return AlignmentWeights(
            *(part.reshape(table.shape) for part, table in zip(parts, self, strict=True))
        )


def alignment_graphs(weights: AlignmentWeights, seen: Occurrences) -> Graphs:
    """Return the scores of nodes and of pairs that agree."""
    graph = seen.graph
    candidates = seen.candidates[graph]
    node = weights.weights[seen.features[:, :, None], candidates[:, None, :]].sum(axis=1)
    node[np.arange(len(graph)), seen.first] += weights.stay[seen.stay]
    agreement = weights.by_label[seen.candidates]
    agreement[:, 0] += weights.by_shape[seen.shape, 0]
    agreement[:, 1:] += weights.by_shape[seen.shape, 1][:, None]
    return Graphs(node, seen.borders, seen.labels, agreement / seen.others[:, None])


class AlignmentObjective:
    """f and its gradient, over θ as a vector."""

    def __init__(
        self, seen: Occurrences, truth: IntArray, like: AlignmentWeights, l2: float
    ) -> None:
        """Take occurrences, the right candidate of each, tables of the shapes of θ, and λ."""
        self.seen, self.truth, self.like, self.l2 = seen, truth, like, l2
        self.graph = seen.graph
        right = np.zeros((len(truth), seen.candidates.shape[1]))
        right[np.arange(len(truth)), truth] = 1.0
        self.right = right
        counts = np.zeros(seen.candidates.shape)
        np.add.at(counts, (self.graph, truth), 1.0)
        self.pairs = counts * (counts - 1) / 2

    def __call__(self, flat: RealArray) -> tuple[float, FloatArray]:
        """Return f and its gradient."""
        graphs = alignment_graphs(self.like.like(flat), self.seen)
        sums = exact_sums(graphs)
        observed = graphs.node[np.arange(len(self.truth)), self.truth].sum()
        observed += (graphs.agreement * self.pairs).sum()
        value = sums.log_partition.sum() - observed + self.l2 * float(flat @ flat)
        more = self._gradient(sums.marginals - self.right, sums.pairs - self.pairs)
        return float(value), more + 2 * self.l2 * np.asarray(flat, np.float64)

    def _gradient(self, node: FloatArray, pairs: FloatArray) -> FloatArray:
        """Sum expected minus observed counts by weight."""
        seen, labels = self.seen, len(self.like.by_label)
        places = seen.features[:, :, None].astype(np.int64) * labels
        places = places + seen.candidates[self.graph][:, None, :]
        amounts = np.broadcast_to(node[:, None, :], places.shape)
        size = self.like.weights.size
        weights = np.bincount(places.ravel(), amounts.ravel(), minlength=size)
        own = node[np.arange(len(node)), seen.first]
        stay = np.bincount(seen.stay, own, minlength=len(self.like.stay))
        pairs = pairs / seen.others[:, None]
        by_label = np.bincount(seen.candidates.ravel(), pairs.ravel(), minlength=labels)
        by_shape = np.zeros(self.like.by_shape.shape)
        np.add.at(by_shape[:, 0], seen.shape, pairs[:, 0])
        np.add.at(by_shape[:, 1], seen.shape, pairs[:, 1:].sum(axis=1))
        return np.concatenate([weights, stay, by_label, by_shape.ravel()])
