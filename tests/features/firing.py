"""From arrays of keys or rows back to (token, template): which feature fires where."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lacuna.features.extract import FeatureKeys, FeatureRows, feature_keys
from lacuna.features.plan import Plan
from lacuna.features.token_table import TokenTable
from lacuna.text.word_types import number_types
from lacuna.types import HashArray, IntArray, LongArray


def window(table: TokenTable, types: IntArray, size: int, offset: int) -> list[int]:
    """Return the type `offset` places from each token; the last two are before and after."""
    found = []
    for first, last in pairwise(table.sentences.tolist()):
        for t in range(first, last):
            place = t + offset
            outside = size - 2 if place < first else size - 1
            found.append(int(types[place]) if first <= place < last else outside)
    return found


def keys_by_token(table: TokenTable, plan: Plan) -> HashArray:
    """Return keys[t, j]: the key of template j at token t."""
    numbered = number_types(table.hashes)
    keys: FeatureKeys = feature_keys(table, numbered, plan)
    size = len(numbered.first) + 2
    spread = np.zeros((len(table.start), len(plan.templates)), np.uint64)
    for group, part in zip(plan.by_word, keys.by_word, strict=True):
        assert part.shape[0] == size
        spread[:, group.template] = part[window(table, numbered.ids, size, group.offset)]
    spread[:, plan.by_token.template] = keys.by_token
    return spread


def rows_by_token(table: TokenTable, plan: Plan, rows: FeatureRows) -> LongArray:
    """Return rows[t, j]: the row of template j at token t, -1 for none."""
    spread = np.full((len(table.start), len(plan.templates)), -1, np.int64)
    for o, group in enumerate(plan.by_word):
        part = rows.by_word[o * rows.size : (o + 1) * rows.size]
        assert (part[:, len(group.template) :] == -1).all()
        own = part[:, : len(group.template)]
        spread[:, group.template] = own[window(table, rows.types, rows.size, group.offset)]
    spread[:, plan.by_token.template] = rows.by_token
    return spread
