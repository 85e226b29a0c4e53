"""The features a model knows: from keys to rows."""

from __future__ import annotations

from dataclasses import dataclass

from lacuna.features._known import fill_slots, rows_of
from lacuna.types import HashArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class KnownKeys:
    """Different keys, numbered; :meth:`of` makes one.

    Attributes
    ----------
    hashes
        Row r has the key ``hashes[r]``; all that needs to be stored.
    slots
        The same as a table, see `_known.py`.
    """

    hashes: HashArray
    slots: HashArray

    @classmethod
    def of(cls, hashes: HashArray) -> KnownKeys:
        """Return keys numbered in the order given; a key that occurs twice is a ValueError."""
        slots, different = fill_slots(hashes)
        if not different:
            raise ValueError("a key occurs twice")
        return cls(hashes, slots)

    def __len__(self) -> int:
        return len(self.hashes)

    def lookup(self, keys: HashArray) -> IntArray:
        """Return the row of every key, -1 where it is unknown."""
        return rows_of(keys.reshape(-1), self.slots).reshape(keys.shape)
