"""The schedule of a run: what is left to do; files first, then tables; results to the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from lacuna.archive.column_names import MissingColumnError
from lacuna.archive.held import Held
from lacuna.archive.inputs import InputFile
from lacuna.archive.jobs import (
    OPEN_GROUPS,
    Router,
    by_unit,
    clashing,
    file_jobs,
    file_task,
    row_batches,
)
from lacuna.archive.ledger import Ledger
from lacuna.archive.manifest import Line, is_there
from lacuna.archive.messages import FilesJob, FileTask, LookJob, RowDone, RowsJob, RowTask
from lacuna.archive.options import ArchiveOptions
from lacuna.archive.output_names import SafeNames
from lacuna.archive.pool import Pool
from lacuna.archive.rows import Row
from lacuna.archive.survey import groups_apart, rows_apart
from lacuna.archive.table_output import TableOutput
from lacuna.archive.tables import open_table
from lacuna.errors import ConfigError, StoppedError
from lacuna.models.file import file_digest
from lacuna.pipeline.detect_and_redact import why

BACKLOG = 1 << 25  #: characters of rows that are read but not yet written
_OVER = (
    f"more than {OPEN_GROUPS:,} other patients are between the rows of this patient;"
    " sort the table by patient"
)


@dataclass(frozen=True, slots=True)
class Work:
    """What is left to do.

    Attributes
    ----------
    files, groups
        All inputs, numbered from 1.
    units
        Numbers of files that are documents, grouped by patient.
    tables
        Numbers of tables.
    ambiguous
        Numbers of files whose output name another one has.
    """

    files: Sequence[InputFile]
    groups: Sequence[str | None]
    units: list[list[int]]
    tables: list[int]
    ambiguous: set[int]
    ledger: Ledger
    names: SafeNames

    @classmethod
    def of(
        cls,
        files: Sequence[InputFile],
        groups: Sequence[str | None],
        ledger: Ledger,
        names: SafeNames,
        folder: Path | None,
    ) -> Work:
        """Return what is left; outputs of an earlier run are entered into the ledger.

        A group is done again unless all its outputs exist. Tables may share groups with any other
        input; if they have groups, everything is done again unless all outputs exist. Everything is
        done again, with the same result, if the owner wants to see what was found: it is not kept.
        """
        ambiguous = clashing(files)
        units = by_unit(files, groups)
        tables = [number for number, file in enumerate(files, start=1) if file.is_table]
        if not ledger.finished or folder is None or ledger.found is not None:
            return cls(files, groups, units, tables, ambiguous, ledger, names)
        there: dict[int, Line] = {}
        for number, file in enumerate(files, start=1):
            line = ledger.finished.get(names.hashed_id(file.id))
            if line is not None and is_there(folder, line, file.path):
                there[number] = line
        is_shared = bool(tables) and any(line.groups for line in there.values())
        if is_shared and len(there) < len(files):
            there.clear()
        left = [unit for unit in units if not all(number in there for number in unit)]
        again = {number for unit in left for number in unit}
        ledger.take_over((line, files[n - 1].bytes) for n, line in there.items() if n not in again)
        tables = [number for number in tables if number not in there]
        return cls(files, groups, left, tables, ambiguous, ledger, names)

    @property
    def is_left(self) -> bool:
        """Whether anything is left to do."""
        return bool(self.units or self.tables)

    def task(self, number: int) -> FileTask:
        """Return the task of a file."""
        file, group = self.files[number - 1], self.groups[number - 1]
        return file_task(number, file, group, ambiguous=number in self.ambiguous)


def _reason(error: Exception) -> str:
    """Return why a table failed; names of columns may be data, so the report does not have them."""
    if isinstance(error, MissingColumnError):
        return error.reason
    return str(error) if isinstance(error, ConfigError) else why(error)


def do_all(work: Work, pool: Pool, options: ArchiveOptions) -> None:
    """Do what is left; documents that fail are in the ledger."""
    router = Router(pool, remembers=options.remembers)
    apart: set[str] = set()
    if work.tables and (options.detection.second_look or options.policy.needs_key):
        apart = groups_apart(work.files, work.groups, options)
    with closing(Held(frozenset(apart))) as held:
        _do_all(work, _Doing(work.ledger, work.names, pool, router, options, held))


def _do_all(work: Work, doing: _Doing) -> None:
    options = doing.options
    try:
        doing.look(work)
        forget = not (work.tables and options.remembers)
        doing.files(file_jobs(work.units, work.task, forget=forget))
        for number in work.tables:
            doing.table(number, work.files[number - 1], ambiguous=number in work.ambiguous)
        doing.wait_for_all()
    finally:
        work.ledger.give_up()


@dataclass(frozen=True, slots=True)
class _Doing:
    ledger: Ledger
    names: SafeNames
    pool: Pool
    router: Router
    options: ArchiveOptions
    held: Held

    def look(self, work: Work) -> None:
        """Detect in all documents of groups that are apart; nothing is rewritten."""
        if not self.held.apart:
            return
        units = [unit for unit in work.units if work.groups[unit[0] - 1] in self.held.apart]
        for job in file_jobs(units, work.task, forget=False):
            self._submit(LookJob(job.files))
        for number in work.tables:
            rows = rows_apart(work.files[number - 1], self.options, self.held.apart)
            for batch in row_batches(rows):
                tasks = [RowTask(row.number, row.id, row.group, row.text) for row in batch]
                self._submit(LookJob(table=number, rows=tasks))
        self.wait_for_all()
        self.held.merge()

    def _submit(self, job: LookJob) -> None:
        self.pool.submit(self.router.freest(), job)
        self._collect()

    def files(self, jobs: Iterable[FilesJob]) -> None:
        for job in jobs:
            worker = self.router.freest()
            if not job.forget:
                groups = dict.fromkeys(task.group for task in job.files)
                self.router.keep([group for group in groups if group is not None], worker)
            self.ledger.tasks.update((task.number, task) for task in job.files)
            evidence = self.held.evidence({task.group for task in job.files})
            self.pool.submit(worker, FilesJob(job.files, job.forget, evidence))
            self._collect()

    def table(self, number: int, file: InputFile, *, ambiguous: bool) -> None:
        """Read a table and hand out its rows; if it cannot be read to its end, all of it fails."""
        hashed_id = self.names.hashed_id(file.id)
        try:
            output = TableOutput(
                file,
                open_table(file, self.options),
                self.options.output,
                self.names.output(file.output, None, (), ambiguous=ambiguous),
                hashed_id,
                file_digest(file.path),
                self.ledger.crosswalk,
            )
            self.ledger.tables[number] = output
            for batch in row_batches(output.table.rows()):
                self._batch(number, output, batch)
            output.end()
            self._collect()
        except StoppedError:
            raise
        except Exception as error:
            reason = _reason(error)
            self.wait_for_all()
            self.ledger.fail_table(number, hashed_id, reason)

    def _batch(self, number: int, output: TableOutput, batch: Sequence[Row]) -> None:
        for row in batch:
            output.expect(row)
        readable = []
        for row in batch:
            reason = row.reason or (_OVER if self.router.is_over(row.group) else None)
            if reason is None:
                readable.append(row)
                output.tally.count_encoding(row.detected)
                continue
            hashed = self.names.hashed_id(row.id)
            output.tally.add_failure(reason)
            self.ledger.fail(number, hashed, reason, row=row.number)
            output.take([RowDone(row.number, reason=reason)])
        for worker, tasks in self.router.share_out(readable).items():
            rows = [self._with_found(number, task) for task in tasks]
            evidence = self.held.evidence({task.group for task in tasks})
            ended = self.router.ended(worker, rows)
            self.pool.submit(worker, RowsJob(number, rows, ended, evidence))
        self._collect()
        while output.backlog > BACKLOG and self._is_busy():
            self._collect(wait=True)

    def _with_found(self, table: int, task: RowTask) -> RowTask:
        found = self.held.findings(table, task.number)
        return task if found is None else msgspec.structs.replace(task, found=found)

    def _collect(self, *, wait: bool = False) -> None:
        results = self.pool.collect(wait=wait)
        for result in results:
            self.held.enter(result.table, result.found, result.evidence)
        self.ledger.enter(results)
        self.ledger.finish_tables()

    def _is_busy(self) -> bool:
        return any(self.pool.waiting(worker) for worker in range(self.pool.size))

    def wait_for_all(self) -> None:
        """Wait until all jobs are finished and entered."""
        while self._is_busy():
            self._collect(wait=True)
        self._collect()
