"""The regularised conditional likelihood of subgraphs, and its gradient.

    f(W, b) = Σ_s [ log Z(x_s) - score(x_s, G_s) ] + λ (‖W‖² + ‖b‖²)

    ∂f/∂scores[t, j] = p(edge j is active at t | x) - [it is in G]

G_s is the right subgraph of sentence s, with scores[t, j] = b[j] + what the features of token t say
(`factored.py`) for every active edge. A CRF with edges in place of tags, but any number of them.

The two ways to infer over mentions with gaps, under one name each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

import numpy as np

from lacuna.encoding.gapped import Parts
from lacuna.encoding.hypergraph import Edges, Slice
from lacuna.inference import subgraphs
from lacuna.inference.subgraphs import SubgraphExpectations
from lacuna.learning.emission import FactoredEmission
from lacuna.models.hypergraph import unfolded
from lacuna.types import FloatArray, LongArray, RealArray


class SubgraphObjective:
    """Value and gradient at a flat vector of weights: the supported ones of W, then b.

    Parameters
    ----------
    emission
        Structure of the scores.
    graph, engine
        What subgraphs are of, and how to infer over them.
    sentences
        Borders in tokens.
    gold
        Places in scores, flat, of the edges of the right subgraphs.
    support
        Places in W, flat, that have a weight. The others are 0.
    l2
        λ.
    """

    def __init__(
        self,
        emission: FactoredEmission,
        graph: Slice,
        engine: Engine,
        sentences: LongArray,
        *,
        gold: LongArray,
        support: LongArray,
        columns: int,
        l2: float,
    ) -> None:
        self.emission, self.graph, self.engine, self.sentences = emission, graph, engine, sentences
        self.gold, self.support, self.columns, self.l2 = gold, support, columns, l2

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
        found = self.engine.expectations(self.graph, scores, self.sentences, spoil=True)
        by_token = found.marginals
        by_token.reshape(-1)[self.gold] -= 1
        self.emission.gradient(by_token, weights)
        gradient = np.concatenate(
            (weights.reshape(-1)[self.support], by_token.sum(axis=0, dtype=np.float64))
        ).astype(point.dtype)
        gradient += point.dtype.type(2 * self.l2) * point
        penalty = self.l2 * float(np.dot(point, point))
        return float(found.log_partition.sum()) - right + penalty, gradient


class Inference(StrEnum):
    """What probabilities are over."""

    EXACT = "exact"  #: subgraphs, each counted once
    UNFOLDED = "unfolded"  #: the trees they unfold to: for comparison with others


class _Expectations(Protocol):
    def __call__(
        self, graph: Slice, scores: RealArray, sentences: LongArray, *, spoil: bool = ...
    ) -> SubgraphExpectations: ...


class _Best(Protocol):
    def __call__(
        self, graph: Slice, scores: RealArray, sentences: LongArray, *, threads: int | None = ...
    ) -> Edges: ...


class _Mentions(Protocol):
    def __call__(
        self, graph: Slice, scores: RealArray, mentions: Sequence[Parts]
    ) -> FloatArray: ...


class _Coverage(Protocol):
    def __call__(self, graph: Slice, scores: RealArray, sentences: LongArray) -> FloatArray: ...


class Engine(NamedTuple):
    """What a model asks; `subgraphs.py` says what the answers are."""

    expectations: _Expectations
    best_subgraphs: _Best
    mention_probabilities: _Mentions
    coverage: _Coverage


ENGINES: Mapping[Inference, Engine] = {
    inference: Engine(
        module.expectations,
        module.best_subgraphs,
        module.mention_probabilities,
        module.coverage,
    )
    for inference, module in ((Inference.EXACT, subgraphs), (Inference.UNFOLDED, unfolded))
}
