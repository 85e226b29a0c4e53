"""The regularised conditional likelihood of subgraphs, and its gradient.

    f(W, b) = Σ_s [ log Z(x_s) - score(x_s, G_s) ] + λ (‖W‖² + ‖b‖²)

    ∂f/∂scores[t, j] = p(edge j is active at t | x) - [edge j is in G at t]

G_s is the right subgraph of sentence s; its score is the sum of scores[t, j] over its edges, with
scores[t, j] = b[j] + Σ over features r of token t of W[r, j] (`learning/emission.py`). It is a CRF
with edges in place of tags, of which any number may be active. log Z and the probabilities come
from `inference/subgraphs.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lacuna.encoding.hypergraph import Slice
from lacuna.inference.subgraphs import SubgraphExpectations, expectations
from lacuna.learning.emission import FactoredEmission
from lacuna.types import LongArray, RealArray


class SubgraphObjective:
    """Value and gradient at a flat vector of weights: the supported ones of W, then b.

    Parameters
    ----------
    emission
        Structure of the scores.
    graph
        The graph that subgraphs are of.
    sentences
        Borders in tokens.
    gold
        Positions in scores, flat, of the edges of the right subgraphs.
    support
        Positions in W, flat, that have a weight. The others are 0.
    columns
        Number of edges j.
    l2
        λ.
    expect
        Computes log Z and the probabilities.
    """

    def __init__(
        self,
        emission: FactoredEmission,
        graph: Slice,
        sentences: LongArray,
        *,
        gold: LongArray,
        support: LongArray,
        columns: int,
        l2: float,
        expect: Callable[..., SubgraphExpectations] = expectations,
    ) -> None:
        self.emission, self.graph, self.sentences = emission, graph, sentences
        self.gold, self.support, self.columns, self.l2 = gold, support, columns, l2
        self.expect = expect

    @property
    def parameters(self) -> int:
        """Length of the vector of weights."""
        return len(self.support) + self.columns

    def tables(self, point: RealArray) -> tuple[RealArray, RealArray]:
        """Return W as a table and b; weights outside the support are 0."""
        shape = self.emission.features, self.columns
        weights = np.zeros(shape[0] * shape[1], point.dtype)
        weights[self.support] = point[: -self.columns]
        return weights.reshape(shape), point[-self.columns :]

    def __call__(self, point: RealArray) -> tuple[float, RealArray]:
        """Return f and its gradient."""
        weights, bias = self.tables(point)
        scores = np.empty((int(self.sentences[-1]), self.columns), point.dtype)
        self.emission.scores(weights, scores, spoil=True)
        scores += bias
        right = float(scores.reshape(-1)[self.gold].sum(dtype=np.float64))
        found = self.expect(self.graph, scores, self.sentences, spoil=True)
        by_token = found.marginals
        by_token.reshape(-1)[self.gold] -= 1
        self.emission.gradient(by_token, weights)
        gradient = np.concatenate(
            (weights.reshape(-1)[self.support], by_token.sum(axis=0, dtype=np.float64))
        ).astype(point.dtype)
        gradient += point.dtype.type(2 * self.l2) * point
        penalty = self.l2 * float(np.dot(point, point))
        return float(found.log_partition.sum()) - right + penalty, gradient
