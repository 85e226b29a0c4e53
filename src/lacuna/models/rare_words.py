"""The vocabulary of a model that counts words: frequent words, and classes for all others.

An item is a word seen often enough, or a class of words that look alike. Classes form a tree
(`estimation/_rare_classes.py`); a rare word is an item of its deepest class that had enough
tokens of rare words in training. The class of all words is always there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.estimation.rare_classes import rare_keys
from lacuna.features.token_table import TokenTable
from lacuna.text.word_types import WordTypes, number_types
from lacuna.types import HashArray, IntArray


class RareWords(NamedTuple):
    """Items 0, 1, … are words by their hashes; behind them come classes by their keys."""

    words: WordTypes
    classes: WordTypes

    def __len__(self) -> int:
        return len(self.words) + len(self.classes)

    def items(self, table: TokenTable, tokens: IntArray) -> IntArray:
        """Return the item of each of some tokens."""
        found = self.words.lookup(table.hashes[tokens])
        rare = np.flatnonzero(found < 0)
        found[rare] = len(self.words) + deepest(self.classes, rare_keys(table, tokens[rare]))
        return found


def deepest(classes: WordTypes, keys: HashArray) -> IntArray:
    """Return the deepest class that there is, for each row of keys[i, depth]; depth 0 is."""
    rows = classes.lookup(keys.reshape(-1)).reshape(keys.shape)
    depth = keys.shape[1] - 1 - np.argmax((rows >= 0)[:, ::-1], axis=1)
    found: IntArray = np.maximum(rows[np.arange(len(rows)), depth], 0)
    return found


def fit_rare_words(table: TokenTable, *, rare: int, class_count: int) -> RareWords:
    """Take the words that occur `rare` times, and the classes of enough tokens of the others."""
    types = number_types(table.hashes)
    times = np.bincount(types.ids)
    seldom = times < rare
    keys = rare_keys(table, types.first)
    root = keys[:1, 0]
    numbered = number_types(keys[seldom].reshape(-1))
    tokens = np.bincount(numbered.ids, np.repeat(times[seldom], keys.shape[1]))
    own = keys[seldom].reshape(-1)[numbered.first]
    kept = own[(tokens >= class_count) & (own != 0)]
    return RareWords(
        WordTypes.build(table.hashes[types.first[~seldom]]),
        WordTypes.build(np.concatenate((root, kept))),
    )
