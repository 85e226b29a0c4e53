"""Training a class HMM: tagged documents → vocabulary and classes → steps.

The vocabulary is every training word and, for words to come, one pseudo-word per distinct set of
features among the words seen once: each of these counts half as itself and half as its pseudo-word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lacuna.encoding.flat import TaggedDocument
from lacuna.encoding.schemes import moves, tag_set
from lacuna.errors import ConfigError
from lacuna.features.index import KnownKeys
from lacuna.features.resources import Resources, without_folders
from lacuna.features.token_table import TokenTable, token_table
from lacuna.learning.lbfgs import minimise
from lacuna.models.base import FitOptions, Step
from lacuna.models.class_hmm import ClassHmm, ClassHmmModel
from lacuna.models.class_hmm.features import UNSEEN, FeatureSpace, WordFeatures, word_features
from lacuna.models.class_hmm.objective import ClassCorpus, ClassHmmObjective, HmmTables, log_sum
from lacuna.models.class_hmm.start import assigned_counts, maximise_likelihood, start_point
from lacuna.text.word_types import NumberedTypes, number_types
from lacuna.types import FloatArray, IntArray, RealArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

AS_ITSELF = 0.5  #: share of a word seen once that counts as the word itself
LEAST_COUNT = 2  #: tokens that must share a feature
GUESS = 0.5  #: how much of a token goes to the state of its position, where training begins there
LOWEST_LOG = -30.0  #: of probabilities estimated by counting


class Vocabulary(NamedTuple):
    """Outcomes of the emission.

    space
        All features.
    rows[x, j]
        Features of outcome x, -1 for none; first that of the word itself, or UNSEEN.
    readings[w, x]
        To which share word type w counts as outcome x.
    """

    space: FeatureSpace
    rows: IntArray
    readings: csr_array

    def matrix(self) -> csr_array:
        """Return features[x, r] = 1 where outcome x has feature r."""
        from scipy.sparse import csr_array

        outcome, column = np.nonzero(self.rows >= 0)
        entries = (np.ones(len(outcome)), (outcome, self.rows[outcome, column]))
        return csr_array(entries, shape=(len(self.rows), len(self.space)))


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """Everything about a corpus that training needs."""

    config: ClassHmm
    tags: tuple[str, ...]
    vocabulary: Vocabulary
    objective: ClassHmmObjective

    def model(self, weights: HmmTables) -> ClassHmmModel:
        """Make a model of these weights."""
        emission = weights.emission.astype(np.float32)
        scores = self.objective.features @ emission.astype(np.float64)
        return ClassHmmModel(
            self.config,
            self.tags,
            self.vocabulary.space,
            emission,
            log_sum(scores, axis=0)[0],
            weights.transition.copy(),
            weights.start.copy(),
        )


def fit_class_hmm(
    tagged: Sequence[TaggedDocument], config: ClassHmm, options: FitOptions
) -> Iterator[Step]:
    """Yield ever better models, until the iterations are used up or hardly help.

    Raises
    ------
    ConfigError
        When a setting is wrong or there is nothing to train on.
    """
    data = prepare(tagged, config)
    corpus, states = data.objective.corpus, config.states
    shares = np.full((len(corpus.words), states), 1 / states)
    if config.start == "position":
        shares = (1 - GUESS) * shares + GUESS * position_shares(tagged, states)
    counts = assigned_counts(corpus, shares, len(data.tags))
    noise = config.noise if states > 1 else 0.0
    own = data.vocabulary.rows[:, 0]
    point, scale = start_point(data.objective, counts, own, noise=noise, rng=options.rng)
    yield from _count(data, point) if config.method == "em" else _climb(data, point, scale)


def prepare(tagged: Sequence[TaggedDocument], config: ClassHmm) -> TrainingSet:
    """Turn tagged documents into the objective to be minimised."""
    table = token_table([d.document for d in tagged], [d.tokens for d in tagged])
    if not len(table.start):
        raise ConfigError("there are no tokens to train on")
    labels = sorted({chunk.label for document in tagged for chunk in document.chunks})
    tags = tag_set(labels, config.scheme)
    number = {tag: k for k, tag in enumerate(tags)}
    classes = np.array([number[tag] for d in tagged for tag in d.tags(config.scheme)], np.int32)
    types = number_types(table.hashes)
    resources = Resources.read(config.word_lists, config.clusters)
    vocabulary = make_vocabulary(word_features(config.features, resources), table, types)
    objective = ClassHmmObjective(
        ClassCorpus(types.ids, classes, table.sentences, vocabulary.readings),
        vocabulary.matrix(),
        moves(tags, config.scheme).split(config.states),
        states=config.states,
        kappa=config.kappa,
    )
    stored = replace(
        config,
        features=Path(config.features).name,
        word_lists=without_folders(config.word_lists),
        clusters=without_folders(config.clusters),
    )
    return TrainingSet(stored, tags, vocabulary, objective)


def make_vocabulary(features: WordFeatures, table: TokenTable, types: NumberedTypes) -> Vocabulary:
    """Give numbers to the features and outcomes of all words of a corpus."""
    from scipy.sparse import csr_array

    times = np.bincount(types.ids)
    keys = features.keys(table, types.first)
    shared, place = np.unique(keys[:, 1:], return_inverse=True)
    uses = np.bincount(place.ravel(), np.repeat(times, keys.shape[1] - 1), len(shared))
    kept = shared[(uses >= LEAST_COUNT) & (shared > 0)]
    space = FeatureSpace(features, KnownKeys.of(np.concatenate((keys[:, 0], kept))))
    rows = space.rows(table, types.first)
    once = np.flatnonzero(times == 1)
    unseen = rows[once]
    unseen[:, 0] = UNSEEN
    pseudo, outcome = np.unique(unseen, axis=0, return_inverse=True)
    share = np.where(times == 1, AS_ITSELF, 1.0)
    words = np.arange(len(rows))
    entries = np.concatenate((share, np.full(len(once), 1 - AS_ITSELF)))
    places = np.concatenate((words, once)), np.concatenate((words, len(rows) + outcome.ravel()))
    readings = csr_array((entries, places), shape=(len(rows), len(rows) + len(pseudo)))
    return Vocabulary(space, np.concatenate((rows, pseudo)), readings)


def position_shares(tagged: Sequence[TaggedDocument], states: int) -> FloatArray:
    """Return shares[t, j] of token t that go to the j-th state of its class by its position.

    The first token of a mention goes to the first state, the last one to the last, those between
    to states between; a single token and what is in no mention go to all alike.
    """
    parts = []
    for document in tagged:
        shares = np.full((len(document.tokens), states), 1 / states)
        for _, start, end in document.chunks:
            if end - start > 1:
                place = np.linspace(0, states - 1, end - start).round().astype(np.int64)
                shares[start:end] = np.eye(states)[place]
        parts.append(shares)
    return np.concatenate(parts)


def _climb(data: TrainingSet, point: FloatArray, scale: FloatArray) -> Iterator[Step]:
    """Minimise the objective with L-BFGS."""
    config, before = data.config, np.inf
    for step in minimise(data.objective, point, scale=scale):
        model = partial(_model_at, data, step.point)
        yield Step(step.iteration + 1, step.value, model)
        flat = before - step.value < config.tolerance * abs(step.value)
        if step.iteration + 1 >= config.iterations or flat:
            return
        before = step.value


def _model_at(data: TrainingSet, point: RealArray) -> ClassHmmModel:
    return data.model(data.objective.tables(point))


def _count(data: TrainingSet, point: FloatArray) -> Iterator[Step]:
    """Maximise the likelihood with EM."""
    config, before = data.config, np.inf
    logs = data.objective.log_probabilities(point)
    for step in maximise_likelihood(data.objective.corpus, logs, config.states):
        model = partial(_model_of_logs, data, step.log_probabilities)
        yield Step(step.iteration + 1, -step.log_likelihood, model)
        flat = before + step.log_likelihood < config.tolerance * abs(step.log_likelihood)
        if step.iteration + 1 >= config.iterations or flat:
            return
        before = -step.log_likelihood


def _model_of_logs(data: TrainingSet, logs: HmmTables) -> ClassHmmModel:
    """Take log probabilities, none of them 0, as weights of words and moves."""
    emission = np.full(data.objective.shapes[0], LOWEST_LOG)
    emission[data.vocabulary.rows[:, 0]] = logs.emission
    bounded = (np.maximum(part, LOWEST_LOG) for part in logs._replace(emission=emission))
    return data.model(HmmTables(*bounded))
