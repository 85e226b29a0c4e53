"""Training data of a CRF as arrays: features, gold tags, the objective and the scale of weights.

L-BFGS searches weights in units of how far they are expected to move. The curvature of the
likelihood along the weight of a feature for a tag is Σ p (1 - p) over the tokens that have the
feature, where p is the probability of the tag there. If c of n such tokens have the tag,

    scale = 1 / √(CURVATURE · c (1 - c/n) + FLOOR · n + 2λ)

makes directions more alike, so that fewer iterations are needed. Both constants were chosen by dev
scores; CURVATURE is far below 1 probably because most tokens become certain early.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lacuna.encoding.flat import Example, label_counts
from lacuna.errors import ConfigError
from lacuna.features.extract import FeatureIndex, build_index, in_enough_groups
from lacuna.features.plan import make_plan
from lacuna.features.resources import Resources
from lacuna.features.templates import Template
from lacuna.features.token_table import TokenTable, training_table
from lacuna.inference.batch import chunks, pack_by_time
from lacuna.learning.emission import CURVATURE, FactoredEmission, curvature, factor
from lacuna.models.base import FitOptions
from lacuna.models.crf import CrfModel, CrfSettings, Support
from lacuna.models.crf.adapting import private_key, private_settings
from lacuna.models.crf.objective import CrfObjective, pair_counts
from lacuna.text.document import Document
from lacuna.text.word_types import number_types
from lacuna.types import FloatArray, IntArray, LongArray, RealArray

MANY_TAGS = 20
FREQUENT = 5  #: occurrences that give a feature weights for all labels, if support is ``frequent``


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """Everything that training needs to know about a corpus."""

    tags: tuple[str, ...]
    index: FeatureIndex
    emission: FactoredEmission
    objective: CrfObjective
    scale: RealArray


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What training starts with.

    Attributes
    ----------
    config
        Settings as they will be stored in the model.
    templates
        Templates of the features.
    resources
        The word lists and clusters that templates use.
    key
        The key of a private model, else 0.
    start
        The model to adapt, if any.
    """

    config: CrfSettings
    templates: tuple[Template, ...]
    resources: Resources
    key: int = 0
    start: CrfModel | None = None


def set_up(examples: Sequence[Example], config: CrfSettings, options: FitOptions) -> Setup:
    """Read the files that settings name; an adapted model keeps its templates, lists and key."""
    start = options.start
    if isinstance(start, CrfModel):
        plan = start.index.plan
        config = private_settings(config) if plan.key else config
        return Setup(config, plan.templates, plan.resources, plan.key, start)
    templates, resources = config.read()
    config = config.without_folders()
    if not options.private:
        return Setup(config, templates, resources)
    key = private_key((example.document.text for example in examples), options.seed)
    return Setup(private_settings(config), templates, resources, key)


def prepare(
    examples: Sequence[Example], setup: Setup, more: Sequence[Template] = ()
) -> TrainingSet:
    """Turn documents and their tags into the objective; `more` are additional templates."""
    config = setup.config
    table = training_table(examples)
    labels = sorted({*label_counts(examples), *(setup.start.labels if setup.start else ())})
    tags = config.tag_set(labels)
    plan = make_plan([*setup.templates, *more], resources=setup.resources, key=setup.key)
    number = {tag: k for k, tag in enumerate(tags)}
    gold = np.array([number[tag] for e in examples for tag in e.tags], np.int32)
    numbered = number_types(table.hashes)
    index = build_index(table, numbered, plan, min_count=config.min_count)
    least = config.min_documents
    if least > 1:
        group = _groups([e.document for e in examples], table, least=least)
        index = in_enough_groups(index, table, numbered, group, least=least)
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
        config.moves(tags),
        l2=config.l2,
        support=_support(_chosen_support(config, len(labels)), pairs, emission),
    )
    return TrainingSet(tags, index, emission, objective, _scale(objective, pairs, config.l2))


def _groups(documents: Sequence[Document], table: TokenTable, *, least: int) -> LongArray:
    """Return the group number of each token."""
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


def _chosen_support(config: CrfSettings, labels: int) -> Support:
    if config.support != "auto":
        return config.support
    return "frequent" if 2 * labels + 1 > MANY_TAGS else "all"


def _support(kind: Support, pairs: RealArray, emission: FactoredEmission) -> LongArray | None:
    """Return the flat indices of (feature, label) pairs that get a weight; None means all."""
    if kind == "all":
        return None
    chosen = pairs > 0
    if kind == "frequent":
        times = pairs.sum(axis=1) / np.sqrt(emission.merged.size)
        chosen |= (times >= FREQUENT)[:, None]
    return np.flatnonzero(chosen)


def _scale(objective: CrfObjective, pairs: RealArray, l2: float) -> RealArray:
    """Return the scale of every weight, relative to that of a feature seen once."""
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
