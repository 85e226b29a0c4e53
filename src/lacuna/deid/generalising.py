"""Generalising: the year of a date, 90+ for ages above 89, three digits of a US postcode.

Each function returns None in doubt; then the policy's default action hides the value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.dates.reading import Reading
from lacuna.deid.dates.shifting import stated_years
from lacuna.deid.dates.years import OLDEST, full_years, is_year

#: First three digits of US postcodes with up to 20,000 people: the seventeen of the HHS guidance
#: (census of 2000), and those that the census of 2010 adds.
SMALL_ZIP3 = frozenset(
    (
        *("036", "059", "063", "102", "203", "556", "692", "790", "821"),
        *("823", "830", "831", "878", "879", "884", "890", "893"),
        *("202", "204", "205", "369", "753", "772"),
    )
)
_ZIP = re.compile(r"(\d{3})\d\d(?:[- ]?\d{4})?", re.ASCII)
_PIECES = re.compile(r"[0-9]+(?:[.,][0-9]+)?|[^\W\d_]+|.", re.DOTALL)
_WHOLE = re.compile(r"[0-9]+")
_DECADE = re.compile(r"90\+(?:['’]?s|[- ]?(?:something|ish))(?![^\W\d_])")
_UNITS = {
    word: number
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
            *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
            *("seventeen", "eighteen", "nineteen"),
        )
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2
    )
}
#: Words for ages over 89.
_OVER = frozenset(
    (
        *("hundred", "nineties", "nonagenarian", "centenarian", "supercentenarian"),
        *("nonagenarians", "centenarians", "supercentenarians"),
        *("nonagenario", "nonagenaria", "centenario", "centenaria", "nonagenaire", "centenaire"),
    )
)
#: Words of an age that do not change the number of years.
_HARMLESS = frozenset(
    (
        *("a", "an", "year", "years", "yr", "yrs", "old", "y", "o", "yo", "aged", "age", "s"),
        *("in", "his", "her", "their", "the", "early", "mid", "late", "and", "to", "of"),
        *("f", "m", "male", "female", "ano", "anos", "jahr", "jahre", "jahren", "alt", "an", "ans"),
        *("jaar", "oud", "und", "et", "en", "de", "edad", "something", "ish"),
    )
)
_MONTHS_OR_LESS = frozenset(
    (
        *("month", "months", "mo", "mos", "week", "weeks", "wk", "wks", "day", "days"),
        *("hour", "hours", "hr", "hrs", "mes", "meses", "semana", "semanas", "dia", "dias"),
        *("monat", "monate", "monaten", "woche", "wochen", "tag", "tage", "tagen"),
        *("mois", "semaine", "semaines", "jour", "jours", "maand", "maanden", "week", "weken"),
        *("dag", "dagen"),
    )
)
_MOST_MONTHS = 1000  #: more months would be over 89 years, or are no age


def generalise_date(reading: Reading | None, years: Sequence[int] | None = None) -> str | None:
    """Return the years of a date: ``2014``, ``'98``, ``2013-2014``.

    None if it names none, or a number that is no year (1427); see
    :func:`~lacuna.deid.dates.years.is_year`. `years` are its years with all digits, if at hand.
    """
    if reading is None:
        return None
    years = full_years(reading) if years is None else years
    if not years or not all(map(is_year, years)):
        return None
    written = [year if len(year) > 2 else f"'{year}" for year in stated_years(reading)]
    return written[0] if written[0] == written[-1] else f"{written[0]}-{written[-1]}"


def generalise_age(surface: str) -> str | None:
    """Return an age with every number of years above 89 as ``90+``.

    A number directly before a word for months, weeks or days stays; all others count as years.
    English words are read ("ninety-one"). None if there is an unknown word, or no number.
    """
    pieces: list[str] = _PIECES.findall(surface)
    words = [plain(piece) for piece in pieces if piece.isalpha()]
    if not any(piece.isdigit() for piece in surface):
        return _in_words(surface, words)
    if any(word not in _HARMLESS and word not in _MONTHS_OR_LESS for word in words):
        return None
    shown = []
    for place, piece in enumerate(pieces):
        number = _WHOLE.match(piece)
        if number is None:
            if piece.isdigit():  # not ASCII
                return None
            shown.append(piece)
        elif _word_after(pieces, place) not in _MONTHS_OR_LESS:
            shown.append("90+" if int(number[0]) > OLDEST else piece)
        elif int(number[0]) <= _MOST_MONTHS:
            shown.append(piece)
        else:
            return None
    return _DECADE.sub("90+", "".join(shown))


def _word_after(pieces: list[str], place: int) -> str:
    """Return the word directly after a number, or after a blank, dash or full stop."""
    following = [piece for piece in pieces[place + 1 : place + 3] if piece not in " -."]
    return plain(following[0]) if following else ""


def _in_words(surface: str, words: list[str]) -> str | None:
    numbers = [word for word in words if word in _UNITS or word in _TENS or word in _OVER]
    others = [word for word in words if word not in numbers]
    if not numbers or any(word not in _HARMLESS for word in others):
        return None
    value = sum(_UNITS.get(word, 0) + _TENS.get(word, 0) for word in numbers)
    return "90+" if value > OLDEST or not _OVER.isdisjoint(numbers) else surface


def generalise_zip(surface: str) -> str | None:
    """Return the first three digits of a US postcode, ``000`` if few people live there."""
    match = _ZIP.fullmatch(surface.strip())
    if match is None:
        return None
    return "000" if match[1] in SMALL_ZIP3 else match[1]
