"""Kernels: the key of every feature, a 64-bit hash of its template and the values it combines."""

from __future__ import annotations

import numpy as np

from lacuna.features._hashing import NONE, OUTSIDE, finish, seed, step
from lacuna.kernels import kernel
from lacuna.types import HashArray, IntArray, LongArray


@kernel
def word_keys(
    values: HashArray, first_term: LongArray, attribute: IntArray, template: LongArray
) -> HashArray:
    """Return keys[v, j]: word type v under the template number template[j], 0 for none.

    It takes the attributes of the terms first_term[j] to first_term[j + 1].
    """
    keys = np.zeros((len(values), len(template)), np.uint64)
    for v in range(len(values)):
        for j in range(len(template)):
            h = seed(template[j])
            for m in range(first_term[j], first_term[j + 1]):
                value = values[v, attribute[m]]
                h = NONE if h == NONE or value == NONE else step(h, value)
            keys[v, j] = NONE if h == NONE else finish(h)
    return keys


@kernel
def token_keys(
    types: IntArray,
    sentences: LongArray,
    word_values: HashArray,
    token_values: HashArray,
    first_term: LongArray,
    attribute: IntArray,
    offset: IntArray,
    template: LongArray,
) -> HashArray:
    """Return keys[t, j] for templates that look at several words or at places.

    Terms of template j are first_term[j] to first_term[j + 1]. Attribute a < A is of a word:
    word_values[types[t], a]; others are token_values[a - A, t]. A missing value makes the key 0.
    """
    keys = np.empty((len(types), len(template)), np.uint64)
    reach, longest = 0, 0
    for m in range(len(offset)):
        reach = max(reach, abs(offset[m]))
    for s in range(len(sentences) - 1):
        longest = max(longest, sentences[s + 1] - sentences[s])
    padded = np.empty((word_values.shape[1] + len(token_values), longest + 2 * reach), np.uint64)
    column = np.empty(longest, np.uint64)
    for s in range(len(sentences) - 1):
        first, last = sentences[s], sentences[s + 1]
        size = last - first
        _pad_sentence(types[first:last], word_values, token_values[:, first:last], reach, padded)
        for j in range(len(template)):
            begin = seed(template[j])
            for i in range(size):
                column[i] = begin
            for m in range(first_term[j], first_term[j + 1]):
                values = padded[attribute[m], reach + offset[m] :]
                for i in range(size):
                    h, value = column[i], values[i]
                    column[i] = NONE if h == NONE or value == NONE else step(h, value)
            out = keys[first:last, j]
            for i in range(size):
                out[i] = NONE if column[i] == NONE else finish(column[i])
    return keys


@kernel
def _pad_sentence(
    types: IntArray,
    word_values: HashArray,
    token_values: HashArray,
    reach: int,
    padded: HashArray,
) -> None:
    """Fill padded[a, reach + i] with attribute a of token i, and OUTSIDE on both sides."""
    size = len(types)
    words = word_values.shape[1]
    for a in range(len(padded)):
        for i in range(reach):
            padded[a, i] = padded[a, reach + size + i] = OUTSIDE
    for i in range(size):
        for a in range(words):
            padded[a, reach + i] = word_values[types[i], a]
    for a in range(words, len(padded)):
        for i in range(size):
            padded[a, reach + i] = token_values[a - words, i]


@kernel
def window_counts(types: IntArray, sentences: LongArray, offsets: IntArray, size: int) -> LongArray:
    """Return counts[o, v]: how many tokens have type v at offsets[o].

    The last two of the `size` types stand for "before" and "behind the sentence".
    """
    counts = np.zeros((len(offsets), size), np.int64)
    for s in range(len(sentences) - 1):
        first, last = sentences[s], sentences[s + 1]
        for t in range(first, last):
            for o in range(len(offsets)):
                place = t + offsets[o]
                if place < first:
                    counts[o, size - 2] += 1
                elif place >= last:
                    counts[o, size - 1] += 1
                else:
                    counts[o, types[place]] += 1
    return counts
