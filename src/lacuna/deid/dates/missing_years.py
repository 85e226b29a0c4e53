"""The dates of one document, and the year of dates without one.

A day without a year ("3/14") gets the year of the last date before it that has one, otherwise of
the first after it, otherwise 2000. This only decides whether a February 29 is in between.
"""

from __future__ import annotations

from bisect import bisect_right

from lacuna.deid.actions import Shift
from lacuna.deid.dates.reading import DEFAULT_YEAR, Reading, year_of
from lacuna.deid.dates.shifting import secret_offset, shift_date, stated_years
from lacuna.deid.keys import Key


class DocumentDates:
    """Dates of a document by their places; add them in text order, then shift them."""

    def __init__(self, key: Key, unit: tuple[str, str]) -> None:
        self._key = key
        self._unit = unit
        self._offsets: dict[Shift, int] = {}
        self._readings: dict[int, Reading] = {}
        self._years: list[tuple[int, int]] | None = None

    def add(self, place: int, reading: Reading | None) -> None:
        """Add the date at a place; None if it could not be read."""
        if reading is not None:
            self._readings[place] = reading

    def shifted(self, place: int, action: Shift) -> str | None:
        """Return the shifted date at a place, or None if it could not be read."""
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
