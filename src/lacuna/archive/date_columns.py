"""Which columns of a table contain dates, and how they write them, from its first rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any

from lacuna.archive.rows import Table
from lacuna.deid.date_cells import DateCell, split_time
from lacuna.deid.dates.order import Order, OrderEvidence, order_clues, order_evidence
from lacuna.deid.dates.reading import NONE, read_date
from lacuna.deid.dates.years import is_birth_column

Orders = Mapping[str, Order | None]  #: of the columns, as far as they are known
SURVEYED = 1000  #: rows
LOOKED_AT = 50  #: values of a column that tell whether it contains dates


def first_values(table: Table, names: Sequence[str] | None = None) -> dict[str, list[Any]]:
    """Return values of columns in the first rows of a table, without empty ones."""
    values: dict[str, list[Any]] = {}
    for row in islice(table.rows(), SURVEYED):
        if row.reason is None:
            for name, value in table.named_cells(row).items():
                if value not in (None, "") and (names is None or name in names):
                    values.setdefault(name, []).append(value)
    return values


def looks_like_dates(values: Sequence[Any]) -> bool:
    """Whether most of the first values are dates, as text or as such."""
    looked_at = values[:LOOKED_AT]
    return 2 * sum(map(_is_date, looked_at)) > len(looked_at)


def _is_date(value: Any) -> bool:
    """Whether a value is a date with its year; 4.12 and 1998 alone are not."""
    if isinstance(value, date):
        return True
    written, _ = split_time(str(value)) if isinstance(value, str | int) else ("", "")
    reading = read_date(written)
    return reading is not None and any(
        parts.whole != NONE
        or (parts.year != NONE and parts.day != NONE)
        or (NONE not in (parts.month, parts.year) and reading.letters[parts.year] == "Y")
        for parts in reading.dates
    )


def column_orders(values: Mapping[str, Sequence[Any]]) -> Orders:
    """Return the order of day and month in each column; None if its values do not tell it."""
    return {name: _evidence(map(cell_text, column)).order for name, column in values.items()}


def _evidence(cells: Iterable[str]) -> OrderEvidence:
    found = OrderEvidence()
    for cell in cells:
        written, _ = split_time(cell)
        reading = read_date(written)
        if reading is not None:
            found = found.merged(order_evidence(written, [(0, order_clues(reading))]))
    return found


def cell_text(value: Any) -> str:
    """Return a cell as text; of a time stamp, its date."""
    if isinstance(value, date):
        return value.isoformat()[:10]
    return "" if value is None else str(value)


def date_cells(
    cells: Mapping[str, Any], names: Sequence[str], orders: Orders
) -> tuple[DateCell, ...]:
    """Return the date cells of a row, in the order of the columns asked for."""
    return tuple(
        DateCell(cell_text(cells.get(name)), orders.get(name), is_birth_column(name))
        for name in names
    )


def date_like(original: date | datetime, cell: str | None) -> date | datetime | None:
    """Return a shifted date as what it was: a date, or a point in time; None if it is empty."""
    if not cell:
        return None
    day = date.fromisoformat(cell)
    return datetime.combine(day, original.timetz()) if isinstance(original, datetime) else day
