"""How often words follow one another, one or more words apart, counted piece by piece."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from lacuna.types import IntArray, LongArray

MOST_BIGRAMS = np.iinfo(np.int32).max
LEAST_MERGED = 1 << 20  #: entries that are collected before they are merged with the others


class Bigrams(NamedTuple):
    """How often words follow one another; words are numbered by descending frequency.

    first[i], second[i], times[i]
        The two words of bigram i and how often it occurs; each bigram once.
    words
        Number of words.
    """

    first: IntArray
    second: IntArray
    times: LongArray
    words: int


def count_bigrams(
    sequences: Iterable[tuple[IntArray, LongArray]], words: int, distance: int = 1
) -> Bigrams:
    """Count the bigrams within sentences.

    The memory that this takes grows with the number of different bigrams, not with the text.

    Parameters
    ----------
    sequences
        Pieces of text: words (negative: none) and the borders of sentences.
    words
        Number of words.
    distance
        How far apart the two words are; 1 is next to each other.
    """
    keys, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    new: list[tuple[LongArray, LongArray]] = []
    for ids, borders in sequences:
        new.append(np.unique(_keys(ids, borders, words, distance), return_counts=True))
        if sum(len(key) for key, _ in new) > max(LEAST_MERGED, len(keys)):
            keys, counts = _merged([(keys, counts), *new])
            new = []
    keys, counts = _merged([(keys, counts), *new])
    if counts.sum() > MOST_BIGRAMS:
        raise ValueError(f"there are more than {MOST_BIGRAMS} bigrams")
    first, second = np.divmod(keys, max(words, 1))
    return Bigrams(first.astype(np.int32), second.astype(np.int32), counts, words)


def _keys(ids: IntArray, borders: LongArray, words: int, distance: int) -> LongArray:
    """Return the bigrams of a piece as numbers: first word · words + second word."""
    sentences = np.searchsorted(borders, np.arange(len(ids)), side="right")
    first, second = ids[:-distance], ids[distance:]
    inside = (sentences[:-distance] == sentences[distance:]) & (first >= 0) & (second >= 0)
    keys: LongArray = first[inside] * np.int64(words) + second[inside]
    return keys


def _merged(parts: list[tuple[LongArray, LongArray]]) -> tuple[LongArray, LongArray]:
    """Return the different keys in order, and the sums of their counts."""
    keys, place = np.unique(np.concatenate([key for key, _ in parts]), return_inverse=True)
    counts = np.bincount(place, np.concatenate([count for _, count in parts]), len(keys))
    return keys, counts.astype(np.int64)
