"""Shifting dates by a number of days, and the secret offset of each patient.

All dates of a patient are shifted by the same number of days, so intervals between dates are kept.
Missing parts are assumed (:func:`~lacuna.deid.dates.reading.day_of`) and not written, so a month or
year without a day is correct to within half a month or half a year.

The dates of one document, and the year of dates without one.

A day without a year ("3/14") gets the year of the last date before it that has one, otherwise of
the first after it, otherwise 2000. This only decides whether a February 29 is in between.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import date, timedelta

from lacuna.deid.actions import Shift
from lacuna.deid.dates.calendar_words import month_like, months, plain, weekday_like, weekdays
from lacuna.deid.dates.reading import DEFAULT_YEAR, NONE, DateParts, Reading, day_of, year_of
from lacuna.deid.keys import Key

_ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def secret_offset(key: Key, unit: tuple[str, str], *, max_days: int, weeks: bool = False) -> int:
    """Return the offset of a patient in days: up to `max_days`, never 0."""
    step = 7 if weeks else 1
    most = max_days // step
    # 2 · most choices: -most … -1, 1 … most
    choice = key.number("date offset", *unit) % (2 * most) - most
    return step * (choice if choice < 0 else choice + 1)


def shift_date(reading: Reading, days: int, *, assumed_year: int = DEFAULT_YEAR) -> str | None:
    """Return the surface with its dates shifted, or None if the calendar ends.

    Parameters
    ----------
    reading
        What :func:`~lacuna.deid.dates.reading.read_date` understood.
    days
        Forward, or back if negative.
    assumed_year
        For dates without a year, unless another date of the same surface has one.
    """
    pieces = list(reading.pieces)
    offset = timedelta(days)
    try:
        if len(reading.dates) == 1:
            _move(reading, pieces, reading.dates[0], offset, assumed_year)
        else:
            for parts, year in zip(reading.dates, _years(reading), strict=True):
                _move(reading, pieces, parts, offset, year or assumed_year)
    except (OverflowError, ValueError):
        return None
    return "".join(pieces)


def stated_years(reading: Reading) -> list[str]:
    """Return the years of a surface, as written, in text order."""
    named = [parts for parts in reading.dates if parts.year != NONE or parts.whole != NONE]
    return [
        reading.pieces[p.year] if p.year != NONE else reading.pieces[p.whole][:4] for p in named
    ]


def _years(reading: Reading) -> list[int | None]:
    """Return a year for each date of a surface: its own, the next one's, or the last one's."""
    own = [
        year_of(reading.pieces[p.year])
        if p.year != NONE
        else int(reading.pieces[p.whole][:4])
        if p.whole != NONE
        else None
        for p in reading.dates
    ]
    near: list[int | None] = []
    for i in range(len(own)):
        later = [year for year in own[i:] if year is not None]
        earlier = [year for year in own[:i] if year is not None]
        near.append(later[0] if later else earlier[-1] if earlier else None)
    return near


def _move(
    reading: Reading, pieces: list[str], parts: DateParts, offset: timedelta, assumed_year: int
) -> None:
    """Write one shifted date into the pieces."""
    if parts.weekday != NONE:
        surface = pieces[parts.weekday]
        word = weekdays(reading.language)[plain(surface)]
        pieces[parts.weekday] = weekday_like(surface, word, (word.number + offset.days) % 7)
        return
    day = day_of(parts, reading.pieces, reading.language, assumed_year) + offset
    if not 1000 <= day.year <= 2999:
        raise OverflowError
    if parts.whole != NONE:
        pieces[parts.whole] = f"{day.year:04d}{day.month:02d}{day.day:02d}"
        return
    if parts.last_day != NONE:
        last = parts._replace(day=parts.last_day)
        end = day_of(last, reading.pieces, reading.language, assumed_year) + offset
        _write_range(reading, pieces, parts, day, end)
        return
    _write(reading, pieces, parts, day, padded=_is_padded(reading, parts))


def _write(
    reading: Reading, pieces: list[str], parts: DateParts, day: date, *, padded: bool
) -> None:
    if parts.year != NONE:
        pieces[parts.year] = _year_like(reading.pieces[parts.year], day)
    if parts.month != NONE:
        pieces[parts.month] = _month_like(reading, parts.month, day, padded=padded)
    if parts.day != NONE:
        _write_day(reading, pieces, parts.day, day, padded=padded)


def _write_range(
    reading: Reading, pieces: list[str], parts: DateParts, first: date, last: date
) -> None:
    """Write "March 14-20, 2014"; if the range now spans two months, both are named."""
    padded = _is_padded(reading, parts)
    _write(reading, pieces, parts, last, padded=padded)
    _write_day(reading, pieces, parts.day, first, padded=padded)
    _write_day(reading, pieces, parts.last_day, last, padded=padded)
    if first.month == last.month:
        return
    other_year = parts.year != NONE and first.year != last.year
    year = _year_like(reading.pieces[parts.year], first) if other_year else ""
    month = _month_like(reading, parts.month, first, padded=padded)
    if parts.month < parts.day:
        pieces[parts.last_day] = f"{pieces[parts.month]} {pieces[parts.last_day]}"
        pieces[parts.month] = month
        where = parts.day + _has_ending(reading, parts.day)
        pieces[where] += f", {year}" if year else ""
    else:
        where = parts.day + _has_ending(reading, parts.day)
        link = "".join(reading.pieces[parts.last_day + 1 : parts.month])
        link = link if link.strip().isalpha() else " "  # de
        pieces[where] += f"{link}{month}" + (f"{link}{year}" if year else "")


def _write_day(reading: Reading, pieces: list[str], where: int, day: date, *, padded: bool) -> None:
    pieces[where] = f"{day.day:02d}" if padded else str(day.day)
    if _has_ending(reading, where):
        pieces[where + 1] = _ending_like(reading.pieces[where + 1], day.day)


def _has_ending(reading: Reading, where: int) -> int:
    return int(reading.letters[where + 1 : where + 2] == "O")


def _ending_like(surface: str, day: int) -> str:
    ending = surface.lower()
    if ending == "er":  # French: only the first of a month has one
        return surface if day == 1 else ""
    if ending in {"st", "nd", "rd", "th"}:
        ending = _ENDINGS.get(day, "th")
        return ending.upper() if surface.isupper() else ending
    return surface


def _is_padded(reading: Reading, parts: DateParts) -> bool:
    """Whether days and months have two digits: true for "03/14", not for "3/14", "March 14"."""
    numbers = [
        reading.pieces[i]
        for i in (parts.day, parts.month, parts.last_day)
        if i != NONE and reading.letters[i] == "N"
    ]
    if any(len(number) == 1 for number in numbers):
        return False
    has_name = reading.letters[parts.month] == "M"
    return not has_name or any(number[0] == "0" for number in numbers)


def _year_like(surface: str, day: date) -> str:
    return f"{day.year % 100:02d}" if len(surface) <= 2 else f"{day.year:04d}"


def _month_like(reading: Reading, where: int, day: date, *, padded: bool) -> str:
    surface = reading.pieces[where]
    if reading.letters[where] == "N":
        return f"{day.month:02d}" if padded else str(day.month)
    word = months(reading.language)[plain(surface)]
    return month_like(surface, word, day.month - 1)


class DocumentDates:
    """Dates of a document by their places; add them in text order, then shift them."""

    def __init__(self, key: Key, unit: tuple[str, str]) -> None:
        self._key = key
        self._unit = unit
        self._offsets: dict[Shift, int] = {}
        self._readings: dict[int, Reading] = {}
        self._years: list[tuple[int, int]] | None = None

    def add(self, place: int, reading: Reading) -> None:
        """Add the date at a place."""
        self._readings[place] = reading

    def reading(self, place: int) -> Reading | None:
        """Return the date at a place, or None if there is none to be shown."""
        return self._readings.get(place)

    def shifted(self, place: int, action: Shift) -> str | None:
        """Return the shifted date at a place, or None if there is none to be shown."""
        reading = self._readings.get(place)
        if reading is None:
            return None
        days = self._offsets.get(action)
        if days is None:
            days = self._offsets[action] = secret_offset(
                self._key, self._unit, max_days=action.max_days, weeks=action.weeks
            )
        if stated_years(reading):  # no year has to be assumed
            return shift_date(reading, days)
        return shift_date(reading, days, assumed_year=self._assumed_year(place))

    def _assumed_year(self, place: int) -> int:
        if self._years is None:
            stated = ((at, stated_years(reading)) for at, reading in self._readings.items())
            self._years = [(at, year_of(years[-1])) for at, years in stated if years]
        if not self._years:
            return DEFAULT_YEAR
        before = bisect_right(self._years, place, key=lambda year: year[0])
        return self._years[max(before - 1, 0)][1]
