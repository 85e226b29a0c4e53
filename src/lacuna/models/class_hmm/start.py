"""The starting point of training a class HMM, and EM for the model without features.

**Starting point.** Every token is assigned to the states of its class, in equal shares or by its
position in the mention. For the resulting counts the best weights of words and moves are known in
closed form up to Newton steps (:func:`penalised_logits`); other features start at 0. L-BFGS then
needs tens of iterations, not hundreds. If all states of a class are equal, that is a saddle point,
so small random weights are added.

**EM.** Probabilities are relative frequencies of expected uses,

    p(x | y) = E[uses of x in y] / E[uses of y],   likewise p(y' | y) and p(first y)

where the expectations are over valid paths under the previous probabilities; the likelihood never
falls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lacuna.models.class_hmm.chain_counts import NO_CLASSES, ClassCorpus, HmmTables
from lacuna.models.class_hmm.objective import ClassHmmObjective, expected_counts
from lacuna.types import FloatArray, IntArray, LongArray

LEAST_PENALTY = 1e-3  #: least 2κ: without a penalty, weights would diverge
OUTER_STEPS, INNER_STEPS = 12, 16
LEAST_CURVATURE = 0.1  #: so that unused weights have a finite scale


def equal_shares(corpus: ClassCorpus, borders: LongArray) -> FloatArray:
    """Return shares[t, j]: equal shares of token t in every state of its class."""
    sizes = np.diff(borders)
    even = (np.arange(sizes.max()) < sizes[:, None]) / sizes[:, None]
    return np.asarray(even[corpus.classes])


def neighbour_shares(
    corpus: ClassCorpus, borders: LongArray, rng: np.random.Generator
) -> FloatArray:
    """Return shares[t, j], drawn for each class and pair of classes before and after the token.

    The border of a sentence and an unknown class count as one more class each.
    """
    classes, sizes = len(borders) - 1, np.diff(borders)
    around = np.where(corpus.classes < 0, classes, corpus.classes)
    before, after = np.roll(around, 1), np.roll(around, -1)
    filled = corpus.sentences[:-1] < corpus.sentences[1:]
    before[corpus.sentences[:-1][filled]] = classes + 1
    after[corpus.sentences[1:][filled] - 1] = classes + 1
    context = before * (classes + 2) + after
    shares = np.zeros((len(around), sizes.max()))
    for c, size in enumerate(sizes):
        drawn = rng.dirichlet(np.ones(size), (classes + 2) ** 2)
        own = corpus.classes == c
        shares[own, :size] = drawn[context[own]]
    return shares


def position_shares(
    corpus: ClassCorpus, borders: LongArray, place: FloatArray, others: FloatArray
) -> FloatArray:
    """Return shares[t, j] by place[t] in the mention, 0 to 1; where that is NaN, others[t, j].

    The first token of a mention goes to the first state, the last one to the last state, and those
    between to the states between.
    """
    last = np.diff(borders)[corpus.classes] - 1
    inside = ~np.isnan(place)
    shares = others.copy()
    shares[inside] = np.eye(others.shape[1])[(place * last)[inside].round().astype(np.int64)]
    return shares


def assigned_counts(corpus: ClassCorpus, shares: FloatArray, borders: LongArray) -> HmmTables:
    """Return how often outcomes, moves and first states occur.

    Class c has the states borders[c] to borders[c + 1]. shares[t, j] is the share of token t in the
    j-th state of its class, 0 from the number of its states on; a token whose class is unknown does
    not count.
    """
    from scipy.sparse import csr_array  # slow to load, and tagging does not need it

    tokens = np.arange(len(corpus.words))
    known = np.where(corpus.classes[:, None] < 0, 0.0, shares)
    token, place = np.nonzero(known)
    column = borders[corpus.classes[token]] + place
    entries = (known[token, place], (token, column))
    by_token = csr_array(entries, shape=(len(tokens), borders[-1]))
    by_word = csr_array(
        (np.ones(len(tokens)), (corpus.words, tokens)),
        shape=(corpus.readings.shape[0], len(tokens)),
    )
    follows = np.ones(len(tokens), np.bool_)
    first = corpus.sentences[:-1][np.diff(corpus.sentences) > 0]
    follows[first] = False
    later = np.flatnonzero(follows)
    return HmmTables(
        (corpus.readings.T @ (by_word @ by_token)).toarray(),
        (by_token[later - 1].T @ by_token[later]).toarray(),
        np.asarray(by_token[first].sum(axis=0)),
    )


def start_point(
    objective: ClassHmmObjective,
    counts: HmmTables,
    own_feature: IntArray,
    *,
    noise: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Return the weights to start with, and for each how far it is expected to move.

    Parameters
    ----------
    objective
        The function to be minimised.
    counts
        From :func:`assigned_counts`.
    own_feature
        The feature that gets the weight of each outcome; several outcomes may share it.
    noise
        Standard deviation of the random weights.
    rng
        Source of the random weights.
    """
    kappa = objective.kappa
    emission = np.zeros(objective.shapes[0])
    shared = np.bincount(own_feature, minlength=len(emission))
    np.add.at(emission, own_feature, penalised_logits(counts.emission, kappa))
    weights = HmmTables(
        emission / np.maximum(shared, 1)[:, None],
        penalised_logits(counts.transition.T, kappa).T,
        penalised_logits(counts.start[:, None], kappa)[:, 0],
        penalised_logits(counts.classes, kappa) if objective.classes else NO_CLASSES,
    )
    point = weights.flat() + noise * rng.normal(size=objective.parameters)
    uses = counts._replace(emission=objective.by_feature @ counts.emission)
    share = uses.emission / np.maximum(counts.emission.sum(axis=0), 1)
    # the curvature of a softmax weight used c times of n is c (1 - c/n)
    curvature = uses._replace(emission=uses.emission * (1 - np.minimum(share, 1))).flat()
    return point, 1 / np.sqrt(curvature + 2 * kappa + LEAST_CURVATURE)


def penalised_logits(counts: FloatArray, kappa: float) -> FloatArray:
    """Return the best weights w[x, y] of a softmax over x for counts c, column by column.

    The minimum of -Σ_x c log softmax(w) + κ ‖w‖² satisfies, with μ = Σ c / Σ exp w,

        μ exp(w) + 2κ w = c   for every x,   and so   Σ_x w = 0.

    An inner loop takes Newton steps on w, from above, where they cannot overshoot; the outer loop
    takes Newton steps on log μ, also from above: Σ exp w ≥ number of x, so μ ≤ the mean of c.
    Without counts μ = 0, which no number of steps reaches, and w = 0.
    """
    penalty = max(2 * kappa, LEAST_PENALTY)
    mean = counts.mean(axis=0)
    log_mu = np.log(np.where(mean > 0, mean, 1.0))
    weights = np.zeros_like(counts)
    for _ in range(OUTER_STEPS):
        weights = np.maximum(np.log(np.maximum(counts, penalty)) - log_mu, 0.0)
        for _ in range(INNER_STEPS):
            mass = np.exp(weights + log_mu)
            weights = weights - (mass + penalty * weights - counts) / (mass + penalty)
        mass = np.exp(weights + log_mu)
        log_mu = log_mu + weights.sum(axis=0) / (mass / (mass + penalty)).sum(axis=0)
    return np.where(mean > 0, weights, 0.0)


class EmStep(NamedTuple):
    """Log probabilities, and log P(X, C) under them."""

    iteration: int
    log_probabilities: HmmTables
    log_likelihood: float


def maximise_likelihood(
    corpus: ClassCorpus, start: HmmTables, borders: LongArray
) -> Iterator[EmStep]:
    """Yield ever better log probabilities, `start` first, without end."""
    logs, iteration = start, 0
    while True:
        total, used = expected_counts(corpus, logs, borders)
        yield EmStep(iteration, logs, total)
        logs = HmmTables(
            _log_shares(used.emission, logs.emission, axis=0),
            _log_shares(used.transition, logs.transition, axis=1),
            _log_shares(used.start, logs.start, axis=0),
            _log_shares(used.classes, logs.classes, axis=0),
        )
        iteration += 1


def _log_shares(counts: FloatArray, before: FloatArray, *, axis: int) -> FloatArray:
    """Return log(counts / their sum along an axis), or `before` if that sum is 0."""
    total = counts.sum(axis=axis, keepdims=True)
    with np.errstate(divide="ignore"):
        logs = np.log(counts) - np.log(np.where(total > 0, total, 1.0))
    return np.where(total > 0, logs, before)
