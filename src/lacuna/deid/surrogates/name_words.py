"""Surrogates of names, word by word: "Dr. J. SMITH" becomes "Dr. P. KELLER".

Names are replaced word by word, so "John Smith", "Mr. Smith", "J. Smith" and "SMITH" stay
consistent in any order. A word keeps its group (male, female or family name, as far as the lists
know it) and its case; its first letter follows the secret alphabet of the scope, which replaces
initials too. Titles, particles and letters after a name stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import ascii_lowercase

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.person_names import INITIAL, NAME, name_words
from lacuna.deid.surrogates.choices import Memory
from lacuna.deid.surrogates.codes import other_code
from lacuna.deid.surrogates.pools import NameGroup, Pools

SPACE = "word"
_WORD = re.compile("[^\\W\\d_]++(?:[\u0300-\u036f]++[^\\W\\d_]*+)*+")
_NUMBER = re.compile(r"\d+")
_LONGEST_ACRONYM = 5
_LISTED = 48  # attempts with names from the lists
_LAST = NameGroup.LAST
_GENERIC = Path(__file__).parent / "generic_words.txt"


@cache
def generic_words() -> frozenset[str]:
    """Return words that name a type of place or institution, such as Hospital."""
    return frozenset(_GENERIC.read_text("utf-8").split())


def expect_words(memory: Memory, surface: str) -> None:
    """Exclude the words of a text from being surrogates."""
    memory.expect(SPACE, *map(plain, _WORD.findall(surface)))


def other_name(memory: Memory, pools: Pools, label: str, surface: str) -> str | None:
    """Return another name of a person, or None if there is no word in it."""
    words = name_words(surface)
    if not words:
        return None
    pieces: list[str] = []
    done = 0
    for start, end, word, role in words:
        pieces.append(_other_digits(memory, surface[done:start]))
        own = surface[start:end]
        if role is NAME or role is INITIAL:
            pieces.append(_other_word(memory, pools, label, own, word))
        else:
            pieces.append(own)
        done = end
    pieces.append(_other_digits(memory, surface[done:]))
    return "".join(pieces)


def other_place(
    memory: Memory,
    pools: Pools,
    label: str,
    surface: str,
    *,
    cities: bool = False,
    named: bool = False,
) -> str | None:
    """Return another institution, street or town; words like Hospital or Street stay.

    None if there are only such words and no number; with `named`, if there are only such words:
    "Park Avenue 12" identifies its street whatever the number.
    """
    changed = False
    names = pools.cities if cities else None

    def replace(match: re.Match[str]) -> str:
        nonlocal changed
        own, word = match[0], plain(match[0])
        if word in generic_words():
            return own
        changed = True
        return _other_word(memory, pools, label, own, word, names)

    text = _WORD.sub(replace, surface)
    with_digits = _other_digits(memory, text)
    if not changed and (named or with_digits == surface):
        return None
    return with_digits


def word_for(
    memory: Memory,
    pools: Pools,
    domain: str,
    word: str,
    names: Mapping[str, tuple[str, ...]] | None = None,
) -> str:
    """Return the surrogate of a plain word, as the lists spell it."""
    known = memory.known(SPACE, domain, word)
    if known is not None:
        return known
    offered = (names or pools.names[pools.groups.get(word, _LAST)])[memory.letter(word[0])]
    choices = min(len(offered), _LISTED)
    start = memory.key.number("word", domain, word)

    def make(attempt: int) -> tuple[str, str]:
        if attempt < choices:
            name = offered[(start + attempt) % len(offered)]
        else:  # all taken: a double name
            more = pools.names[_LAST][memory.letter(chr(97 + (start + attempt) % 26))]
            name = offered[start % len(offered)] + more[(start >> 8) % len(more)].lower()
        return name, plain(name)

    chosen = memory.choose(SPACE, domain, word, make)
    if chosen is None:  # too many names within one scope: use letters
        made = other_code(memory, SPACE, word, grow=True)
        chosen = (made or "x").capitalize()
    return chosen


def _other_word(
    memory: Memory,
    pools: Pools,
    domain: str,
    own: str,
    word: str,
    names: Mapping[str, tuple[str, ...]] | None = None,
) -> str:
    if len(word) == 1 and word in ascii_lowercase:
        return _like(own, memory.letter(word))
    if own.isupper() and word not in pools.groups and _is_acronym(word):
        return _other_acronym(memory, domain, word).upper()
    return _like(own, word_for(memory, pools, domain, word, names))


def _is_acronym(word: str) -> bool:
    """Whether capitals are an acronym: up to three letters, or more without a vowel."""
    return len(word) <= 3 or (len(word) <= _LONGEST_ACRONYM and not set(word) & set("aeiouy"))


def _other_acronym(memory: Memory, domain: str, word: str) -> str:
    def make(attempt: int) -> tuple[str, str]:
        letters = list(map(memory.letter, word))
        for i in range(attempt):  # taken: advance the last letters in the secret alphabet
            letters[-1 - i % len(letters)] = memory.letter(letters[-1 - i % len(letters)])
        return (text := "".join(letters)), text

    return memory.choose(SPACE, domain, word, make) or "".join(map(memory.letter, word))


def _other_digits(memory: Memory, text: str) -> str:
    if text == "" or text.isspace():
        return text
    return _NUMBER.sub(lambda match: other_code(memory, "number", match[0], grow=True) or "0", text)


def _like(own: str, name: str) -> str:
    """Return a name in the case of `own`."""
    if own.isupper():
        return name.upper()
    return name.lower() if own.islower() else name[0].upper() + name[1:]
