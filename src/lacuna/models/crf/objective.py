"""The regularised conditional likelihood of a linear-chain CRF, and its gradient.

    f(W, V) = Σ_s [ log Z(x_s) - score(x_s, y_s) ] + λ (‖W - W₀‖² + ‖V - V₀‖²)

    score(x, y) = Σ_t emission[t, y_t] + Σ_t V[y_{t-1}, y_t]

    ∂f/∂emission[t, k] = p(y_t = k | x) - [y_t = k],   ∂f/∂V[i, j] = expected - observed moves

W are the weights of features (`learning/emission.py` computes emission from them), V those of moves
between labels. Moves that the tag scheme forbids are not in the model. W₀ and V₀ are 0, or the
weights of the model that is adapted. `inference/chain.py` computes log Z and the expectations.
Scores of another model may be added to all scores (:class:`Base`): then W and V are changes of it.
Sequences may have shares q of labels in place of labels (:class:`Shares`): with q[t, k] in place of
[y_t = k], and likewise for moves, f is Σ_s KL(q ‖ p) plus a constant.

If only some labels of a sequence are known, score(x, y) is log Z_known, the sum over all labellings
that agree with them, and what is observed is expected under these (`inference/known_labels.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.encoding.schemes import Moves
from lacuna.inference.batch import TimePack, run_chunks, share_rows
from lacuna.inference.chain import Chain, first_order, packed_expectations
from lacuna.inference.known_labels import packed_surplus
from lacuna.learning.emission import FactoredEmission
from lacuna.types import FloatArray, IntArray, LongArray, RealArray


def pair_counts(emission: FactoredEmission, labels: IntArray, size: int) -> RealArray:
    """Return counts[g, k]: how often feature g occurs with label k, times its value √n.

    Tokens whose label is unknown, below 0, do not count.
    """
    right = np.zeros((len(labels), size), np.float32)
    known = np.flatnonzero(labels >= 0)
    right[known, labels[known]] = 1
    counts = np.empty((emission.features, size), np.float32)
    emission.gradient(right, counts)
    return counts


class Base(NamedTuple):
    """Scores of another model: emission[t, k] of the tokens, in the order of packs, and moves."""

    emission: RealArray
    moves: RealArray


class Shares(NamedTuple):
    """Tokens, in the order of packs, with the share[i, k] of each label, and of moves in all."""

    rows: LongArray
    share: RealArray
    moves: FloatArray


class CrfObjective:
    """Value and gradient at a flat vector of weights: the supported ones of W, then V row by row.

    Parameters
    ----------
    emission
        Structure of the emission scores; its tokens are in the order of `packs`.
    labels
        The right label of every token, in the same order; below 0 if it is unknown.
    packs
        The sequences in chunks, each in order of time; chunk c follows chunk c - 1. Chunks of
        sequences with unknown labels come last.
    observed
        observed[i, j] = how often label j follows label i in sequences without unknown labels.
    moves
        The moves that are allowed.
    l2
        λ.
    support
        Flat indices of the entries of W that have a weight, by default all. The others are 0.

    ``centre`` may be set to the vector of W₀ and V₀, ``base`` to scores that are added.
    """

    def __init__(
        self,
        emission: FactoredEmission,
        labels: IntArray,
        packs: list[TimePack],
        observed: FloatArray,
        moves: Moves,
        *,
        l2: float,
        support: LongArray | None = None,
    ) -> None:
        self.emission, self.labels, self.packs = emission, labels, packs
        self.observed, self.moves = observed, moves
        self.l2, self.support = l2, support
        self.centre: RealArray | None = None
        self.base: Base | None = None
        self.shares: Shares | None = None
        self.borders = np.cumsum([0] + [len(pack.rows) for pack in packs]).tolist()
        unknown = int(np.argmax(np.append(labels, -1) < 0))  # the first unknown label
        #: Chunks before this one have no unknown labels.
        self.whole = int(np.searchsorted(self.borders, unknown, side="right")) - 1
        #: Tokens of these chunks, without those that have shares.
        self.certain = np.arange(self.borders[self.whole])

    @property
    def shape(self) -> tuple[int, int]:
        """Features and labels: the shape of W."""
        return self.emission.features, len(self.observed)

    @property
    def parameters(self) -> int:
        """Length of the vector of weights."""
        features, labels = self.shape
        supported = features * labels if self.support is None else len(self.support)
        return supported + labels * labels

    def tables(self, point: RealArray) -> tuple[RealArray, RealArray]:
        """Return W and V as tables; weights outside the support are 0."""
        features, labels = self.shape
        cut = len(point) - labels * labels
        moves = point[cut:].reshape(labels, labels)
        if self.support is None:
            return point[:cut].reshape(features, labels), moves
        weights = np.zeros(features * labels, point.dtype)
        weights[self.support] = point[:cut]
        return weights.reshape(features, labels), moves

    def vector(self, weights: RealArray, moves: RealArray) -> RealArray:
        """Return the flat vector of two tables: the inverse of :meth:`tables`."""
        flat = weights.reshape(-1)
        supported = flat if self.support is None else flat[self.support]
        return np.concatenate((supported, moves.reshape(-1)))

    def use_shares(self, shares: Shares) -> None:
        """Use shares of labels for some whole sequences, whose moves must not be in `observed`."""
        self.shares, self.observed = shares, self.observed + shares.moves
        self.certain = np.setdiff1d(self.certain, shares.rows)

    def __call__(self, point: RealArray) -> tuple[float, RealArray]:
        """Return f and its gradient."""
        scores, moves = self._scores(point)
        certain, labels, shares = self.certain, self.labels[self.certain], self.shares
        right = float(scores[certain, labels].sum(dtype=np.float64))
        right += float((self.observed * moves).sum(dtype=np.float64))
        if shares is not None:
            right += float((scores[shares.rows] * shares.share).sum(dtype=np.float64))
        log_partition, expected = self._expect(scores, moves)
        scores[certain, labels] -= 1
        if shares is not None:
            scores[shares.rows] -= shares.share
        gradient = np.empty_like(point)
        cut = len(point) - self.observed.size
        gradient[:cut] = self._by_feature(scores, gradient[:cut])
        gradient[cut:] = np.where(self.moves.allowed, expected - self.observed, 0).reshape(-1)
        away = point if self.centre is None else point - self.centre
        share_rows(len(point), lambda a, b: _add(gradient[a:b], 2 * self.l2, away[a:b]))
        return log_partition - right + self.l2 * float(np.dot(away, away)), gradient

    def _scores(self, point: RealArray) -> tuple[RealArray, RealArray]:
        """Return emission scores and moves; the memory of W is freed on return."""
        weights, moves = self.tables(point)
        scores = np.empty((len(self.labels), self.shape[1]), point.dtype)
        self.emission.scores(weights, scores, spoil=self.support is not None)
        if self.base is None:
            return scores, moves
        scores += self.base.emission
        return scores, moves + self.base.moves

    def _by_feature(self, by_token: RealArray, out: RealArray) -> RealArray:
        """Return the gradient of the supported weights, in `out` if possible."""
        if self.support is None:
            self.emission.gradient(by_token, out.reshape(self.shape))
            return out
        every = np.empty(self.shape, out.dtype)
        self.emission.gradient(by_token, every)
        return every.reshape(-1)[self.support]

    def _expect(self, scores: RealArray, moves: RealArray) -> tuple[float, FloatArray]:
        """Return Σ log Z and the expected moves; scores are overwritten with probabilities.

        Of chunks with unknown labels, log Z_known and what is expected given the known labels is
        subtracted.
        """
        chain = self.chain(moves)

        def one_chunk(first: int, last: int) -> tuple[float, FloatArray]:
            own = slice(self.borders[first], self.borders[last])
            rows, pack = scores[own], self.packs[first]
            if first < self.whole:
                found = packed_expectations(chain, rows.astype(np.float64), pack)
            else:
                double = rows.astype(np.float64)
                found = packed_surplus(chain, double, pack, self.labels[own])
            rows[:] = found.marginals
            return float(found.log_partition.sum()), found.transition[0]

        parts = run_chunks(one_chunk, [(c, c + 1) for c in range(len(self.packs))])
        return sum(part[0] for part in parts), sum((p[1] for p in parts), np.zeros(moves.shape))

    def chain(self, moves: RealArray) -> Chain:
        """Return the moves as a chain, forbidden ones at -inf."""
        return chain_of(moves, self.moves)


def chain_of(moves: RealArray, allowed: Moves) -> Chain:
    """Return moves as a chain, forbidden ones at -inf."""
    return first_order(
        np.where(allowed.allowed, moves, -np.inf),
        np.where(allowed.first, 0.0, -np.inf),
        np.where(allowed.last, 0.0, -np.inf),
    )


def _add(total: RealArray, factor: float, other: RealArray) -> None:
    total += total.dtype.type(factor) * other
