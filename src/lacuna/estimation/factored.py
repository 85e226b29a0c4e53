"""Emission scores of a training corpus and their gradient, factored through word types.

**Equal features are trained as one.** Features that fire on exactly the same word types (or the
same tokens) have the same gradient, so they keep the same weight w throughout. n of them act like
one feature of value √n and weight v = √n·w: the score √n·v = n·w, the penalty v² = n·w² and every
inner product are the same, so it is exactly the same training with fewer parameters. All that is
peculiar to a word seen once falls together in this way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.estimation._emission import (
    gather,
    gather_windows,
    inverse_lists,
    list_hashes,
    lists_of,
    window_index,
)
from lacuna.features.extract import FeatureRows
from lacuna.inference.batch import share_rows
from lacuna.text.word_types import number_types
from lacuna.types import IntArray, LongArray, RealArray


class Lists(NamedTuple):
    """List i is ``items[borders[i]:borders[i + 1]]``."""

    borders: LongArray
    items: IntArray

    @property
    def length(self) -> int:
        """Number of lists."""
        return len(self.borders) - 1

    def inverse(self, size: int) -> Lists:
        """Return for each number below `size` the lists that hold it."""
        return Lists(*inverse_lists(self.borders, self.items, size))


class Merged(NamedTuple):
    """Features with equal support, trained as one.

    group[r]
        The group of feature r.
    size[g]
        How many features group g stands for.
    words
        Groups below this number are of word types, the others of tokens.
    """

    group: IntArray
    size: IntArray
    words: int


@dataclass(frozen=True, slots=True, eq=False)
class FactoredEmission:
    """The structure of the sum emission = T · (A · W); notation as in `_emission.py`."""

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
        """Return the weight of every single feature from those of the groups."""
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
    behind = Lists(of_token.borders, of_token.items - np.int32(words))
    return FactoredEmission(
        window,
        of_type,
        of_token,
        of_type.inverse(words),
        behind.inverse(len(merged.size) - words),
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
