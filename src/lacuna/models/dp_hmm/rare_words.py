"""The vocabulary of the model: frequent words, and classes for all others.

An item is a word that occurs often enough, or a class of words that look alike. Classes form a
tree; a rare word belongs to its deepest class that had enough tokens of rare words in training. The
root, the class of all words, is always there.

Depth 0 has all words, depth 1 words of one sort: alphabetic, punctuation, number, numeric date,
phone-like, mixed. Each further depth adds the output of one feature function:

=====  =====================================  ====================================
depth  words of letters, mixed words          numbers, dates, phone numbers
=====  =====================================  ====================================
2      capitalisation                         number of digits
3      last character                         separators
4      last two characters                    range of the value (year, age, …)
5      last three characters                  first digit
6      length, in buckets                     length
7      first two characters                   last digit
=====  =====================================  ====================================

Punctuation adds its characters. Letters are lower-cased. The outputs of further functions
(`rare_functions.py`) come between depths 2 and 3, one depth for each that has an output. The
kernels compute classes as hashes, without making strings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.features.hashing import finish, seed, step
from lacuna.features.token_table import TokenTable
from lacuna.kernels import kernel
from lacuna.models.dp_hmm.rare_functions import RareFunctions
from lacuna.text.characters import (
    DIGIT,
    LETTER,
    LOWER,
    UPPER,
    ClassTable,
    class_table,
    lower_table,
)
from lacuna.text.word_types import WordTypes, number_types
from lacuna.types import CodeArray, HashArray, IntArray


class RareWords(NamedTuple):
    """The vocabulary: items 0, 1, … are words by their hashes, then come classes by their keys."""

    words: WordTypes
    classes: WordTypes
    functions: RareFunctions

    def __len__(self) -> int:
        return len(self.words) + len(self.classes)

    def items(self, table: TokenTable) -> IntArray:
        """Return the item of every token."""
        types = number_types(table.hashes)
        known = self.words.lookup(table.hashes[types.first])
        found: IntArray = known[types.ids]
        if self.functions.in_context:
            rare = np.flatnonzero(found < 0).astype(np.int32)
            found[rare] = self._classes(table, rare)
        elif len(rare := np.flatnonzero(known < 0).astype(np.int32)):
            known[rare] = self._classes(table, types.first[rare])
            found = known[types.ids]
        return found

    def _classes(self, table: TokenTable, tokens: IntArray) -> IntArray:
        return len(self.words) + deepest(self.classes, rare_keys(table, tokens, self.functions))


def deepest(classes: WordTypes, keys: HashArray) -> IntArray:
    """Return the deepest known class of each row of keys[i, depth]; depth 0 is always known."""
    rows = classes.lookup(keys.reshape(-1)).reshape(keys.shape)
    depth = keys.shape[1] - 1 - np.argmax((rows >= 0)[:, ::-1], axis=1)
    found: IntArray = np.maximum(rows[np.arange(len(rows)), depth], 0)
    return found


def rare_tokens(table: TokenTable, rare: int) -> IntArray:
    """Return the tokens whose word occurs fewer than `rare` times."""
    types = number_types(table.hashes)
    return np.flatnonzero(np.bincount(types.ids)[types.ids] < rare).astype(np.int32)


def fit_rare_words(
    table: TokenTable, functions: RareFunctions, *, rare: int, class_count: int
) -> RareWords:
    """Return the words that occur `rare` times, and the classes of `class_count` other tokens."""
    tokens = rare_tokens(table, rare)
    often = np.ones(len(table.hashes), np.bool_)
    often[tokens] = False
    keys = rare_keys(table, tokens, functions)
    root = rare_keys(table, np.zeros(1, np.int32), functions)[0, :1]
    numbered = number_types(keys.reshape(-1))
    own = keys.reshape(-1)[numbered.first]
    kept = own[(np.bincount(numbered.ids) >= class_count) & (own != 0)]
    return RareWords(
        WordTypes.build(table.hashes[often]),
        WordTypes.build(np.concatenate((root, kept))),
        functions,
    )


def rare_keys(table: TokenTable, tokens: IntArray, functions: RareFunctions) -> HashArray:
    """Return keys[i, depth] of the classes of some tokens, coarsest first; 0 for none."""
    start, end = table.start[tokens], table.end[tokens]
    further = functions.outputs(table, tokens)
    return class_keys(table.codes, start, end, lower_table(), class_table(), further)


ALPHABETIC, PUNCTUATION, NUMBER, DATE, PHONE, MIXED = range(6)
NO_CAPITALS, INITIAL, ALL_CAPITALS, ONE_CAPITAL, CAPITAL_AND_STOP, INNER_CAPITALS = range(6)
PERIOD, DASH, SLASH, PLUS, COMMA = (np.uint32(ord(c)) for c in ".-/+,")
ZERO = np.uint32(ord("0"))
FAMILY = 78  #: seed of the hashes; model files hold them, so it never changes
DEPTHS = 8


@kernel
def class_keys(
    codes: CodeArray,
    start: IntArray,
    end: IntArray,
    lower: CodeArray,
    classes: ClassTable,
    further: HashArray,
) -> HashArray:
    """Return keys[i, depth] of the words codes[start[i]:end[i]]; 0 if there is no such class.

    The key of a depth is the hash of all outputs up to it. further[i, j] is the output of the
    j-th further function, 0 for none.
    """
    later = 3 + further.shape[1]
    keys = np.zeros((len(start), DEPTHS + further.shape[1]), np.uint64)
    for i in range(len(start)):
        first, last, own = start[i], end[i], keys[i]
        h = seed(FAMILY)
        own[0] = finish(h)
        sort = word_sort(codes, first, last, classes)
        h = step(h, np.uint64(sort))
        own[1] = finish(h)
        if sort in (ALPHABETIC, MIXED):
            h = step(h, np.uint64(capitalisation(codes, first, last, classes)))
            own[2] = finish(h)
            h = _further(h, further[i], own[3:later])
            _letters(h, codes, first, last, lower, own[later:])
        elif sort == PUNCTUATION:
            for n in range(min(DEPTHS - 2, last - first)):
                h = step(h, np.uint64(codes[first + n]))
                own[2 + n] = finish(h)
        else:
            digits, separators, value = _digits(codes, first, last, classes)
            h = step(h, np.uint64(digits))
            own[2] = finish(h)
            h = _further(h, further[i], own[3:later])
            _number(h, codes[first:last], separators, _range_of(value), own[later:])
    return keys


@kernel
def _further(h: np.uint64, outputs: HashArray, keys: HashArray) -> np.uint64:
    """Add the outputs of further functions to the hash; keys[j] has all up to the j-th."""
    for j in range(len(outputs)):
        if outputs[j] != 0:
            h = step(h, outputs[j])
            keys[j] = finish(h)
    return h


@kernel
def word_sort(codes: CodeArray, first: int, last: int, classes: ClassTable) -> int:
    """Return the sort of the word codes[first:last], e.g. ALPHABETIC."""
    digits, letters, marks, run, runs = 0, 0, 0, 0, 0
    for i in range(first, last):
        kind = classes[codes[i]]
        is_digit = kind == DIGIT
        digits += is_digit
        letters += LOWER <= kind <= LETTER
        marks += codes[i] == SLASH or codes[i] == DASH
        runs += is_digit and run == 0
        run = run + 1 if is_digit else 0
    if digits == 0:
        return ALPHABETIC if letters > 0 else PUNCTUATION
    if letters > 0:
        return MIXED
    if runs in (2, 3) and marks == runs - 1 and digits <= 8:
        return DATE
    if digits >= 7 and (runs > 1 or codes[first] == PLUS or digits in (9, 10)):
        return PHONE
    return NUMBER


@kernel
def capitalisation(codes: CodeArray, first: int, last: int, classes: ClassTable) -> int:
    """Return how a word is capitalised, e.g. INITIAL."""
    capitals, small = 0, 0
    for i in range(first, last):
        capitals += classes[codes[i]] == UPPER
        small += classes[codes[i]] == LOWER
    if capitals == 0:
        return NO_CAPITALS
    if capitals == 1 and small == 0:
        stops = last - first == 2 and codes[last - 1] == PERIOD
        return CAPITAL_AND_STOP if stops else ONE_CAPITAL
    if small == 0:
        return ALL_CAPITALS
    if capitals == 1 and classes[codes[first]] == UPPER:
        return INITIAL
    return INNER_CAPITALS


@kernel
def _letters(
    h: np.uint64, codes: CodeArray, first: int, last: int, lower: CodeArray, keys: HashArray
) -> None:
    """Fill keys[depth - 3] of a word with letters."""
    size = last - first
    for n in range(min(3, size)):
        h = step(h, np.uint64(lower[codes[last - 1 - n]]))
        keys[n] = finish(h)
    if size < 4:
        return
    h = step(h, np.uint64(4 if size < 6 else 6 if size < 9 else 9))
    keys[3] = finish(h)
    for n in range(2):
        h = step(h, np.uint64(lower[codes[first + n]]))
    keys[4] = finish(h)


@kernel
def _number(
    h: np.uint64, word: CodeArray, separators: np.uint64, range_: int, keys: HashArray
) -> None:
    """Fill keys[depth - 3] of a word of digits."""
    h = step(h, separators)
    keys[0] = finish(h)
    h = step(h, np.uint64(range_))
    keys[1] = finish(h)
    h = step(h, np.uint64(word[0]))
    keys[2] = finish(h)
    h = step(h, np.uint64(len(word)))
    keys[3] = finish(h)
    h = step(h, np.uint64(word[-1]))
    keys[4] = finish(h)


@kernel
def _digits(
    codes: CodeArray, first: int, last: int, classes: ClassTable
) -> tuple[int, np.uint64, int]:
    """Return the number of digits, a hash of the other characters, and the value."""
    digits, separators, value = 0, np.uint64(0), 0
    for i in range(first, last):
        if classes[codes[i]] == DIGIT:
            digits += 1
            if digits < 10 and ZERO <= codes[i] < ZERO + 10:
                value = 10 * value + int(codes[i] - ZERO)
        else:
            separators = step(separators, np.uint64(codes[i]))
    return digits, separators, value


@kernel
def _range_of(value: int) -> int:
    """Return the bucket of a number: month, day, age, below 1900, year, above 2050."""
    if value <= 12:
        return 0
    if value <= 31:
        return 1
    if value <= 120:
        return 2
    if 1900 <= value <= 2050:
        return 4
    return 3 if value < 1900 else 5
