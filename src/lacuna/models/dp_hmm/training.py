"""Training an HMM with sub-tags: tagged documents → vocabulary items and tags → steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, pairwise

import numpy as np

from lacuna.encoding.flat import TaggedDocument
from lacuna.encoding.schemes import moves, tag_set
from lacuna.errors import ConfigError
from lacuna.features.resources import Resources, without_folders
from lacuna.features.token_table import TokenTable, token_table, words_at
from lacuna.models.base import FitOptions, Step
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm.layout import TaggedWords
from lacuna.models.dp_hmm.rare_functions import (
    NO_PHRASES,
    RareFunctions,
    phrases_near,
    telling_phrases,
)
from lacuna.models.dp_hmm.rare_words import RareWords, fit_rare_words, rare_tokens
from lacuna.models.dp_hmm.sticks import shares
from lacuna.models.dp_hmm.variational import DpHmmProblem, Learnt, Point, Priors, pose
from lacuna.models.file import NO_STRINGS, PackedStrings, packed_words
from lacuna.text.word_types import number_types
from lacuna.types import FloatArray, IntArray, LongArray

TRIAL = 5  #: iterations after which one of several beginnings is chosen
LEAST_TOKENS = 0.5  #: expected tokens of a sub-tag that is kept


@dataclass(frozen=True, slots=True, eq=False)
class TrainingSet:
    """Everything about a corpus that training needs."""

    config: DpHmm
    tags: tuple[str, ...]
    words: RareWords
    problem: DpHmmProblem
    spelled: PackedStrings

    def model(self, learnt: Learnt) -> DpHmmModel:
        """Make a model of the sub-tags in use."""
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


def fit_dp_hmm(
    tagged: Sequence[TaggedDocument], config: DpHmm, options: FitOptions
) -> Iterator[Step]:
    """Yield ever better models, until the iterations are used up or hardly help.

    Raises
    ------
    ConfigError
        When a setting is wrong or there is nothing to train on.
    """
    data = prepare(tagged, config)
    before = -np.inf
    for iteration, point in enumerate(
        _most_promising(data.problem, config.restarts, options.rng), 1
    ):
        model = partial(data.model, point.learnt)
        used, most = sum(point.learnt.in_use()), int(data.problem.first[-1]) - 1
        yield Step(iteration, -point.elbo, model, f"{used} of {most} sub-tags in use")
        if iteration >= config.iterations:
            return
        if point.elbo - before < config.tolerance * abs(point.elbo):
            return
        before = point.elbo


def prepare(tagged: Sequence[TaggedDocument], config: DpHmm) -> TrainingSet:
    """Turn tagged documents into numbers of words and tags."""
    table = token_table([d.document for d in tagged], [d.tokens for d in tagged])
    if not len(table.start):
        raise ConfigError("there are no tokens to train on")
    labels = sorted({chunk.label for document in tagged for chunk in document.chunks})
    unknown = set(config.subtags) - {"outside", "entity", *labels}
    if unknown:
        raise ConfigError("subtags are for outside, entity, or a label that the corpus has")
    tags = tag_set(labels, config.scheme)
    number = {tag: s for s, tag in enumerate(tags)}
    gold = np.array([number[tag] for d in tagged for tag in d.tags(config.scheme)], np.int32)
    functions = rare_functions(table, gold, config)
    words = fit_rare_words(table, functions, rare=config.rare, class_count=config.class_count)
    problem = pose(
        TaggedWords(words.items(table), gold, table.sentences),
        len(words),
        [config.subtags_of(tag) for tag in tags],
        moves(tags, config.scheme).with_border(),
        Priors(config.alpha, config.alpha_e, config.alpha_tag, config.alpha_t),
        structured=config.inference == "structured",
    )
    spelled = frequent_words(table, config.rare) if config.spell else NO_STRINGS
    config = replace(config, word_lists=without_folders(config.word_lists))
    return TrainingSet(config, tags, words, problem, spelled)


def frequent_words(table: TokenTable, rare: int) -> PackedStrings:
    """Return the words that are not rare, for people to read in the model."""
    types = number_types(table.hashes)
    return packed_words(words_at(table, types.first[np.bincount(types.ids) >= rare]))


def rare_functions(table: TokenTable, gold: IntArray, config: DpHmm) -> RareFunctions:
    """Return what is looked at in rare words: read word lists, and find telling phrases."""
    lists = Resources.read(config.word_lists, {}).lists
    phrases, only_numbers = NO_PHRASES, config.phrases_near == "numbers"
    if config.phrases:
        tokens = rare_tokens(table, config.rare)
        near = phrases_near(table, tokens, only_numbers=only_numbers)
        least = config.class_count
        phrases = telling_phrases(near, gold[tokens], count=config.phrases, least=least)
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
    """Return the log weight of every item in every state from those that occur with each tag."""
    tables = []
    for words, rest, seen in zip(problem.words, unseen, own, strict=True):
        table = np.repeat(rest, problem.vocabulary, axis=0)
        table[words] = seen
        tables.append(table)
    return np.concatenate(tables, axis=1)


def _in_use(tokens: FloatArray, first: LongArray) -> tuple[LongArray, LongArray]:
    """Return the states to keep, at least one of each tag, and the borders of tags among them."""
    used = tokens >= LEAST_TOKENS
    for a, b in pairwise(first[:-1].tolist()):
        used[a + np.argmax(tokens[a:b])] = True
    borders = np.concatenate((np.zeros(1, np.int64), np.cumsum(used)))[first[:-1]]
    return np.flatnonzero(used).astype(np.int64), borders.astype(np.int64)


def _most_promising(
    problem: DpHmmProblem, beginnings: int, rng: np.random.Generator
) -> Iterator[Point]:
    """Begin several times and go on with the one whose bound is highest after a trial."""
    if beginnings == 1:
        return problem.climb(problem.start(rng))
    trials = [list(islice(problem.climb(problem.start(rng)), TRIAL)) for _ in range(beginnings)]
    best = max(trials, key=lambda points: points[-1].elbo)
    return chain(best, problem.climb(best[-1].learnt))
