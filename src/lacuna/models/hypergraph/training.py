"""Training of SHARED and SPLIT: one minimisation of `objective.py` for each graph.

The features of all tokens are computed once. Graphs share nothing else, so each is trained on its
own and stops when it has converged; they run side by side, one iteration at a time.

Mentions in a subgraph reach over the whole sentence, so only sentences that were reviewed as a
whole are learnt from; the tokens of others still help to compute the features of documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress

import numpy as np

from lacuna.encoding.gapped import GappedDocument, gapped_document
from lacuna.encoding.hypergraph import TOP, Edges, Slice, columns, encode
from lacuna.errors import ConfigError
from lacuna.features.extract import FeatureIndex, build_index
from lacuna.features.index import KnownKeys
from lacuna.features.plan import make_plan
from lacuna.features.token_table import training_table
from lacuna.inference.batch import run_chunks
from lacuna.inference.subgraphs import taken_columns
from lacuna.learning.emission import CURVATURE, FactoredEmission, curvature, factor
from lacuna.learning.lbfgs import Iterate, minimise
from lacuna.models.base import Step
from lacuna.models.hypergraph import (
    ENGINES,
    Hypergraph,
    HypergraphModel,
    Shared,
    SharedModel,
    Split,
    SplitModel,
    graph_columns,
    graphs_of,
)
from lacuna.models.hypergraph.objective import SubgraphObjective
from lacuna.models.lexical import with_training_lexicon
from lacuna.models.scoring import NEGLIGIBLE, WIDE, SparseRows
from lacuna.text.document import Document
from lacuna.text.word_types import number_types
from lacuna.types import BoolArray, LongArray, RealArray

EVERY = 5  #: iterations between two steps
WINDOW = 5  #: iterations by which convergence is judged
FIRST_BIAS = -2.0  #: b at the start: at 0, subgraphs are far too large


@dataclass(frozen=True, slots=True, eq=False)
class TrainingTokens:
    """The tokens of the training documents and their features, in sentences to learn from.

    `used` says of every sentence of the documents whether it is one of `sentences`.
    """

    documents: Sequence[GappedDocument]
    used: BoolArray
    sentences: LongArray
    index: FeatureIndex
    emission: FactoredEmission


def gapped(document: Document, config: Hypergraph) -> GappedDocument:
    """Return a document with the mentions of sentences that were reviewed as a whole."""
    found = gapped_document(document, parts=config.parts)
    return found if found.reviewed is None else found.in_whole_sentences()


def fit_hypergraph(
    documents: Sequence[GappedDocument], config: Shared | Split, _: object = None
) -> Iterator[Step]:
    """Yield a model every few iterations."""
    tokens = _featurise(documents, config)
    labels = sorted({mention.label for item in documents for mention in item.mentions})
    config = config.without_folders()
    if not any(len(mention.parts) > 1 for item in documents for mention in item.mentions):
        config = replace(config, gap_caution=0.0)  # nothing says that there are gaps at all
    searches = [
        search
        for label in labels
        for graph in graphs_of(config)
        if (search := _search(tokens, label, graph, config)) is not None
    ]
    graphs = tuple((search.label, search.objective.graph) for search in searches)
    kind = SplitModel if isinstance(config, Split) else SharedModel

    def model() -> HypergraphModel:
        index, weights, bias = _joined(tokens, searches)
        return kind(config, tuple(labels), graphs, index, weights, bias)

    for iteration in range(1, config.iterations + 1):
        run_chunks(lambda i, _: searches[i].advance(), [(i, i + 1) for i in range(len(searches))])
        is_last = iteration == config.iterations or all(search.has_converged for search in searches)
        if is_last or iteration % EVERY == 0:
            left = sum(not search.has_converged for search in searches)
            value = sum(search.values[-1] for search in searches)
            yield Step(iteration, value, model, f"{left} of {len(searches)} graphs still training")
        if is_last:
            return


def _featurise(documents: Sequence[GappedDocument], config: Hypergraph) -> TrainingTokens:
    """Compute the features of all tokens."""
    table = training_table(documents)
    table, templates, resources = with_training_lexicon(table, documents, *config.read())
    plan = make_plan(templates, resources=resources)
    numbered = number_types(table.types)
    index = build_index(table, numbered, plan, min_count=config.min_count)
    rows = index.rows(table, numbered)
    used = np.concatenate([item.whole_sentences() for item in documents])
    lengths = np.diff(table.sentences)
    order = np.flatnonzero(np.repeat(used, lengths))
    if not len(order):
        raise ConfigError("there is nothing to train on: no sentence was reviewed as a whole")
    emission = factor(rows, table.sentences, plan.offsets, order, len(index))
    sentences = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths[used])))
    return TrainingTokens(documents, used, sentences, index, emission)


@dataclass(slots=True)
class _Search:
    """The search for the weights of one graph."""

    label: str
    objective: SubgraphObjective
    points: Iterator[Iterate]
    tolerance: float
    point: RealArray
    values: list[float] = field(default_factory=list)
    has_converged: bool = False

    def advance(self) -> None:
        """Take one step, unless the search has converged."""
        step = None if self.has_converged else next(self.points, None)
        if step is None:
            self.has_converged = True
            return
        self.point = step.point
        self.values.append(step.value)
        if len(self.values) > WINDOW:
            gain = self.values[-1 - WINDOW] - step.value
            self.has_converged = gain < self.tolerance * abs(step.value)


def _search(tokens: TrainingTokens, label: str, graph: Slice, config: Hypergraph) -> _Search | None:
    """Start the search for the weights of a graph; None if it has no mentions to learn from."""
    edges = _gold(tokens, label, graph)
    if not edges.any():
        return None
    gold = taken_columns(edges, graph)
    counts, totals = _pair_counts(tokens.emission, edges, gold, graph)
    support = np.flatnonzero(totals)
    objective = SubgraphObjective(
        tokens.emission,
        graph,
        tokens.sentences,
        gold=np.flatnonzero(gold),
        support=support,
        columns=gold.shape[1],
        l2=config.l2,
        expect=ENGINES[config.inference].expectations,
    )
    start = np.zeros(objective.parameters, np.float32)
    start[-objective.columns :] = FIRST_BIAS
    scale = _scale(tokens.emission, counts, totals, support, config.l2)
    points = minimise(objective, start, scale=scale)
    next(points)  # the start itself
    return _Search(label, objective, points, config.tolerance, start)


def _gold(tokens: TrainingTokens, label: str, graph: Slice) -> Edges:
    """Return the right subgraphs of all sentences."""
    edges = np.zeros((int(tokens.sentences[-1]), 1 + graph.nodes), np.uint8)
    first = 0
    sentences = (sentence for item in tokens.documents for sentence in item.sentences(label))
    for sentence in compress(sentences, tokens.used):
        held = [mention for mention in sentence.mentions if graph.holds(mention)]
        if held:
            edges[first : first + sentence.length] = encode(held, sentence.length, graph)
        first += sentence.length
    return edges


def _pair_counts(
    emission: FactoredEmission, edges: Edges, gold: Edges, graph: Slice
) -> tuple[RealArray, RealArray]:
    """Return how often feature g occurs with edge j, and with its parent node; T is always on."""
    active = edges > 0
    active[:, 1 + TOP] = True
    parents = active[:, [1 + node for node, _ in columns(graph)]].astype(np.float32)
    counts, totals = (np.empty((emission.features, gold.shape[1]), np.float32) for _ in range(2))
    emission.gradient(gold.astype(np.float32), counts)
    emission.gradient(parents, totals)
    return counts, totals


def _scale(
    emission: FactoredEmission, counts: RealArray, totals: RealArray, support: LongArray, l2: float
) -> RealArray:
    """Return how far each weight is expected to move, as for a CRF; b like a feature seen once."""
    value = np.sqrt(emission.merged.size, dtype=np.float32)[support // counts.shape[1]]
    both = (table.reshape(-1)[support] / value for table in (counts, totals))
    curved = curvature(*both) * value * value
    lowest = np.float32(CURVATURE**2)
    curved = np.append(curved + lowest, np.full(counts.shape[1], lowest, np.float32))
    scale: RealArray = np.sqrt(np.float32(CURVATURE + 2 * l2) / (curved + np.float32(2 * l2)))
    return scale


def _joined(
    tokens: TrainingTokens, searches: Sequence[_Search]
) -> tuple[FeatureIndex, SparseRows, RealArray]:
    """Return the weights of all searches side by side, without negligible ones."""
    fields = graph_columns([(search.label, search.objective.graph) for search in searches])
    rows, tags, values = [], [], []
    for search, own in zip(searches, fields, strict=True):
        weights, _ = search.objective.tables(search.point)
        single = tokens.emission.expand(weights)
        row, column = np.nonzero(np.abs(single) >= NEGLIGIBLE)
        rows.append(row)
        tags.append(column + own.first)
        values.append(single[row, column])
    width = sum(own.width for own in fields)
    bias = [search.point[-own.width :] for search, own in zip(searches, fields, strict=True)]
    index, sparse = _by_row(tokens.index, rows, tags, values, width)
    return index, sparse, np.concatenate([np.zeros(0, np.float32), *bias])


def _by_row(
    index: FeatureIndex,
    rows: Sequence[LongArray],
    tags: Sequence[LongArray],
    values: Sequence[RealArray],
    width: int,
) -> tuple[FeatureIndex, SparseRows]:
    """Sort weights by feature, features of many weights first; drop those without any."""
    none = np.zeros(0, np.int64)
    row = np.concatenate([none, *rows])
    size = np.bincount(row, minlength=len(index))
    kept = np.argsort(size * WIDE <= width, kind="stable")
    kept = kept[size[kept] > 0]
    place = np.empty(len(index), np.int64)
    place[kept] = np.arange(len(kept))
    order = np.argsort(place[row], kind="stable")
    borders = np.concatenate(([0], np.cumsum(size[kept]))).astype(np.int64)
    sparse = SparseRows(
        borders,
        np.concatenate([none, *tags])[order].astype(np.uint16),
        np.concatenate([none.astype(np.float32), *values])[order].astype(np.float32),
    )
    return FeatureIndex(index.plan, KnownKeys.of(index.keys.hashes[kept])), sparse
