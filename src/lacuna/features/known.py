"""The features a model knows: from keys to rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lacuna.features._known import (
    EMPTY,
    LOWER_HALF,
    ONE,
    UPPER_HALF,
    fill_sieve,
    fill_slots,
    rows_of,
)
from lacuna.types import HashArray, IntArray, LongArray

SMALLEST_TABLE = 16


@dataclass(frozen=True, slots=True, eq=False)
class KnownKeys:
    """Different keys, numbered; :meth:`of` makes one.

    Attributes
    ----------
    hashes
        Row r has the key ``hashes[r]``; all that needs to be stored.
    slots, sieve
        The same as a table, and bits that tell most unknown keys, see `_known.py`.
    """

    hashes: HashArray
    slots: HashArray
    sieve: HashArray

    @classmethod
    def of(cls, hashes: HashArray) -> KnownKeys:
        """Return keys numbered in the order given; a key that occurs twice is a ValueError."""
        size = 1 << max(4 * len(hashes) - 1, SMALLEST_TABLE - 1).bit_length()
        slots = np.zeros(size, np.uint64)
        if not fill_slots(hashes, slots):
            raise ValueError("a key occurs twice")
        sieve = np.zeros(max(size // 16, 1), np.uint64)
        fill_sieve(hashes, sieve)
        return cls(hashes, slots, sieve)

    def __len__(self) -> int:
        return len(self.hashes)

    def leading_to(self, places: LongArray) -> HashArray:
        """Return the slots with places[r] instead of row r; -1 is as good as unknown."""
        taken = self.slots != EMPTY
        slots = self.slots.copy()
        rows = (slots[taken] & LOWER_HALF) - ONE
        slots[taken] = (slots[taken] & UPPER_HALF) | (places[rows] + 1).astype(np.uint64)
        return slots

    def lookup(self, keys: HashArray) -> IntArray:
        """Return the row of every key, -1 where it is unknown."""
        return rows_of(keys.reshape(-1), self.slots).reshape(keys.shape)
