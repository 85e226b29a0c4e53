"""Training data of a CRF as arrays: features, gold tags, the objective and the scale of weights.

L-BFGS searches weights in units of how far they are expected to move. The curvature of the
likelihood along the weight of a feature for a tag is Σ p (1 - p) over the tokens that have the
feature, where p is the probability of the tag there. If c of n such tokens have the tag,

    scale = 1 / √(CURVATURE · c (1 - c/n) + FLOOR · n + 2λ)

makes directions more alike, so that fewer iterations are needed. Both constants were chosen by dev
scores; CURVATURE is far below 1 probably because most tokens become certain early.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lacuna.encoding.flat import UNKNOWN, Example, known_tags, label_counts
from lacuna.errors import ConfigError
from lacuna.features.extract import FeatureIndex, FeatureRows, build_index, in_enough_groups
from lacuna.features.lexicon_counts import unit_numbers
from lacuna.features.plan import Plan, make_plan
from lacuna.features.resources import Resources
from lacuna.features.templates import Template
from lacuna.features.token_table import TokenTable, training_table
from lacuna.inference.batch import TimePack, chunks, pack_by_time
from lacuna.inference.known_labels import KnownFirst, known_first
from lacuna.learning.emission import CURVATURE, FactoredEmission, curvature, factor
from lacuna.learning.folds import too_few
from lacuna.models.base import FitOptions
from lacuna.models.crf import Crf, CrfModel, CrfSettings, Support
from lacuna.models.crf.adapting import private_key, private_settings
from lacuna.models.crf.changes import changeable, in_other_letters, old_scores
from lacuna.models.crf.objective import Base, CrfObjective, Shares, pair_counts
from lacuna.models.crf.old_answers import Answers, old_answers
from lacuna.models.lexical import Lexical, with_training_lexicon
from lacuna.text.document import Document
from lacuna.text.word_types import NumberedTypes, number_types
from lacuna.types import FloatArray, HashArray, IntArray, LongArray, RealArray

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
    replay
        Other texts in which that model's answers are to stay, if changes of it are learnt.
    """

    config: CrfSettings
    templates: tuple[Template, ...]
    resources: Resources
    key: int = 0
    start: CrfModel | None = None
    replay: Sequence[Example] = ()

    @property
    def changing(self) -> CrfModel | None:
        """The model whose changes are learnt, if that is how it is adapted."""
        is_changed = isinstance(self.config, Crf) and self.config.adapting == "changes"
        return self.start if is_changed else None


def set_up(examples: Sequence[Example], config: CrfSettings, options: FitOptions) -> Setup:
    """Read the files that settings name; an adapted model keeps its templates, lists and key."""
    start = options.start
    if isinstance(start, CrfModel):
        plan = start.index.plan
        config = private_settings(config) if plan.key else config
        setup = Setup(config, plan.templates, plan.resources, plan.key, start)
        if setup.changing is None or not isinstance(config, Crf):
            return setup
        return replace(setup, replay=[config.example(document) for document in options.replay])
    templates, resources = config.read()
    config = config.without_folders()
    if not options.private:
        return Setup(config, templates, resources)
    key = private_key((example.document.text for example in examples), options.seed)
    return Setup(private_settings(config), templates, resources, key)


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """A corpus as arrays.

    Attributes
    ----------
    examples
        Those that are learnt from.
    table
        Their tokens, then those of a replay, from token `replayed` on.
    templates
        Templates of the features, which `index` has; rows are those of the tokens.
    tags, labels
        All tags, and the number of labels.
    gold
        The tag of each token, or ``UNKNOWN``.
    base, answers
        Scores of the model whose changes are learnt, and its answers in the replay.
    """

    examples: Sequence[Example]
    table: TokenTable
    templates: tuple[Template, ...]
    index: FeatureIndex
    rows: FeatureRows
    tags: tuple[str, ...]
    labels: int
    gold: IntArray
    replayed: int
    base: Base | None
    answers: Answers | None

    def told(
        self, values: Mapping[str, HashArray], more: Sequence[Template], setup: Setup
    ) -> Encoded:
        """Return the corpus with further attributes and templates."""
        table = self.table._replace(given={**self.table.given, **values})
        templates = (*self.templates, *more)
        plan = make_plan(templates, resources=self.index.plan.resources, key=setup.key)
        numbered = number_types(table.types)
        index = _features(self.examples, table, numbered, plan, setup)
        rows = index.rows(table, numbered)
        return replace(self, table=table, templates=templates, index=index, rows=rows)


def encoded(examples: Sequence[Example], setup: Setup) -> Encoded:
    """Turn documents and their tags into arrays."""
    config = setup.config
    counted = examples
    own, examples = _read(examples, setup)
    table, templates, resources = _lexical(counted, own, training_table(examples), setup)
    labels = sorted({*label_counts(examples), *(setup.start.labels if setup.start else ())})
    tags = config.tag_set(labels)
    plan = make_plan(templates, resources=resources, key=setup.key)
    gold = known_tags(examples, (tag for e in examples for tag in e.tags), tags)
    numbered = number_types(table.types)
    replayed = int(table.documents[len(own)])  # the first token of a replay
    if setup.changing is None:
        index = _features(examples, table, numbered, plan, setup)
    else:
        given = {name: values[:replayed] for name, values in table.given.items()}
        learnt = training_table(own)._replace(given=given)
        new = _features(own, learnt, number_types(learnt.types), plan, setup)
        index = changeable(setup.changing, new, build_index(table, numbered, plan))
    base, answers = _old(setup, table, replayed, tags)
    if answers is not None:  # sentences of which nothing is known are left out
        gold[replayed:] = UNKNOWN
        gold[answers.rows] = answers.share.argmax(axis=1)
    rows = index.rows(table, numbered)
    return Encoded(
        own, table, templates, index, rows, tags, len(labels), gold, replayed, base, answers
    )


def training_set(data: Encoded, setup: Setup, gold: IntArray | None = None) -> TrainingSet:
    """Return the objective; `gold` may have fewer known tags than the corpus."""
    config, tags, index = setup.config, data.tags, data.index
    gold = data.gold if gold is None else gold
    seen = known_first(gold, data.table.sentences)
    if not len(seen.rows):
        raise ConfigError("there are no tokens to train on: nothing was reviewed")
    packs = _packs(seen)
    order = seen.rows[np.concatenate([pack.rows for pack in packs])]
    emission = factor(data.rows, data.table.sentences, index.plan.offsets, order, len(index))
    pairs = pair_counts(emission, gold[order], len(tags))
    objective = CrfObjective(
        emission,
        gold[order],
        packs,
        observed_moves(gold[seen.rows], _before(data.replayed, seen), len(tags)),
        config.moves(tags),
        l2=config.l2,
        support=_support(_chosen_support(config, data.labels), pairs, emission),
    )
    if data.base is not None:
        objective.base = data.base._replace(emission=data.base.emission[order])
    if data.answers is not None:
        place = np.empty(len(gold), np.int64)
        place[order] = np.arange(len(order))
        answers = data.answers
        objective.use_shares(Shares(place[answers.rows], answers.share, answers.moves))
    return TrainingSet(tags, index, emission, objective, _scale(objective, pairs, config.l2))


def _read(examples: Sequence[Example], setup: Setup) -> tuple[Sequence[Example], Sequence[Example]]:
    """Return the examples that are learnt from, and these with those that are replayed."""
    if setup.changing is None or not isinstance(setup.config, Crf):
        return examples, examples
    copies = in_other_letters(examples) if setup.config.adapting_letters else ()
    own = [*examples, *copies]
    return own, [*own, *setup.replay]


def _lexical(
    counted: Sequence[Example], own: Sequence[Example], table: TokenTable, setup: Setup
) -> Lexical:
    """Return the tokens with what other documents say of them, if a template asks for that."""
    return with_training_lexicon(
        table,
        counted,
        setup.templates,
        setup.resources,
        copies=own[len(counted) :],
        least=fewest_documents(counted, setup),
        key=setup.key,
    )


def _old(
    setup: Setup, table: TokenTable, replayed: int, tags: tuple[str, ...]
) -> tuple[Base | None, Answers | None]:
    """Return the scores of the model whose changes are learnt, and its answers in the replay."""
    old = setup.changing
    if old is None:
        return None, None
    base = old_scores(old, table, tags)
    if replayed == len(table.start):
        return base, None
    return base, old_answers(old, base, table, replayed, tags, setup.config.moves(tags))


def _before(token: int, seen: KnownFirst) -> LongArray:
    """Return the offsets of the whole sequences before a token, which begins one."""
    offsets, _ = seen.parts()
    return offsets[offsets <= np.count_nonzero(seen.rows[: seen.whole_rows] < token)]


def _features(
    examples: Sequence[Example],
    table: TokenTable,
    numbered: NumberedTypes,
    plan: Plan,
    setup: Setup,
) -> FeatureIndex:
    """Return the features that often enough occur, in enough documents."""
    index = build_index(table, numbered, plan, min_count=setup.config.min_count)
    least = fewest_documents(examples, setup)
    if least > 1:
        group = _groups([example.document for example in examples], table, least=least)
        index = in_enough_groups(index, table, numbered, group, least=least)
    return index


def fewest_documents(examples: Sequence[Example], setup: Setup) -> int:
    """Return how many documents must have a feature."""
    least = setup.config.min_documents
    if setup.changing is not None and not setup.key:  # the setting may be that of a large corpus
        least = min(least, len({example.document.unit for example in examples}))
    return least


def _groups(documents: Sequence[Document], table: TokenTable, *, least: int) -> LongArray:
    """Return the group number of each token."""
    of_document = unit_numbers(documents)
    groups = int(of_document.max(initial=-1)) + 1
    if groups < least:
        raise ConfigError(
            f"no feature can occur in {least} documents, counting those of one group once:"
            f" {too_few(documents)}"
        )
    return np.repeat(of_document, np.diff(table.documents))


def _packs(seen: KnownFirst) -> list[TimePack]:
    """Return the sequences in chunks; none has both whole ones and others."""
    return [
        pack_by_time(offsets[a : b + 1])
        for offsets in seen.parts()
        for a, b in chunks(offsets - offsets[0])
    ]


def observed_moves(gold: IntArray, offsets: LongArray, size: int) -> FloatArray:
    """Return counts[i, j]: how often label j follows label i within a sequence.

    Sequence s is gold[offsets[s]:offsets[s + 1]]; what comes after the last one does not count.
    """
    gold = gold[: offsets[-1]]
    counts = np.zeros((size, size))
    follows = np.ones(len(gold), np.bool_)
    follows[offsets[:-1]] = False
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
