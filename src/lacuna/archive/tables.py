"""Tables, row by row: JSON lines, CSV, Parquet, and corpus files with many documents.

Rows are read in order; one that cannot be read has a reason instead of a text. Columns other than
text, id and group are dropped, unless the user wants to copy them unchanged, or with their dates
replaced. Output is UTF-8.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import msgspec

from lacuna.archive.date_columns import Orders, column_orders, date_cells, first_values
from lacuna.archive.inputs import InputFile
from lacuna.archive.messages import RowDone
from lacuna.archive.options import ALL, BadBytes, Columns, InputOptions
from lacuna.archive.parquet import ParquetTable
from lacuna.archive.rows import Row, Table, column_place, group_in
from lacuna.errors import CorpusFormatError
from lacuna.io import jsonl
from lacuna.io.corpus import group_pattern
from lacuna.io.formats import FORMATS
from lacuna.io.source import BYTE_ORDER_MARK, ReadOptions, Source

_BAD_BYTES = "not valid in its encoding"
_HALVES = re.compile("[\udc80-\udcff]")  # undecodable bytes, as surrogateescape keeps them
DELIMITERS = {"csv": ",", "tsv": "\t"}


def open_table(file: InputFile, options: InputOptions) -> Table:
    """Return a table ready to be read; if there are date columns, its first rows are read twice."""
    kind = _kind(file.format)
    names = options.columns.dates
    orders = column_orders(first_values(kind(file, options, {}), names)) if names else {}
    return kind(file, options, orders)


def _kind(file_format: str) -> Callable[[InputFile, InputOptions, Orders], Table]:
    if file_format == "parquet":
        return ParquetTable
    if file_format in DELIMITERS:
        return _CsvTable
    return _JsonTable if file_format == "jsonl" else _CorpusTable


class _JsonLines:
    """Writes JSON lines."""

    def __init__(self, file: InputFile, options: InputOptions, orders: Orders) -> None:
        self._file, self._id, self._options, self._orders = file, file.id, options, orders
        self._pattern = group_pattern(options.group_from)

    def named_cells(self, row: Row) -> Mapping[str, Any]:
        """Return the cells that stay."""
        return row.kept or {}

    def start(self, stream: BinaryIO) -> Callable[[Row, RowDone], None]:
        """Start the output; return a function that writes a row."""
        encode = msgspec.json.Encoder().encode

        def write(row: Row, done: RowDone) -> None:
            line: dict[str, Any] = {"id": done.id, "text": done.text}
            if done.group is not None:
                line["group"] = done.group
            if row.kept:
                new = zip(self._options.columns.dates, done.dates, strict=True)
                dates = {name: cell or None for name, cell in new if name in row.kept}
                line["meta"] = row.kept | dates
            stream.write(encode(line) + b"\n")

        return write

    def finish(self) -> None:
        """Do nothing: all rows are written."""


class _JsonTable(_JsonLines):
    def rows(self) -> Iterator[Row]:
        """Yield one row per line; a line that cannot be read fails alone."""
        columns = self._options.columns
        has_others = bool(columns.keep or columns.dates)
        if codecs.lookup(self._options.encoding).name == "utf-8" and not has_others:
            yield from self._plain_rows()
            return
        with _opened(self._file, self._options) as lines:
            for number, line in enumerate(lines, start=1):
                yield from self._row(number, line)

    def _plain_rows(self) -> Iterator[Row]:
        """Yield the same rows, faster: only id, group and text are parsed, from bytes."""
        with self._file.path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                plain = jsonl.parse_plain(line)
                if plain is None:
                    yield from self._row(number, line.decode(errors="surrogateescape"))
                    continue
                id_ = f"{self._id}-{number}" if plain.id is None else str(plain.id)
                group = None if plain.group is None else str(plain.group)
                yield Row(number, id_, group_in(id_, group, self._pattern), plain.text)

    def _row(self, number: int, line: str) -> Iterator[Row]:
        """Read a line; blank lines, and those rejected by their annotator, are skipped."""
        line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if not line or line.isspace():
            return
        automatic = f"{self._id}-{number}"
        if number == 1 and line.lstrip().startswith("["):
            raise CorpusFormatError("table", "is one JSON array; JSON lines are needed")
        mended = _mended(line, self._options.bad_bytes)
        if mended is None:
            yield Row(number, automatic, None, "", reason=_BAD_BYTES)
            return
        try:
            document = jsonl.parse(mended, automatic)
        except ValueError as error:
            yield Row(number, automatic, None, "", reason=str(error))
            return
        if document is not None:
            columns = self._options.columns
            kept = {name: value for name, value in document.meta.items() if columns.stays(name)}
            group = group_in(document.id, document.group, self._pattern)
            dates = date_cells(kept, columns.dates, self._orders)
            yield Row(number, document.id, group, document.text, kept, dates=dates)


class _CorpusTable(_JsonLines):
    def rows(self) -> Iterator[Row]:
        """Yield the documents of a corpus file."""
        source = Source(self._file.path, self._file.id, ReadOptions(self._options.encoding))
        documents = FORMATS[self._file.format].read(source)
        for number, document in enumerate(documents, start=1):
            group = group_in(document.id, document.group, self._pattern)
            yield Row(number, document.id, group, document.text)


class _CsvTable:
    def __init__(self, file: InputFile, options: InputOptions, orders: Orders) -> None:
        self._file, self._id, self._options, self._orders = file, file.id, options, orders
        self._pattern = group_pattern(options.group_from)
        self._delimiter = DELIMITERS[file.format]
        self._header: list[str] = []
        self._line_end = "\n"

    def rows(self) -> Iterator[Row]:
        """Yield the rows below the first line, which names the columns."""
        csv.field_size_limit(sys.maxsize)  # a note may be long
        with _opened(self._file, self._options) as lines:
            cells = csv.reader(self._look(lines), delimiter=self._delimiter, strict=True)
            try:
                self._header = next(cells, [])
                place = _places(self._header, self._options.columns)
                for number, row in enumerate(cells, start=1):
                    if row:
                        yield self._row(number, row, place)
            except csv.Error:
                raise CorpusFormatError(
                    "table", "a quotation mark is wrong or missing", line=cells.line_num
                ) from None

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
        mended = [_mended(cell, self._options.bad_bytes) for cell in row]
        cells = [cell for cell in mended if cell is not None]
        if len(cells) < len(row):
            return Row(number, automatic, None, "", reason=_BAD_BYTES)
        id_ = cells[place["id"]] if "id" in place else automatic
        group = group_in(id_, cells[place["group"]] if "group" in place else None, self._pattern)
        columns = self._options.columns
        dates = date_cells(self._named(cells) if columns.dates else {}, columns.dates, self._orders)
        return Row(number, id_, group, cells[place["text"]], cells, dates=dates)

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


def _opened(file: InputFile, options: InputOptions) -> io.TextIOWrapper:
    """Open a table as text lines; invalid bytes become lone surrogates."""
    return file.path.open(encoding=options.encoding, errors="surrogateescape", newline="\n")


def _mended(text: str, bad_bytes: BadBytes) -> str | None:
    """Return a text without undecodable bytes, or ``None`` if it must fail."""
    if not _HALVES.search(text):
        return text
    return None if bad_bytes is BadBytes.FAIL else _HALVES.sub("\ufffd", text)
