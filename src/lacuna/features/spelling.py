"""Attributes of words as people read them; models work with hashes (``_words.py``)."""

from __future__ import annotations

import re
from itertools import groupby

from lacuna.features._words import LONGEST_LENGTH
from lacuna.features.lower import lower_table
from lacuna.text import characters

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
    """Return the value of an attribute of a word; None where it has no short form."""
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
            return _kind(word)
        case "length":
            return str(min(len(word), LONGEST_LENGTH))
        case "stem":
            return _ENDINGS.sub("", _lower(word))
    return None


def _lower(word: str) -> str:
    return "".join(chr(lower_table()[ord(character)]) for character in word)


def _kind(word: str) -> str:
    """Return which sorts of characters a word has: ``capital first, letters``."""
    sorts = {"single character"} if len(word) == 1 else set()
    for place, symbol in enumerate(map(_shape, word)):
        if symbol == "X":
            sorts.add("capital later" if place else "capital first")
        elif symbol:
            sorts.add(_SORTS.get(int(characters.class_table()[ord(word[place])]), "signs"))
    return ", ".join(sorted(sorts))


def _shape(word: str) -> str:
    classes = characters.class_table()
    return "".join(_CLASS_LETTERS.get(int(classes[ord(c)]), c) for c in word)
