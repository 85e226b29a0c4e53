"""CSV and TSV tables: columns by name, any usual delimiter, written as they were read.

The delimiter of a CSV file is the first of comma, semicolon, tab and bar with which its first line
names the columns that are needed; spreadsheets write semicolons where the comma is the decimal
sign.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from lacuna.archive.date_columns import Orders, date_cells
from lacuna.archive.inputs import InputFile
from lacuna.archive.messages import RowDone
from lacuna.archive.options import ALL, Columns, InputOptions
from lacuna.archive.rows import Row, column_place, group_in
from lacuna.errors import CorpusFormatError
from lacuna.io.corpus import group_pattern
from lacuna.io.source import BYTE_ORDER_MARK

#: Delimiters to try, by format.
DELIMITERS = {"csv": (",", ";", "\t", "|"), "tsv": ("\t",)}


class DelimitedTable:
    """A table of lines and cells; the first line names the columns."""

    def __init__(self, file: InputFile, options: InputOptions, orders: Orders) -> None:
        csv.field_size_limit(sys.maxsize)  # a note may be long
        self._file, self._id, self._options, self._orders = file, file.id, options, orders
        self._encodings, self._replaces = options.encodings, options.replaces_bad_bytes
        self._pattern = group_pattern(options.group_from)
        self._delimiter = ""
        self._header: list[str] = []
        self._line_end = "\n"
        self._detected = ""

    def rows(self) -> Iterator[Row]:
        """Yield the rows below the first line."""
        self._delimiter = self._delimiter or self._right_delimiter()
        with self._encodings.open_lines(self._file.path) as lines:
            self._detected = self._encodings.detected(lines.encoding)
            cells = csv.reader(self._look(lines), delimiter=self._delimiter, strict=True)
            try:
                self._header = self._mended_header(next(cells, []))
                place = _places(self._header, self._options.columns)
                for number, row in enumerate(cells, start=1):
                    if row:
                        yield self._row(number, row, place)
            except csv.Error:
                raise CorpusFormatError(
                    "table", "a quotation mark is wrong or missing", line=cells.line_num
                ) from None

    def _right_delimiter(self) -> str:
        """Return the delimiter with which all columns are there, or else there are most."""
        columns = self._options.columns
        others = {name for name in (columns.id, columns.group) if name is not None}
        needed = {columns.text, *others, *columns.dates, *columns.keep} - {ALL}
        found: dict[int, str] = {}
        for delimiter in DELIMITERS[self._file.format]:
            header = self._header_with(delimiter)
            if needed <= {*header}:
                return delimiter
            found.setdefault(len(header), delimiter)
        return found[max(found)]

    def _header_with(self, delimiter: str) -> list[str]:
        with self._encodings.open_lines(self._file.path) as lines:
            cells = csv.reader(self._look(lines), delimiter=delimiter, strict=True)
            try:
                return self._mended_header(next(cells, []))
            except csv.Error:
                return []

    def _mended_header(self, names: Sequence[str]) -> list[str]:
        return [self._encodings.mend(name, replace=True).text for name in names]

    def _look(self, lines: Iterator[str]) -> Iterator[str]:
        for number, line in enumerate(lines):
            if not number:
                self._line_end = "\r\n" if line.endswith("\r\n") else "\n"
                line = line.removeprefix(BYTE_ORDER_MARK)
            yield line

    def _row(self, number: int, row: list[str], place: dict[str, int]) -> Row:
        automatic = f"{self._id}-{number}"
        if len(row) != len(self._header):
            return Row(
                number, automatic, None, "", reason="the number of cells differs from the header"
            )
        try:
            mended = [self._encodings.mend(cell, replace=self._replaces) for cell in row]
        except CorpusFormatError as error:
            return Row(number, automatic, None, "", reason=error.reason)
        cells = [cell.text for cell in mended]
        detected = next((cell.detected for cell in mended if cell.detected), self._detected)
        id_ = cells[place["id"]] if "id" in place else automatic
        group = group_in(id_, cells[place["group"]] if "group" in place else None, self._pattern)
        columns = self._options.columns
        dates = date_cells(self._named(cells) if columns.dates else {}, columns.dates, self._orders)
        text = cells[place["text"]]
        return Row(number, id_, group, text, cells, dates=dates, detected=detected)

    def _named(self, cells: Sequence[str]) -> dict[str, str]:
        return {name: cells[i] for i, name in enumerate(self._header)}

    def named_cells(self, row: Row) -> Mapping[str, Any]:
        """Return the cells that stay."""
        stays = self._options.columns.stays
        return {name: cell for name, cell in self._named(row.kept).items() if stays(name)}

    def start(self, stream: BinaryIO) -> Callable[[Row, RowDone], None]:
        """Start the output with the names of the columns that stay."""
        columns = self._options.columns
        place = _places(self._header, columns)
        ours = {where: what for what, where in place.items()}
        stay = [
            where for where, name in enumerate(self._header) if where in ours or columns.stays(name)
        ]
        dates = {self._header.index(name): i for i, name in enumerate(columns.dates)}

        def write_cells(cells: Sequence[str]) -> None:
            line = io.StringIO()
            csv.writer(line, delimiter=self._delimiter, lineterminator=self._line_end).writerow(
                cells
            )
            stream.write(line.getvalue().encode())

        def write(row: Row, done: RowDone) -> None:
            cells = list(row.kept)
            new = {"text": done.text, "id": done.id, "group": done.group or ""}
            for where, what in ours.items():
                cells[where] = new[what]
            for where, i in dates.items():
                cells[where] = done.dates[i]
            write_cells([cells[i] for i in stay])

        write_cells([self._header[i] for i in stay])
        return write

    def finish(self) -> None:
        """Do nothing: all rows are written."""


def _places(header: Sequence[str], columns: Columns) -> dict[str, int]:
    """Return the indices of the columns for text, id and group."""
    wanted = {"text": columns.text, "id": columns.id, "group": columns.group}
    places = {}
    for what, name in wanted.items():
        if name is not None:
            places[what] = column_place(header, name, what)
    for name in columns.keep:
        if name != ALL:
            column_place(header, name, "keep")
    for name in columns.dates:
        column_place(header, name, "date")
    return places
