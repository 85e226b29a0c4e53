"""Sequences of which only some labels are known: sums over the labellings that agree with them.

    log p(known labels | x) = log Σ_{y that agree} w(y) - log Σ_y w(y) = log Z_known - log Z

and its gradient is the difference of the expected uses of every weight in the two sums. A label
below 0 is unknown. If all labels of a sequence are known, one labelling agrees and the first sum is
its weight; if none is, all agree and the difference is 0: such a sequence says nothing about
labels. Labels may stand for several states each, as sub-tags do for their tag.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.inference.batch import TimePack
from lacuna.inference.chain import (
    Chain,
    Expectations,
    check_emission,
    constrain,
    expectations,
    packed_expectations,
)
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray


class KnownFirst(NamedTuple):
    """Sequences in a new order: first those of which all labels are known, then some, then none.

    rows
        Tokens, sequence by sequence.
    offsets
        Sequence s is ``rows[offsets[s]:offsets[s + 1]]``.
    whole
        Number of sequences of which all labels are known.
    partly
        Number of sequences of which some labels are known, but not all.
    """

    rows: LongArray
    offsets: LongArray
    whole: int
    partly: int = 0

    @property
    def whole_rows(self) -> int:
        """Number of tokens of sequences of which all labels are known."""
        return int(self.offsets[self.whole])

    def parts(self) -> tuple[LongArray, LongArray]:
        """Return the offsets of sequences of which all labels are known, and some."""
        known = self.offsets[: self.whole + self.partly + 1]
        return known[: self.whole + 1], known[self.whole :]

    def raw(self) -> LongArray:
        """Return the offsets of sequences of which no label is known."""
        return self.offsets[self.whole + self.partly :]


def known_first(labels: IntArray, offsets: LongArray, *, raw: bool = False) -> KnownFirst:
    """Order sequences, labels offsets[s] to offsets[s + 1] each; nothing moves if all are known.

    Sequences without a known label are left out unless they are `raw` text to learn from.
    """
    lengths = np.diff(offsets)
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(labels < 0)))
    unknown = np.diff(before[offsets])
    if not before[-1]:
        return KnownFirst(np.arange(len(labels)), offsets, len(lengths))
    whole = np.flatnonzero(unknown == 0)
    partly = np.flatnonzero((unknown > 0) & (unknown < lengths))
    none = np.flatnonzero((unknown == lengths) & (lengths > 0))
    chosen = np.concatenate((whole, partly, none if raw else none[:0]))
    borders = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths[chosen])))
    shift = np.repeat(offsets[chosen] - borders[:-1], lengths[chosen])
    return KnownFirst(np.arange(borders[-1]) + shift, borders, len(whole), len(partly))


def agreeing(labels: IntArray, owner: IntArray) -> BoolArray:
    """Return allowed[t, w]: state w, which stands for label owner[w], agrees with labels[t]."""
    given = labels[:, None]
    allowed: BoolArray = (given < 0) | (given == owner)
    return allowed


def sums_given(
    chain: Chain, emission: FloatArray, labels: IntArray, offsets: LongArray, owner: IntArray
) -> Expectations:
    """Do what :func:`expectations` does, over the labellings that agree with known labels."""
    rows = check_emission(chain, emission)
    return expectations(chain, constrain(rows, agreeing(labels, owner)), offsets)


def packed_surplus(
    chain: Chain, rows: FloatArray, pack: TimePack, labels: IntArray
) -> Expectations:
    """Return the sums over all labellings minus those that agree with the known labels.

    As :func:`packed_expectations`; log_partition[i] = -log p(known labels of sequence i | x).
    """
    allowed = agreeing(labels, np.arange(chain.labels, dtype=np.int32))
    every = packed_expectations(chain, rows, pack)
    given = packed_expectations(chain, constrain(rows, allowed), pack)
    return Expectations(*(all_ - own for all_, own in zip(every, given, strict=True)))
