"""Word types without strings: every token has a 64-bit hash, every known hash a dense id.

::

    hashes = word_hashes(code_points(text), tokens)
    types = WordTypes.build(hashes)              # for training
    types.lookup(hashes)                         # id per token, -1 unknown
    types.extend(hashes)                         # unknown ones numbered from len(types) on

Hashes depend only on the characters, so they can be stored in a model. Two words of one
corpus share a hash with probability n² / 2⁶⁵: 10⁻⁸ for half a million types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.kernels import kernel
from lacuna.text.characters import code_points
from lacuna.text.document import Tokens
from lacuna.types import CodeArray, HashArray, IntArray

# Multipliers of splitmix64 and its finaliser (Steele, Lea and Flood 2014; Stafford's mix 13).
GOLDEN = np.uint64(0x9E3779B97F4A7C15)

MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
SHIFT_27, SHIFT_30, SHIFT_31, SHIFT_32 = map(np.uint64, (27, 30, 31, 32))
EMPTY = -1
SMALLEST_TABLE = 16
#: Steps from slot to slot per key that filling a table may take. Hashes need less than one; keys
#: from a file may have been chosen to share their slots, and then the time is quadratic.
MOST_STEPS = 64
FILLED, TWICE, CROWDED = 0, 1, 2  #: what came of filling a table


class NumberedTypes(NamedTuple):
    """Word types of one call.

    Attributes
    ----------
    ids
        Type of each token.
    first
        For each type that is new in this call, in order of id, the first token that has it.
    """

    ids: IntArray
    first: IntArray


def word_hashes(codes: CodeArray, tokens: Tokens) -> HashArray:
    """Return a 64-bit hash of each token of a text, given as code points."""
    return hash_tokens(codes, tokens.start, tokens.end)


def hash_words(words: list[str]) -> HashArray:
    """Return the hashes that :func:`word_hashes` gives these words in a text."""
    end = np.cumsum([len(word) for word in words], dtype=np.int32)
    start = np.concatenate((np.zeros(1, np.int32), end[:-1])) if words else end
    start.flags.writeable = end.flags.writeable = False  # as the kernel is compiled for
    return hash_tokens(code_points("".join(words)), start, end)


def number_types(hashes: HashArray) -> NumberedTypes:
    """Give distinct hashes the numbers 0, 1, … in order of first appearance."""
    return GrowingTypes().number(hashes)


class GrowingTypes:
    """Word types numbered in order of appearance, over any number of calls."""

    def __init__(self) -> None:
        self._slot_hashes, self._slot_ids = empty_table()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def number(self, hashes: HashArray) -> NumberedTypes:
        """Return the type of each hash; new ones get the next numbers, in order of appearance."""
        ids, first, self._slot_hashes, self._slot_ids = number_hashes(
            hashes, self._slot_hashes, self._slot_ids, self._count
        )
        self._count += len(first)
        return NumberedTypes(ids, first)


@dataclass(frozen=True, slots=True, eq=False)
class WordTypes:
    """The known word types; :meth:`build` makes one.

    Attributes
    ----------
    hashes
        ``hashes[i]`` is the hash of type i; all that needs to be stored.
    slot_hashes, slot_ids
        The same as a table with open addressing.
    """

    hashes: HashArray
    slot_hashes: HashArray
    slot_ids: IntArray

    @classmethod
    def build(cls, hashes: HashArray) -> WordTypes:
        """Make a type of each distinct hash, numbered in order of first appearance."""
        _, first, slot_hashes, slot_ids = number_hashes(hashes, *empty_table(), 0)
        own = hashes[first]
        for array in (own, slot_hashes, slot_ids):
            array.flags.writeable = False
        return cls(own, slot_hashes, slot_ids)

    @classmethod
    def of_distinct(cls, hashes: HashArray) -> WordTypes:
        """Make type i of hashes[i], e.g. from a file.

        A ValueError if a hash occurs twice, or if they were chosen to share slots.
        """
        size = 1 << max(2 * len(hashes) - 1, SMALLEST_TABLE - 1).bit_length()
        slot_hashes, slot_ids = np.zeros(size, np.uint64), np.full(size, EMPTY, np.int32)
        check_filled(fill_table(hashes, slot_hashes, slot_ids))
        own = hashes.view()
        for array in (own, slot_hashes, slot_ids):
            array.flags.writeable = False
        return cls(own, slot_hashes, slot_ids)

    def __len__(self) -> int:
        return len(self.hashes)

    def lookup(self, hashes: HashArray) -> IntArray:
        """Return the type of each hash, -1 if it is unknown."""
        return find_hashes(hashes, self.slot_hashes, self.slot_ids)

    def extend(self, hashes: HashArray) -> NumberedTypes:
        """Return the type of each hash, with unknown ones numbered from ``len(self)`` on."""
        ids = self.lookup(hashes)
        unknown = np.flatnonzero(ids < 0)
        new = number_types(hashes[unknown])
        ids[unknown] = new.ids + len(self)
        return NumberedTypes(ids, unknown[new.first].astype(np.int32))


def empty_table() -> tuple[HashArray, IntArray]:
    """Return the slots of an empty table."""
    return np.zeros(SMALLEST_TABLE, np.uint64), np.full(SMALLEST_TABLE, EMPTY, np.int32)


def check_filled(outcome: int) -> None:
    """Raise ValueError unless a table could be filled."""
    if outcome == TWICE:
        raise ValueError("a key occurs twice")
    if outcome == CROWDED:
        raise ValueError("its keys are not hashes: too many share a slot")


@kernel
def fill_table(hashes: HashArray, slot_hashes: HashArray, slot_ids: IntArray) -> int:
    """Fill an empty table so that hashes[i] has id i; return ``FILLED`` or why it stopped."""
    last = slot_ids.size - 1
    most = MOST_STEPS * (hashes.size + SMALLEST_TABLE)
    steps = 0
    for i in range(hashes.size):
        slot = np.int64(hashes[i] & np.uint64(last))
        while slot_ids[slot] != EMPTY:
            if slot_hashes[slot] == hashes[i]:
                return TWICE
            slot = (slot + 1) & last
            steps += 1
        if steps > most:
            return CROWDED
        slot_hashes[slot] = hashes[i]
        slot_ids[slot] = i
    return FILLED


@kernel
def hash_tokens(codes: CodeArray, start: IntArray, end: IntArray) -> HashArray:
    """Return the hash of every token.

    h ← (h xor c) · GOLDEN, then its upper half folded into the lower, for each code point c;
    at the end the finaliser of splitmix64.
    """
    hashes = np.empty(start.size, np.uint64)
    for t in range(start.size):
        h = GOLDEN
        for i in range(start[t], end[t]):
            h = (h ^ np.uint64(codes[i])) * GOLDEN
            h ^= h >> SHIFT_32
        h = (h ^ (h >> SHIFT_30)) * MIX_1
        h = (h ^ (h >> SHIFT_27)) * MIX_2
        hashes[t] = h ^ (h >> SHIFT_31)
    return hashes


@kernel
def number_hashes(
    hashes: HashArray, slot_hashes: HashArray, slot_ids: IntArray, count: int
) -> tuple[IntArray, IntArray, HashArray, IntArray]:
    """Give distinct hashes numbers, in order of first appearance, from `count` on.

    `slot_hashes` and `slot_ids` are the table so far: the hash and the id in every slot. It has
    2^k slots, at most half of them taken; a hash is in the first free slot from its low k bits
    on. Returns the id of each hash, the first index of each new id, and the table
    with them: the same arrays unless they were too small.
    """
    ids = np.empty(hashes.size, np.int32)
    first = np.empty(hashes.size, np.int32)
    new = 0
    for t in range(hashes.size):
        slot = slot_of(hashes[t], slot_hashes, slot_ids)
        if slot_ids[slot] == EMPTY:
            if 2 * (count + new + 1) > slot_ids.size:
                slot_hashes, slot_ids = _doubled(slot_hashes, slot_ids)
                slot = slot_of(hashes[t], slot_hashes, slot_ids)
            slot_hashes[slot] = hashes[t]
            slot_ids[slot] = count + new
            first[new] = t
            new += 1
        ids[t] = slot_ids[slot]
    return ids, first[:new].copy(), slot_hashes, slot_ids


@kernel
def find_hashes(hashes: HashArray, slot_hashes: HashArray, slot_ids: IntArray) -> IntArray:
    """Return the id of each hash in the table, -1 if it has none."""
    ids = np.empty(hashes.size, np.int32)
    for t in range(hashes.size):
        ids[t] = slot_ids[slot_of(hashes[t], slot_hashes, slot_ids)]
    return ids


@kernel
def slot_of(hash_: np.uint64, slot_hashes: HashArray, slot_ids: IntArray) -> np.int64:
    """Return the slot of `hash_`, or the empty one that it would get."""
    last = slot_ids.size - 1
    slot = np.int64(hash_ & np.uint64(last))
    while slot_ids[slot] != EMPTY and slot_hashes[slot] != hash_:
        slot = (slot + 1) & last
    return slot


@kernel
def _doubled(slot_hashes: HashArray, slot_ids: IntArray) -> tuple[HashArray, IntArray]:
    """Return a table of twice the size with the same content."""
    more_hashes = np.zeros(2 * slot_ids.size, np.uint64)
    more_ids = np.full(2 * slot_ids.size, EMPTY, np.int32)
    for old in range(slot_ids.size):
        if slot_ids[old] != EMPTY:
            slot = slot_of(slot_hashes[old], more_hashes, more_ids)
            more_hashes[slot] = slot_hashes[old]
            more_ids[slot] = slot_ids[old]
    return more_hashes, more_ids
