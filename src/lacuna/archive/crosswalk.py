"""The crosswalk of a run: what the inputs, rows and patients are called in the output.

It is for the owner of the originals and is kept in the private folder, beside the output.
``crosswalk.csv`` has a line for each file, on disk before the manifest says that the file is
finished. For each table there is a file in ``rows/`` with a line for each row; it is complete
before the table itself is. Documents that failed have no new name. ``protected_words.csv`` lists
the everyday words that are part of a name found here and stayed.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from lacuna.archive.messages import RowDone
from lacuna.archive.output_names import SafeNames, place_below
from lacuna.archive.rows import Row
from lacuna.io.writing import whole_file

NAME, ROWS, PROTECTED = "crosswalk.csv", "rows", "protected_words.csv"
FILE_COLUMNS = ("input", "group", "output", "new_group", "report_id")
ROW_COLUMNS = ("row", "id", "group", "new_id", "new_group", "report_id")


class Crosswalk:
    """The open crosswalk of a run.

    Parameters
    ----------
    folder
        The private folder.
    names
        The names of the run.
    """

    def __init__(self, folder: Path, names: SafeNames) -> None:
        self._folder, self._names = folder, names
        self._path = folder / NAME
        self._is_resumed = self._path.exists()
        if self._is_resumed:
            self._keep_last_lines()
        else:
            self._write([FILE_COLUMNS])
        self._stream = self._path.open("ab")

    def add(self, files: Iterable[tuple[str, str | None, str, str]]) -> None:
        """Add files by input, group, output and id in the report; wait until they are on disk."""
        lines = [
            (name, group or "", output, self._names.group(group) or "", report_id)
            for name, group, output, report_id in files
        ]
        if lines:
            self._stream.write(_csv(lines))
            self._stream.flush()
            os.fsync(self._stream.fileno())

    @contextmanager
    def rows(self, output: str) -> Iterator[Callable[[Row, RowDone], None]]:
        """Yield a function that adds a row of a table; all are kept if the block succeeds."""
        folder = self._folder / ROWS
        folder.mkdir(mode=0o700, exist_ok=True)
        with whole_file(place_below(folder, f"{output}.csv")) as stream:
            os.fchmod(stream.fileno(), 0o600)
            stream.write(_csv([ROW_COLUMNS]))

            def add(row: Row, done: RowDone) -> None:
                old = (str(row.number), row.id, row.group or "")
                new = (done.id, done.group or "", self._names.hashed_id(row.id))
                stream.write(_csv([(*old, *new)]))

            yield add

    def close(self) -> None:
        """Close the file; of inputs that were done again only the last line is kept."""
        self._stream.close()
        if self._is_resumed:
            self._keep_last_lines()

    def _keep_last_lines(self) -> None:
        last = {line[0]: line for line in _lines(self._folder)}
        self._write([FILE_COLUMNS, *last.values()])

    def _write(self, lines: Iterable[Sequence[str]]) -> None:
        with whole_file(self._path) as stream:
            os.fchmod(stream.fileno(), 0o600)
            stream.write(_csv(lines))


def outputs_in(folder: Path) -> set[str]:
    """Return the names of all outputs in the crosswalk of a private folder."""
    return {line[FILE_COLUMNS.index("output")] for line in _lines(folder)} - {""}


def _lines(folder: Path) -> list[list[str]]:
    """Return the complete lines; the run may have been killed while it wrote the last one."""
    try:
        text = (folder / NAME).read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return []
    lines = csv.reader(io.StringIO(text[: text.rfind("\n") + 1], newline=""))
    next(lines, None)  # names of the columns
    return [line for line in lines if len(line) == len(FILE_COLUMNS)]


def _csv(lines: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode(errors="backslashreplace")


def write_protected(folder: Path, words: Mapping[str, int]) -> None:
    """Write how often everyday words that are part of a name found here stayed in the texts."""
    if words:
        lines = sorted(words.items(), key=lambda entry: (-entry[1], entry[0]))
        with whole_file(folder / PROTECTED) as stream:
            os.fchmod(stream.fileno(), 0o600)
            stream.write(_csv([("word", "left"), *((word, str(n)) for word, n in lines)]))
