"""Kernels of L-BFGS: all inner products, and a linear combination, in one pass over memory each."""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, RealArray

BLOCK = 2048


@kernel
def inner_products(rows: RealArray, chosen: IntArray, first: int, last: int) -> FloatArray:
    """Return products[c, i] = Σ_n rows[chosen[c], n] · rows[i, n] for n in [first, last)."""
    products = np.zeros((len(chosen), len(rows)))
    for begin in range(first, last, BLOCK):
        end = min(begin + BLOCK, last)
        for i in range(len(rows)):
            row = rows[i, begin:end]
            for c in range(len(chosen)):
                other = rows[chosen[c], begin:end]
                total = rows.dtype.type(0.0)
                for n in range(len(row)):
                    total += row[n] * other[n]
                products[c, i] += total
    return products


@kernel
def combine(rows: RealArray, coefficients: FloatArray, first: int, last: int) -> None:
    """rows[-1, n] ← Σ_i coefficients[i] · rows[i, n] for n in [first, last)."""
    for begin in range(first, last, BLOCK):
        end = min(begin + BLOCK, last)
        target = rows[-1, begin:end]
        weight = rows.dtype.type(coefficients[-1])
        for n in range(len(target)):
            target[n] *= weight
        for i in range(len(rows) - 1):
            row = rows[i, begin:end]
            weight = rows.dtype.type(coefficients[i])
            if weight != 0.0:
                for n in range(len(row)):
                    target[n] += weight * row[n]
