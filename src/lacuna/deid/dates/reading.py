r"""Reading dates as notes write them.

The surface is cut into numbers, words and signs, each of which becomes one letter; a date is a
pattern over these letters:

======  ==============================  ======  ==================================================
letter  meaning                         letter  meaning
======  ==============================  ======  ==================================================
``N``   a number of one or two digits   ``O``   the ending of an ordinal: th, er, º
``Y``   a year of four digits           ``C``   of, de, del, den, the, …
``E``   ``20140314``                    ``R``   to, until, bis, hasta, …
``M``   the name of a month             ``T``   am, pm, Uhr, the T and Z of a timestamp
``W``   the name of a day of the week   ``_``   white space; other signs are themselves
======  ==============================  ======  ==================================================

``March 14th, 2014`` is ``M_NO,_Y``. A surface with a letter that fits no pattern is not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import cache, lru_cache
from typing import NamedTuple

from lacuna.deid.dates.calendar_words import months, plain, weekdays

MAX_LENGTH = 120
NONE = -1
DEFAULT_YEAR = 2000  #: assumed if no date of the document has a year; it has a February 29

_PIECES = re.compile(r"\d+|[^\W\d_]+|\s+|.", re.DOTALL)
_ORDINALS = frozenset(("st", "nd", "rd", "th", "er", "e", "º", "ª", "o"))
_LINKS = frozenset(("of", "the", "on", "in", "dated", "de", "del", "el", "en", "d"))
_MORE_LINKS = frozenset(("den", "der", "am", "vom", "im", "le", "du", "het", "year", "ano", "mes"))
_RANGES = frozenset(("to", "until", "till", "through", "thru", "and", "from", "between"))
_MORE_RANGES = frozenset(("bis", "von", "und", "hasta", "al", "a", "y", "et", "au", "tot", "van"))
_TIMES = frozenset(("am", "pm", "h", "hr", "hrs", "hours", "uhr", "z", "t", "utc"))
_WORDS = (
    ("O", _ORDINALS),
    ("T", _TIMES),
    ("C", _LINKS | _MORE_LINKS),
    ("R", _RANGES | _MORE_RANGES),
)
_SIGNS = {"–": "-", "—": "-", "−": "-", "‐": "-", "’": "'", "‘": "'", "´": "'", "`": "'"}

# A number is no year if it begins a time, an ordinal or another date.
_SHORT_YEAR = r"N(?![:O]|[/.-]?[_C]*[NM])"


#: Shapes of dates by their first letter, in the order in which they are tried. Groups: d day, e
#: last day of a range, m month, y or z year, w day of the week, x a whole date; a, b, c numbers
#: whose order is not yet known. The first shape of N is a time of day.
_SHAPES = {
    first: [re.compile(shape) for shape in shapes]
    for first, shapes in {
        "N": (
            r"N:N(?::N)?(?:_?T)?",
            rf"(?P<d>N)O?\.?_*[-R]_*(?P<e>N)O?[_C.]*(?P<m>M)\.?(?:[_C,']+(?P<y>Y|{_SHORT_YEAR}))?",
            r"(?P<a>N)([/.-])_?(?P<b>N)\2_?(?P<c>Y|N)",
            rf"(?P<d>N)O?\.?[_C/-]*(?P<m>M)\.?(?:[_C,/'-]*(?P<y>Y)|[_C,/'-]+(?P<z>{_SHORT_YEAR}))?",
            r"(?P<m>N)[/.-](?P<y>Y)",
            r"(?P<a>N)([/.-])(?P<b>N)",
        ),
        "E": (r"(?P<x>E)",),
        "Y": (
            r"(?P<y>Y)([/.-])(?P<m>N)\2(?P<d>N)",
            r"(?P<y>Y)[/-](?P<m>N)",
            r"(?P<y>Y)",
        ),
        "M": (
            rf"(?P<m>M)\.?_*(?P<d>N)O?_*[-R]_*(?P<e>N)O?(?![/.:-])(?:[_C,']+(?P<y>Y|{_SHORT_YEAR}))?",
            r"(?P<m>M)\.?(?:[_C,/'-]*(?P<y>Y)|_*'(?P<z>N))",
            rf"(?P<m>M)\.?[_C/-]*(?P<d>N)O?(?![:])(?:[_C,/'-]+(?P<y>Y|{_SHORT_YEAR}))?",
            r"(?P<m>M)",
        ),
        "'": (r"'(?P<y>N)",),
        "W": (r"(?P<w>W)",),
    }.items()
}
_FILLERS = frozenset("_-,.()RCT")


class DateParts(NamedTuple):
    """Which pieces are the parts of one date; :data:`NONE` for missing parts."""

    year: int = NONE
    month: int = NONE
    day: int = NONE
    last_day: int = NONE  #: of "March 14-20"
    weekday: int = NONE
    whole: int = NONE  #: ``20140314``


class Numbers(NamedTuple):
    """Which pieces are the numbers of a date whose order is not yet known, as in 03/04/2014."""

    first: int
    second: int
    third: int


class Reading(NamedTuple):
    """A surface that was understood.

    Attributes
    ----------
    pieces
        The surface, cut into pieces.
    letters
        The letter of each piece.
    dates
        The dates in it, in text order: two for "from March to May".
    """

    pieces: list[str]
    letters: str
    dates: list[DateParts]
    language: str


def read_date(surface: str, *, language: str = "en", month_first: bool = True) -> Reading | None:
    """Return what a date says, or None if it cannot be read.

    Parameters
    ----------
    surface
        As in the text.
    language
        The language to prefer for names of months that several languages share.
    month_first
        How ``03/04/2014`` is read, if both orders are possible.
    """
    if len(surface) > MAX_LENGTH:
        return None
    pieces: list[str] = _PIECES.findall(surface)
    known = _letters(language)
    letters = "".join([known.get(piece) or _letter(piece, language) for piece in pieces])
    dates: list[DateParts] = []
    for found in _places(letters) or ():
        parts = _parts(found, pieces, month_first)
        if parts is None or not _is_possible(parts, pieces, language):
            return None
        dates.append(parts)
    return Reading(pieces, letters, dates, language) if dates else None


@lru_cache(1024)
def _places(letters: str) -> tuple[DateParts | Numbers, ...] | None:
    """Return the parts of each date in a row of letters, or None if no shape fits."""
    found: list[DateParts | Numbers] = []
    place = 0
    while place < len(letters):
        shapes = _SHAPES.get(letters[place], ())
        match = next((m for shape in shapes if (m := shape.match(letters, place))), None)
        if match is not None:
            at = {name: match.start(name) for name, part in match.groupdict().items() if part}
            if "a" in at:
                found.append(Numbers(at["a"], at["b"], at.get("c", NONE)))
            elif at:  # a time of day has no parts
                year = at.get("y", at.get("z", NONE))
                found.append(DateParts(year, *(at.get(name, NONE) for name in "mdewx")))
            place = match.end()
        elif letters[place] in _FILLERS:
            place += 1
        else:
            return None
    return tuple(found)


@cache
def _letters(language: str) -> Mapping[str, str]:
    """Return the letters of the most common pieces."""
    numbers = [
        *map(str, range(100)),
        *(f"{n:02d}" for n in range(10)),
        *map(str, range(1900, 2100)),
    ]
    names = [*months(language), *weekdays(language)]
    words = [change(name) for name in names for change in (str.lower, str.title, str.upper)]
    return {piece: _letter(piece, language) for piece in (*numbers, *words, *" /-.,:'()")}


def _letter(piece: str, language: str) -> str:
    if piece.isdigit():
        if not piece.isascii():
            return "X"
        if len(piece) <= 2:
            return "N"
        if len(piece) == 4 and "1" <= piece[0] <= "2":
            return "Y"
        return "E" if len(piece) == 8 and "1" <= piece[0] <= "2" else "X"
    if piece.isalpha():
        word = plain(piece)
        if word in months(language):
            return "M"
        if word in weekdays(language):
            return "W"
        for letter, words in _WORDS:
            if word in words or piece in words:
                return letter
        return "X"
    if piece.isspace():
        return "_"
    sign = _SIGNS.get(piece, piece)
    return sign if sign in "/-.,:'()" else "X"


def _parts(found: DateParts | Numbers, pieces: list[str], month_first: bool) -> DateParts | None:
    if isinstance(found, Numbers):
        return _numeric(found, pieces, month_first)
    year, month, day, last_day, _, _ = found
    if day != NONE and year == NONE and last_day == NONE and int(pieces[day]) > 31:
        return DateParts(year=day, month=month)  # "Mar 98"
    return found


def _numeric(numbers: Numbers, pieces: list[str], month_first: bool) -> DateParts | None:
    """Decide which of two or three numbers is the month."""
    a, b, c = numbers
    first, second = int(pieces[a]), int(pieces[b])
    if c == NONE and second > 31:
        return DateParts(year=b, month=a)  # "3/98"
    if c != NONE and first > 31:
        return DateParts(year=a, month=b, day=c)  # "98/03/14"
    month, day = (a, b) if month_first else (b, a)
    if int(pieces[month]) > 12:
        month, day = day, month
    if int(pieces[month]) > 12:
        return None
    return DateParts(year=c, month=month, day=day)


def _is_possible(parts: DateParts, pieces: list[str], language: str) -> bool:
    """Whether the calendar has this day."""
    if parts.weekday != NONE:
        return True
    try:
        day_of(parts, pieces, language, DEFAULT_YEAR)
        if parts.last_day != NONE:
            day_of(parts._replace(day=parts.last_day), pieces, language, DEFAULT_YEAR)
    except ValueError:
        return False
    return parts.last_day == NONE or int(pieces[parts.day]) < int(pieces[parts.last_day])


def is_numeric(reading: Reading, parts: DateParts) -> bool:
    """Whether a date is day and month in numbers, in an order that only the numbers can tell."""
    if NONE in (parts.day, parts.month) or parts.last_day != NONE:
        return False
    is_year_first = NONE != parts.year < parts.day
    return reading.letters[parts.month] == "N" and not is_year_first


def is_ambiguous(reading: Reading) -> bool:
    """Whether a date in it can be read day first and month first."""
    return any(
        is_numeric(reading, parts)
        and max(int(reading.pieces[parts.day]), int(reading.pieces[parts.month])) <= 12
        for parts in reading.dates
    )


def day_of(parts: DateParts, pieces: list[str], language: str, assumed_year: int) -> date:
    """Return the day a date means; missing parts are assumed.

    A missing day is the middle of the month, a year alone is July 1, a missing year is
    `assumed_year` (the next leap year for February 29).
    """
    if parts.whole != NONE:
        digits = pieces[parts.whole]
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    year = year_of(pieces[parts.year]) if parts.year != NONE else assumed_year
    if parts.month == NONE:
        return date(year, 7, 1)
    month = month_of(pieces[parts.month], language)
    day = int(pieces[parts.day]) if parts.day != NONE else 15
    if parts.year == NONE and month == 2 and day == 29:
        year += -year % 4
    return date(year, month, day)


def year_of(piece: str) -> int:
    """Return the year that two or four digits mean: 49 is 2049, 50 is 1950."""
    year = int(piece)
    if len(piece) > 2:
        return year
    return year + (2000 if year < 50 else 1900)


def month_of(piece: str, language: str) -> int:
    """Return the month, from 1, that a number or a name means."""
    return int(piece) if piece.isdigit() else months(language)[plain(piece)].number + 1
