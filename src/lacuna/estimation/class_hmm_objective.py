"""The regularised likelihood of a class HMM with features, and its gradient.

    f(λ) = -log P(X = x, C = c | λ) + κ ‖λ‖²                  (Berg-Kirkpatrick et al. 2010)

    p(x | y)  = softmax_x ( Σ_{r ∈ features(x)} emission[r, y] )
    p(y' | y) = softmax_{y'} ( transition[y, y'] ),    p(first y) = softmax_y ( start[y] )

    ∂f/∂λ = -( expected uses over valid paths - expected uses under the model ) + 2κλ

A state belongs to one class, and a path is valid when the classes of its states are the known
ones. The softmax is over *outcomes*, the distinct feature sets: known words and pseudo-words that
stand for all unseen words with the same features. Moves that the tag scheme forbids are no part
of their softmax.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lacuna.estimation._class_hmm import add_expected_counts
from lacuna.estimation.crf_objective import Moves
from lacuna.types import FloatArray, IntArray, LongArray, RealArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LOWEST = -1e4  #: exp of it is 0 and, unlike -inf, so is it times 0


class ClassCorpus(NamedTuple):
    """What was seen.

    words[t], classes[t]
        Word type and class of token t.
    sentences
        Sentence n is tokens sentences[n] to sentences[n + 1].
    readings[w, x]
        To which share word type w counts as outcome x: log p(w | y) = Σ_x readings log p(x | y).
    """

    words: IntArray
    classes: IntArray
    sentences: LongArray
    readings: csr_array


class HmmTables(NamedTuple):
    """Something for every emission[x or feature, y], transition[y, y'] and start[y]."""

    emission: FloatArray
    transition: FloatArray
    start: FloatArray

    def flat(self) -> FloatArray:
        """Return all of it, one table after the other."""
        return np.concatenate([part.ravel() for part in self])


def expected_counts(
    corpus: ClassCorpus, log_probabilities: HmmTables, states: int
) -> tuple[float, HmmTables]:
    """Return log P(X, C) and how often each probability is expected to be used.

    Parameters
    ----------
    corpus
        What was seen.
    log_probabilities
        log p(x | y), log p(y' | y) and log p(first y).
    states
        States per class; state y belongs to class y // states.
    """
    by_word = corpus.readings @ np.maximum(log_probabilities.emission, LOWEST)
    tables = HmmTables(*map(np.exp, log_probabilities._replace(emission=by_word)))
    counts = HmmTables(*map(np.zeros_like, tables))
    seen = corpus.words, corpus.classes, corpus.sentences
    total = add_expected_counts(*seen, *tables, states, *counts)
    return total, counts._replace(emission=corpus.readings.T @ counts.emission)


class ClassHmmObjective:
    """Value and gradient at a flat vector of weights: the tables of `HmmTables` in turn.

    Parameters
    ----------
    corpus
        What was seen.
    features
        features[x, r] = 1 where outcome x has feature r.
    moves
        What the tag scheme allows.
    states
        States per class.
    kappa
        κ.
    """

    def __init__(
        self,
        corpus: ClassCorpus,
        features: csr_array,
        moves: Moves,
        *,
        states: int,
        kappa: float,
    ) -> None:
        self.corpus, self.features, self.moves = corpus, features, moves
        self.by_feature = features.T.tocsr()
        self.states, self.kappa = states, kappa

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
        total, used = expected_counts(self.corpus, logs, self.states)
        # surplus = uses - (all uses of the softmax) · p
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
    """Return log p(y' | y) and log p(first y) from weights; what is not allowed is -inf."""
    onward = np.where(moves.allowed, transition, -np.inf)
    first = np.where(moves.first, start, -np.inf)
    return onward - log_sum(onward, axis=1), first - log_sum(first, axis=0)


def log_sum(scores: FloatArray, *, axis: int) -> FloatArray:
    """Return log Σ exp(scores) along an axis, which is kept."""
    top = scores.max(axis=axis, keepdims=True)
    total: FloatArray = top + np.log(np.exp(scores - top).sum(axis=axis, keepdims=True))
    return total
