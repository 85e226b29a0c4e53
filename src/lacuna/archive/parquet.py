"""Parquet tables, read and written in groups of rows; needs the extra ``parquet``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

from lacuna.archive.date_columns import Orders, date_cells, date_like
from lacuna.archive.inputs import InputFile
from lacuna.archive.messages import RowDone
from lacuna.archive.options import ALL, InputOptions
from lacuna.archive.rows import Row, column_place, group_in
from lacuna.errors import ConfigError
from lacuna.io.corpus import group_pattern

BATCH = 256
GROUP_ROWS = 8192  #: rows per row group of the output


class ParquetTable:
    """A Parquet file with a column of texts."""

    def __init__(self, file: InputFile, options: InputOptions, orders: Orders) -> None:
        self._file, self._orders = file, orders
        self._dates, self._shifts = options.columns.dates, options.shifts_dates
        self._pattern = group_pattern(options.group_from)
        self._arrow, self._parquet = _pyarrow()
        self._opened = self._parquet.ParquetFile(file.path)
        columns, names = options.columns, list(self._opened.schema_arrow.names)
        self._text = columns.text
        self._ours = {columns.text: "text"}
        for name, what in ((columns.id, "id"), (columns.group, "group")):
            if name is not None:
                self._ours[name] = what
        for name, what in self._ours.items():
            column_place(names, name, what)
        for name in columns.keep:
            if name != ALL:
                column_place(names, name, "keep")
        for name in columns.dates:
            column_place(names, name, "date")
        self._stay = [name for name in names if name in self._ours or columns.stays(name)]
        self._held: list[dict[str, Any]] = []
        self._writer: Any = None

    def rows(self) -> Iterator[Row]:
        """Yield the rows in order."""
        number = 0
        for batch in self._opened.iter_batches(BATCH, columns=self._stay):
            for cells in batch.to_pylist():
                number += 1
                yield self._row(number, cells)

    def _row(self, number: int, cells: dict[str, Any]) -> Row:
        ours = {what: cells[name] for name, what in self._ours.items()}
        text = ours["text"]
        given = ours.get("id")
        id_ = f"{self._file.id}-{number}" if given is None else str(given)
        if not isinstance(text, str | None):
            return Row(number, id_, None, "", reason="the text column contains no text")
        group = ours.get("group")
        own = group_in(id_, None if group is None else str(group), self._pattern)
        dates = date_cells(cells, self._dates, self._orders)
        return Row(number, id_, own, text or "", cells, dates=dates)

    def named_cells(self, row: Row) -> Mapping[str, Any]:
        """Return the cells that stay."""
        return {name: cell for name, cell in row.kept.items() if name not in self._ours}

    def start(self, stream: BinaryIO) -> Callable[[Row, RowDone], None]:
        """Start the output; ids, groups and texts become strings, other columns keep their type.

        Columns of dates keep the types date and timestamp if dates are shifted, otherwise they
        become strings as well.
        """
        arrow, fields = self._arrow, self._opened.schema_arrow
        typed = {n for n in self._stay if n not in self._ours and n not in self._dates}
        if self._shifts:
            is_temporal = arrow.types.is_temporal
            typed |= {n for n in self._dates if is_temporal(fields.field(n).type)}
        schema = arrow.schema(
            [fields.field(n) if n in typed else arrow.field(n, arrow.string()) for n in self._stay]
        )
        self._writer = self._parquet.ParquetWriter(stream, schema)

        def write(row: Row, done: RowDone) -> None:
            new = {"text": done.text, "id": done.id, "group": done.group}
            ours = {name: new[what] for name, what in self._ours.items()}
            if row.kept[self._text] is None:
                ours[self._text] = None
            dates = {
                name: date_like(row.kept[name], cell) if name in typed else cell or None
                for name, cell in zip(self._dates, done.dates, strict=True)
            }
            self._held.append({**row.kept, **ours, **dates})
            if len(self._held) >= GROUP_ROWS:
                self._write_held()

        return write

    def _write_held(self) -> None:
        self._writer.write_table(
            self._arrow.Table.from_pylist(self._held, schema=self._writer.schema)
        )
        self._held.clear()

    def finish(self) -> None:
        """Write the last rows and the footer."""
        if self._held:
            self._write_held()
        self._writer.close()
        self._opened.close()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ConfigError("Parquet needs pyarrow: pip install 'lacuna[parquet]'") from None
    return pyarrow, pyarrow.parquet
