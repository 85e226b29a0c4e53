"""The vocabulary of a model that counts words: frequent words, and classes for all others.

An item is a word seen often enough, or a class of words that look alike. Classes form a tree
(`estimation/_rare_classes.py`); a rare word is an item of its deepest class that had enough
tokens of rare words in training. The class of all words is always there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.estimation.rare_classes import rare_keys
from lacuna.estimation.rare_functions import RareFunctions
from lacuna.features.token_table import TokenTable
from lacuna.text.word_types import WordTypes, number_types
from lacuna.types import HashArray, IntArray


class RareWords(NamedTuple):
    """Items 0, 1, … are words by their hashes; behind them come classes by their keys."""

    words: WordTypes
    classes: WordTypes
    functions: RareFunctions

    def __len__(self) -> int:
        return len(self.words) + len(self.classes)

    def items(self, table: TokenTable) -> IntArray:
        """Return the item of every token."""
        types = number_types(table.hashes)
        known = self.words.lookup(table.hashes[types.first])
        found: IntArray = known[types.ids]
        if self.functions.in_context:
            rare = np.flatnonzero(found < 0).astype(np.int32)
            found[rare] = self._classes(table, rare)
        elif len(rare := np.flatnonzero(known < 0).astype(np.int32)):
            known[rare] = self._classes(table, types.first[rare])
            found = known[types.ids]
        return found

    def _classes(self, table: TokenTable, tokens: IntArray) -> IntArray:
        return len(self.words) + deepest(self.classes, rare_keys(table, tokens, self.functions))


def deepest(classes: WordTypes, keys: HashArray) -> IntArray:
    """Return the deepest class that there is, for each row of keys[i, depth]; depth 0 is."""
    rows = classes.lookup(keys.reshape(-1)).reshape(keys.shape)
    depth = keys.shape[1] - 1 - np.argmax((rows >= 0)[:, ::-1], axis=1)
    found: IntArray = np.maximum(rows[np.arange(len(rows)), depth], 0)
    return found


def rare_tokens(table: TokenTable, rare: int) -> IntArray:
    """Return the tokens whose word occurs less than `rare` times."""
    types = number_types(table.hashes)
    return np.flatnonzero(np.bincount(types.ids)[types.ids] < rare).astype(np.int32)


def fit_rare_words(
    table: TokenTable, functions: RareFunctions, *, rare: int, class_count: int
) -> RareWords:
    """Take the words that occur `rare` times, and the classes of enough tokens of the others."""
    tokens = rare_tokens(table, rare)
    often = np.ones(len(table.hashes), np.bool_)
    often[tokens] = False
    keys = rare_keys(table, tokens, functions)
    root = rare_keys(table, np.zeros(1, np.int32), functions)[0, :1]
    numbered = number_types(keys.reshape(-1))
    own = keys.reshape(-1)[numbered.first]
    kept = own[(np.bincount(numbered.ids) >= class_count) & (own != 0)]
    return RareWords(
        WordTypes.build(table.hashes[often]),
        WordTypes.build(np.concatenate((root, kept))),
        functions,
    )
