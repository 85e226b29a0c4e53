"""Other numbers, dates and ages in the notation of those they replace.

::

    14-Mar-2024 → 09-Oct-2019        MRN 44-A71 → 92-A08        five oh one → two nine oh

Nothing is kept consistent here: :mod:`refilling` writes the same value for the same surface.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from string import ascii_lowercase

DIGITS = ("oh", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "eleventh", "twelfth", "thirteenth", "fifteenth", "twentieth"),
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_HOLIDAYS = (
    *("Christmas", "Easter", "Thanksgiving", "Halloween", "Diwali", "Eid", "Ramadan", "Holi"),
    *("Passover", "Hanukkah", "Vaisakhi", "Hogmanay", "Juneteenth", "Pesach", "Onam", "Lent"),
)
#: Words that are replaced by another of their kind.
WORDS: tuple[tuple[str, ...], ...] = (
    DIGITS,
    _TEENS,
    _TENS,
    _ORDINALS,
    _MONTHS,
    tuple(month[:3] for month in _MONTHS),
    _DAYS,
    tuple(day[:3] for day in _DAYS),
    _HOLIDAYS,
)
_KINDS = {word.lower(): words for words in WORDS for word in words}
_KINDS |= {"sept": tuple(month[:3] for month in _MONTHS), "tues": tuple(d[:3] for d in _DAYS)}
_KINDS["thurs"] = _KINDS["tues"]
_PIECE = re.compile(r"\d+|[^\W\d_]+")
_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
_YEARS = -20, 6  # how far a year moves
_WHOLE_YEARS = 1930, 2025
_CHILD, _ADULT = 18, 99


def cased(surface: str, new: str) -> str:
    """Return a word in the letters of another: small, CAPITALS, or as it is."""
    if surface.islower():
        return new.lower()
    return new.upper() if surface.isupper() and len(surface) > 1 else new


def other_code(surface: str, rng: Random, *, letters: bool = True) -> str:
    """Return digits for digits and letters for letters; in half of the codes letters stay.

    Numbers that are spelt out (``five oh one``) become others.
    """
    if not any(c.isdigit() for c in surface) and _is_spoken(surface):
        return other_words(surface, rng)
    changes_letters = letters and rng.random() < 0.5
    made = []
    for place, c in enumerate(surface):
        if c.isdigit():
            leads = place == 0 or not surface[place - 1].isdigit()
            made.append("0" if leads and c == "0" else rng.choice("0123456789"[leads:]))
        elif changes_letters and c.isalpha() and c.isascii():
            made.append(cased(c + c, rng.choice(ascii_lowercase) * 2)[0])
        else:
            made.append(c)
    return "".join(made)


def other_words(surface: str, rng: Random) -> str:
    """Replace number words, months, weekdays and holidays by others of their kind."""

    def other(match: re.Match[str]) -> str:
        word = match[0]
        kind = _KINDS.get(word.lower())
        return cased(word, rng.choice(kind)) if kind else word

    return _PIECE.sub(other, surface)


def other_date(surface: str, rng: Random) -> str:
    """Return another date in the same notation and order."""
    pieces = _PIECE.split(surface)
    found = _PIECE.findall(surface)
    new = [_date_piece(found, place, rng) for place in range(len(found))]
    made = pieces[0] + "".join(n + p for n, p in zip(new, pieces[1:], strict=True))
    return _with_endings(made)


def _date_piece(pieces: Sequence[str], place: int, rng: Random) -> str:
    """Return another month, day or year for a piece of a date; other words stay."""
    piece = pieces[place]
    if not piece.isdigit():
        if piece.lower() in _ROMAN and 0 < place < len(pieces) - 1:
            return cased(piece, rng.choice(_ROMAN))
        return other_words(piece, rng)
    number, width = int(piece), len(piece)
    if width == 4:
        return str(number + rng.randint(*_YEARS))
    if width > 4:  # 20240314
        day = f"{rng.randint(*_WHOLE_YEARS)}{rng.randint(1, 12):02d}{rng.randint(1, 28):02d}"
        return f"{day[:width]:0<{width}}"
    if number > 31:
        return str(rng.randint(32, 99))
    return f"{rng.randint(1, 12) if number <= 12 else rng.randint(13, 28):0{width}d}"


def _with_endings(text: str) -> str:
    """Return a date with the endings of its ordinal numbers corrected: 3th becomes 3rd."""

    def ending(match: re.Match[str]) -> str:
        new = _ENDINGS.get(int(match[1]), "th")
        return match[1] + cased(match[2], new)

    return re.sub(r"\b(\d{1,2})(st|nd|rd|th)\b", ending, text, flags=re.IGNORECASE)


def other_age(surface: str, rng: Random) -> str:
    """Return another age: a child's for a child's, in words for words; 4½ stays."""
    if len(_PIECE.findall(surface)) > 1 or not surface.isascii():
        return other_words(surface, rng)

    def other(match: re.Match[str]) -> str:
        text = match[0]
        if not text.isdigit():
            return other_words(text, rng)
        age = int(text)
        if age < _CHILD:
            return str(rng.randint(1, _CHILD - 1))
        if "s" in surface and age % 10 == 0:  # 60s
            return str(rng.randrange(20, _ADULT, 10))
        return str(rng.randint(_CHILD, _ADULT))

    return _PIECE.sub(other, surface)


def _is_spoken(surface: str) -> bool:
    words = _PIECE.findall(surface.lower())
    return any(word in _KINDS for word in words)
