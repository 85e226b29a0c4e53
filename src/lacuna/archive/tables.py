"""Tables, row by row: JSON lines, CSV, Parquet, and corpus files with many documents.

Rows are read in order; one that cannot be read has a reason instead of a text. Columns other than
text, id and group are dropped, unless the user wants to copy them unchanged, or with their dates
replaced. Output is UTF-8.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

import msgspec

from lacuna.archive.date_columns import Orders, column_orders, date_cells, first_values
from lacuna.archive.delimited import DELIMITERS, DelimitedTable
from lacuna.archive.inputs import InputFile, encoding_of
from lacuna.archive.messages import RowDone
from lacuna.archive.options import InputOptions
from lacuna.archive.parquet import ParquetTable
from lacuna.archive.rows import Row, Table, group_in
from lacuna.errors import CorpusFormatError
from lacuna.io import jsonl
from lacuna.io.corpus import group_pattern
from lacuna.io.decoding import UTF_8
from lacuna.io.formats import FORMATS
from lacuna.io.source import BYTE_ORDER_MARK, ReadOptions, Source


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
        return DelimitedTable
    return _JsonTable if file_format == "jsonl" else _CorpusTable


class _JsonLines:
    """Writes JSON lines."""

    def __init__(self, file: InputFile, options: InputOptions, orders: Orders) -> None:
        self._file, self._id, self._options, self._orders = file, file.id, options, orders
        self._encodings = options.encodings
        self._pattern = group_pattern(options.group_from)

    def named_cells(self, row: Row) -> Mapping[str, Any]:
        """Return the cells that stay."""
        return row.kept or {}

    def start(self, stream: BinaryIO) -> Callable[[Row, RowDone], None]:
        """Start the output; return a function that writes a row."""
        encode = msgspec.json.Encoder().encode
        text, id_, group = self._options.columns.keys

        def write(row: Row, done: RowDone) -> None:
            line: dict[str, Any] = {id_: done.id, text: done.text}
            if done.group is not None:
                line[group] = done.group
            if row.kept:
                new = zip(self._options.columns.dates, done.dates, strict=True)
                dates = {name: cell or None for name, cell in new if name in row.kept}
                line["meta"] = row.kept | dates
            stream.write(encode(line) + b"\n")

        return write

    def finish(self) -> None:
        """Do nothing: all rows are written."""


class _JsonTable(_JsonLines):
    def __init__(self, file: InputFile, options: InputOptions, orders: Orders) -> None:
        super().__init__(file, options, orders)
        ours = zip(options.columns.keys, ("text", "id", "group"), strict=True)
        self._keys = {key: our for key, our in ours if key != our}

    def rows(self) -> Iterator[Row]:
        """Yield one row per line; a line that cannot be read fails alone."""
        columns = self._options.columns
        has_others = bool(columns.keep or columns.dates) or bool(self._keys)
        with self._encodings.open_lines(self._file.path) as lines:
            if codecs.lookup(lines.encoding).name == UTF_8 and not has_others:
                yield from self._plain_rows()
                return
            detected = self._encodings.detected(lines.encoding)
            for number, line in enumerate(lines, start=1):
                yield from self._row(number, line, detected)

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

    def _row(self, number: int, line: str, detected: str = "") -> Iterator[Row]:
        """Read a line; blank lines, and those rejected by their annotator, are skipped."""
        line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if not line or line.isspace():
            return
        automatic = f"{self._id}-{number}"
        if number == 1 and line.lstrip().startswith("["):
            raise CorpusFormatError("table", "is one JSON array; JSON lines are needed")
        try:
            mended = self._encodings.mend(line, replace=self._options.replaces_bad_bytes)
            document = jsonl.parse(mended.text, automatic, self._keys)
        except CorpusFormatError as error:
            yield Row(number, automatic, None, "", reason=error.reason)
            return
        except ValueError as error:
            yield Row(number, automatic, None, "", reason=str(error))
            return
        if document is not None:
            columns = self._options.columns
            kept = {name: value for name, value in document.meta.items() if columns.stays(name)}
            group = group_in(document.id, document.group, self._pattern)
            dates = date_cells(kept, columns.dates, self._orders)
            detected = mended.detected or detected
            yield Row(
                number, document.id, group, document.text, kept, dates=dates, detected=detected
            )


class _CorpusTable(_JsonLines):
    def rows(self) -> Iterator[Row]:
        """Yield the documents of a corpus file."""
        encoding = encoding_of(self._file.path, self._file.format, self._encodings)
        source = Source(self._file.path, self._file.id, ReadOptions(encoding))
        detected = self._encodings.detected(encoding)
        for number, document in enumerate(FORMATS[self._file.format].read(source), start=1):
            group = group_in(document.id, document.group, self._pattern)
            yield Row(number, document.id, group, document.text, detected=detected)
