"""Names of months and days of the week in English, Spanish, German, French and Dutch."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

LANGUAGES = ("en", "es", "de", "fr", "nl")
FULL, SHORT = 0, 1

_MONTHS = {
    "en": (
        "January February March April May June July August September October November December",
        "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    ),
    "es": (
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "ene feb mar abr may jun jul ago sep oct nov dic",
    ),
    "de": (
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    ),
    "fr": (
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janv févr mars avr mai juin juil août sept oct nov déc",
    ),
    "nl": (
        "januari februari maart april mei juni juli augustus september oktober november december",
        "jan feb mrt apr mei jun jul aug sep okt nov dec",
    ),
}
_WEEKDAYS = {
    "en": (
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "Mon Tue Wed Thu Fri Sat Sun",
    ),
    "es": ("lunes martes miércoles jueves viernes sábado domingo", "lun mar mié jue vie sáb dom"),
    "de": (
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "Mo Di Mi Do Fr Sa So",
    ),
    "fr": ("lundi mardi mercredi jeudi vendredi samedi dimanche", "lun mar mer jeu ven sam dim"),
    "nl": (
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        "ma di wo do vr za zo",
    ),
}
#: Other spellings: word → language, form, number.
_OTHER_MONTHS = {
    "sept": ("en", SHORT, 8),
    "setiembre": ("es", FULL, 8),
    "set": ("es", SHORT, 8),
    "janner": ("de", FULL, 0),
    "marz": ("de", FULL, 2),
    "maerz": ("de", FULL, 2),
    "mrz": ("de", SHORT, 2),
    "fevr": ("fr", SHORT, 1),
}
_OTHER_WEEKDAYS = {
    "tues": ("en", SHORT, 1),
    "weds": ("en", SHORT, 2),
    "thur": ("en", SHORT, 3),
    "thurs": ("en", SHORT, 3),
    "sonnabend": ("de", FULL, 5),
}


class CalendarWord(NamedTuple):
    """The name of a month or day: its number from 0, its language, full or abbreviated."""

    number: int
    language: str
    form: int


@cache
def months(language: str) -> Mapping[str, CalendarWord]:
    """Return plain spelling → month; for words of several languages, `language` comes first."""
    return _table(language, _MONTHS, _OTHER_MONTHS)


@cache
def weekdays(language: str) -> Mapping[str, CalendarWord]:
    """Return plain spelling → day of the week, Monday first."""
    return _table(language, _WEEKDAYS, _OTHER_WEEKDAYS)


def month_like(surface: str, word: CalendarWord, number: int) -> str:
    """Return the name of another month in the language, form and case of a given one."""
    names = _MONTHS[word.language][word.form].split()
    return _like(surface, names[word.number], names[number])


def weekday_like(surface: str, word: CalendarWord, number: int) -> str:
    """Return the name of another day of the week in the same way."""
    names = _WEEKDAYS[word.language][word.form].split()
    return _like(surface, names[word.number], names[number])


def plain(word: str) -> str:
    """Return a word in lower case and without accents."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in parts if not unicodedata.combining(c))


def _like(surface: str, own: str, name: str) -> str:
    """Return `name` in the case of `surface`, without accents if that omits those of `own`."""
    if surface.isascii() and not own.isascii():
        kept = unicodedata.normalize("NFD", name)
        name = "".join(c for c in kept if not unicodedata.combining(c))
    if surface.isupper():
        return name.upper()
    return name.lower() if surface.islower() else name[0].upper() + name[1:]


def _table(
    language: str,
    names: Mapping[str, tuple[str, str]],
    others: Mapping[str, tuple[str, int, int]],
) -> Mapping[str, CalendarWord]:
    table = {
        word: CalendarWord(number, spoken, form) for word, (spoken, form, number) in others.items()
    }
    first = language if language in LANGUAGES else LANGUAGES[0]
    for spoken in reversed((first, *LANGUAGES)):  # the last one counts
        for form in (SHORT, FULL):
            for number, name in enumerate(names[spoken][form].split()):
                table[plain(name)] = CalendarWord(number, spoken, form)
    return table
