"""The ledger of a run: counts, failures, manifest and vault, filled from the workers' results."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lacuna.archive.manifest import Line, Manifest
from lacuna.archive.messages import FileTask, Result
from lacuna.archive.table_output import TableOutput
from lacuna.deid.run_report import Failure, Tally
from lacuna.deid.vault import VaultWriter
from lacuna.errors import StoppedError

LISTED = 1000  #: failures that the report lists


class Ledger:
    """Everything that is recorded during one run."""

    def __init__(
        self,
        manifest: Manifest | None,
        vault: VaultWriter | None,
        files: int,
        on_bytes: Callable[[int], None],
        on_failure: Callable[[Failure], None],
    ) -> None:
        self.tally = Tally()
        self.failures: list[Failure] = []
        self.taken_over = 0  #: outputs of an earlier run
        self.finished = {} if manifest is None else manifest.finished
        self.tasks: dict[int, FileTask] = {}
        self.tables: dict[int, TableOutput] = {}
        self._manifest, self._vault, self._files = manifest, vault, files
        self._on_bytes, self._on_failure = on_bytes, on_failure

    def take_over(self, lines: Iterable[tuple[Line, int]]) -> None:
        """Count outputs of an earlier run, given with the sizes of their inputs."""
        for line, size in lines:
            self.tally.add(line.tally)
            self.taken_over += 1
            self._on_bytes(size)

    def enter(self, results: Iterable[Result]) -> None:
        """Enter results of workers."""
        for result in results:
            if result.fatal is not None:
                raise StoppedError(result.fatal)
            self._enter_originals(result)
            self._enter_files(result)
            if result.table in self.tables:
                self._enter_rows(result)

    def _enter_originals(self, result: Result) -> None:
        if self._vault is not None:
            for one in result.originals:
                self._vault.add(one.id, one.original, one.redacted, one.offsets)

    def _enter_files(self, result: Result) -> None:
        lines = []
        for done in result.files:
            task = self.tasks.pop(done.number)
            self.tally.add(done.tally)
            self._on_bytes(task.bytes)
            if done.reason is not None:
                self.fail(done.number, done.hashed_id, done.reason)
                continue
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
        if self._manifest is not None:
            self._manifest.add(lines)

    def _enter_rows(self, result: Result) -> None:
        output = self.tables[result.table]
        output.tally.add(result.tally)
        for done in result.rows:
            if done.reason is not None:
                self.fail(result.table, done.hashed_id, done.reason, row=done.number)
        self._on_bytes(output.take(result.rows))

    def finish_tables(self) -> None:
        """Close the outputs of tables that are complete."""
        for number in [n for n, output in self.tables.items() if output.is_finished]:
            output = self.tables.pop(number)
            line = output.close()
            self.tally.add(output.tally)
            if line is not None and self._manifest is not None:
                self._manifest.add([line])

    def fail(self, number: int, hashed_id: str, reason: str, *, row: int | None = None) -> None:
        """Record a document that failed; its tally counts it."""
        failure = Failure(number, self._files, row, hashed_id, reason)
        if len(self.failures) < LISTED:
            self.failures.append(failure)
        self._on_failure(failure)

    def fail_table(self, number: int, hashed_id: str, reason: str) -> None:
        """Record a table that could not be read to its end: nothing of it is written."""
        if number in self.tables:
            self.tables.pop(number).give_up()
        self.tally.add_failure(reason)
        self.fail(number, hashed_id, reason)

    def give_up(self) -> None:
        """Remove outputs that are not complete."""
        for output in self.tables.values():
            output.give_up()
        self.tables.clear()
