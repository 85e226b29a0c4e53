"""The regularised likelihood of a class HMM with features, its gradient, and their kernel.

    f(λ) = -log P(X = x, C = c | λ) + κ ‖λ‖²                  (Berg-Kirkpatrick et al. 2010)

    p(x | y)  = softmax_x ( Σ_{r ∈ features(x)} emission[r, y] )
    p(y' | y) = softmax_{y'} ( transition[y, y'] ),    p(first y) = softmax_y ( start[y] )

    ∂f/∂λ = -( expected uses over valid paths - expected uses under the model ) + 2κλ

Each state belongs to one class, and a path is valid if the classes of its states are the observed
ones. The softmax is over *outcomes*, the distinct feature sets: known words, and pseudo-words that
represent all unseen words with the same features. Moves that the tag scheme forbids are not part
of their softmax.

A token whose class is unknown may have any state. Sentences with such tokens have too many valid
paths for the kernel here; they are summed like any chain (`chain_counts.py`). Raw sentences, of
which no class is known, add w log P(X) to the likelihood. If a state has a distribution over
classes, p(c | y) = softmax_c ( classes[c, y] ) multiplies p(x | y) where the class is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lacuna.encoding.schemes import Moves
from lacuna.kernels import kernel
from lacuna.models.class_hmm.chain_counts import (
    ClassCorpus,
    HmmTables,
    add_counts_of_chains,
    one_class_each,
)
from lacuna.types import FloatArray, IntArray, LongArray, RealArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


LOWEST = -1e4  #: in place of -inf: its exp is 0, and 0 times it is 0


class ClassHmmObjective:
    """f and its gradient at a vector of weights λ, the tables of `HmmTables` one after the other.

    Parameters
    ----------
    corpus
        The training corpus.
    features
        features[x, r] = 1 if outcome x has feature r.
    moves
        The moves that are allowed between states.
    borders
        Class c has the states borders[c] to borders[c + 1].
    kappa
        κ.
    classes
        Number of classes that every state has a distribution over; 0 if it belongs to one.
    """

    def __init__(
        self,
        corpus: ClassCorpus,
        features: csr_array,
        moves: Moves,
        *,
        borders: LongArray,
        kappa: float,
        classes: int = 0,
    ) -> None:
        self.corpus, self.features, self.moves = corpus, features, moves
        self.by_feature = features.T.tocsr()
        self.borders, self.kappa, self.classes = borders, kappa, classes

    def without_raw(self) -> ClassHmmObjective:
        """Return the objective of the same weights without raw text."""
        return ClassHmmObjective(
            self.corpus.without_raw(),
            self.features,
            self.moves,
            borders=self.borders,
            kappa=self.kappa,
            classes=self.classes,
        )

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the tables of weights."""
        size = len(self.moves.first)
        classes = (self.classes, size if self.classes else 0)
        return (self.features.shape[1], size), (size, size), (size,), classes

    @property
    def parameters(self) -> int:
        """Length of the vector of weights."""
        return sum(int(np.prod(shape)) for shape in self.shapes)

    def tables(self, point: RealArray) -> HmmTables:
        """Return the vector of weights as tables: the inverse of :meth:`HmmTables.flat`."""
        cuts = np.cumsum([int(np.prod(shape)) for shape in self.shapes])[:-1]
        parts = np.split(point.astype(np.float64, copy=False), cuts)
        return HmmTables(*(p.reshape(s) for p, s in zip(parts, self.shapes, strict=True)))

    def log_probabilities(self, point: RealArray) -> HmmTables:
        """Return log p(x | y), log p(y' | y) and log p(first y); forbidden moves are -inf.

        Also log p(c | y) if states have a distribution over classes.
        """
        weights = self.tables(point)
        scores = self.features @ weights.emission
        classes = weights.classes
        return HmmTables(
            scores - log_sum(scores, axis=0),
            *log_moves(weights.transition, weights.start, self.moves),
            classes - log_sum(classes, axis=0) if self.classes else classes,
        )

    def __call__(self, point: RealArray) -> tuple[float, RealArray]:
        """Return f and its gradient."""
        logs = self.log_probabilities(point)
        total, used = expected_counts(self.corpus, logs, self.borders)
        # observed minus expected uses of an outcome: uses - (all uses of its softmax) · p
        surplus = HmmTables(
            used.emission - used.emission.sum(axis=0) * np.exp(logs.emission),
            used.transition - used.transition.sum(axis=1)[:, None] * np.exp(logs.transition),
            used.start - used.start.sum() * np.exp(logs.start),
            used.classes - used.classes.sum(axis=0) * np.exp(logs.classes),
        )
        by_weight = surplus._replace(emission=self.by_feature @ surplus.emission)
        gradient = 2 * self.kappa * point - by_weight.flat()
        return self.kappa * float(point @ point) - total, gradient


def log_moves(
    transition: FloatArray, start: FloatArray, moves: Moves
) -> tuple[FloatArray, FloatArray]:
    """Return log p(y' | y) and log p(first y) from weights; forbidden moves are -inf."""
    onward = np.where(moves.allowed, transition, -np.inf)
    first = np.where(moves.first, start, -np.inf)
    return onward - log_sum(onward, axis=1), first - log_sum(first, axis=0)


def log_sum(scores: FloatArray, *, axis: int) -> FloatArray:
    """Return log Σ exp(scores) along an axis, which is kept."""
    top = scores.max(axis=axis, keepdims=True)
    total: FloatArray = top + np.log(np.exp(scores - top).sum(axis=axis, keepdims=True))
    return total


def expected_counts(
    corpus: ClassCorpus, log_probabilities: HmmTables, borders: LongArray
) -> tuple[float, HmmTables]:
    """Return log P(X, C) and how often each probability is expected to be used.

    Raw text adds its part of both, times its weight.

    Parameters
    ----------
    corpus
        The training corpus.
    log_probabilities
        log p(x | y), log p(y' | y) and log p(first y); log p(c | y) or nothing.
    borders
        Without p(c | y), class c has the states borders[c] to borders[c + 1].
    """
    by_word = corpus.readings @ np.maximum(log_probabilities.emission, LOWEST)
    logs = log_probabilities._replace(emission=by_word)
    counts = HmmTables(*map(np.zeros_like, logs))
    total, done, of_class = 0.0, 0, logs.classes
    if not of_class.size:
        seen = corpus.words, corpus.classes, corpus.sentences[: corpus.whole + 1]
        emission, transition, start = (np.exp(table) for table in logs[:3])
        uses = counts.emission, counts.transition, counts.start
        total = add_expected_counts(*seen, emission, transition, start, borders, *uses)
        done, of_class = corpus.whole, one_class_each(borders)
    ends = corpus.known, len(corpus.sentences) - 1
    for last, weight in zip(ends, (1.0, corpus.raw_weight), strict=True):
        if done < last:
            total += add_counts_of_chains(
                corpus, logs, of_class, counts, first=done, last=last, weight=weight
            )
        done = last
    return total, counts._replace(emission=corpus.readings.T @ counts.emission)


@kernel
def add_expected_counts(
    words: IntArray,
    classes: IntArray,
    sentences: LongArray,
    emission: FloatArray,
    transition: FloatArray,
    start: FloatArray,
    borders: LongArray,
    word_counts: FloatArray,
    move_counts: FloatArray,
    start_counts: FloatArray,
) -> float:
    """Add the expected uses of emission[x, s], transition[s, s'] and start[s]; return log p.

    Forward–backward over valid paths in linear space: token t of class c has only the states
    borders[c] … borders[c + 1] - 1, so a step costs the product of two classes' numbers of states
    and not the square of all.

        log p(words, classes) = Σ_t log scale[t]
        p(state t is j)              = alpha[t, j] beta[t, j]
        p(states t-1, t are i and j) = alpha[t-1, i] transition[i, j] emission[x_t, j] beta[t, j]
                                       / scale[t]

    Sentence n is tokens sentences[n] to sentences[n + 1]. If a sentence has no valid path, the
    result is -inf and the counts are meaningless.
    """
    total = 0.0
    longest = 0
    for n in range(len(sentences) - 1):
        longest = max(longest, sentences[n + 1] - sentences[n])
    most = np.diff(borders).max()
    alpha = np.empty((longest, most))
    scale = np.empty(longest)
    beta, ahead = np.empty(most), np.empty(most)
    for n in range(len(sentences) - 1):
        own_words = words[sentences[n] : sentences[n + 1]]
        own_classes = classes[sentences[n] : sentences[n + 1]]
        size = len(own_words)
        if size == 0:
            continue
        total += _forward(
            own_words, own_classes, emission, transition, start, borders, alpha, scale
        )
        if total == -np.inf:
            return total
        beta[:] = 1.0
        # beta[t-1, i] = Σ_j transition[i, j] emission[x_t, j] beta[t, j] / scale[t]
        for t in range(size - 1, -1, -1):
            here, end = borders[own_classes[t]], borders[own_classes[t] + 1]
            row = word_counts[own_words[t]]
            for j in range(end - here):
                row[here + j] += alpha[t, j] * beta[j]
            if t == 0:
                for j in range(end - here):
                    start_counts[here + j] += alpha[t, j] * beta[j]
                break
            before = borders[own_classes[t - 1]]
            for j in range(end - here):
                ahead[j] = emission[own_words[t], here + j] * beta[j] / scale[t]
            for i in range(borders[own_classes[t - 1] + 1] - before):
                beta[i] = 0.0
                for j in range(end - here):
                    move = transition[before + i, here + j] * ahead[j]
                    beta[i] += move
                    move_counts[before + i, here + j] += alpha[t - 1, i] * move
    return total


@kernel
def _forward(
    words: IntArray,
    classes: IntArray,
    emission: FloatArray,
    transition: FloatArray,
    start: FloatArray,
    borders: LongArray,
    alpha: FloatArray,
    scale: FloatArray,
) -> float:
    """Fill alpha and scale for one sentence and return Σ_t log scale[t]."""
    total = 0.0
    # alpha[t, j] = Σ_i alpha[t-1, i] transition[i, j] emission[x_t, j] / scale[t], Σ_j alpha = 1
    for t in range(len(words)):
        here = borders[classes[t]]
        size = borders[classes[t] + 1] - here
        scale[t] = 0.0
        for j in range(size):
            alpha[t, j] = start[here + j] if t == 0 else 0.0
        if t > 0:
            before = borders[classes[t - 1]]
            for i in range(borders[classes[t - 1] + 1] - before):
                for j in range(size):
                    alpha[t, j] += alpha[t - 1, i] * transition[before + i, here + j]
        for j in range(size):
            alpha[t, j] *= emission[words[t], here + j]
            scale[t] += alpha[t, j]
        if scale[t] == 0.0:
            return -np.inf
        for j in range(size):
            alpha[t, j] /= scale[t]
        total += np.log(scale[t])
    return total
