"""Kernels: scores of tokens as sums of weight rows and of scores of word types.

A row of weights has a *place*. The first places are rows with all their zeros, wide[place, k]:
adding them is fast. The others are pairs[place - len(wide)] = (weight, tag) and those that follow,
up to the last of the row, which has -1 - tag in place of its tag. Tags are written as floats beside
their weights, so that one access to memory finds both. Place -1 is no row.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lacuna.kernels import kernel
from lacuna.types import IntArray, LongArray, RealArray

TagArray = npt.NDArray[np.uint16]
BEFORE, BEHIND = 0, 1  # the types that stand for what is outside the sentence


@kernel
def add_rows(places: LongArray, wide: RealArray, pairs: RealArray, scores: RealArray) -> None:
    """scores[i, k] += Σ weight of the row at places[i, j] for tag k, over all columns j."""
    for i in range(len(places)):
        total = scores[i]
        for j in range(places.shape[1]):
            place = places[i, j]
            if 0 <= place < len(wide):
                row = wide[place]
                for k in range(len(total)):
                    total[k] += row[k]
            elif place >= 0:
                m, tag = place - len(wide), np.int64(0)
                while tag >= 0:
                    tag = np.int64(pairs[m, 1])
                    total[tag if tag >= 0 else -1 - tag] += pairs[m, 0]
                    m += 1


@kernel
def add_windows(
    types: IntArray,
    sentences: LongArray,
    low: int,
    high: int,
    of_type: RealArray,
    scores: RealArray,
) -> None:
    """scores[t, k] += Σ_o of_type[type of token t + o, (high - o) · K + k], low <= o <= high.

    The other way round, token p gives one row of `of_type` to the tokens p - high to p - low,
    which lie one after the other.
    """
    width = scores.shape[1]
    flat = scores.reshape(-1)
    for s in range(len(sentences) - 1):
        first, last = sentences[s], sentences[s + 1]
        for p in range(first + min(low, 0), last + max(high, 0)):
            own = of_type[BEFORE if p < first else BEHIND if p >= last else types[p]]
            a, b = max(p - high, first), min(p - low + 1, last)
            if a < b:
                total = flat[a * width : b * width]
                part = own[(a - p + high) * width :]
                for i in range(total.size):
                    total[i] += part[i]
