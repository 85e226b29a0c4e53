"""Kernels of the structured E-step: one group of tokens that share their tag and the tag before.

Rows are taken in blocks that stay near the processor.
"""

from __future__ import annotations

import numpy as np

from lacuna.inference._chain import add_product
from lacuna.kernels import kernel
from lacuna.types import FloatArray, LongArray

BLOCK = 64


@kernel
def advance(
    before: FloatArray,
    rows: LongArray,
    moves: FloatArray,
    weighted: FloatArray,
    alpha: FloatArray,
    scale: FloatArray,
) -> bool:
    """alpha[r, w] = weighted[r, w] Σ_v before[rows[r], v] moves[v, w] / scale[r].

    scale[r] makes it sum to 1; weighted is divided by it as well. Returns whether all
    scales are positive.
    """
    inner = moves.shape[0]
    gathered = np.empty((BLOCK, inner))
    for first in range(0, len(rows), BLOCK):
        size = min(BLOCK, len(rows) - first)
        for i in range(size):
            gathered[i] = before[rows[first + i]]
        here = alpha[first : first + size]
        here[:] = 0.0
        add_product(gathered[:size], moves, here)
        if not normalise(weighted[first : first + size], here, scale[first : first + size]):
            return False
    return True


@kernel
def normalise(weighted: FloatArray, alpha: FloatArray, scale: FloatArray) -> bool:
    """alpha[r] *= weighted[r], then both are divided by scale[r] = Σ alpha[r]."""
    for r in range(len(scale)):
        row, weights = alpha[r], weighted[r]
        total = 0.0
        for w in range(len(row)):
            row[w] *= weights[w]
            total += row[w]
        if not total > 0.0:
            return False
        inverse = 1.0 / total
        for w in range(len(row)):
            row[w] *= inverse
            weights[w] *= inverse
        scale[r] = total
    return True


@kernel
def retreat(
    before: FloatArray,
    rows: LongArray,
    back: FloatArray,
    weighted: FloatArray,
    beta: FloatArray,
    beta_before: FloatArray,
    counts: FloatArray,
) -> None:
    """beta_before[rows[r], v] = Σ_w back[w, v] weighted[r, w] beta[r, w]; back[w, v] = moves[v, w].

    counts[v, w] += Σ_r before[rows[r], v] weighted[r, w] beta[r, w].
    """
    outer, inner = back.shape
    gathered, found = np.empty((inner, BLOCK)), np.empty((BLOCK, inner))
    ahead = np.empty((BLOCK, outer))
    for first in range(0, len(rows), BLOCK):
        size = min(BLOCK, len(rows) - first)
        for i in range(size):
            one, two, three = ahead[i], weighted[first + i], beta[first + i]
            for w in range(outer):
                one[w] = two[w] * three[w]
            source = before[rows[first + i]]
            for v in range(inner):
                gathered[v, i] = source[v]
        found[:] = 0.0
        add_product(ahead[:size], back, found[:size])
        add_product(gathered[:, :size], ahead[:size], counts)
        for i in range(size):
            beta_before[rows[first + i]] = found[i]
