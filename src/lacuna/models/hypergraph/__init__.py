"""Mentions with gaps and overlaps: SHARED and SPLIT (Muis and Lu 2016), with exact inference.

    p(G | x) = exp( Σ over words t and active edges j of scores[t, j] ) / Z(x)

    scores[t, j] = b[j] + Σ over features r of word t of W[r, j]

The mentions of a sentence are paths through a graph, and the subgraph G is their union
(`encoding/hypergraph.py`). SHARED has one graph for each label, SPLIT one for each label and number
of parts; graphs are independent of one another. Z sums over subgraphs, each counted once, in
O(n N 2^N) for n words and a graph of N nodes per word; N = 5 for mentions of up to 3 parts.

What to read next:

    nodes       `encoding/hypergraph.py`, which all others assume
    tagging     `inference/subgraphs.py` (best subgraph and its kernel)
    training    `training.py` → `objective.py` → `inference/subgraphs.py` → its kernels

A trained model computes scores[t, j] with `models/scoring.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, ClassVar, NamedTuple, Protocol

import msgspec
import numpy as np

from lacuna.encoding.gapped import Parts, moved
from lacuna.encoding.hypergraph import ON, TOP, Edges, Slice, columns, decode, shared, split
from lacuna.encoding.schemes import Heuristic
from lacuna.features.extract import FeatureIndex
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference import subgraphs
from lacuna.inference.batch import run_chunks
from lacuna.inference.subgraphs import SubgraphExpectations
from lacuna.models.base import NO_CARD, Card, TagsAnything
from lacuna.models.chain_tagger import batches
from lacuna.models.feature_settings import FeatureSettings
from lacuna.models.file import StoredModel
from lacuna.models.hypergraph import unfolded
from lacuna.models.scoring import Scorer, SparseRows
from lacuna.models.settings import AT_LEAST_ONE, CAUTION, NOT_NEGATIVE, POSITIVE, Range
from lacuna.text.document import Document, Mention, Span
from lacuna.types import FloatArray, LongArray, RealArray

MOST_PARTS = 4  #: a set of active nodes has up to 2 · 4 - 1 bits


class Inference(StrEnum):
    """What probabilities are over."""

    EXACT = "exact"  #: subgraphs, each counted once
    UNFOLDED = "unfolded"  #: the trees they unfold to, for comparison with the literature


@dataclass(frozen=True, slots=True)
class Hypergraph(FeatureSettings):
    """Settings of a model of mentions with gaps, besides those of its features.

    Attributes
    ----------
    parts
        Maximum number of parts of a mention; training ignores mentions of more.
    heuristic
        How mentions are read off a subgraph: ``all`` that it allows, or just ``enough``.
    inference
        What probabilities are over: subgraphs (``exact``), or the trees that they unfold to
        (``unfolded``), for comparison with the literature.
    caution
        Added to the score of beginning a mention when mentions are chosen, because the best
        subgraph alone finds too few. A higher value finds more mentions, also more wrong ones.
        Probabilities do not depend on it.
    gap_caution
        Added to the score of opening a gap when mentions are chosen: mentions with a gap are rare,
        and the best subgraph finds hardly any. Probabilities do not depend on it. It becomes 0 if
        no training mention has a gap; ``unfolded`` does not use it.
    l2
        Weight of the penalty ‖W‖² + ‖b‖². The larger, the less the model trusts what it saw only
        a few times.
    iterations
        Maximum number of iterations.
    tolerance
        Training of a graph stops when its last 5 iterations improved the objective by less than
        this share.
    """

    has_gaps: ClassVar[bool] = True

    features: str = "hypergraph"
    parts: Annotated[int, Range(1, MOST_PARTS)] = 3
    heuristic: Heuristic = Heuristic.ENOUGH
    inference: Inference = Inference.EXACT
    caution: Annotated[float, CAUTION] = 1.5
    gap_caution: Annotated[float, CAUTION] = 2.0
    l2: Annotated[float, POSITIVE] = 0.25
    iterations: Annotated[int, AT_LEAST_ONE] = 100
    tolerance: Annotated[float, NOT_NEGATIVE] = 0.01


@dataclass(frozen=True, slots=True)
class Shared(Hypergraph):
    """Settings of SHARED, one graph for all mentions of a label: those of :class:`Hypergraph`."""


@dataclass(frozen=True, slots=True)
class Split(Hypergraph):
    """Settings of SPLIT, one graph for each number of parts: those of :class:`Hypergraph`."""


@dataclass(frozen=True, slots=True, eq=False)
class HypergraphModel(TagsAnything):
    """A trained model of mentions with gaps.

    Attributes
    ----------
    config
        What it was trained with.
    labels
        Labels it can find.
    graphs
        Pairs of label and graph that had mentions to learn from.
    index
        Its features.
    weights
        W, with the columns of all graphs side by side.
    bias
        b.
    card
        The model card.
    """

    kind: ClassVar[str]
    overlapping: ClassVar[bool] = True

    config: Shared | Split
    labels: tuple[str, ...]
    graphs: tuple[tuple[str, Slice], ...]
    index: FeatureIndex
    weights: SparseRows
    bias: RealArray
    card: Card = NO_CARD
    scorer: Scorer = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scorer", Scorer(self.index, self.weights, len(self.bias)))

    @property
    def parameters(self) -> int:
        """Number of weights."""
        return len(self.weights.values) + len(self.bias)

    def counted(self) -> dict[str, int]:
        """Return how many graphs and features there are."""
        return {"graphs": len(self.graphs), "features": len(self.index)}

    @property
    def engine(self) -> Engine:
        """Exact inference, unless the settings ask for another."""
        return ENGINES[self.config.inference]

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""
        runs = batches(documents)
        found = run_chunks(lambda a, b: self._find(documents[a:b], probabilities), runs)
        every = (mentions for run in found for mentions in run)
        return [
            replace(document, mentions=tuple(mentions))
            for document, mentions in zip(documents, every, strict=True)
        ]

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token the probability that it is in a part of any mention."""
        found = run_chunks(lambda a, b: self._inside(documents[a:b]), batches(documents))
        return [inside for run in found for inside in run]

    def store(self) -> StoredModel:
        """Return the content of its model file."""
        plan = self.index.plan
        return StoredModel(
            self.kind,
            {
                "config": msgspec.to_builtins(self.config),
                "labels": list(self.labels),
                "graphs": [[label, graph.parts] for label, graph in self.graphs],
                "templates": [str(template) for template in plan.templates],
                "card": msgspec.to_builtins(self.card),
            },
            {
                **plan.resources.to_arrays(),
                "keys": self.index.keys.hashes,
                "borders": self.weights.borders,
                "weight_tags": self.weights.tags,
                "weights": self.weights.values,
                "bias": self.bias,
            },
        )

    def _scores(self, table: TokenTable) -> Iterator[tuple[GraphColumns, RealArray]]:
        """Yield scores[t, j] of each graph."""
        every = self.scorer.scores(table) + self.bias
        for own in graph_columns(self.graphs):
            yield own, every[:, own.first : own.first + own.width].astype(np.float32)

    def _find(self, documents: Sequence[Document], probabilities: bool) -> list[list[Mention]]:
        """Return the mentions of each document."""
        table = token_table(documents)
        found: list[list[Mention]] = [[] for _ in documents]
        if not len(table.start):
            return found
        for own, scores in self._scores(table):
            bold = scores + bonus(own.graph, self.config)
            edges = self.engine.best_subgraphs(own.graph, bold, table.sentences, threads=1)
            begins = np.searchsorted(table.sentences, np.flatnonzero(edges[:, 0]), side="right") - 1
            for s in np.unique(begins).tolist():
                first, last = table.sentences[s : s + 2].tolist()
                mentions = decode(edges[first:last], self.config.heuristic).mentions
                sure: Sequence[float | None] = [None] * len(mentions)
                if probabilities:
                    sure = self.engine.mention_probabilities(
                        own.graph, scores[first:last], mentions
                    ).tolist()
                owner = int(np.searchsorted(table.documents, first, side="right")) - 1
                found[owner] += [
                    _mention(own.label, moved(mention, first), table, owner, probability)
                    for mention, probability in zip(mentions, sure, strict=True)
                ]
        return found

    def _inside(self, documents: Sequence[Document]) -> list[FloatArray]:
        """1 - Π over graphs of p(token t is in no part of a mention), graphs being independent."""
        table = token_table(documents)
        outside = np.ones(len(table.start))
        if len(table.start):
            for own, scores in self._scores(table):
                outside *= 1.0 - self.engine.coverage(own.graph, scores, table.sentences)
        return np.split(1.0 - outside, table.documents[1:-1])


class SharedModel(HypergraphModel):
    """A trained SHARED model."""

    __slots__ = ()

    kind: ClassVar[str] = "shared"


class SplitModel(HypergraphModel):
    """A trained SPLIT model."""

    __slots__ = ()

    kind: ClassVar[str] = "split"


def bonus(graph: Slice, config: Hypergraph) -> RealArray:
    """Return what is added to the score of each edge when mentions are chosen."""
    gap = config.gap_caution if config.inference is Inference.EXACT else 0.0
    added = np.zeros(len(columns(graph)), np.float32)
    for column, (node, child) in enumerate(columns(graph)):
        if node == TOP:  # T → B0
            added[column] = config.caution
        elif node % 2 == 0 and child == ON:  # B → O
            added[column] = gap
    return added


def graphs_of(config: Hypergraph) -> tuple[Slice, ...]:
    """Return the graphs that each label has."""
    return split(config.parts) if isinstance(config, Split) else shared(config.parts)


class GraphColumns(NamedTuple):
    """A graph for mentions of a label; its scores are `width` columns from `first` on."""

    label: str
    graph: Slice
    first: int
    width: int


def graph_columns(graphs: Sequence[tuple[str, Slice]]) -> tuple[GraphColumns, ...]:
    """Give every graph its columns in one table of scores."""
    widths = [len(columns(graph)) for _, graph in graphs]
    first = np.cumsum([0, *widths]).tolist()
    return tuple(GraphColumns(*graphs[i], first[i], widths[i]) for i in range(len(graphs)))


class Engine(Protocol):
    """The functions of `inference/subgraphs.py`, which `unfolded.py` has as well."""

    def expectations(
        self, graph: Slice, scores: RealArray, sentences: LongArray, *, spoil: bool = ...
    ) -> SubgraphExpectations:
        """Return log Z of sentences and marginals of edges."""

    def best_subgraphs(
        self, graph: Slice, scores: RealArray, sentences: LongArray, *, threads: int | None = ...
    ) -> Edges:
        """Return the edges of the best subgraph of every sentence."""

    def mention_probabilities(
        self, graph: Slice, scores: RealArray, mentions: Sequence[Parts]
    ) -> FloatArray:
        """Return the probability of mentions of one sentence."""

    def coverage(self, graph: Slice, scores: RealArray, sentences: LongArray) -> FloatArray:
        """Return for every token the probability that a mention covers it."""


ENGINES: Mapping[Inference, Engine] = {
    Inference.EXACT: subgraphs,
    Inference.UNFOLDED: unfolded,
}


def _mention(
    label: str, parts: Parts, table: TokenTable, owner: int, probability: float | None
) -> Mention:
    """Return a mention of token ranges as one of characters of its document."""
    text = int(table.texts[owner])
    spans = tuple(
        Span(int(table.start[first]) - text, int(table.end[last - 1]) - text)
        for first, last in parts
    )
    return Mention(label, spans, probability)
