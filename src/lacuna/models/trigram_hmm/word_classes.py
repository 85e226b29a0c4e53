"""p(s | class), the tags of rare and unknown words, from what the words look like.

Classes form a tree: all words; words that look alike (two digits, all caps, first word of a
sentence, lower case, …); among those, words with the same last character; the last two; and so
on. A deep class is more specific but has fewer tokens, so its tags are smoothed with its parent's:

    p(s | k) = (r(k, s) + β p(s | parent of k)) / (r(k) + β)

r counts the tokens of rare words, β is the weight of the parent; the parent of the class of all
words is the distribution of tags in the corpus. Every tag is possible in every class.

A class is known by the hash of its path from the root; the kernel `class_keys` computes the hashes
of all classes of a word without making strings.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.features.hashing import NONE, finish, hash_numbers, seed, step
from lacuna.features.token_table import TokenTable
from lacuna.kernels import kernel
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
from lacuna.types import BoolArray, CodeArray, FloatArray, HashArray, IntArray, LongArray

SingleArray = npt.NDArray[np.float32]


class WordClasses(NamedTuple):
    """Classes of words; row 0 is the class of all words.

    keys
        The key of every class, as `class_keys` gives them.
    tags
        ``tags[k, s]`` = p(s | k).
    longest
        Characters of the longest suffix.
    """

    keys: WordTypes
    tags: SingleArray
    longest: int

    def finest(self, keys: HashArray) -> IntArray:
        """Return for each row of keys[i, depth] the deepest class that is known."""
        rows = self.keys.lookup(keys.reshape(-1)).reshape(keys.shape)
        known = (rows >= 0) & (keys != NONE)
        deepest = keys.shape[1] - 1 - np.argmax(known[:, ::-1], axis=1)
        found: IntArray = rows[np.arange(len(rows)), deepest]
        return np.maximum(found, 0)


def token_classes(
    table: TokenTable, tokens: IntArray, is_first: BoolArray, longest: int
) -> HashArray:
    """Return keys[i, depth] of the classes of some tokens; is_first[i]: it begins a sentence."""
    start, end = table.start[tokens], table.end[tokens]
    return class_keys(table.codes, start, end, is_first, lower_table(), class_table(), longest)


def fit_word_classes(
    keys: HashArray,
    tags: IntArray,
    weights: FloatArray,
    prior: FloatArray,
    *,
    min_count: int,
    parent_weight: float,
) -> WordClasses:
    """Estimate classes from the tokens of rare words.

    Parameters
    ----------
    keys
        ``keys[i, depth]`` of every such token; may be empty.
    tags
        Their tags, below ``len(prior)``.
    weights
        How much each of them counts.
    prior
        p(s) in the corpus, all positive.
    min_count
        Suffixes of fewer tokens have no class of their own.
    parent_weight
        β.
    """
    numbered = number_types(keys.reshape(-1))
    rows = numbered.ids.reshape(keys.shape)
    total = len(numbered.first)
    counts = np.zeros((total, len(prior)))
    np.add.at(counts, (rows, tags[:, None]), weights[:, None])
    depth = numbered.first % keys.shape[1]
    parent = np.where(depth > 0, rows.reshape(-1)[numbered.first - 1], -1)
    own = keys.reshape(-1)[numbered.first]
    kept = (own != NONE) & ((depth < 2) | (counts.sum(axis=1) >= min_count))
    means = _smoothed(counts, depth, parent, prior, parent_weight)
    if not total:
        means, own, kept = prior[None], hash_numbers(np.array([FAMILY])), np.ones(1, np.bool_)
    return WordClasses(
        WordTypes.build(own[kept]), means[kept].astype(np.float32), keys.shape[1] - 2
    )


def _smoothed(
    counts: FloatArray, depth: LongArray, parent: LongArray, prior: FloatArray, weight: float
) -> FloatArray:
    """p(s | k) = (r(k, s) + β p(s | parent)) / (r(k) + β), from the root down."""
    means = np.empty_like(counts)
    for level in range(int(depth.max(initial=-1)) + 1):
        here = np.flatnonzero(depth == level)
        above = means[parent[here]] if level else prior[None]
        means[here] = (counts[here] + weight * above) / (
            counts[here].sum(axis=1, keepdims=True) + weight
        )
    return means


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
FAMILY = 77  #: seed of the hashes; model files contain them, so it never changes


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
    """Return keys[i, d] of the word codes[start[i]:end[i]]; is_first[i]: it begins a sentence.

    Depth 0 is the class of all words, depth 1 that of words that look alike (`word_class`), depth
    1 + m that of words among them with the same last m characters, lower-cased; NONE if the
    word is not longer than m.
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
    """Digits only: by length; with letters: one class; else by separator."""
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
