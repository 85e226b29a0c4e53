"""Kernels: how values become 64-bit hashes. Model files hold such hashes, so this never changes.

A value that is not there is NONE; OUTSIDE is the value of every attribute outside the sentence.
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.text.word_types import GOLDEN, MIX_1, MIX_2, SHIFT_27, SHIFT_30, SHIFT_31, SHIFT_32
from lacuna.types import CodeArray, HashArray, LongArray

NONE, ONE, OUTSIDE = map(np.uint64, (0, 1, 2))  # other values are odd


@kernel
def seed(number: int) -> np.uint64:
    """Begin a hash; different numbers begin different families of hashes."""
    return GOLDEN * np.uint64(2 * number + 1)


@kernel
def step(h: np.uint64, value: np.uint64) -> np.uint64:
    """Take one more value into the hash: (h xor value) · GOLDEN, upper half folded down."""
    h = (h ^ value) * GOLDEN
    return h ^ (h >> SHIFT_32)


@kernel
def finish(h: np.uint64) -> np.uint64:
    """Mix as splitmix64 does; odd, and so never NONE."""
    h = (h ^ (h >> SHIFT_30)) * MIX_1
    h = (h ^ (h >> SHIFT_27)) * MIX_2
    return (h ^ (h >> SHIFT_31)) | ONE


@kernel
def step_all(h: np.uint64, codes: CodeArray, first: int, last: int) -> np.uint64:
    """Take the code points [first, last) into the hash."""
    for i in range(first, last):
        h = step(h, np.uint64(codes[i]))
    return h


@kernel
def step_lower(
    h: np.uint64, codes: CodeArray, first: int, last: int, lower: CodeArray
) -> np.uint64:
    """Take the lower case of the code points [first, last) into the hash."""
    for i in range(first, last):
        h = step(h, np.uint64(lower[codes[i]]))
    return h


@kernel
def hash_numbers(numbers: LongArray) -> HashArray:
    """Return a hash of each number, different for different numbers, never NONE."""
    hashes = np.empty(len(numbers), np.uint64)
    for i in range(len(numbers)):
        hashes[i] = finish(seed(numbers[i]))
    return hashes
