"""Generalising: the year of a date, 90+ for ages above 89, three digits of a US postcode.

Each function returns None in doubt; then the policy's default action hides the value.
"""

from __future__ import annotations

import re

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.dates.reading import Reading
from lacuna.deid.dates.shifting import stated_years

OLDEST = 89
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
_NUMBER = re.compile(r"\d+", re.ASCII)
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
#: Words of an age that do not change the number of years.
_HARMLESS = frozenset(
    (
        *("a", "an", "year", "years", "yr", "yrs", "old", "y", "o", "yo", "aged", "age", "s"),
        *("in", "his", "her", "their", "the", "early", "mid", "late", "and", "to", "of"),
        *("f", "m", "male", "female", "ano", "anos", "jahre", "jahren", "alt", "ans", "jaar"),
        "oud",
    )
)
_MONTHS_OR_LESS = frozenset(
    (
        *("month", "months", "mo", "mos", "week", "weeks", "wk", "wks", "day", "days", "hours"),
        *("mes", "meses", "semana", "semanas", "dia", "dias", "monate", "wochen", "tage"),
        *("mois", "semaines", "jours", "maanden", "weken", "dagen"),
    )
)


def generalise_date(reading: Reading | None) -> str | None:
    """Return the years of a date: ``2014``, ``'98``, ``2013-2014``; None if it names none."""
    years = stated_years(reading) if reading is not None else []
    if not years:
        return None
    written = [year if len(year) > 2 else f"'{year}" for year in years]
    return written[0] if written[0] == written[-1] else f"{written[0]}-{written[-1]}"


def generalise_age(surface: str) -> str | None:
    """Return an age with every number of years above 89 as ``90+``.

    Ages in months, weeks and days stay. English words are read ("ninety-one"); None if there is an
    unknown word, or no number.
    """
    words = [plain(word) for word in re.findall(r"[^\W\d_]+", surface)]
    if _NUMBER.search(surface) is None:
        return _in_words(surface, words)
    if any(word not in _HARMLESS and word not in _MONTHS_OR_LESS for word in words):
        return None
    if any(word in _MONTHS_OR_LESS for word in words):
        return surface if max(map(int, _NUMBER.findall(surface))) <= 1000 else None
    shown = _NUMBER.sub(lambda m: "90+" if int(m[0]) > OLDEST else m[0], surface)
    return shown.replace("90+s", "90+").replace("90+'s", "90+")


def _in_words(surface: str, words: list[str]) -> str | None:
    numbers = [word for word in words if word in _UNITS or word in _TENS]
    others = [word for word in words if word not in numbers]
    if not numbers or any(word not in _HARMLESS for word in others):
        return None
    value = sum(_UNITS.get(word, 0) + _TENS.get(word, 0) for word in numbers)
    if value > OLDEST:
        return "90+"
    return surface


def generalise_zip(surface: str) -> str | None:
    """Return the first three digits of a US postcode, ``000`` if few people live there."""
    match = _ZIP.fullmatch(surface.strip())
    if match is None:
        return None
    return "000" if match[1] in SMALL_ZIP3 else match[1]
