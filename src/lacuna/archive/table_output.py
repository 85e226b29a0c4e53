"""The output of one table: rows in input order, written completely or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO

from lacuna.archive.crosswalk import Crosswalk
from lacuna.archive.inputs import InputFile
from lacuna.archive.manifest import Line
from lacuna.archive.messages import RowDone
from lacuna.archive.output_names import place_below, stopping
from lacuna.archive.rows import Row, Table
from lacuna.deid.tally import Tally
from lacuna.io.writing import whole_file


class _GivenUpError(Exception):
    """Raised inside an unfinished output to remove it."""


class TableOutput:
    """Collects the results of one table and writes them.

    Parameters
    ----------
    file, table
        The input.
    folder, name
        The path of the output; without a folder nothing is written.
    hashed_id, digest
        Hashed id and SHA-256 of the input, for the manifest.
    crosswalk
        Where rows are entered with their new ids, if anything is written.
    """

    def __init__(
        self,
        file: InputFile,
        table: Table,
        folder: Path | None,
        name: str,
        hashed_id: str,
        digest: str,
        crosswalk: Crosswalk | None = None,
    ) -> None:
        self.file = file
        self.table = table
        self.name = name
        self.hashed_id = hashed_id
        self.tally = Tally()
        self.backlog = 0  #: characters of rows that are not written yet
        self.has_groups = False
        self._folder, self._digest, self._crosswalk = folder, digest, crosswalk
        self._expected: dict[int, Row] = {}
        self._done: dict[int, RowDone] = {}
        self._stack = ExitStack()
        self._stream: _Hashing | None = None
        self._write: Callable[[Row, RowDone], None] | None = None
        self._enter: Callable[[Row, RowDone], None] | None = None
        self._complete = False

    def expect(self, row: Row) -> None:
        """Add a row of the input, in order."""
        self._expected[row.number] = row
        self.backlog += len(row.text)
        self.has_groups = self.has_groups or row.group is not None

    def expected(self, number: int) -> Row:
        """Return a row that was added and whose result has not been taken."""
        return self._expected[number]

    def take(self, rows: Iterable[RowDone]) -> int:
        """Take results of rows; return how many characters of the input they finished."""
        self._done.update((done.number, done) for done in rows)
        before = self.backlog
        while self._expected and (number := next(iter(self._expected))) in self._done:
            row, written = self._expected.pop(number), self._done.pop(number)
            self.backlog -= len(row.text)
            if self._folder is not None:
                self._put(row, written)
        return before - self.backlog

    def _put(self, row: Row, done: RowDone) -> None:
        with stopping():
            write = self._writer()
            if done.reason is None:
                write(row, done)
            if self._enter is not None:
                self._enter(row, done)

    def _writer(self) -> Callable[[Row, RowDone], None]:
        if self._write is None:
            assert self._folder is not None
            path = place_below(self._folder, self.name)
            self._stream = _Hashing(self._stack.enter_context(whole_file(path)))
            self._write = self.table.start(self._stream)  # type: ignore[arg-type]
            if self._crosswalk is not None:  # closed before the output gets its name
                self._enter = self._stack.enter_context(self._crosswalk.rows(self.name))
        return self._write

    def end(self) -> None:
        """Mark the input as read completely."""
        self._complete = True

    @property
    def is_finished(self) -> bool:
        """Whether all rows were read and written."""
        return self._complete and not self._expected

    def close(self) -> Line | None:
        """Finish the output; return its line for the manifest."""
        if self._folder is None:
            return None
        with stopping():
            self._writer()
            self.table.finish()
            self._stack.close()
        assert self._stream is not None
        sha256 = self._stream.hasher.hexdigest()
        return Line(self.hashed_id, self._digest, self.name, sha256, self.has_groups, self.tally)

    def give_up(self) -> None:
        """Remove the output."""
        with suppress(_GivenUpError, OSError):  # e.g. a full disk
            self._stack.__exit__(_GivenUpError, _GivenUpError(), None)


class _Hashing:
    """A stream that computes the SHA-256 of what is written to it."""

    closed = False

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.hasher = hashlib.sha256()

    def write(self, content: bytes) -> int:
        """Write and hash."""
        self.hasher.update(content)
        return self._stream.write(content)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
