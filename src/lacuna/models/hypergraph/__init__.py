"""Mentions with gaps and overlaps: the models SHARED and SPLIT (Muis and Lu 2016), made exact.

    p(G | x) = exp( Σ over words and active edges j of (b[j] + Σ over its features r W[r, j]) ) / Z

G is a subgraph of the graphs of `encoding/hypergraph.py`: SHARED has one graph for each label,
SPLIT one for each label and number of parts. They are independent of one another. Z sums over
subgraphs, each counted once (`inference/subgraphs.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from lacuna.encoding.gapped import Parts, moved
from lacuna.encoding.hypergraph import Slice, columns, decode, shared, split
from lacuna.encoding.schemes import Heuristic
from lacuna.features.extract import FeatureIndex
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.batch import run_chunks
from lacuna.models.base import NO_CARD, Card, TagsAnything
from lacuna.models.chain import batches
from lacuna.models.file import StoredModel
from lacuna.models.hypergraph.objective import ENGINES, Engine, Inference
from lacuna.models.scoring import Scorer, SparseRows
from lacuna.models.settings import AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE, Range, Settings
from lacuna.text.document import Document, Mention, Span
from lacuna.types import FloatArray, RealArray

MOST_PARTS = 4  #: a set of active nodes has up to 2 · 4 - 1 bits


@dataclass(frozen=True, slots=True)
class Hypergraph(Settings):
    """Settings of a model of mentions with gaps.

    Attributes
    ----------
    features
        Name of a preset, or a template file.
    columns
        Token columns to look at as well, e.g. ``["pos"]``.
    word_lists, clusters
        Word lists and word clusters to look at as well: files by name.
    parts
        Most parts of a mention; others are left out of training.
    heuristic
        How mentions are read off a subgraph: ``all`` that it allows, or just ``enough``.
    inference
        ``exact``, or ``unfolded`` for comparison with the literature.
    caution
        How much the score of beginning a mention rises when mentions are chosen: the best subgraph
        alone finds too few. The higher, the more is found, and the more of it wrongly.
        Probabilities are without it.
    min_count
        Features that occur less often are left out.
    l2
        Weight of the penalty ‖w‖².
    iterations
        At most this many.
    tolerance
        A graph is trained until its last 5 iterations improved the objective by less than this
        share.
    """

    features: str = "hypergraph"
    columns: tuple[str, ...] = ()
    word_lists: Mapping[str, str] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)
    parts: Annotated[int, Range(1, MOST_PARTS)] = 3
    heuristic: Heuristic = Heuristic.ENOUGH
    inference: Inference = Inference.EXACT
    caution: float = 1.5
    min_count: Annotated[int, AT_LEAST_ONE] = 1
    l2: Annotated[float, POSITIVE] = 0.25
    iterations: Annotated[int, AT_LEAST_ONE] = 100
    tolerance: Annotated[float, NOT_NEGATIVE] = 0.01


@dataclass(frozen=True, slots=True)
class Shared(Hypergraph):
    """Settings of SHARED: one graph for all mentions of a label."""

    __doc__ = Hypergraph.__doc__


@dataclass(frozen=True, slots=True)
class Split(Hypergraph):
    """Settings of SPLIT: one graph for each number of parts."""

    __doc__ = Hypergraph.__doc__


def graphs_of(config: Hypergraph) -> tuple[Slice, ...]:
    """Return the graphs that each label has."""
    return split(config.parts) if isinstance(config, Split) else shared(config.parts)


class Field(NamedTuple):
    """The mentions of a label that one graph holds; its scores are `width` columns from `first`."""

    label: str
    graph: Slice
    first: int
    width: int


def fields_of(graphs: Sequence[tuple[str, Slice]]) -> tuple[Field, ...]:
    """Lay the columns of graphs side by side."""
    widths = [len(columns(graph)) for _, graph in graphs]
    first = np.cumsum([0, *widths]).tolist()
    return tuple(Field(*graphs[i], first[i], widths[i]) for i in range(len(graphs)))


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
        Label and graph, for which there was something to learn.
    index
        Its features.
    weights
        Weights of feature r for the columns of all graphs, side by side.
    bias
        One more weight for each column.
    card
        How it was trained, for people.
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
        """How it infers."""
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

    def _inside(self, documents: Sequence[Document]) -> list[FloatArray]:
        table = token_table(documents)
        outside = np.ones(len(table.start))
        if len(table.start):
            for own, scores in self._scores(table):
                outside *= 1.0 - self.engine.coverage(own.graph, scores, table.sentences)
        return np.split(1.0 - outside, table.documents[1:-1])

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""
        from lacuna.models.hypergraph.storage import store_hypergraph

        return store_hypergraph(self)

    def _scores(self, table: TokenTable) -> Iterator[tuple[Field, RealArray]]:
        """Yield the scores of each graph."""
        every = self.scorer.scores(table) + self.bias
        for own in fields_of(self.graphs):
            yield own, every[:, own.first : own.first + own.width].astype(np.float32)

    def _find(self, documents: Sequence[Document], probabilities: bool) -> list[list[Mention]]:
        """Return the mentions of each document."""
        table = token_table(documents)
        found: list[list[Mention]] = [[] for _ in documents]
        if not len(table.start):
            return found
        for own, scores in self._scores(table):
            bold = scores.copy()
            bold[:, 0] += self.config.caution  # the first column is T → B
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


class SharedModel(HypergraphModel):
    """A trained SHARED model."""

    __slots__ = ()

    kind: ClassVar[str] = "shared"


class SplitModel(HypergraphModel):
    """A trained SPLIT model."""

    __slots__ = ()

    kind: ClassVar[str] = "split"


def _mention(
    label: str, parts: Parts, table: TokenTable, owner: int, probability: float | None
) -> Mention:
    """Return a mention in characters of its document."""
    text = int(table.texts[owner])
    spans = tuple(
        Span(int(table.start[first]) - text, int(table.end[last - 1]) - text)
        for first, last in parts
    )
    return Mention(label, spans, probability)
