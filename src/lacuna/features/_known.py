"""Kernels: from the key of a feature to its row, one memory access a look-up.

A slot holds the upper half of a key and, in its lower half, the row + 1; 0 is an empty slot. The
table has 2^k slots, at most a quarter of them taken; a key sits in the first free one from the
place that its low k bits name. Keys are told apart by their upper half and their place: an unknown
key is taken for a known one with probability 2⁻³² per slot looked at.
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import HashArray, IntArray

UPPER_HALF, LOWER_HALF = np.uint64(0xFFFFFFFF00000000), np.uint64(0xFFFFFFFF)
EMPTY, ONE = np.uint64(0), np.uint64(1)
TOGETHER = 256  # keys looked up at once


@kernel
def fill_slots(keys: HashArray, slots: HashArray) -> bool:
    """Fill empty slots so that keys[r] leads to row r; False when a key occurs twice."""
    last = np.uint64(slots.size - 1)
    for r in range(keys.size):
        place = keys[r] & last
        while slots[place] != EMPTY:
            if keys[(slots[place] & LOWER_HALF) - ONE] == keys[r]:
                return False
            place = (place + ONE) & last
        slots[place] = (keys[r] & UPPER_HALF) | np.uint64(r + 1)
    return True


@kernel
def rows_of(keys: HashArray, slots: HashArray) -> IntArray:
    """Return the row of every key, -1 where it has none.

    The slots of many keys are fetched before the first is looked at: memory answers them together.
    """
    rows = np.empty(keys.size, np.int32)
    last = np.uint64(slots.size - 1)
    fetched = np.empty(TOGETHER, np.uint64)
    for begin in range(0, keys.size, TOGETHER):
        block = keys[begin : begin + TOGETHER]
        out = rows[begin : begin + TOGETHER]
        for i in range(block.size):
            fetched[i] = slots[block[i] & last]
        for i in range(block.size):
            slot, place = fetched[i], block[i]
            while slot != EMPTY and (slot ^ block[i]) & UPPER_HALF != EMPTY:
                place += ONE
                slot = slots[place & last]
            out[i] = np.int64(slot & LOWER_HALF) - 1  # an empty slot gives -1
    return rows
