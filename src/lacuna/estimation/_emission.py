"""Kernels of the factored emission scores: emission = T · (A · W), and the transposes.

W[r, k]        weight of feature r for label k
S[i, k]        = Σ_{r ∈ A[i]} W[r, k], the score of a word type at one offset of the window
emission[t, k] = Σ_o S[window[t, o], k] + Σ_{r ∈ B[t]} W[r, k]

A and B are lists of features: of each word type at each offset, and of each token. Gradients are
the same sums with the arrows turned round. Every sum is a gather into one row, so that rows can
be shared out to threads and the result does not depend on how many there are.
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.text._word_types import GOLDEN, SHIFT_32
from lacuna.types import HashArray, IntArray, LongArray, RealArray


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
    """Return for each number r < size the rows i whose list holds it, in order; a counting sort."""
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


@kernel
def window_index(types: IntArray, sentences: LongArray, offsets: IntArray, size: int) -> IntArray:
    """Return index[t, o] = o · size + type of token t + offsets[o]: the rows of S that t adds up.

    The last two of the `size` types stand for "before" and "behind the sentence".
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
