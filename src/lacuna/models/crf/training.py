"""Training a linear-chain CRF: documents → arrays → objective → steps.

Weights are searched over in units of how far they are expected to move. The curvature of the
likelihood along the weight of a feature for a label is Σ p (1 - p) over the tokens that have the
feature, p the probability of the label there. With c of n such tokens carrying the label,

    scale = 1 / √(CURVATURE · c (1 - c/n) + FLOOR · n + 2λ)

makes directions more alike, so that L-BFGS needs fewer iterations. Both constants were chosen by
dev scores; that CURVATURE is far below 1 suggests that most tokens become certain early.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from lacuna.encoding.flat import Example
from lacuna.encoding.schemes import Moves
from lacuna.errors import ConfigError
from lacuna.features.extract import FeatureIndex, build_index, in_enough_groups
from lacuna.features.plan import Plan
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.batch import chunks, pack_by_time
from lacuna.learning.emission import CURVATURE, FactoredEmission, curvature, factor
from lacuna.learning.lbfgs import minimise
from lacuna.models.crf.objective import CrfObjective, pair_counts
from lacuna.text.document import Document
from lacuna.text.word_types import number_types
from lacuna.types import FloatArray, IntArray, LongArray, RealArray

FREQUENT = 5  #: occurrences that give a feature weights for all labels under ``frequent`` support


class Fit(NamedTuple):
    """A point on the way; ``tables()`` gives the weights of every feature and of every move."""

    iteration: int
    objective: float
    gradient_norm: float
    tables: Callable[[], tuple[RealArray, RealArray]]


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """Everything about a corpus that training needs."""

    tags: tuple[str, ...]
    index: FeatureIndex
    emission: FactoredEmission
    labels: IntArray
    objective: CrfObjective
    scale: RealArray
    tokens: int
    sentences: int


def prepare(
    documents: Sequence[Example],
    plan: Plan,
    *,
    tags: tuple[str, ...],
    moves: Moves,
    min_count: int,
    min_documents: int,
    support: str,
    l2: float,
) -> TrainingSet:
    """Turn documents and their tags into the objective to be minimised."""
    table = token_table([d.document for d in documents], [d.tokens for d in documents])
    if not len(table.start):
        raise ConfigError("there are no tokens to train on")
    number = {tag: k for k, tag in enumerate(tags)}
    gold = np.array([number[tag] for d in documents for tag in d.tags], np.int32)
    numbered = number_types(table.hashes)
    index = build_index(table, numbered, plan, min_count=min_count)
    if min_documents > 1:
        group = _groups([d.document for d in documents], table, least=min_documents)
        index = in_enough_groups(index, table, numbered, group, least=min_documents)
    packs = [pack_by_time(table.sentences[a : b + 1]) for a, b in chunks(table.sentences)]
    order = np.concatenate([pack.rows for pack in packs])
    rows = index.rows(table, numbered)
    emission = factor(rows, table.sentences, plan.offsets, order, len(index))
    pairs = pair_counts(emission, gold[order], len(tags))
    objective = CrfObjective(
        emission,
        gold[order],
        packs,
        observed_moves(gold, table, len(tags)),
        moves,
        l2=l2,
        support=_support(support, pairs, emission),
    )
    scale = _scale(objective, pairs, l2)
    sentences = len(table.sentences) - 1
    return TrainingSet(tags, index, emission, gold[order], objective, scale, len(gold), sentences)


def _groups(documents: Sequence[Document], table: TokenTable, *, least: int) -> LongArray:
    """Return the number of the group that each token belongs to."""
    numbers: dict[tuple[str, str], int] = {}
    of_document = [numbers.setdefault(document.unit, len(numbers)) for document in documents]
    if len(numbers) < least:
        raise ConfigError(
            f"no feature can occur in {least} documents: there are {len(numbers)}, counting those"
            " of one group once"
        )
    return np.repeat(np.array(of_document, np.int64), np.diff(table.documents))


def observed_moves(gold: IntArray, table: TokenTable, size: int) -> FloatArray:
    """Return counts[i, j]: how often label j follows label i within a sentence."""
    counts = np.zeros((size, size))
    follows = np.ones(len(gold), np.bool_)
    follows[table.sentences[:-1]] = False
    np.add.at(counts, (gold[:-1][follows[1:]], gold[1:][follows[1:]]), 1)
    return counts


def _support(kind: str, pairs: RealArray, emission: FactoredEmission) -> LongArray | None:
    """Return the (feature, label) places that get a weight."""
    if kind == "all":
        return None
    chosen = pairs > 0
    if kind == "frequent":
        times = pairs.sum(axis=1) / np.sqrt(emission.merged.size)
        chosen |= (times >= FREQUENT)[:, None]
    return np.flatnonzero(chosen)


def _scale(objective: CrfObjective, pairs: RealArray, l2: float) -> RealArray:
    """Return the expected reach of every weight, relative to that of a feature seen once."""
    places = np.arange(pairs.size) if objective.support is None else objective.support
    row = (places // pairs.shape[1]).astype(np.int32)
    # a feature of value √m has m times the curvature; pairs hold √m · c
    value = np.sqrt(objective.emission.merged.size, dtype=np.float32)
    total = pairs.sum(axis=1) / value
    by_feature = curvature(pairs.reshape(-1)[places] / value[row], total[row])
    by_feature *= (value * value)[row]
    moves = objective.observed.astype(np.float32)
    by_move = curvature(moves, moves.sum(axis=1, keepdims=True)).reshape(-1)
    curved = np.concatenate((by_feature, by_move))
    curved += np.float32(CURVATURE**2 + 2 * l2)
    scale: RealArray = np.sqrt(np.float32(CURVATURE + 2 * l2) / curved)
    return scale


def fit(
    data: TrainingSet, *, l1: float = 0.0, start: tuple[RealArray, RealArray] | None = None
) -> Iterator[Fit]:
    """Yield ever better weights.

    Parameters
    ----------
    data
        From :func:`prepare`.
    l1
        Weight of the L1 penalty.
    start
        Weights of every feature and move to begin with and to stay close to.
    """
    objective, merged = data.objective, data.emission.merged
    point = np.zeros(objective.parameters, np.float32)
    if start is not None:
        value = np.sqrt(merged.size, dtype=np.float32)[:, None]
        sums = np.zeros(objective.shape, np.float32)
        np.add.at(sums, merged.group, start[0].astype(np.float32))
        point = objective.vector(sums / value, start[1].astype(np.float32))
        objective.centre = point.copy()
    for step in minimise(objective, point, scale=data.scale, l1=l1):
        tables = partial(_single_features, data, step.point)
        yield Fit(step.iteration, step.value, step.gradient_norm, tables)


def _single_features(data: TrainingSet, point: RealArray) -> tuple[RealArray, RealArray]:
    weights, moves = data.objective.tables(point)
    return data.emission.expand(weights), moves
