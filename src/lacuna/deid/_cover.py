"""Kernels: the tokens that spans of characters touch, and how sure the tagger is of them."""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray


@kernel
def surest_tokens(
    start: IntArray,
    end: IntArray,
    probability: FloatArray,
    span_start: LongArray,
    span_end: LongArray,
    threshold: float,
) -> tuple[FloatArray, LongArray]:
    """Return the highest probability in each span, and tokens that reach the threshold outside.

    A span that touches no token has -1. Outside: of all spans that themselves reach the threshold.
    """
    sure = np.full(span_start.size, -1.0)
    alone = probability >= threshold
    for i in range(span_start.size):
        first = np.searchsorted(end, span_start[i], side="right")
        last = first
        while last < start.size and start[last] < span_end[i]:
            sure[i] = max(sure[i], probability[last])
            last += 1
        if sure[i] >= threshold:
            alone[first:last] = False
    return sure, np.flatnonzero(alone)


@kernel
def covered_tokens(
    start: IntArray, end: IntArray, span_start: LongArray, span_end: LongArray
) -> BoolArray:
    """Return for each token whether a span touches it."""
    # borders[t]: how many spans begin at token t, less those that ended before it
    borders = np.zeros(start.size + 1, np.int64)
    for i in range(span_start.size):
        first = np.searchsorted(end, span_start[i], side="right")
        borders[first] += 1
        borders[max(first, np.searchsorted(start, span_end[i], side="left"))] -= 1
    covered = np.empty(start.size, np.bool_)
    inside = 0
    for t in range(start.size):
        inside += borders[t]
        covered[t] = inside > 0
    return covered


@kernel
def histograms(probability: FloatArray, covered: BoolArray, bins: int) -> LongArray:
    """Return how many tokens lie in each bin: row 0 of those that stay, row 1 of the covered."""
    counts = np.zeros((2, bins), np.int64)
    for t in range(probability.size):
        counts[int(covered[t]), min(int(probability[t] * bins), bins - 1)] += 1
    return counts
