"""The ledger of a run: counts, failures and what is written about outputs, from workers' results.

What is finished is on disk in this order: vault, crosswalk, manifest. So everything that the
manifest mentions can be found in the crosswalk and restored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lacuna.archive.crosswalk import Crosswalk
from lacuna.archive.found_documents import FoundDocuments
from lacuna.archive.inputs import InputFile
from lacuna.archive.manifest import Line, Manifest
from lacuna.archive.messages import FileTask, Result
from lacuna.archive.options import Columns
from lacuna.archive.output_names import stopping
from lacuna.archive.table_output import TableOutput
from lacuna.deid.run_report import Failure
from lacuna.deid.tally import Tally
from lacuna.deid.vault import VaultWriter
from lacuna.errors import StoppedError

LISTED = 1000  #: failures that the report lists


@dataclass(frozen=True, slots=True)
class Books:
    """What a run writes besides its outputs; in a dry run only what was found, if asked."""

    manifest: Manifest | None = None
    crosswalk: Crosswalk | None = None
    vault: VaultWriter | None = None
    found: FoundDocuments | None = None


class Finished(NamedTuple):
    """A finished output: its number, how many inputs there are, its name and tally."""

    number: int
    files: int
    output: str
    tally: Tally


class Ledger:
    """Everything that is recorded during one run."""

    def __init__(
        self,
        books: Books,
        files: Sequence[InputFile],
        columns: Columns,
        on_bytes: Callable[[int], None],
        on_failure: Callable[[Failure, str], None],
        on_finished: Callable[[Finished], None] = lambda _: None,
    ) -> None:
        self.tally = Tally()
        self.failures: list[Failure] = []
        self.taken_over = 0  #: outputs of an earlier run
        self.has_groups = False  #: whether any document has a group
        self.finished = {} if books.manifest is None else books.manifest.finished
        self.crosswalk = books.crosswalk
        self.tasks: dict[int, FileTask] = {}
        self.tables: dict[int, TableOutput] = {}
        self.found = books.found
        self._manifest, self._vault = books.manifest, books.vault
        self._files, self._columns = files, columns
        self._on_bytes, self._on_failure = on_bytes, on_failure
        self._on_finished = on_finished

    def take_over(self, lines: Iterable[tuple[Line, int]]) -> None:
        """Count outputs of an earlier run, given with the sizes of their inputs."""
        for line, size in lines:
            self.tally.add(line.tally)
            self.taken_over += 1
            self.has_groups = self.has_groups or line.groups
            self._on_bytes(size)

    def enter(self, results: Iterable[Result]) -> None:
        """Enter results of workers."""
        for result in results:
            if result.fatal is not None:
                raise StoppedError(result.fatal)
            if not result.files and result.table not in self.tables:
                continue  # rows of a table that failed
            with stopping():
                self._enter_originals(result)
                self._enter_files(result)
            self._enter_found(result)
            if result.rows:
                self._enter_rows(result)

    def _enter_originals(self, result: Result) -> None:
        if self._vault is None:
            return
        whose = self._file_names(result) if result.files else self._row_names(result)
        for one, (name, group) in zip(result.originals, whose, strict=True):
            self._vault.add(one.id, one.original, one.redacted, one.offsets, name=name, group=group)
        if result.files:  # rows: when their table is complete
            self._vault.flush()

    def _file_names(self, result: Result) -> list[tuple[str, str | None]]:
        """Return the original names and groups of the files that are finished."""
        tasks = [self.tasks[done.number] for done in result.files if done.reason is None]
        return [(task.output, task.group) for task in tasks]

    def _row_names(self, result: Result) -> list[tuple[str, str | None]]:
        """Return the original ids and groups of the rows that are finished."""
        expected = self.tables[result.table].expected
        rows = [expected(done.number) for done in result.rows if done.reason is None]
        return [(row.id, row.group) for row in rows]

    def _enter_files(self, result: Result) -> None:
        lines = []
        crossed = []
        for done in result.files:
            task = self.tasks.pop(done.number)
            name = self._files[done.number - 1].name
            crossed.append((name, task.group, done.output, done.hashed_id))
            self.tally.add(done.tally)
            self.has_groups = self.has_groups or task.group is not None
            self._on_bytes(task.bytes)
            if done.reason is not None:
                self.fail(done.number, done.hashed_id, done.reason)
                continue
            self._finished(done.number, done.output, done.tally)
            lines.append(
                Line(
                    done.hashed_id,
                    done.input_sha256,
                    done.output,
                    done.output_sha256,
                    task.group is not None,
                    done.tally,
                )
            )
        if self.crosswalk is not None:
            self.crosswalk.add(crossed)
        if self._manifest is not None:
            self._manifest.add(lines)

    def _enter_found(self, result: Result) -> None:
        if self.found is None:
            return
        for number, need, document in result.looked_at:
            file, row = (number, 0) if result.files else (result.table, number)
            self.found.add(file, row, need, document)

    def _enter_rows(self, result: Result) -> None:
        output = self.tables[result.table]
        if self._manifest is not None:
            result.tally.name_output(output.name)
            if self.found is not None:
                self.found.name_output(result.table, output.name)
        output.tally.add(result.tally)
        for done in result.rows:
            if done.reason is not None:
                self.fail(result.table, done.hashed_id, done.reason, row=done.number)
        self._on_bytes(output.take(result.rows))

    def finish_tables(self) -> None:
        """Close the outputs of tables that are complete."""
        for number in [n for n, output in self.tables.items() if output.is_finished]:
            output = self.tables.pop(number)
            with stopping():
                self._finish(output)
            self._finished(number, output.name, output.tally)
            self.tally.add(output.tally)
            self.has_groups = self.has_groups or output.has_groups

    def _finished(self, number: int, output: str, tally: Tally) -> None:
        self._on_finished(Finished(number, len(self._files), output, tally))

    def _finish(self, output: TableOutput) -> None:
        name = output.file.name
        if self._vault is not None:
            columns = self._columns
            self._vault.add_table(
                output.name, output.file.output, (columns.text, columns.id, columns.group)
            )
            self._vault.flush()
        line = output.close()
        if self.crosswalk is not None:
            self.crosswalk.add([(name, None, output.name, output.hashed_id)])
        if line is not None and self._manifest is not None:
            self._manifest.add([line])

    def fail(self, number: int, hashed_id: str, reason: str, *, row: int | None = None) -> None:
        """Record a document that failed; its tally counts it."""
        failure = Failure(number, len(self._files), row, hashed_id, reason)
        if len(self.failures) < LISTED:
            self.failures.append(failure)
        self._on_failure(failure, self._files[number - 1].name)

    def fail_table(self, number: int, hashed_id: str, reason: str) -> None:
        """Record a table that could not be read to its end: nothing of it is written."""
        if number in self.tables:
            self.tables.pop(number).give_up()
        if self.found is not None:
            self.found.drop(number)
        if self.crosswalk is not None:
            with stopping():
                self.crosswalk.add([(self._files[number - 1].name, None, "", hashed_id)])
        self.tally.add_failure(reason)
        self.fail(number, hashed_id, reason)

    def write_found(self, findings: Path | None, review: Path | None) -> None:
        """Write what was found, for the owner."""
        if self.found is not None:
            failed = [one.named(self._files[one.file - 1].name) for one in self.failures]
            self.found.write(findings, review, failed)

    def give_up(self) -> None:
        """Remove outputs that are not complete."""
        for output in self.tables.values():
            output.give_up()
        self.tables.clear()
