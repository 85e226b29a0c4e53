"""What the second pass asks of words, once per word type: may it be a name, and equality of case.

The rules are those of Python's strings. Tables by code point answer for nearly all words; a word
with a character that Python maps to several, or by its place in the word, is asked about itself.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.features.token_table import TokenTable, words_at
from lacuna.kernels import kernel
from lacuna.text.characters import IDEOGRAPH, LETTER, class_table, lower_table
from lacuna.text.word_types import GrowingTypes, hash_tokens, hash_words
from lacuna.types import BoolArray, CodeArray, IntArray

Flags = npt.NDArray[np.uint8]

CAPITAL, DIGIT, UNUSUAL = 1, 2, 4  #: flags
CASED = 0x20000  #: code points from here on have neither case nor are they digits
FINAL_SIGMA = "Σ"  #: its lower case depends on where in the word it is


class WordForms(NamedTuple):
    """Words of some tokens, as numbers.

    word[t]
        The word of token t as it is written.
    folded[t]
        The word without regard to case.
    lowered[t]
        The word in lower case: a number of `word`, or a larger one if no token has that word.
    name[t]
        Whether it may be part of a name: it begins with a capital or contains a digit.
    """

    word: IntArray
    folded: IntArray
    lowered: IntArray
    name: BoolArray

    @classmethod
    def of(cls, table: TokenTable) -> WordForms:
        """Return the numbers of the words of a table."""
        words, folded = GrowingTypes(), GrowingTypes()
        ids, first = words.number(table.hashes)
        start, end = table.start[first], table.end[first]
        lowers, folds = (
            hash_tokens(_mapped(table.codes, mapping), start, end)
            for mapping in (lower_table(), _tables().fold)
        )
        bits = word_bits(table.codes, start, end, _tables().flags)
        if len(unusual := np.flatnonzero(bits & UNUSUAL)):
            spelled = words_at(table, first[unusual])
            lowers[unusual] = hash_words([word.lower() for word in spelled])
            folds[unusual] = hash_words([word.casefold() for word in spelled])
        name = bits & (CAPITAL | DIGIT) > 0
        return cls(ids, folded.number(folds).ids[ids], words.number(lowers).ids[ids], name[ids])


def _mapped(codes: CodeArray, mapping: CodeArray) -> CodeArray:
    mapped = mapping[codes]
    mapped.flags.writeable = False  # as kernels are compiled for
    return mapped


class _Tables(NamedTuple):
    """What is known of each code point: what it is compared as, and flags if it is below CASED."""

    fold: CodeArray
    flags: Flags


@cache
def _tables() -> _Tables:
    fold, flags = np.arange(0x110000, dtype=np.uint32), np.zeros(CASED, np.uint8)
    has_case = ~np.isin(class_table()[:CASED], (LETTER, IDEOGRAPH))
    for code in np.flatnonzero(has_case).tolist():
        character = chr(code)
        folded, lowered = character.casefold(), character.lower()
        flags[code] = CAPITAL * character.isupper() | DIGIT * character.isdigit()
        if len(folded) == 1:
            fold[code] = ord(folded)
        if len(folded) > 1 or lowered != chr(lower_table()[code]) or character == FINAL_SIGMA:
            flags[code] |= UNUSUAL
    fold.flags.writeable = False
    return _Tables(fold, flags)


@kernel
def word_bits(codes: CodeArray, start: IntArray, end: IntArray, flags: Flags) -> Flags:
    """Return for each word the flags of its characters; CAPITAL only if it begins with one."""
    bits = np.zeros(len(start), np.uint8)
    for i in range(len(start)):
        for place in range(start[i], end[i]):
            if codes[place] < len(flags):
                own = flags[codes[place]]
                bits[i] |= own if place == start[i] else own & ~np.uint8(CAPITAL)
    return bits
