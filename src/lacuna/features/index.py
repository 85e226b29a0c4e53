"""The features a model knows: from the key of a feature to its row, one memory access per look-up.

A slot holds the upper half of a key and, in its lower half, the row + 1; 0 is an empty slot. The
table has 2^k slots, at most a quarter of them taken; a key is in the first free one from the
position that its low k bits give. Keys are distinguished by their upper half and their position: an
unknown key is taken for a known one with probability 2⁻³² per slot looked at.

A sieve (a Bloom filter with one hash) recognises most unknown keys without a look-up: it has 16 or
more bits per known key, of which those that known keys select are set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lacuna.kernels import kernel
from lacuna.text.word_types import (
    CROWDED,
    FILLED,
    MOST_STEPS,
    SMALLEST_TABLE,
    TWICE,
    check_filled,
)
from lacuna.types import HashArray, IntArray, LongArray

UPPER_HALF, LOWER_HALF = np.uint64(0xFFFFFFFF00000000), np.uint64(0xFFFFFFFF)
EMPTY, ONE = np.uint64(0), np.uint64(1)
SIEVE_SHIFT = np.uint64(12)  # the sieve uses other bits of a key than the slots
SIX, LOW_SIX = np.uint64(6), np.uint64(63)
TOGETHER = 256  # keys looked up at once


@dataclass(frozen=True, slots=True, eq=False)
class KnownKeys:
    """Distinct keys, numbered; made by :meth:`of`.

    Attributes
    ----------
    hashes
        Row r has the key ``hashes[r]``; all that needs to be stored.
    slots, sieve
        The hash table and the sieve, see above.
    """

    hashes: HashArray
    slots: HashArray
    sieve: HashArray

    @classmethod
    def of(cls, hashes: HashArray) -> KnownKeys:
        """Return keys numbered in the order given; a key that occurs twice is a ValueError.

        So are keys that were chosen to share slots, which would take hours to fill.
        """
        size = 1 << max(4 * len(hashes) - 1, SMALLEST_TABLE - 1).bit_length()
        slots = np.zeros(size, np.uint64)
        check_filled(fill_slots(hashes, slots))
        sieve = np.zeros(max(size // 16, 1), np.uint64)
        fill_sieve(hashes, sieve)
        return cls(hashes, slots, sieve)

    def __len__(self) -> int:
        return len(self.hashes)

    def leading_to(self, places: LongArray) -> HashArray:
        """Return the slots with places[r] instead of row r; -1 means unknown."""
        taken = self.slots != EMPTY
        slots = self.slots.copy()
        rows = (slots[taken] & LOWER_HALF) - ONE
        slots[taken] = (slots[taken] & UPPER_HALF) | (places[rows] + 1).astype(np.uint64)
        return slots

    def lookup(self, keys: HashArray) -> IntArray:
        """Return the row of every key, -1 if it is unknown."""
        return rows_of(keys.reshape(-1), self.slots).reshape(keys.shape)


@kernel
def fill_slots(keys: HashArray, slots: HashArray) -> int:
    """Fill empty slots so that keys[r] leads to row r; return ``FILLED`` or why it stopped."""
    last = np.uint64(slots.size - 1)
    most = MOST_STEPS * (keys.size + SMALLEST_TABLE)
    steps = 0
    for r in range(keys.size):
        place = keys[r] & last
        while slots[place] != EMPTY:
            if keys[(slots[place] & LOWER_HALF) - ONE] == keys[r]:
                return TWICE
            place = (place + ONE) & last
            steps += 1
        if steps > most:
            return CROWDED
        slots[place] = (keys[r] & UPPER_HALF) | np.uint64(r + 1)
    return FILLED


@kernel
def fill_sieve(keys: HashArray, sieve: HashArray) -> None:
    """Set the bits of known keys."""
    last = np.uint64(64 * sieve.size - 1)
    for r in range(keys.size):
        bit = (keys[r] >> SIEVE_SHIFT) & last
        sieve[bit >> SIX] |= ONE << (bit & LOW_SIX)


@kernel
def may_be_known(keys: HashArray, size: int, sieve: HashArray, maybe: LongArray) -> int:
    """Write the positions of keys that pass the sieve to `maybe`; return how many there are.

    Only the first `size` keys are tested. `maybe` has room for one more than that: a position is
    written before it is known whether it counts, which avoids branches.
    """
    last = np.uint64(64 * sieve.size - 1)
    count = np.int64(0)
    for i in range(size):
        bit = (keys[i] >> SIEVE_SHIFT) & last
        maybe[count] = i
        count += np.int64((sieve[bit >> SIX] >> (bit & LOW_SIX)) & ONE)
    return int(count)


@kernel
def rows_of(keys: HashArray, slots: HashArray) -> IntArray:
    """Return the row of every key, -1 if it has none.

    The slots of many keys are fetched before the first is used, so that memory accesses overlap.
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
