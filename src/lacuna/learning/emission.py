"""Emission scores of a training corpus and their gradient, factored through word types.

    W[r, k]        weight of feature r for label k
    S[i, k]        = Σ_{r ∈ A[i]} W[r, k], the score of a word type at one offset of the window
    emission[t, k] = Σ_o S[window[t, o], k] + Σ_{r ∈ B[t]} W[r, k]

that is, emission = T · (A · W). A and B are lists of features: of each word type at each offset,
and of each token. Gradients are the transposed sums. Every sum is a gather into one row, so that
rows can be divided among threads and the result does not depend on their number.

**Equal features are trained as one.** Features that fire on exactly the same word types (or the
same tokens) have the same gradient, so they keep the same weight w throughout. n of them act like
one feature of value √n and weight v = √n·w: the score √n·v = n·w, the penalty v² = n·w² and every
inner product are the same, so it is exactly the same training with fewer parameters. All features
that are peculiar to a word seen once are merged in this way. (With an L1 penalty it is not exact:
the n features pay √n·|w| instead of n·|w|.)

This is for training only. Tagging computes the same scores by design with other code,
`models/scoring.py` and `models/combining_kernels.py`: without gradients, and for any text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.features.extract import FeatureRows
from lacuna.inference.batch import share_rows
from lacuna.kernels import kernel
from lacuna.text.word_types import GOLDEN, SHIFT_32, number_types
from lacuna.types import HashArray, IntArray, LongArray, RealArray

CURVATURE = 0.01
FLOOR = 1e-5


class Lists(NamedTuple):
    """List i is ``items[borders[i]:borders[i + 1]]``."""

    borders: LongArray
    items: IntArray

    @property
    def length(self) -> int:
        """Number of lists."""
        return len(self.borders) - 1

    def inverse(self, size: int) -> Lists:
        """Return for each number below `size` the lists that contain it."""
        return Lists(*inverse_lists(self.borders, self.items, size))


class Merged(NamedTuple):
    """Features with equal support, trained as one.

    group[r]
        The group of feature r.
    size[g]
        Number of features in group g.
    words
        Groups below this number belong to word types, the others to tokens.
    """

    group: IntArray
    size: IntArray
    words: int


@dataclass(frozen=True, slots=True, eq=False)
class FactoredEmission:
    """The structure of the sum emission = T · (A · W), see above."""

    window: IntArray
    features_of_type: Lists
    features_of_token: Lists
    types_of_feature: Lists
    tokens_of_feature: Lists
    tokens_of_type: Lists
    merged: Merged

    @property
    def features(self) -> int:
        """Number of weight rows after merging."""
        return len(self.merged.size)

    def scores(self, weights: RealArray, emission: RealArray, *, spoil: bool = False) -> None:
        """Fill emission[t, k] from weights[g, k], which `spoil` allows to be overwritten."""
        weights = np.multiply(weights, self._values(weights), out=weights if spoil else None)
        types = self.features_of_type.length
        of_type = np.empty((types, weights.shape[1]), weights.dtype)
        share_rows(types, lambda a, b: gather(*self.features_of_type, weights, of_type, a, b))
        share_rows(
            len(emission),
            lambda a, b: gather_windows(
                self.window, of_type, *self.features_of_token, weights, emission, a, b
            ),
        )

    def gradient(self, by_token: RealArray, out: RealArray) -> None:
        """Fill out[g, k] = ∂/∂weights[g, k] from by_token[t, k] = ∂/∂emission[t, k]."""
        types, words = self.tokens_of_type.length, self.merged.words
        of_type = np.empty((types, out.shape[1]), out.dtype)
        share_rows(types, lambda a, b: gather(*self.tokens_of_type, by_token, of_type, a, b))
        share_rows(words, lambda a, b: gather(*self.types_of_feature, of_type, out[:words], a, b))
        share_rows(
            self.features - words,
            lambda a, b: gather(*self.tokens_of_feature, by_token, out[words:], a, b),
        )
        out *= self._values(out)

    def expand(self, weights: RealArray) -> RealArray:
        """Return the weight of every feature from those of the groups."""
        single: RealArray = weights / self._values(weights)
        return single[self.merged.group]

    def _values(self, like: RealArray) -> RealArray:
        """Return the value √n of each group as a column."""
        return np.sqrt(self.merged.size, dtype=like.dtype)[:, None]


def factor(
    rows: FeatureRows, sentences: LongArray, offsets: IntArray, order: LongArray, features: int
) -> FactoredEmission:
    """Prepare the sums for tokens taken in `order`."""
    window = window_index(rows.types, sentences, offsets, rows.size)[order]
    every = np.arange(features, dtype=np.int32)
    of_type, of_token = (
        Lists(*lists_of(rows.by_word, every)),
        Lists(*lists_of(rows.by_token[order], every)),
    )
    merged = merge_equal(of_type.inverse(features), of_token.inverse(features))
    first = np.full(features, -1, np.int32)  # keep one feature of each group
    first[_first_of(merged)] = np.arange(len(merged.size), dtype=np.int32)
    of_type, of_token = (
        Lists(*lists_of(rows.by_word, first)),
        Lists(*lists_of(rows.by_token[order], first)),
    )
    words = merged.words
    per_row = np.arange(len(window) + 1, dtype=np.int64) * window.shape[1]
    token_groups = Lists(of_token.borders, of_token.items - np.int32(words))
    return FactoredEmission(
        window,
        of_type,
        of_token,
        of_type.inverse(words),
        token_groups.inverse(len(merged.size) - words),
        Lists(per_row, window.reshape(-1)).inverse(of_type.length),
        merged,
    )


def merge_equal(types_of_feature: Lists, tokens_of_feature: Lists) -> Merged:
    """Group features that have equal lists; features of words come first."""
    by_type, by_token = list_hashes(*types_of_feature), list_hashes(*tokens_of_feature)
    of_words = by_type != 0
    ids = np.empty(len(by_type), np.int32)
    word_groups = number_types(by_type[of_words])
    token_groups = number_types(by_token[~of_words])
    words = len(word_groups.first)
    ids[of_words] = word_groups.ids
    ids[~of_words] = token_groups.ids + words
    size = np.bincount(ids, minlength=words + len(token_groups.first))
    return Merged(ids, size.astype(np.int32), words)


def _first_of(merged: Merged) -> LongArray:
    """Return the first feature of each group, in order of group."""
    _, first = np.unique(merged.group, return_index=True)
    return first


def curvature(count: RealArray, total: RealArray) -> RealArray:
    """Return CURVATURE · c (1 - c/n) + FLOOR · n for counts c of n."""
    share = count / np.maximum(total, np.float32(1))
    curved: RealArray = np.float32(CURVATURE) * count * (1 - share) + np.float32(FLOOR) * total
    return curved


@kernel
def gather(
    borders: LongArray, items: IntArray, source: RealArray, out: RealArray, first: int, last: int
) -> None:
    """out[i] = Σ source[items[m]] for m from borders[i] to borders[i + 1], i in [first, last)."""
    width = source.shape[1]
    for i in range(first, last):
        total = out[i]
        for k in range(width):
            total[k] = 0.0
        for m in range(borders[i], borders[i + 1]):
            row = source[items[m]]
            for k in range(width):
                total[k] += row[k]


@kernel
def gather_windows(
    window: IntArray,
    scores: RealArray,
    borders: LongArray,
    items: IntArray,
    weights: RealArray,
    out: RealArray,
    first: int,
    last: int,
) -> None:
    """out[t] = Σ_o scores[window[t, o]] + Σ_{m in list t} weights[items[m]], t in [first, last)."""
    width = scores.shape[1]
    for t in range(first, last):
        total = out[t]
        for k in range(width):
            total[k] = 0.0
        for o in range(window.shape[1]):
            row = scores[window[t, o]]
            for k in range(width):
                total[k] += row[k]
        for m in range(borders[t], borders[t + 1]):
            row = weights[items[m]]
            for k in range(width):
                total[k] += row[k]


@kernel
def window_index(types: IntArray, sentences: LongArray, offsets: IntArray, size: int) -> IntArray:
    """Return index[t, o] = o · size + type of token t + offsets[o]: the rows of S that t sums.

    The last two of the `size` types mean "before" and "after the sentence".
    """
    index = np.empty((len(types), len(offsets)), np.int32)
    for s in range(len(sentences) - 1):
        first, last = sentences[s], sentences[s + 1]
        for t in range(first, last):
            for o in range(len(offsets)):
                place = t + offsets[o]
                if place < first:
                    word = size - 2
                elif place >= last:
                    word = size - 1
                else:
                    word = types[place]
                index[t, o] = o * size + word
    return index


@kernel
def lists_of(index: IntArray, keep: IntArray) -> tuple[LongArray, IntArray]:
    """Return (borders, items): the numbers keep[index[i, j]] of each row i that are not -1."""
    borders = np.zeros(len(index) + 1, np.int64)
    items = np.empty(index.size, np.int32)
    count = 0
    for i in range(index.shape[0]):
        for j in range(index.shape[1]):
            if index[i, j] >= 0 and keep[index[i, j]] >= 0:
                items[count] = keep[index[i, j]]
                count += 1
        borders[i + 1] = count
    return borders, items[:count].copy()


@kernel
def inverse_lists(borders: LongArray, items: IntArray, size: int) -> tuple[LongArray, IntArray]:
    """Return for each number r < size the rows i whose list contains it: a counting sort."""
    inverse = np.zeros(size + 1, np.int64)
    for m in range(len(items)):
        inverse[items[m] + 1] += 1
    for r in range(size):
        inverse[r + 1] += inverse[r]
    rows = np.empty(len(items), np.int32)
    place = inverse[:-1].copy()
    for i in range(len(borders) - 1):
        for m in range(borders[i], borders[i + 1]):
            rows[place[items[m]]] = i
            place[items[m]] += 1
    return inverse, rows


@kernel
def list_hashes(borders: LongArray, items: IntArray) -> HashArray:
    """Return a hash of each list, 0 for an empty one: equal lists have equal hashes."""
    hashes = np.zeros(len(borders) - 1, np.uint64)
    for i in range(len(hashes)):
        if borders[i] == borders[i + 1]:
            continue
        h = GOLDEN
        for m in range(borders[i], borders[i + 1]):
            h = (h ^ np.uint64(items[m])) * GOLDEN
            h ^= h >> SHIFT_32
        hashes[i] = h | np.uint64(1)
    return hashes
