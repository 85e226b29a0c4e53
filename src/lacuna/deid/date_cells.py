"""Dates outside of texts: the cells of a table's date columns, replaced like dates in the text.

A cell of a row is shifted by the same number of days as the row's text. A time of day after the
date stays if dates are shifted. What cannot be read is not copied.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from lacuna.deid.actions import Action, Generalise, Keep, Shift, Surrogate
from lacuna.deid.dates.order import Order
from lacuna.deid.dates.reading import Reading, is_ambiguous
from lacuna.deid.dates.shifting import DocumentDates
from lacuna.deid.dates.years import OldAge, full_years, is_doubtful
from lacuna.deid.generalising import generalise_date
from lacuna.deid.keys import Key
from lacuna.deid.replacing import Surfaces

_TIME = re.compile(
    r"(?:T|[ ]{1,2})[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?"
    r"(?:[ ]?(?i:am|pm))?(?:[ ]?(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?))?"
)
#: Actions that leave something of a date; with others, date columns would be empty.
SHOWING = (Shift, Surrogate, Generalise, Keep)


class DateCell(msgspec.Struct, frozen=True, array_like=True):
    """A cell of a date column.

    Attributes
    ----------
    text
        As in the table.
    order
        How the column writes numeric dates, if that is known.
    is_birth
        Whether it is a column of dates of birth.
    """

    text: str
    order: Order | None = None
    is_birth: bool = False


class DateCells:
    """Replaces the date cells of rows."""

    def __init__(self, action: Action, key: Key, surfaces: Surfaces) -> None:
        self._action = Shift() if isinstance(action, Surrogate) else action
        self._key, self._surfaces = key, surfaces

    def replaced(
        self, cells: Sequence[DateCell], unit: tuple[str, str], *, is_over_89: bool, order: Order
    ) -> list[str | None]:
        """Return the cells of a row replaced, None for those that cannot be shown.

        Parameters
        ----------
        cells
            Of one row; empty ones stay empty.
        unit
            Whose they are: the patient, or the row.
        is_over_89
            Whether the text of the row states an age over 89.
        order
            Of the dates in the text, for columns that have no order of their own.
        """
        dates = DocumentDates(self._key, unit)
        times: dict[int, str] = {}
        years: list[int] = []  # not of births
        for place, cell in enumerate(cells):
            written, times[place] = split_time(cell.text)
            reading = self._read(written, cell.order or order)
            if reading is not None:
                dates.add(place, reading)
                years += [] if cell.is_birth else full_years(reading)
        old_age = OldAge(tuple(years), is_over_89)
        return [
            cell.text if not cell.text or isinstance(self._action, Keep)
            else self._shown(place, cell, times[place], dates, old_age)
            for place, cell in enumerate(cells)
        ]  # fmt: skip

    def _read(self, written: str, order: Order) -> Reading | None:
        action = self._action
        if isinstance(action, Shift) and action.order != "locale":
            order = Order(action.order)
        date = self._surfaces.date(written, order is Order.MONTH_FIRST)
        if date is None or is_doubtful(date.reading):
            return None
        is_unclear = order is Order.CONTRADICTORY and is_ambiguous(date.reading)
        return None if is_unclear and isinstance(action, Shift) else date.reading

    def _shown(
        self, place: int, cell: DateCell, time: str, dates: DocumentDates, old_age: OldAge
    ) -> str | None:
        reading, action = dates.reading(place), self._action
        if reading is None:
            return None
        years, is_strict = full_years(reading), isinstance(action, Generalise)
        if (cell.is_birth or is_strict) and old_age.shows(
            years, is_birth=cell.is_birth, is_strict=is_strict
        ):
            return None
        if isinstance(action, Shift):
            shifted = dates.shifted(place, action)
            return None if shifted is None else shifted + time
        return generalise_date(reading) if is_strict else None


def split_time(cell: str) -> tuple[str, str]:
    """Return the date of a cell, and the time of day after it."""
    text = cell.strip()
    for match in re.finditer("[T ]", text):
        if _TIME.fullmatch(text, match.start()):
            return text[: match.start()], text[match.start() :]
    return text, ""
