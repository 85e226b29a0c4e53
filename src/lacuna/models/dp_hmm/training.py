"""Training an HMM with sub-tags: tagged documents → vocabulary items and tags → steps.

:func:`fit_dp_hmm` runs the updates of `variational.py`; :class:`DpHmmTraining` turns documents into
a problem and what was learnt into a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, pairwise

import numpy as np

from lacuna.encoding.flat import TaggedDocument, in_seen_sentences, known_tags, untagged
from lacuna.encoding.schemes import moves, tag_set
from lacuna.errors import ConfigError
from lacuna.features.resources import Resources, without_folders
from lacuna.features.token_table import TokenTable, training_table, words_at
from lacuna.learning.raw_weight import weight_of_raw
from lacuna.models.base import FitOptions, Step
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm.corpus_layout import TaggedWords
from lacuna.models.dp_hmm.e_step import LogWeights
from lacuna.models.dp_hmm.rare_functions import (
    NO_PHRASES,
    RareFunctions,
    informative_phrases,
    phrases_near,
)
from lacuna.models.dp_hmm.rare_words import RareWords, fit_rare_words, rare_tokens
from lacuna.models.dp_hmm.sticks import shares
from lacuna.models.dp_hmm.variational import DpHmmProblem, Learnt, Priors, VbStep, pose
from lacuna.models.file import NO_STRINGS, PackedStrings, packed_words
from lacuna.text.word_types import number_types
from lacuna.types import FloatArray, IntArray, LongArray

TRIAL = 5  #: iterations after which one of several starting points is chosen
LEAST_SPELLED = 5  #: words that occur less often are not in the file as text
LEAST_TOKENS = 0.5  #: sub-tags with fewer expected tokens are dropped


def fit_dp_hmm(
    tagged: Sequence[TaggedDocument], config: DpHmm, options: FitOptions
) -> Iterator[Step]:
    """Yield ever better models until training converges or reaches its maximum of iterations.

    Raises
    ------
    ConfigError
        When sub-tags are set for an unknown label, or there is nothing to train on.
    """
    tagged = in_seen_sentences(tagged)
    raw = untagged(options.raw if config.raw_weight else ())
    known = DpHmmTraining.of(tagged, config)
    climbing = _most_promising(known.problem, config.restarts, options.rng())
    iteration, most = 0, config.iterations if not raw else -(-config.iterations // 2)
    for step in _until_flat(climbing, config.tolerance, most):
        iteration += 1
        yield known.step(iteration, step)
    if raw:
        both = DpHmmTraining.of(tagged, config, raw)
        climbing = both.problem.climb(both.carried_over(known, step.learnt))
        for step in _until_flat(climbing, config.tolerance, config.iterations - iteration):
            iteration += 1
            yield both.step(iteration, step)


def _until_flat(steps: Iterator[VbStep], tolerance: float, most: int) -> Iterator[VbStep]:
    """Yield up to this many steps; stop when the bound hardly rises."""
    before = -np.inf
    for step in islice(steps, most):
        yield step
        if step.elbo - before < tolerance * abs(step.elbo):
            return
        before = step.elbo


def _most_promising(
    problem: DpHmmProblem, restarts: int, rng: np.random.Generator
) -> Iterator[VbStep]:
    """Start several times and continue the one whose bound is highest after a trial."""
    if restarts == 1:
        return problem.climb(problem.start(rng))
    trials = [list(islice(problem.climb(problem.start(rng)), TRIAL)) for _ in range(restarts)]
    best = max(trials, key=lambda steps: steps[-1].elbo)
    return chain(best, problem.climb(best[-1].learnt))


@dataclass(frozen=True, slots=True, eq=False)
class DpHmmTraining:
    """A training corpus as numbers, and how what was learnt becomes a model."""

    config: DpHmm
    tags: tuple[str, ...]
    words: RareWords
    problem: DpHmmProblem
    spelled: PackedStrings
    table: TokenTable

    @classmethod
    def of(
        cls, tagged: Sequence[TaggedDocument], config: DpHmm, raw: Sequence[TaggedDocument] = ()
    ) -> DpHmmTraining:
        """Turn tagged documents and raw text into vocabulary items and tags.

        Raises
        ------
        ConfigError
            When sub-tags are set for an unknown label, or there is nothing to train on.
        """
        weight = weight_of_raw(config.raw_weight, tagged, raw)
        tagged = [*tagged, *raw]
        table = training_table(tagged)
        labels = sorted({chunk.label for document in tagged for chunk in document.chunks})
        unknown = set(config.subtags) - {"outside", "entity", *labels}
        if unknown:
            raise ConfigError("subtags: expected outside, entity, or a label of the corpus")
        tags = tag_set(labels, config.scheme)
        every = (tag for document in tagged for tag in document.tags(config.scheme))
        gold = known_tags(tagged, every, tags)
        functions = fit_rare_functions(table, gold, config)
        words = fit_rare_words(table, functions, rare=config.rare, class_count=config.class_count)
        problem = pose(
            TaggedWords(words.items(table), gold, table.sentences),
            len(words),
            [config.subtags_of(tag) for tag in tags],
            moves(tags, config.scheme).with_border(),
            Priors(config.alpha, config.alpha_e, config.alpha_tag, config.alpha_t),
            structured=config.inference == "structured",
            raw_weight=weight,
        )
        least = max(config.rare, LEAST_SPELLED)
        spelled = frequent_words(table, least) if config.spell else NO_STRINGS
        config = replace(config, word_lists=without_folders(config.word_lists))
        return cls(config, tags, words, problem, spelled, table)

    def step(self, iteration: int, step: VbStep) -> Step:
        """Return a step of training."""
        used, most = sum(step.learnt.in_use()), int(self.problem.first[-1]) - 1
        note = f"{used} of {most} sub-tags in use"
        return Step(iteration, -step.elbo, partial(self.model, step.learnt), note)

    def carried_over(self, other: DpHmmTraining, learnt: Learnt) -> Learnt:
        """Return a start with the sub-tags that another training of the same tags has learnt.

        Every item of the vocabulary begins with the weights of the item that stood for its first
        token before, so that words of raw text begin with those of their class.
        """
        weights, moves = mean_weights(other.problem, learnt)
        before, own = other.words.items(self.table), self.words.items(self.table)
        items, first = np.unique(own, return_index=True)
        former = np.zeros(len(self.words), np.int64)
        former[items] = before[first]
        states = self.problem.first
        emission = [
            weights[former[words], a:b]
            for words, (a, b) in zip(self.problem.words, pairwise(states[:-1]), strict=True)
        ]
        found = self.problem.expect_given(LogWeights(moves, emission, states))
        return self.problem.learn(found, learnt.sticks)

    def model(self, learnt: Learnt) -> DpHmmModel:
        """Return the model of the sub-tags in use."""
        tokens = np.concatenate([counts.sum(axis=0) for counts in learnt.emission])
        kept, borders = _in_use(tokens, self.problem.first)
        states = np.append(kept, len(tokens))
        words, moves = (
            mean_weights(self.problem, learnt)
            if self.config.weights == "mean"
            else geometric_weights(self.problem, learnt)
        )
        return DpHmmModel(
            self.config,
            self.tags,
            borders,
            self.words,
            words[:, kept].astype(np.float32),
            moves[np.ix_(states, states)],
            tokens[kept],
            spelled=self.spelled,
        )


def frequent_words(table: TokenTable, least: int) -> PackedStrings:
    """Return the words that occur at least so often as text, for people."""
    types = number_types(table.hashes)
    return packed_words(words_at(table, types.first[np.bincount(types.ids) >= least]))


def fit_rare_functions(table: TokenTable, gold: IntArray, config: DpHmm) -> RareFunctions:
    """Return the functions that classify rare words: read word lists, find informative phrases."""
    lists = Resources.read(config.word_lists, {}).lists
    phrases, only_numbers = NO_PHRASES, config.phrases_near == "numbers"
    if config.phrases:
        tokens = rare_tokens(table, config.rare)
        tokens = tokens[gold[tokens] >= 0]  # of the others the tag is unknown
        near = phrases_near(table, tokens, only_numbers=only_numbers)
        least = config.class_count
        phrases = informative_phrases(near, gold[tokens], count=config.phrases, least=least)
    return RareFunctions(lists, config.templates, phrases, only_numbers)


def geometric_weights(problem: DpHmmProblem, learnt: Learnt) -> tuple[FloatArray, FloatArray]:
    """E[ln φE] of every item, [x, y], and E[ln φT φt], [i, j]."""
    logs = problem.weights(learnt)
    unseen = [problem.log_words(np.zeros((1, c.shape[1])), c.sum(axis=0)) for c in learnt.emission]
    return _spread(problem, unseen, logs.emission), logs.moves


def mean_weights(problem: DpHmmProblem, learnt: Learnt) -> tuple[FloatArray, FloatArray]:
    """Return ln E[φE] of every item, [x, y], and ln E[φT] E[φt], [i, j]."""
    prior = problem.priors
    own, unseen = [], []
    for counts in learnt.emission:
        total = np.log(prior.alpha_e * problem.vocabulary + counts.sum(axis=0))
        own.append(np.log(prior.alpha_e + counts) - total)
        unseen.append(np.log(prior.alpha_e) - total[None])
    share = np.concatenate([*map(shares, learnt.sticks), np.ones(1)])
    to_tag = np.add.reduceat(learnt.moves, problem.first[:-1], axis=1)
    tag_prior = prior.alpha_tag * np.repeat(problem.tag_moves, problem.subtags, axis=0)
    next_tag = (to_tag + tag_prior) / (to_tag + tag_prior).sum(axis=1, keepdims=True)
    wide = np.repeat(np.arange(len(problem.subtags)), problem.subtags)
    subtag = (learnt.moves + prior.alpha_t * share) / (to_tag + prior.alpha_t)[:, wide]
    with np.errstate(divide="ignore"):
        moves: FloatArray = np.log(next_tag)[:, wide] + np.log(subtag)
    return _spread(problem, unseen, own), moves


def _spread(
    problem: DpHmmProblem, unseen: Sequence[FloatArray], own: Sequence[FloatArray]
) -> FloatArray:
    """Return the log weight of every item in every state: `own` for the words of its tag."""
    tables = []
    for words, rest, seen in zip(problem.words, unseen, own, strict=True):
        table = np.repeat(rest, problem.vocabulary, axis=0)
        table[words] = seen
        tables.append(table)
    return np.concatenate(tables, axis=1)


def _in_use(tokens: FloatArray, first: LongArray) -> tuple[LongArray, LongArray]:
    """Return the states to keep, at least one per tag, and the borders of tags among them."""
    used = tokens >= LEAST_TOKENS
    for a, b in pairwise(first[:-1].tolist()):
        used[a + np.argmax(tokens[a:b])] = True
    borders = np.concatenate((np.zeros(1, np.int64), np.cumsum(used)))[first[:-1]]
    return np.flatnonzero(used).astype(np.int64), borders.astype(np.int64)
