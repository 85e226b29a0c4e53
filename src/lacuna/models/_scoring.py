"""Kernels: scores of tokens as sums of weight rows and of scores of word types.

Weights are sparse rows: row r has pairs[m] = (weight, tag), m from borders[r] to borders[r + 1],
the number of the tag as a float beside the weight. The first rows may be given with all their zeros
as well, as wide[r, k]: adding them is faster. Row -1 is no row.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lacuna.kernels import kernel
from lacuna.types import IntArray, LongArray, RealArray

TagArray = npt.NDArray[np.uint16]
BEFORE, BEHIND = 0, 1  # the types that stand for what is outside the sentence


@kernel
def add_rows(
    rows: IntArray,
    wide: RealArray,
    borders: LongArray,
    pairs: RealArray,
    scores: RealArray,
) -> None:
    """scores[i, k] += Σ weight of row rows[i, j] for tag k, over all columns j."""
    for i in range(len(rows)):
        total = scores[i]
        for j in range(rows.shape[1]):
            r = rows[i, j]
            if 0 <= r < len(wide):
                row = wide[r]
                for k in range(len(total)):
                    total[k] += row[k]
            elif r >= 0:
                for m in range(borders[r], borders[r + 1]):
                    total[np.int64(pairs[m, 1])] += pairs[m, 0]


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
