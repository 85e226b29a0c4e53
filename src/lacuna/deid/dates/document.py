"""The dates of one document: which year is meant where none is written.

A day without a year ("3/14") belongs to the year of the last date before it that has one, else of
the first after it, else to 2000. That decides only whether a February 29 lies in between.
"""

from __future__ import annotations

from bisect import bisect_right

from lacuna.deid.actions import Shift
from lacuna.deid.dates.reading import DEFAULT_YEAR, Reading, read_date, year_of
from lacuna.deid.dates.shifting import secret_offset, shift_date, stated_years
from lacuna.deid.keys import Key

_MONTH_FIRST = frozenset(("en", "en_US"))


class DocumentDates:
    """Dates of a document by their places, to be added in text order and then replaced."""

    def __init__(self, key: Key, unit: tuple[str, str], locale: str) -> None:
        self._key = key
        self._unit = unit
        self._locale = locale
        self._known: dict[tuple[str, bool], Reading | None] = {}
        self._readings: dict[int, Reading | None] = {}
        self._places: list[int] = []  # of dates with a year
        self._years: list[int] = []

    def add(self, place: int, surface: str, order: str) -> None:
        """Read a date; order as in :class:`~lacuna.deid.actions.Shift`."""
        month_first = order == "month-first" or (order == "locale" and self._locale in _MONTH_FIRST)
        if (surface, month_first) not in self._known:
            language = self._locale[:2]
            self._known[surface, month_first] = read_date(
                surface, language=language, month_first=month_first
            )
        reading = self._readings[place] = self._known[surface, month_first]
        years = stated_years(reading) if reading is not None else []
        if years:
            self._places.append(place)
            self._years.append(year_of(years[-1]))

    def reading(self, place: int) -> Reading | None:
        """Return what the date at a place says."""
        return self._readings.get(place)

    def shifted(self, place: int, action: Shift) -> str | None:
        """Return the date at a place moved, None where it could not be read."""
        reading = self._readings.get(place)
        if reading is None:
            return None
        days = secret_offset(self._key, self._unit, max_days=action.max_days, weeks=action.weeks)
        return shift_date(reading, days, assumed_year=self._assumed_year(place))

    def _assumed_year(self, place: int) -> int:
        if not self._years:
            return DEFAULT_YEAR
        return self._years[max(bisect_right(self._places, place) - 1, 0)]
