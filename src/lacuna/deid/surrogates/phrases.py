"""Surrogates of names, word by word: "Dr. J. SMITH" becomes "Dr. P. KELLER".

Names are replaced word by word, so "John Smith", "Mr. Smith", "J. Smith" and "SMITH" stay
consistent in any order, whatever their label. Titles, small particles (*van*, *de la*), letters
after a name and the *'s* of a possessive stay; particles with a capital are part of the family
name. In the names of places, words like *Hospital* stay. Numbers become others: "17th" becomes
"42nd".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from lacuna.deid.person_names import (
    APOSTROPHES,
    INITIAL,
    NAME,
    PARTICLE,
    NameWord,
    has_apostrophe,
    name_words,
    plain_word,
    plain_words,
)
from lacuna.deid.surrogates.choices import Memory
from lacuna.deid.surrogates.codes import other_code
from lacuna.deid.surrogates.name_words import PERSON, SPACE, other_word
from lacuna.deid.surrogates.pools import NameGroup, Pools
from lacuna.deid.surrogates.scripts import is_latin

_SIGNS = tuple(APOSTROPHES)
_NUMBER = re.compile(r"\d+")
_ENDINGS = frozenset(("st", "nd", "rd", "th"))
_SHORTENED = frozenset(
    ("wm", "chas", "geo", "jas", "thos", "jos", "robt", "benj", "saml", "danl", "edw")
)
_ROADS = frozenset(
    (
        *("st", "street", "ave", "avenue", "rd", "road", "blvd", "boulevard", "dr", "drive"),
        *("ln", "lane", "pl", "place", "way", "hwy", "highway", "pkwy", "parkway"),
    )
)
_SAINTS = frozenset(("st", "saint"))
_DIRECTIONS = frozenset("NSEW")
_GENERIC = Path(__file__).parent / "generic_words.txt"


@cache
def generic_words() -> frozenset[str]:
    """Return words that name a type of place or institution, such as Hospital."""
    return frozenset(_GENERIC.read_text("utf-8").split())


def words_of(memory: Memory, surface: str, *, is_person: bool) -> list[NameWord]:
    """Return the words of a name or a place, which are read once in each scope."""
    words = memory.parsed.get((is_person, surface))
    if words is None:
        words = name_words(surface) if is_person else plain_words(surface)
        memory.parsed[is_person, surface] = words
    return words


def expect_words(memory: Memory, surface: str, words: list[NameWord]) -> None:
    """Exclude the words of a text from being surrogates."""
    memory.expect(SPACE, *[word.word for word in words])
    if has_apostrophe(surface):  # O'Brien: neither Obrien nor Brien
        parts = re.split(f"[{APOSTROPHES} ]", " ".join([surface[a:b] for a, b, *_ in words]))
        memory.expect(SPACE, *[plain_word(part) for part in parts if part])


def other_name(memory: Memory, pools: Pools, surface: str) -> str | None:
    """Return another name of a person, or None if there is none."""
    words = words_of(memory, surface, is_person=True)
    if not words:
        return other_code(memory, "id", surface)
    if any(word.role is PARTICLE for word in words):
        words = _units(words)
    is_loud = len(words) > 1 and surface.isupper()

    def write(i: int, own: str) -> str | None:
        _, end, word, role = words[i]
        if word in _SHORTENED and surface[end : end + 1] == ".":  # Wm. becomes K.
            own, word = own[0], word[0]
        if role is NAME or role is INITIAL or (role is PARTICLE and not own.islower()):
            return other_word(memory, pools, PERSON, own, word, is_loud=is_loud)
        return own

    return _rewritten(memory, surface, words, write)


def other_place(
    memory: Memory,
    pools: Pools,
    domain: str,
    surface: str,
    *,
    cities: bool = False,
    named: bool = False,
) -> str | None:
    """Return another institution, street or town; words like Hospital or Street stay.

    None if there are only such words and no number; with `named`, if there are only such words:
    "Park Avenue 12" identifies its street whatever the number. None if the script is not Latin.
    """
    if not is_latin(surface):
        return None
    changed = False
    words = words_of(memory, surface, is_person=False)

    def write(i: int, own: str) -> str | None:
        nonlocal changed
        start, end, word, _ = words[i]
        last = words[i - 1].word if i else ""
        if word == "c" and surface[end : end + 1] == "/":
            return own  # C/ Mayor
        if word in generic_words() or (has_signs and _is_generic(surface, start, end)):
            return own
        if named and own in _DIRECTIONS and (last in _ROADS or surface[:start].strip().isdigit()):
            return own  # 400 W 5th St, 12 Main St E
        changed = True
        names: Mapping[str, tuple[str, ...]] | None = pools.cities if cities else None
        if last in _SAINTS:
            group = pools.groups.get(word, NameGroup.LAST)
            names = pools.names[NameGroup.MALE if group is NameGroup.LAST else group]
        return other_word(memory, pools, domain, own, word, names)

    has_signs = has_apostrophe(surface)
    text = _rewritten(memory, surface, words, write)
    changed = changed or any(_is_ordinal(surface, start, end) for start, end, *_ in words)
    return None if not changed and (named or text == surface) else text


def _units(words: Iterable[NameWord]) -> list[NameWord]:
    """Return the words of a name, particles that follow one another as one."""
    units: list[NameWord] = []
    for word in words:
        if word.role is PARTICLE and units and units[-1].role is PARTICLE:
            before = units.pop()
            word = NameWord(before.start, word.end, f"{before.word} {word.word}", PARTICLE)
        units.append(word)
    return units


def _rewritten(
    memory: Memory,
    surface: str,
    words: Iterable[NameWord],
    write: Callable[[int, str], str | None],
) -> str | None:
    """Return a text with its words replaced by `write`, and its numbers by others."""
    pieces: list[str] = []
    done, own, new = 0, "", ""
    for i, (start, end, _, _) in enumerate(words):
        between = surface[done:start]
        if between and between != " ":
            between = _between(memory, between, own, new)
        pieces.append(between)
        own, done = surface[start:end], end
        if start and surface[start - 1].isdigit() and _is_ordinal(surface, start, end):
            new = _ordinal(pieces[-1], own)
        else:
            written = write(i, own)
            if written is None:
                return None
            new = written
        pieces.append(new)
    if done < len(surface):
        pieces.append(_between(memory, surface[done:], own, new))
    return "".join(pieces)


def _between(memory: Memory, text: str, own: str, new: str) -> str:
    """Return what follows a word: other digits, and the ending of a possessive that fits."""
    if text.isspace():
        return text
    if not text.isascii():
        text = "".join([c for c in text if unicodedata.category(c)[0] != "M"])
    is_possessive = text[:1] in _SIGNS and own[-1:] in ("s", "S") and not text[1:2].isalnum()
    if is_possessive and new[-1:] not in ("s", "S"):  # James' becomes Kevin's
        text = text[0] + own[-1] + text[1:]
    return _NUMBER.sub(lambda match: other_code(memory, "number", match[0], grow=True) or "0", text)


def _is_ordinal(surface: str, start: int, end: int) -> bool:
    """Whether letters are the ending of a number: 17th, 3º."""
    if not start or not surface[start - 1].isdigit():
        return False
    return surface[start:end] in ("º", "ª") or plain_word(surface[start:end]) in _ENDINGS


def _ordinal(before: str, own: str) -> str:
    """Return the ending of the ordinal number that a text ends with."""
    if own in ("º", "ª"):
        return own
    tens, ones = before[-2:-1], before[-1:]
    ending = "th" if tens == "1" else {"1": "st", "2": "nd", "3": "rd"}.get(ones, "th")
    return ending.upper() if own.isupper() else ending


def _is_generic(surface: str, start: int, end: int) -> bool:
    """Whether a word with an apostrophe names a type of place: Children's, l'Hôpital."""
    own = surface[start:end]
    if surface[end : end + 1] in _SIGNS and f"{plain_word(own)}s" in generic_words():
        return True
    parts = re.split(f"[{APOSTROPHES}]", own)
    return len(parts) > 1 and plain_word(parts[-1]) in generic_words()
