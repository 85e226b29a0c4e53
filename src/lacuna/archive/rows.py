"""What a table is: rows to read in order, and a way to write another table like it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple, Protocol

from lacuna.archive.column_names import MissingColumnError
from lacuna.archive.messages import RowDone
from lacuna.deid.date_cells import DateCell
from lacuna.io.corpus import group_of


class Row(NamedTuple):
    """A row of the input; `reason` is why it could not be read.

    `detected` is the encoding it was read in, if that was detected and is not UTF-8.
    """

    number: int
    id: str
    group: str | None
    text: str
    kept: Any = None
    reason: str | None = None
    dates: Sequence[DateCell] = ()
    detected: str = ""


class Table(Protocol):
    """A table to read, and how to write the output."""

    def named_cells(self, row: Row) -> Mapping[str, Any]:
        """Return the cells of a row that stay, unchanged or with other dates, by column."""

    def rows(self) -> Iterator[Row]:
        """Yield the rows in order."""

    def start(self, stream: BinaryIO) -> Callable[[Row, RowDone], None]:
        """Start the output, after the first row is read; return a function that writes a row."""

    def finish(self) -> None:
        """Write the remaining rows."""


def group_in(row_id: str, group: str | None, pattern: re.Pattern[str] | None) -> str | None:
    """Return the group of a row: by the pattern for ids if there is one, otherwise its own."""
    if pattern is None:
        return group or None
    return group_of(pattern, row_id) or group or None


def column_place(header: Sequence[str], name: str, what: str) -> int:
    """Return the index of a column, which must exist exactly once."""
    if header.count(name) != 1:
        option = f"--{what}-columns" if what in ("keep", "date") else f"--{what}-column"
        raise MissingColumnError(header, name, option)
    return header.index(name)
