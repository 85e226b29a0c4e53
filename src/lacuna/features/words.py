"""Attributes of words, as 64-bit hashes for models and as strings for people.

An attribute that a word does not have (a prefix longer than the word) is 0. Which attributes there
are is listed in `templates.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from lacuna.features.hashing import finish, seed, step, step_all, step_lower, step_shape
from lacuna.features.lexicon import WordForms
from lacuna.features.resources import LEX, NO_RESOURCES, Resources
from lacuna.kernels import kernel
from lacuna.text import characters
from lacuna.text.characters import (
    DIGIT,
    IDEOGRAPH,
    LOWER,
    MARK,
    UPPER,
    ClassTable,
    class_table,
    lower_table,
)
from lacuna.types import CodeArray, HashArray, IntArray

WORD, LOWERED, PREFIX, SUFFIX, SHAPE, SHORT, KIND, LENGTH, STEM = range(9)
LONGEST_LENGTH = 10
FIRST_CAPITAL, OTHER_CAPITAL, LETTERS, DIGITS, SIGNS, ALONE = 1, 2, 4, 8, 16, 32
LOWER_S, LOWER_E, LOWER_D, LOWER_I, LOWER_N, LOWER_G = (np.uint32(ord(c)) for c in "seding")

_CODES = {
    "word": WORD,
    "lower": LOWERED,
    "prefix": PREFIX,
    "suffix": SUFFIX,
    "shape": SHAPE,
    "short": SHORT,
    "kind": KIND,
    "length": LENGTH,
    "stem": STEM,
}


def word_values(
    codes: CodeArray,
    start: IntArray,
    end: IntArray,
    attributes: Sequence[str],
    *,
    resources: Resources = NO_RESOURCES,
) -> HashArray:
    """Return values[i, a]: attribute a of word i as a 64-bit hash, 0 if it has none."""
    values = np.empty((len(start), len(attributes)), np.uint64)
    spelled = [a for a, name in enumerate(attributes) if name != LEX and "." not in name]
    values[:, spelled] = _spelled_values(codes, start, end, [attributes[a] for a in spelled])
    if len(spelled) < len(attributes):
        forms = WordForms.of(codes, start, end)
        for a, name in enumerate(attributes):
            if name == LEX and resources.lexicon is not None:
                values[:, a] = resources.lexicon.word_values_of(codes, start, end)
            elif "." in name:
                values[:, a] = resources.values(forms, name)
    return values


def _spelled_values(
    codes: CodeArray, start: IntArray, end: IntArray, attributes: Sequence[str]
) -> HashArray:
    parsed = [_parse(name) for name in attributes]
    kinds = np.array([kind for kind, _ in parsed], np.int32)
    sizes = np.array([size for _, size in parsed], np.int32)
    return word_attributes(codes, start, end, lower_table(), class_table(), kinds, sizes)


def _parse(attribute: str) -> tuple[int, int]:
    """Return the kernel's code of an attribute and its size: ``prefix3`` → PREFIX, 3."""
    name = attribute.rstrip("123456789")
    return _CODES[name], int(attribute[len(name) :] or 0)


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
def _kind(codes: CodeArray, first: int, last: int, classes: ClassTable) -> int:
    """Return which kinds of characters a word has, as a set of bits."""
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


_CLASS_LETTERS = {
    characters.LOWER: "x",
    characters.UPPER: "X",
    characters.LETTER: "a",
    characters.DIGIT: "d",
    characters.HIRAGANA: "h",
    characters.KATAKANA: "k",
    characters.FLAG: "f",
    characters.IDEOGRAPH: "c",
    characters.MARK: "",
}

_SORTS = dict.fromkeys(_CLASS_LETTERS, "letters") | {characters.DIGIT: "digits"}
_ENDINGS = re.compile(r"(?<=...)ing\Z|(?<=...)e[sd]\Z|(?<=...)(?<!s)s\Z", re.DOTALL)


def spelled(attribute: str, word: str) -> str | None:
    """Return the value of an attribute of a word for people; None if it has no short form."""
    if sized := re.fullmatch(r"(prefix|suffix)([1-9])", attribute):
        size = int(sized[2])
        return word[:size] if sized[1] == "prefix" else word[-size:]
    match attribute:
        case "word":
            return word
        case "lower":
            return _lower(word)
        case "shape":
            return _shape(word)
        case "short":
            return "".join(symbol for symbol, _ in groupby(_shape(word)))
        case "kind":
            return _sign_kind(word)
        case "length":
            return str(min(len(word), LONGEST_LENGTH))
        case "stem":
            return _ENDINGS.sub("", _lower(word))
    return None


def _shape(word: str) -> str:
    classes = characters.class_table()
    return "".join(_CLASS_LETTERS.get(int(classes[ord(c)]), c) for c in word)


def _sign_kind(word: str) -> str:
    """Return which kinds of characters a word has: ``capital first, letters``."""
    sorts = {"single character"} if len(word) == 1 else set()
    for place, symbol in enumerate(map(_shape, word)):
        if symbol == "X":
            sorts.add("capital later" if place else "capital first")
        elif symbol:
            sorts.add(_SORTS.get(int(characters.class_table()[ord(word[place])]), "signs"))
    return ", ".join(sorted(sorts))


def _lower(word: str) -> str:
    return "".join(chr(lower_table()[ord(character)]) for character in word)


def word_shape(word: str) -> str:
    """Return X for capitals, x for other letters, d for digits, signs as they are, runs as one."""
    classes = (
        "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in word
    )
    return "".join(key for key, _ in groupby(classes))
