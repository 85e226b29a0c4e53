"""Kernels: from the key of a feature to its row, one memory access a look-up.

A sieve tells most unknown keys without asking the table: of its bits, 16 or more for each known
key, those that known keys name are set.

A slot holds the upper half of a key and, in its lower half, the row + 1; 0 is an empty slot. The
table has 2^k slots, at most a quarter of them taken; a key sits in the first free one from the
place that its low k bits name. Keys are told apart by their upper half and their place: an unknown
key is taken for a known one with probability 2⁻³² per slot looked at.
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import HashArray, IntArray, LongArray

UPPER_HALF, LOWER_HALF = np.uint64(0xFFFFFFFF00000000), np.uint64(0xFFFFFFFF)
EMPTY, ONE = np.uint64(0), np.uint64(1)
BESIDE = np.uint64(12)  # bits of the sieve are named by other bits of a key than its slot
SIX, LOW_SIX = np.uint64(6), np.uint64(63)
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
def fill_sieve(keys: HashArray, sieve: HashArray) -> None:
    """Set the bits of known keys."""
    last = np.uint64(64 * sieve.size - 1)
    for r in range(keys.size):
        bit = (keys[r] >> BESIDE) & last
        sieve[bit >> SIX] |= ONE << (bit & LOW_SIX)


@kernel
def may_be_known(keys: HashArray, size: int, sieve: HashArray, maybe: LongArray) -> int:
    """Write where keys lie that the sieve lets pass to `maybe`; return how many there are.

    Only the first `size` keys are looked at. `maybe` has room for one more than that: a place is
    written before it is known whether it counts, so that nothing has to be guessed.
    """
    last = np.uint64(64 * sieve.size - 1)
    count = np.int64(0)
    for i in range(size):
        bit = (keys[i] >> BESIDE) & last
        maybe[count] = i
        count += np.int64((sieve[bit >> SIX] >> (bit & LOW_SIX)) & ONE)
    return int(count)


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
