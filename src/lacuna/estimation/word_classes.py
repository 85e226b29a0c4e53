"""Word classes: what is known about words that were hardly ever seen, from what they look like.

Classes form a tree: all words; words that look alike (two digits, all caps, first word of a
sentence, lower case, …); among those, words with the same last character; the last two; and so
on. A class far down knows more and saw less, so the tags of its words are mixed with its parent's:

    p(s | k) = (r(k, s) + β p(s | parent of k)) / (r(k) + β)

r counts the tokens of rare words, β is the weight of the parent; the parent of all words is the
distribution of tags in the corpus. Every tag is possible in every class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.estimation._word_classes import FAMILY, class_keys
from lacuna.features._hashing import NONE, hash_numbers
from lacuna.features.lower import lower_table
from lacuna.features.token_table import TokenTable
from lacuna.text.characters import class_table
from lacuna.text.word_types import WordTypes, number_types
from lacuna.types import BoolArray, FloatArray, HashArray, IntArray, LongArray

SingleArray = npt.NDArray[np.float32]


class WordClasses(NamedTuple):
    """Classes of words; row 0 is the class of all words.

    keys
        The key of every class, as `class_keys` gives them.
    tags
        ``tags[k, s]`` = p(s | k).
    longest
        Characters of the longest suffix.
    """

    keys: WordTypes
    tags: SingleArray
    longest: int

    def finest(self, keys: HashArray) -> IntArray:
        """Return for each row of keys[i, depth] the deepest class that there is."""
        rows = self.keys.lookup(keys.reshape(-1)).reshape(keys.shape)
        known = (rows >= 0) & (keys != NONE)
        deepest = keys.shape[1] - 1 - np.argmax(known[:, ::-1], axis=1)
        found: IntArray = rows[np.arange(len(rows)), deepest]
        return np.maximum(found, 0)


def token_classes(
    table: TokenTable, tokens: IntArray, is_first: BoolArray, longest: int
) -> HashArray:
    """Return keys[i, depth] of the classes of some tokens; is_first: they begin a sentence."""
    start, end = table.start[tokens], table.end[tokens]
    return class_keys(table.codes, start, end, is_first, lower_table(), class_table(), longest)


def fit_word_classes(
    keys: HashArray, tags: IntArray, prior: FloatArray, *, min_count: int, parent_weight: float
) -> WordClasses:
    """Estimate classes from the tokens of rare words.

    Parameters
    ----------
    keys
        ``keys[i, depth]`` of every such token; may be empty.
    tags
        Their tags, below ``len(prior)``.
    prior
        p(s) in the corpus, all positive.
    min_count
        Suffixes with fewer tokens have no class of their own.
    parent_weight
        β.
    """
    numbered = number_types(keys.reshape(-1))
    rows = numbered.ids.reshape(keys.shape)
    total = len(numbered.first)
    counts = np.zeros((total, len(prior)))
    np.add.at(counts, (rows, tags[:, None]), 1.0)
    depth = numbered.first % keys.shape[1]
    parent = np.where(depth > 0, rows.reshape(-1)[numbered.first - 1], -1)
    own = keys.reshape(-1)[numbered.first]
    kept = (own != NONE) & ((depth < 2) | (counts.sum(axis=1) >= min_count))
    means = _smoothed(counts, depth, parent, prior, parent_weight)
    if not total:
        means, own, kept = prior[None], hash_numbers(np.array([FAMILY])), np.ones(1, np.bool_)
    return WordClasses(
        WordTypes.build(own[kept]), means[kept].astype(np.float32), keys.shape[1] - 2
    )


def _smoothed(
    counts: FloatArray, depth: LongArray, parent: LongArray, prior: FloatArray, weight: float
) -> FloatArray:
    """p(s | k) = (r(k, s) + β p(s | parent)) / (r(k) + β), from the root down."""
    means = np.empty_like(counts)
    for level in range(int(depth.max(initial=-1)) + 1):
        here = np.flatnonzero(depth == level)
        above = means[parent[here]] if level else prior[None]
        means[here] = (counts[here] + weight * above) / (
            counts[here].sum(axis=1, keepdims=True) + weight
        )
    return means
