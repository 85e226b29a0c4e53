"""The counts of an HMM with character models: words by state, and moves between states.

State j emitted N_j words, T_j distinct ones, the word x count_j(x) times; it followed state i
c(i, j) times, where j may be the end of the sentence:

    ε_j = T_j / (N_j + T_j)                         probability of an unknown word (escape method C)
    a(j | i) = (c(i, j) + s) / Σ_k (c(i, k) + s)    over the possible moves, s = smoothing
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.encoding.schemes import Moves
from lacuna.features.token_table import TokenTable
from lacuna.inference.chain import Chain, first_order
from lacuna.text.word_types import WordTypes
from lacuna.types import FloatArray, HashArray, IntArray, LongArray


@dataclass(frozen=True, slots=True, eq=False)
class WordCounts:
    """How often states have emitted known words, as one row of pairs per word.

    Attributes
    ----------
    types
        The known words.
    borders
        Word w has the pairs ``borders[w]`` to ``borders[w + 1]`` of `states` and `counts`.
    states, counts
        A state, and how often it has emitted the word.
    """

    types: WordTypes
    borders: LongArray
    states: IntArray
    counts: IntArray

    @classmethod
    def of(cls, words: HashArray, states: IntArray, size: int) -> WordCounts:
        """Count words; words[t] is the hash of one in state states[t] of `size`."""
        types = WordTypes.build(words)
        pairs, counts = np.unique(
            types.lookup(words).astype(np.int64) * size + states, return_counts=True
        )
        word, state = np.divmod(pairs, size)
        borders = np.searchsorted(word, np.arange(len(types) + 1))
        return cls(types, borders, state.astype(np.int32), counts.astype(np.int32))

    @property
    def words(self) -> LongArray:
        """The known word of every pair."""
        return np.repeat(np.arange(len(self.types)), np.diff(self.borders))

    def unknown(self, size: int) -> FloatArray:
        """Return ε_j of `size` states; 1 for a state that emitted nothing."""
        emitted, distinct = self._totals(size)
        return np.where(emitted > 0, distinct / np.maximum(emitted + distinct, 1), 1.0)

    def frequencies(self, known: IntArray, size: int) -> Frequencies:
        """Return count_j(x) / N_j of known words; known[r] is a word, or -1 for none."""
        emitted, _ = self._totals(size)
        row = np.flatnonzero(known >= 0)
        sizes = np.diff(self.borders)[known[row]]
        pair = np.arange(sizes.sum()) + np.repeat(
            self.borders[known[row]] - (np.cumsum(sizes) - sizes), sizes
        )
        states = self.states[pair]
        return Frequencies(np.repeat(row, sizes), states, self.counts[pair] / emitted[states])

    def _totals(self, size: int) -> tuple[FloatArray, LongArray]:
        """Return N_j and T_j."""
        emitted = np.bincount(self.states, self.counts, size).astype(np.float64, copy=False)
        return emitted, np.bincount(self.states, minlength=size).astype(np.int64, copy=False)


class Frequencies(NamedTuple):
    """values[i] is the relative frequency of the word of rows[i] in states[i]; others are 0."""

    rows: LongArray
    states: IntArray
    values: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class MoveCounts:
    """How often state j followed i, began and ended a sentence: moves[i, j], first[j], last[j]."""

    moves: LongArray
    first: LongArray
    last: LongArray

    @classmethod
    def of(cls, table: TokenTable, states: IntArray, size: int) -> MoveCounts:
        """Count the moves in a table; token t is in state states[t] of `size`, below 0: unknown."""
        begins = np.zeros(len(states) + 1, np.bool_)
        begins[table.sentences] = True
        pairs = states[:-1].astype(np.int64) * size + states[1:]
        known = states >= 0
        moves = pairs[~begins[1:-1] & known[:-1] & known[1:]]
        return cls(
            np.bincount(moves, minlength=size * size).reshape(size, size),
            np.bincount(states[begins[:-1] & known], minlength=size),
            np.bincount(states[begins[1:] & known], minlength=size),
        )

    def chain(self, possible: Moves, *, smoothing: float) -> Chain:
        """Return log π and log a: smoothed relative frequencies of the possible moves."""
        moves = (self.moves + smoothing) * possible.allowed
        first = (self.first + smoothing) * possible.first
        last = (self.last + smoothing) * possible.last
        leaving = moves.sum(axis=1) + last
        # log 0 = -inf: impossible; NaN if no move leaves a state, as in a damaged file: refused
        with np.errstate(divide="ignore", invalid="ignore"):
            return first_order(
                np.log(moves) - np.log(leaving)[:, None],
                np.log(first) - np.log(first.sum()),
                np.log(last) - np.log(leaving),
            )
