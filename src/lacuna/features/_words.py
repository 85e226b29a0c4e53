"""Kernel: attributes of words as 64-bit hashes of their characters. No strings are made.

An attribute that a word does not have (a prefix longer than the word) is 0.
"""

from __future__ import annotations

import numpy as np

from lacuna.features._hashing import finish, seed, step, step_all, step_lower
from lacuna.kernels import kernel
from lacuna.text.characters import (
    DIGIT,
    IDEOGRAPH,
    LOWER,
    MARK,
    UPPER,
    ClassTable,
)
from lacuna.types import CodeArray, HashArray, IntArray

WORD, LOWERED, PREFIX, SUFFIX, SHAPE, SHORT, KIND, LENGTH, STEM = range(9)
LONGEST_LENGTH = 10
FIRST_CAPITAL, OTHER_CAPITAL, LETTERS, DIGITS, SIGNS, ALONE = 1, 2, 4, 8, 16, 32
LOWER_S, LOWER_E, LOWER_D, LOWER_I, LOWER_N, LOWER_G = (np.uint32(ord(c)) for c in "seding")
FIRST_SYMBOL = np.uint64(256)  # above all classes


@kernel
def word_attributes(
    codes: CodeArray,
    start: IntArray,
    end: IntArray,
    lower: CodeArray,
    classes: ClassTable,
    kinds: IntArray,
    sizes: IntArray,
) -> HashArray:
    """Return values[i, a]: attribute a (kinds[a], sizes[a]) of the word codes[start[i]:end[i]].

    lower[c] is the lower case of code point c, classes[c] its class.
    """
    values = np.zeros((len(start), len(kinds)), np.uint64)
    for i in range(len(start)):
        first, last = start[i], end[i]
        for a in range(len(kinds)):
            kind, size = kinds[a], sizes[a]
            h = seed(16 * kind + size)
            if kind == WORD:
                h = step_all(h, codes, first, last)
            elif kind == LOWERED:
                h = step_lower(h, codes, first, last, lower)
            elif kind in (PREFIX, SUFFIX):
                if last - first < size:
                    continue
                begin = first if kind == PREFIX else last - size
                h = step_all(h, codes, begin, begin + size)
            elif kind in (SHAPE, SHORT):
                h = step_shape(h, codes, first, last, classes, kind == SHORT)
            elif kind == KIND:
                h = step(h, np.uint64(_kind(codes, first, last, classes)))
            elif kind == LENGTH:
                h = step(h, np.uint64(min(last - first, LONGEST_LENGTH)))
            else:
                h = step_lower(h, codes, first, _stem_end(codes, first, last, lower), lower)
            values[i, a] = finish(h)
    return values


@kernel
def step_shape(
    h: np.uint64, codes: CodeArray, first: int, last: int, classes: ClassTable, collapse: bool
) -> np.uint64:
    """Take the classes of letters and digits into the hash; signs as they are, marks not at all."""
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
def _kind(codes: CodeArray, first: int, last: int, classes: ClassTable) -> int:
    """Return which sorts of characters a word has, as a set of bits."""
    bits = ALONE if last - first == 1 else 0
    for i in range(first, last):
        c = classes[codes[i]]
        if c == UPPER:
            bits |= FIRST_CAPITAL if i == first else OTHER_CAPITAL
        elif c == DIGIT:
            bits |= DIGITS
        elif LOWER <= c <= IDEOGRAPH:
            bits |= LETTERS
        elif c != MARK:
            bits |= SIGNS
    return bits


@kernel
def _stem_end(codes: CodeArray, first: int, last: int, lower: CodeArray) -> int:
    """Return where the word ends without -s, -es, -ed or -ing."""
    size = last - first
    z = lower[codes[last - 1]]
    y = lower[codes[last - 2]] if size > 1 else z
    if size >= 6 and z == LOWER_G and y == LOWER_N and lower[codes[last - 3]] == LOWER_I:
        return last - 3
    if size >= 5 and y == LOWER_E and z in (LOWER_S, LOWER_D):
        return last - 2
    if size >= 4 and z == LOWER_S and y != LOWER_S:
        return last - 1
    return last
