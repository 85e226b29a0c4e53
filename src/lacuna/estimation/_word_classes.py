"""Kernel: the classes of a word as hashes, from the coarsest on. No strings are made."""

from __future__ import annotations

import numpy as np

from lacuna.features._hashing import finish, seed, step
from lacuna.kernels import kernel
from lacuna.text.characters import DIGIT, LETTER, LOWER, UPPER, ClassTable
from lacuna.types import BoolArray, CodeArray, HashArray, IntArray

(
    OTHER,
    TWO_DIGITS,
    FOUR_DIGITS,
    DIGITS_AND_LETTERS,
    DIGITS_AND_DASH,
    DIGITS_AND_SLASH,
    DIGITS_AND_COMMA,
    DIGITS_AND_PERIOD,
    OTHER_NUMBER,
    ALL_CAPS,
    CAP_AND_PERIOD,
    FIRST_WORD,
    INITIAL_CAP,
    DASHED_CAP,
    LOWER_CASE,
    DASHED_LOWER,
) = range(16)
DASH, SLASH, COMMA, PERIOD = (np.uint32(ord(c)) for c in "-/,.")
FAMILY = 77  #: of hashes; model files hold them, so it never changes


@kernel
def class_keys(
    codes: CodeArray,
    start: IntArray,
    end: IntArray,
    is_first: BoolArray,
    lower: CodeArray,
    classes: ClassTable,
    longest: int,
) -> HashArray:
    """Return keys[i, d] of the word codes[start[i]:end[i]]; is_first: it begins a sentence.

    Depth 0 holds all words, depth 1 words that look alike (`word_class`), depth 1 + m those of
    them with the same last m characters, lower-cased. 0 where a word is not longer than m.
    """
    keys = np.zeros((len(start), longest + 2), np.uint64)
    for i in range(len(start)):
        first, last = start[i], end[i]
        h = seed(FAMILY)
        keys[i, 0] = finish(h)
        h = step(h, np.uint64(word_class(codes, first, last, classes, is_first[i])))
        keys[i, 1] = finish(h)
        for m in range(min(longest, last - first - 1)):
            h = step(h, np.uint64(lower[codes[last - 1 - m]]))
            keys[i, 2 + m] = finish(h)
    return keys


@kernel
def word_class(codes: CodeArray, first: int, last: int, classes: ClassTable, is_first: bool) -> int:
    """Return what the word codes[first:last] looks like (after Bikel et al. 1999)."""
    digits, letters, capitals, small, dashes = 0, 0, 0, 0, 0
    for i in range(first, last):
        kind = classes[codes[i]]
        digits += kind == DIGIT
        letters += LOWER <= kind <= LETTER
        capitals += kind == UPPER
        small += kind == LOWER
        dashes += codes[i] == DASH
    size = last - first
    if digits > 0:
        return _number_class(codes, first, last, digits, letters)
    if capitals == size and size > 1:
        return ALL_CAPS
    starts_high = classes[codes[first]] == UPPER
    if starts_high and size == 2 and codes[first + 1] == PERIOD:
        return CAP_AND_PERIOD
    if starts_high and is_first:
        return FIRST_WORD
    if starts_high:
        return DASHED_CAP if dashes > 0 else INITIAL_CAP
    if small > 0 and capitals == 0:
        return DASHED_LOWER if dashes > 0 else LOWER_CASE
    return OTHER


@kernel
def _number_class(codes: CodeArray, first: int, last: int, digits: int, letters: int) -> int:
    size = last - first
    if digits == size:
        return TWO_DIGITS if size == 2 else FOUR_DIGITS if size == 4 else OTHER_NUMBER
    if letters > 0:
        return DIGITS_AND_LETTERS
    found = OTHER_NUMBER
    for i in range(first, last):
        if codes[i] == DASH:
            return DIGITS_AND_DASH
        if codes[i] == SLASH:
            found = DIGITS_AND_SLASH
        elif codes[i] == COMMA and found != DIGITS_AND_SLASH:
            found = DIGITS_AND_COMMA
        elif codes[i] == PERIOD and found == OTHER_NUMBER:
            found = DIGITS_AND_PERIOD
    return found
