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
paths for the kernel here; they are summed like any chain (`inference/known_labels.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lacuna.encoding.schemes import Moves
from lacuna.inference.chain import first_order
from lacuna.inference.known_labels import known_first, sums_given
from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray, RealArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


LOWEST = -1e4  #: in place of -inf: its exp is 0, and 0 times it is 0


class ClassCorpus(NamedTuple):
    """The training corpus.

    words[t], classes[t]
        Word type and class of token t; a class below 0 is unknown.
    sentences
        Sentence n is tokens sentences[n] to sentences[n + 1].
    whole
        Number of sentences without unknown classes, which come first.
    tokens
        tokens[t] is the number of token t in the documents.
    readings[w, x]
        Share of word type w that counts as outcome x: log p(w | y) = Σ_x readings log p(x | y).
    """

    words: IntArray
    classes: IntArray
    sentences: LongArray
    readings: csr_array
    whole: int
    tokens: LongArray

    @classmethod
    def of(
        cls, words: IntArray, classes: IntArray, sentences: LongArray, readings: csr_array
    ) -> ClassCorpus:
        """Return the corpus with sentences in order: those with unknown classes come last."""
        rows, borders, whole = known_first(classes, sentences)
        return cls(words[rows], classes[rows], borders, readings, whole, rows)


class HmmTables(NamedTuple):
    """Weights, probabilities or counts: emission[x or feature, y], transition[y, y'], start[y]."""

    emission: FloatArray
    transition: FloatArray
    start: FloatArray

    def flat(self) -> FloatArray:
        """Return the tables one after the other, as one vector."""
        return np.concatenate([part.ravel() for part in self])


class ClassHmmObjective:
    """f and its gradient at a vector of weights λ, the tables of `HmmTables` one after the other.

    Parameters
    ----------
    corpus
        The training corpus.
    features
        features[x, r] = 1 if outcome x has feature r.
    moves
        The moves that the tag scheme allows.
    borders
        Class c has the states borders[c] to borders[c + 1].
    kappa
        κ.
    """

    def __init__(
        self,
        corpus: ClassCorpus,
        features: csr_array,
        moves: Moves,
        *,
        borders: LongArray,
        kappa: float,
    ) -> None:
        self.corpus, self.features, self.moves = corpus, features, moves
        self.by_feature = features.T.tocsr()
        self.borders, self.kappa = borders, kappa

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the three tables of weights."""
        size = len(self.moves.first)
        return (self.features.shape[1], size), (size, size), (size,)

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
        """Return log p(x | y), log p(y' | y) and log p(first y); forbidden moves are -inf."""
        weights = self.tables(point)
        scores = self.features @ weights.emission
        return HmmTables(
            scores - log_sum(scores, axis=0),
            *log_moves(weights.transition, weights.start, self.moves),
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

    Parameters
    ----------
    corpus
        The training corpus.
    log_probabilities
        log p(x | y), log p(y' | y) and log p(first y).
    borders
        Class c has the states borders[c] to borders[c + 1].
    """
    by_word = corpus.readings @ np.maximum(log_probabilities.emission, LOWEST)
    tables = HmmTables(*map(np.exp, log_probabilities._replace(emission=by_word)))
    counts = HmmTables(*map(np.zeros_like, tables))
    seen = corpus.words, corpus.classes, corpus.sentences[: corpus.whole + 1]
    total = add_expected_counts(*seen, *tables, borders, *counts)
    if corpus.whole < len(corpus.sentences) - 1:
        logs = log_probabilities._replace(emission=by_word)
        total += _add_with_unknown(corpus, logs, borders, counts)
    return total, counts._replace(emission=corpus.readings.T @ counts.emission)


def _add_with_unknown(
    corpus: ClassCorpus, logs: HmmTables, borders: LongArray, counts: HmmTables
) -> float:
    """Do what :func:`add_expected_counts` does, for the sentences with unknown classes.

    `logs` are log probabilities, those of emission by word type.
    """
    offsets = corpus.sentences[corpus.whole :]
    own = slice(offsets[0], offsets[-1])
    words, owner = corpus.words[own], classes_of_states(borders).astype(np.int32)
    found = sums_given(
        first_order(logs.transition, logs.start),
        logs.emission[words],
        corpus.classes[own],
        offsets - offsets[0],
        owner,
    )
    np.add.at(counts.emission, words, found.marginals)
    counts.transition[:] += found.transition[0]
    counts.start[:] += found.start
    return float(found.log_partition.sum())


def classes_of_states(borders: LongArray) -> LongArray:
    """Return the class of every state, if class c has the states borders[c] to borders[c + 1]."""
    return np.repeat(np.arange(len(borders) - 1), np.diff(borders))


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
