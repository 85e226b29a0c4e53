"""Training a class HMM: tagged documents → vocabulary and classes → steps.

The vocabulary is every training word and, for unseen words, one pseudo-word per distinct set of
features among the words of a single document: each of these counts half as itself and half as its
pseudo-word, because no other document has seen it, however often it occurs. The objective is in
`objective.py`, the starting point in `start.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lacuna.encoding.flat import TaggedDocument, in_seen_sentences, known_tags, untagged
from lacuna.encoding.schemes import Moves, moves, tag_set
from lacuna.features.index import KnownKeys
from lacuna.features.resources import Resources, without_folders
from lacuna.features.token_table import TokenTable, training_table
from lacuna.learning.lbfgs import minimise
from lacuna.learning.raw_weight import weight_of_raw
from lacuna.models.base import FitOptions, Step
from lacuna.models.class_hmm import ClassHmm, ClassHmmModel
from lacuna.models.class_hmm.chain_counts import NO_CLASSES, ClassCorpus, HmmTables
from lacuna.models.class_hmm.class_shares import first_shares
from lacuna.models.class_hmm.features import UNSEEN, WordFeatures, WordFeatureSpace, word_features
from lacuna.models.class_hmm.objective import ClassHmmObjective, log_sum
from lacuna.models.class_hmm.start import (
    assigned_counts,
    equal_shares,
    maximise_likelihood,
    neighbour_shares,
    position_shares,
    start_point,
)
from lacuna.text.word_types import NumberedTypes, number_types
from lacuna.types import BoolArray, FloatArray, IntArray, RealArray

if TYPE_CHECKING:  # scipy is slow to load, so it is imported only where training uses it
    from scipy.sparse import csr_array

AS_ITSELF = 0.5  #: share of a word of a single document that counts as the word itself
LEAST_COUNT = 2  #: a feature must occur on at least this many tokens
GUESS = 0.5  #: share of a token that goes to the state of its position (start = position)
LOWEST_LOG = -30.0  #: lower bound of log probabilities estimated by EM


def fit_class_hmm(
    tagged: Sequence[TaggedDocument], config: ClassHmm, options: FitOptions
) -> Iterator[Step]:
    """Yield ever better models until training converges or reaches its maximum of iterations.

    Raises
    ------
    ConfigError
        When a feature set or file is wrong, or there is nothing to train on.
    """
    tagged, raw = in_seen_sentences(tagged), untagged(options.raw if config.raw_weight else ())
    data = ClassHmmTraining.of(tagged, config, raw)
    corpus, borders, rng = data.objective.corpus, data.objective.borders, options.rng()
    shares = equal_shares(corpus, borders)
    if config.start != "random":
        drawn = neighbour_shares(corpus, borders, rng) if config.start == "neighbours" else shares
        place = places_in_mentions([*tagged, *raw])[corpus.tokens]
        shares = (1 - GUESS) * shares + GUESS * position_shares(corpus, borders, place, drawn)
    counts = assigned_counts(corpus, shares, borders)
    if data.objective.classes:
        counts = first_shares(counts, borders)
    noise = config.noise if np.diff(borders).max() > 1 else 0.0
    own = data.vocabulary.rows[:, 0]
    point, scale = start_point(data.objective, counts, own, noise=noise, rng=rng)
    yield from _em(data, point) if config.method == "em" else _lbfgs(data, point, scale)


def _lbfgs(data: ClassHmmTraining, point: FloatArray, scale: FloatArray) -> Iterator[Step]:
    """Minimise the objective with L-BFGS; with raw text, half of the iterations go without it."""
    config, done = data.config, 0
    parts = [(data.objective, config.iterations)]
    if data.objective.corpus.has_raw:
        parts.insert(0, (data.objective.without_raw(), -(-config.iterations // 2)))
    for objective, last in parts:
        before = np.inf
        for step in minimise(objective, point, scale=scale):
            done, point = done + 1, step.point.astype(np.float64, copy=False)
            yield Step(done, step.value, partial(data.model_at, point))
            if done >= last or before - step.value < config.tolerance * abs(step.value):
                break
            before = step.value


def _em(data: ClassHmmTraining, point: FloatArray) -> Iterator[Step]:
    """Maximise the likelihood with EM."""
    config, before = data.config, np.inf
    logs = data.objective.log_probabilities(point)
    for step in maximise_likelihood(data.objective.corpus, logs, data.objective.borders):
        model = partial(data.model_of, step.log_probabilities)
        yield Step(step.iteration + 1, -step.log_likelihood, model)
        flat = before + step.log_likelihood < config.tolerance * abs(step.log_likelihood)
        if step.iteration + 1 >= config.iterations or flat:
            return
        before = -step.log_likelihood


@dataclass(frozen=True, slots=True, eq=False)
class ClassHmmTraining:
    """A training corpus as numbers, and how weights become a model."""

    config: ClassHmm
    tags: tuple[str, ...]
    vocabulary: Vocabulary
    objective: ClassHmmObjective

    @classmethod
    def of(
        cls,
        tagged: Sequence[TaggedDocument],
        config: ClassHmm,
        raw: Sequence[TaggedDocument] = (),
    ) -> ClassHmmTraining:
        """Turn tagged documents and raw text into the objective to be minimised.

        Raises
        ------
        ConfigError
            When a feature set or file is wrong, or there is nothing to train on.
        """
        weight = weight_of_raw(config.raw_weight, tagged, raw)
        tagged = [*tagged, *raw]
        table = training_table(tagged)
        labels = sorted({chunk.label for document in tagged for chunk in document.chunks})
        tags = tag_set(labels, config.scheme)
        spelled = (tag for document in tagged for tag in document.tags(config.scheme))
        classes = known_tags(tagged, spelled, tags)
        types = number_types(table.hashes)
        resources = Resources.read(config.word_lists, config.clusters)
        vocabulary = make_vocabulary(word_features(config.features, resources), table, types)
        free = config.state_classes == "distribution"
        borders = config.borders(tags)
        possible = moves(tags, config.scheme).split(np.diff(borders))
        objective = ClassHmmObjective(
            ClassCorpus.of(types.ids, classes, table.sentences, vocabulary.readings, weight),
            vocabulary.matrix(),
            Moves.unrestricted(len(possible.first)) if free else possible,
            borders=borders,
            kappa=config.kappa,
            classes=len(tags) if free else 0,
        )
        stored = replace(
            config,
            features=Path(config.features).name,
            word_lists=without_folders(config.word_lists),
            clusters=without_folders(config.clusters),
        )
        return cls(stored, tags, vocabulary, objective)

    def model(self, weights: HmmTables) -> ClassHmmModel:
        """Return the model with these weights."""
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
            weights.classes - log_sum(weights.classes, axis=0)
            if self.objective.classes
            else NO_CLASSES,
        )

    def model_at(self, point: RealArray) -> ClassHmmModel:
        """Return the model at a point of the objective."""
        return self.model(self.objective.tables(point))

    def model_of(self, logs: HmmTables) -> ClassHmmModel:
        """Return the model whose weights are log probabilities, bounded from below."""
        emission = np.full(self.objective.shapes[0], LOWEST_LOG)
        emission[self.vocabulary.rows[:, 0]] = logs.emission
        bounded = (np.maximum(part, LOWEST_LOG) for part in logs._replace(emission=emission))
        return self.model(HmmTables(*bounded))


class Vocabulary(NamedTuple):
    """The outcomes of the emission: words and pseudo-words.

    space
        All features.
    rows[x, j]
        Features of outcome x, -1 for none; column 0 is the word itself, or UNSEEN.
    readings[w, x]
        The share of word type w that counts as outcome x.
    """

    space: WordFeatureSpace
    rows: IntArray
    readings: csr_array

    def matrix(self) -> csr_array:
        """Return features[x, r] = 1 if outcome x has feature r."""
        from scipy.sparse import csr_array

        outcome, column = np.nonzero(self.rows >= 0)
        entries = (np.ones(len(outcome)), (outcome, self.rows[outcome, column]))
        return csr_array(entries, shape=(len(self.rows), len(self.space)))


def make_vocabulary(features: WordFeatures, table: TokenTable, types: NumberedTypes) -> Vocabulary:
    """Assign numbers to the features and outcomes of all words of a corpus."""
    from scipy.sparse import csr_array

    times, alone = np.bincount(types.ids), in_one_document(table, types)
    keys = features.keys(table, types.first)
    shared, place = np.unique(keys[:, 1:], return_inverse=True)
    uses = np.bincount(place.ravel(), np.repeat(times, keys.shape[1] - 1), len(shared))
    kept = shared[(uses >= LEAST_COUNT) & (shared > 0)]
    space = WordFeatureSpace(features, KnownKeys.of(np.concatenate((keys[:, 0], kept))))
    rows = space.rows(table, types.first)
    once = np.flatnonzero(alone)
    unseen = rows[once]
    unseen[:, 0] = UNSEEN
    pseudo, outcome = np.unique(unseen, axis=0, return_inverse=True)
    share = np.where(alone, AS_ITSELF, 1.0)
    words = np.arange(len(rows))
    entries = np.concatenate((share, np.full(len(once), 1 - AS_ITSELF)))
    places = np.concatenate((words, once)), np.concatenate((words, len(rows) + outcome.ravel()))
    readings = csr_array((entries, places), shape=(len(rows), len(rows) + len(pseudo)))
    return Vocabulary(space, np.concatenate((rows, pseudo)), readings)


def in_one_document(table: TokenTable, types: NumberedTypes) -> BoolArray:
    """Tell of every word whether it occurs in one document only; in a single document, once."""
    alone: BoolArray = np.bincount(types.ids) == 1
    if len(table.documents) > 2:
        document = np.repeat(np.arange(len(table.documents) - 1), np.diff(table.documents))
        alone = np.bincount(types.ids, document != document[types.first][types.ids]) == 0
    return alone


def places_in_mentions(tagged: Sequence[TaggedDocument]) -> FloatArray:
    """Return place[t]: from 0 for the first token of a mention to 1 for its last.

    It is NaN in mentions of one token, and for tokens outside mentions.
    """
    places = []
    for document in tagged:
        place = np.full(len(document.tokens), np.nan)
        for _, start, end in document.chunks:
            if end - start > 1:
                place[start:end] = np.linspace(0, 1, end - start)
        places.append(place)
    return np.concatenate(places)
