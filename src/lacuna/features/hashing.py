"""How values and characters become 64-bit hashes, for kernels of any file.

Model files contain such hashes, so none of this ever changes. A missing value is NONE; OUTSIDE is
the value of every attribute outside the sentence.
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.text.characters import IDEOGRAPH, LOWER, MARK, ClassTable
from lacuna.text.word_types import GOLDEN, MIX_1, MIX_2, SHIFT_27, SHIFT_30, SHIFT_31, SHIFT_32
from lacuna.types import CodeArray, HashArray, LongArray

NONE, ONE, OUTSIDE = map(np.uint64, (0, 1, 2))  # other values are odd
FIRST_SYMBOL = np.uint64(256)  # above all classes


@kernel
def seed(number: int) -> np.uint64:
    """Begin a hash; different numbers begin different families of hashes."""
    return GOLDEN * np.uint64(2 * number + 1)


@kernel
def step(h: np.uint64, value: np.uint64) -> np.uint64:
    """Add one more value to the hash: (h xor value) · GOLDEN, upper half folded down."""
    h = (h ^ value) * GOLDEN
    return h ^ (h >> SHIFT_32)


@kernel
def finish(h: np.uint64) -> np.uint64:
    """Finish the hash as splitmix64 does; the result is odd and so never NONE."""
    h = (h ^ (h >> SHIFT_30)) * MIX_1
    h = (h ^ (h >> SHIFT_27)) * MIX_2
    return (h ^ (h >> SHIFT_31)) | ONE


@kernel
def step_all(h: np.uint64, codes: CodeArray, first: int, last: int) -> np.uint64:
    """Add the code points [first, last) to the hash."""
    for i in range(first, last):
        h = step(h, np.uint64(codes[i]))
    return h


@kernel
def step_lower(
    h: np.uint64, codes: CodeArray, first: int, last: int, lower: CodeArray
) -> np.uint64:
    """Add the lower case of the code points [first, last) to the hash."""
    for i in range(first, last):
        h = step(h, np.uint64(lower[codes[i]]))
    return h


@kernel
def step_shape(
    h: np.uint64, codes: CodeArray, first: int, last: int, classes: ClassTable, collapse: bool
) -> np.uint64:
    """Add the shape of [first, last): classes of letters and digits, signs as they are, no marks.

    `collapse` joins runs of one symbol.
    """
    before = np.uint64(0)
    for i in range(first, last):
        c = classes[codes[i]]
        if c == MARK:
            continue
        symbol = np.uint64(codes[i]) + FIRST_SYMBOL
        if LOWER <= c <= IDEOGRAPH:
            symbol = np.uint64(c)
        if not (collapse and symbol == before):
            h = step(h, symbol)
        before = symbol
    return h


@kernel
def hash_numbers(numbers: LongArray) -> HashArray:
    """Return a hash of each number, different for different numbers, never NONE."""
    hashes = np.empty(len(numbers), np.uint64)
    for i in range(len(numbers)):
        hashes[i] = finish(seed(numbers[i]))
    return hashes
