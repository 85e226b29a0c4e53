"""Word types without strings: every token has a 64-bit hash, every known hash a dense id.

::

    hashes = word_hashes(code_points(text), tokens)
    types = WordTypes.build(hashes)              # in training
    types.lookup(hashes)                         # id per token, -1 unknown
    types.extend(hashes)                         # unknown ones numbered from len(types) on

Hashes depend on nothing but the characters, so they may be stored in a model. Two words of one
corpus share a hash with probability n² / 2⁶⁵: 10⁻⁸ for half a million types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.text._word_types import (
    EMPTY,
    SMALLEST_TABLE,
    find_hashes,
    hash_tokens,
    number_hashes,
)
from lacuna.text.characters import code_points
from lacuna.text.document import Tokens
from lacuna.types import CodeArray, HashArray, IntArray


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
    start.flags.writeable = end.flags.writeable = False  # the one form the kernel is compiled for
    return hash_tokens(code_points("".join(words)), start, end)


def number_types(hashes: HashArray) -> NumberedTypes:
    """Give distinct hashes the numbers 0, 1, … in order of first appearance."""
    return GrowingTypes().number(hashes)


class GrowingTypes:
    """Word types numbered as they come, over any number of calls."""

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


def empty_table() -> tuple[HashArray, IntArray]:
    """Return the slots of a table that holds nothing."""
    return np.zeros(SMALLEST_TABLE, np.uint64), np.full(SMALLEST_TABLE, EMPTY, np.int32)


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

    def __len__(self) -> int:
        return len(self.hashes)

    def lookup(self, hashes: HashArray) -> IntArray:
        """Return the type of each hash, -1 where it is unknown."""
        return find_hashes(hashes, self.slot_hashes, self.slot_ids)

    def extend(self, hashes: HashArray) -> NumberedTypes:
        """Return the type of each hash, with unknown ones numbered from ``len(self)`` on."""
        ids = self.lookup(hashes)
        unknown = np.flatnonzero(ids < 0)
        new = number_types(hashes[unknown])
        ids[unknown] = new.ids + len(self)
        return NumberedTypes(ids, unknown[new.first].astype(np.int32))
