"""Features that few documents have are left out: they could point to a person."""

from __future__ import annotations

import numpy as np

from lacuna.features.extract import FeatureIndex, feature_keys
from lacuna.features.known import KnownKeys
from lacuna.features.token_table import TokenTable
from lacuna.text.word_types import NumberedTypes
from lacuna.types import HashArray, IntArray, LongArray


def in_enough_groups(
    index: FeatureIndex,
    table: TokenTable,
    numbered: NumberedTypes,
    group: LongArray,
    *,
    least: int,
) -> FeatureIndex:
    """Keep the features that tokens of at least `least` groups have; token t is of group[t]."""
    keys = feature_keys(table, numbered, index.plan)
    size = len(numbered.first) + 2
    counts = np.zeros(len(index), np.int64)
    for offset, part in zip(index.plan.offsets.tolist(), keys.by_word, strict=True):
        types, groups = _distinct(_types_at(numbered.ids, table.sentences, offset, size), group)
        for column in part.T:
            counts += _count_groups(index, column[types], groups)
    for column in keys.by_token.T:
        counts += _count_groups(index, np.ascontiguousarray(column), group)
    return FeatureIndex(index.plan, KnownKeys.of(index.keys.hashes[counts >= least]))


def _types_at(ids: IntArray, sentences: LongArray, offset: int, size: int) -> LongArray:
    """Return the word type `offset` tokens away, the last two types being outside the sentence."""
    lengths = np.diff(sentences)
    first, last = np.repeat(sentences[:-1], lengths), np.repeat(sentences[1:], lengths)
    place = np.arange(len(ids)) + offset
    inside = ids[np.clip(place, 0, len(ids) - 1)]
    return np.where(place < first, size - 2, np.where(place >= last, size - 1, inside))


def _count_groups(index: FeatureIndex, keys: HashArray, groups: LongArray) -> LongArray:
    """Return for each feature the number of groups it occurs in."""
    rows = index.keys.lookup(keys)
    found, _ = _distinct(rows[rows >= 0], groups[rows >= 0])
    return np.bincount(found, minlength=len(index))


def _distinct(
    left: LongArray | IntArray, right: LongArray | IntArray
) -> tuple[LongArray, LongArray]:
    """Return the distinct pairs (left[i], right[i])."""
    width = int(right.max(initial=0)) + 1
    pairs = np.unique(left.astype(np.int64) * width + right)
    return pairs // width, pairs % width
