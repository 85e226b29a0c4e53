"""Forward-backward and Viterbi for many sequences of a first-order chain, as fast as tagging needs.

Sequences of similar length go through the kernels of `side_by_side_kernels.py` together. The result
for one of them does not depend on the others. The precision is that of the scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lacuna.inference import side_by_side_kernels as kernels
from lacuna.types import BoolArray, FloatArray, HashArray, IntArray, LongArray, RealArray

#: Bytes of one step of all lanes: the next step should find them in the cache.
STEP_BYTES = 1 << 14

#: Bytes of all steps: fewer sequences go together if they are very long.
MOST_BYTES = 1 << 25

MOST_LANES = 64


class ForwardBackward:
    """Probabilities of labels, by sums over all labellings of many sequences.

    Parameters
    ----------
    transition, start, stop
        Log weights of a first-order chain.
    asked
        Labels whose probability is asked for.
    dtype
        Of the scores.
    """

    def __init__(
        self,
        transition: FloatArray,
        start: FloatArray,
        stop: FloatArray,
        asked: BoolArray,
        dtype: np.dtype[np.floating],
    ) -> None:
        allowed = transition > -np.inf
        highest = transition.max(initial=-np.inf)
        weights = np.exp(transition - (highest if allowed.any() else 0.0)).astype(dtype)
        self._moves = SortedMoves.of(weights, allowed)
        self._back = self._moves._replace(table=np.ascontiguousarray(self._moves.table.T))
        self._start, self._stop = np.exp(start).astype(dtype), np.exp(stop).astype(dtype)
        self._asked = asked.astype(dtype)
        self._again = float(weights[0, 0]) if len(weights) else 0.0

    def probabilities(
        self, scores: RealArray, offsets: LongArray, found: RealArray, first_label: FloatArray
    ) -> LongArray:
        """Fill found[t] = p(label t is asked for) and first_label[s] = p(all labels are label 0).

        Returns
        -------
        lost
            Sequences that underflow; their results are not valid.
        """
        lost = [np.empty(0, np.int64)]
        room, other = _Room(scores.dtype), _Room(scores.dtype)
        for group in groups(np.diff(offsets), offsets, scores.shape[1] * scores.itemsize):
            weights = room.filled(scores, group)
            kernels.lower_all(weights, group.lengths)
            np.exp(weights, out=weights)
            alpha = other.shaped(*weights.shape)
            inverse = np.empty((len(weights), group.lanes), scores.dtype)
            whole = np.empty(len(group.first), scores.dtype)
            kernels.forward(weights, group.lengths, *self._moves, self._start, alpha, inverse)
            kernels.backward(
                weights,
                group.first,
                group.lengths,
                *self._back,
                self._stop,
                alpha,
                inverse,
                self._asked,
                found,
                whole,
            )
            same = kernels.staying(
                weights, group.lengths, inverse, float(self._start[0]), self._again
            )
            possible = whole > kernels.SMALLEST
            first_label[group.sequences[possible]] = (
                same[possible] * self._stop[0] / whole[possible]
            )
            lost.append(group.sequences[~possible])
        return np.concatenate(lost)


class Viterbi:
    """The best labellings of many sequences; log weights of a first-order chain."""

    def __init__(
        self,
        transition: FloatArray,
        start: FloatArray,
        stop: FloatArray,
        dtype: np.dtype[np.floating],
    ) -> None:
        table = transition.astype(dtype)
        self._moves = SortedMoves.of(table, transition > -np.inf)
        self._back = np.ascontiguousarray(table.T)
        self._start, self._stop = start.astype(dtype), stop.astype(dtype)

    def paths(
        self,
        scores: RealArray,
        offsets: LongArray,
        wanted: BoolArray,
        path: IntArray,
        total: FloatArray,
    ) -> None:
        """Fill path[t] with labels of a best labelling and total[s] with its log weight.

        Only sequences that are `wanted` are processed.
        """
        room = _Room(scores.dtype)
        lengths = np.where(wanted, np.diff(offsets), 0)
        for group in groups(lengths, offsets, scores.shape[1] * scores.itemsize):
            best = room.filled(scores, group)
            sums = np.zeros(len(group.first))
            kernels.advance_best(best, group.lengths, *self._moves, self._start, sums)
            kernels.trace_back(best, group.first, group.lengths, self._back, self._stop, path, sums)
            total[group.sequences] = sums


class SortedMoves(NamedTuple):
    """Weights of possible moves, as explained in `side_by_side_kernels.py`."""

    many: HashArray
    table: RealArray
    sources: HashArray
    targets: HashArray
    weights: RealArray

    @classmethod
    def of(cls, table: RealArray, allowed: BoolArray) -> SortedMoves:
        """Sort the moves of table[v, w], the weight of w after v."""
        sources = allowed.sum(axis=0)
        is_many = (2 * sources > len(table)) | (sources == 0)  # what nothing leads to stays 0
        target, source = np.nonzero(allowed.T & ~is_many[:, None])
        return cls(
            np.flatnonzero(is_many).astype(np.uint64),
            np.ascontiguousarray(table[:, is_many].T),
            source.astype(np.uint64),
            target.astype(np.uint64),
            table[source, target],
        )


class LaneGroup(NamedTuple):
    """Sequences that go together, the longest first: rows first[l] to first[l] + lengths[l]."""

    sequences: LongArray
    first: LongArray
    lengths: LongArray
    lanes: int


def groups(lengths: LongArray, offsets: LongArray, row_bytes: int) -> Iterator[LaneGroup]:
    """Put sequences of similar length together; empty ones are left out."""
    order = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]
    done, near = 0, max(STEP_BYTES // row_bytes, kernels.BLOCK)
    while done < len(order):
        most = min(near, MOST_BYTES // (row_bytes * int(lengths[order[done]])), MOST_LANES)
        lanes = max(most // kernels.BLOCK * kernels.BLOCK, 1)
        own = order[done : done + lanes]
        alike = np.count_nonzero(2 * lengths[own] >= lengths[own[0]])
        own = own[: max(alike, kernels.BLOCK)]
        lanes = min(-(-len(own) // kernels.BLOCK) * kernels.BLOCK, lanes)
        yield LaneGroup(own, offsets[own], lengths[own], lanes)
        done += len(own)


class _Room:
    """Memory that all groups use in turn."""

    def __init__(self, dtype: np.dtype[np.floating]) -> None:
        self._room = np.empty(0, dtype)

    def shaped(self, *shape: int) -> RealArray:
        """Return an array of this shape, with any content."""
        size = math.prod(shape)
        if size > len(self._room):
            self._room = np.empty(size, self._room.dtype)
        return self._room[:size].reshape(shape)

    def filled(self, scores: RealArray, group: LaneGroup) -> RealArray:
        """Return the scores of a group in lanes."""
        lanes = self.shaped(int(group.lengths[0]), scores.shape[1], group.lanes)
        kernels.fill(scores, group.first, group.lengths, lanes)
        return lanes
