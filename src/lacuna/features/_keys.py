"""Kernels: the key of every feature, a 64-bit hash of its template and the values it combines."""

from __future__ import annotations

import numpy as np

from lacuna.features._hashing import NONE, OUTSIDE, finish, seed, step
from lacuna.kernels import kernel
from lacuna.types import HashArray, IntArray, LongArray


@kernel
def word_keys(values: HashArray, attribute: IntArray, template: LongArray) -> HashArray:
    """Return keys[v, j]: word type v under the template number template[j], 0 for none."""
    keys = np.zeros((len(values), len(attribute)), np.uint64)
    for v in range(len(values)):
        for j in range(len(attribute)):
            value = values[v, attribute[j]]
            if value != NONE:
                keys[v, j] = finish(step(seed(template[j]), value))
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
    keys = np.zeros((len(types), len(template)), np.uint64)
    word_attributes = word_values.shape[1]
    for s in range(len(sentences) - 1):
        first, last = sentences[s], sentences[s + 1]
        for t in range(first, last):
            for j in range(len(template)):
                h = seed(template[j])
                for m in range(first_term[j], first_term[j + 1]):
                    place, a = t + offset[m], attribute[m]
                    if not first <= place < last:
                        value = OUTSIDE
                    elif a < word_attributes:
                        value = word_values[types[place], a]
                    else:
                        value = token_values[a - word_attributes, place]
                    if value == NONE:
                        h = NONE
                        break
                    h = step(h, value)
                if h != NONE:
                    keys[t, j] = finish(h)
    return keys


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
