"""Dividing the work into jobs, and choosing a worker for each.

Documents of a group go to one worker, in order, so that numbers and surrogates are consistent. The
documents in a job do not depend on the number of workers, and so the result does not either.

In a table the documents of a group need not be adjacent, but the number of open groups is bounded:
with more than ``OPEN_GROUPS`` others in between, a group is closed, and a later document of it is
refused. Sorting the table by group helps, and so does consistency within documents only, or a
policy that masks: then nothing has to be remembered.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence

from lacuna.archive.inputs import InputFile
from lacuna.archive.messages import FilesJob, FileTask, RowTask
from lacuna.archive.pool import Pool
from lacuna.archive.rows import Row

# Large enough to hide the cost of messages, small enough that all workers finish together.
JOB_FILES, JOB_BYTES = 64, 1 << 18
BATCH_ROWS, BATCH_CHARACTERS = 128, 1 << 18
LONGEST_RUN = 1 << 22  #: characters of consecutive rows of one group that stay in one batch
OPEN_GROUPS = 4096


def clashing(files: Sequence[InputFile]) -> set[int]:
    """Return the numbers, from 1, of files whose output name an earlier one has."""
    taken: set[str] = set()
    numbers = set()
    for number, file in enumerate(files, start=1):
        name = file.output.casefold()
        if name in taken:
            numbers.add(number)
        taken.add(name)
    return numbers


def by_unit(files: Sequence[InputFile], groups: Sequence[str | None]) -> list[list[int]]:
    """Return the numbers of files that are documents, grouped by patient."""
    units: dict[str | int, list[int]] = {}  # by group, or by number for a file without one
    for number, (file, group) in enumerate(zip(files, groups, strict=True), start=1):
        if not file.is_table:
            units.setdefault(number if group is None else group, []).append(number)
    return list(units.values())


def file_task(number: int, file: InputFile, group: str | None, *, ambiguous: bool) -> FileTask:
    """Return the task of a file."""
    return FileTask(
        number,
        os.fsencode(file.path),
        file.id,
        group,
        file.format,
        file.output,
        ambiguous,
        file.bytes,
    )


def file_jobs(
    units: Iterable[Sequence[int]], task: Callable[[int], FileTask], *, forget: bool
) -> Iterator[FilesJob]:
    """Yield jobs of whole groups, small groups together."""
    files: list[FileTask] = []
    size = 0
    for unit in units:
        tasks = [task(number) for number in unit]
        files += tasks
        size += sum(task.bytes for task in tasks)
        if len(files) >= JOB_FILES or size >= JOB_BYTES:
            yield FilesJob(files, forget)
            files, size = [], 0
    if files:
        yield FilesJob(files, forget)


def row_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield batches of rows; consecutive rows of a group stay together unless there are many."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        is_full = len(batch) >= BATCH_ROWS or size >= BATCH_CHARACTERS
        goes_on = bool(batch) and row.group is not None and row.group == batch[-1].group
        if is_full and (not goes_on or size >= LONGEST_RUN):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += len(row.text)
    if batch:
        yield batch


class Router:
    """Remembers which worker has which group, if groups have to be remembered."""

    def __init__(self, pool: Pool, *, remembers: bool) -> None:
        self._pool = pool
        self._remembers = remembers
        self._open: OrderedDict[str, int] = OrderedDict()  # group → worker, longest unused first
        self._over: set[int] = set()  # hashes of closed groups
        self._ended: list[list[str]] = [[] for _ in range(pool.size)]

    def freest(self) -> int:
        """Return the worker with the fewest jobs."""
        return min(range(self._pool.size), key=self._pool.waiting)

    def keep(self, groups: Iterable[str], worker: int) -> None:
        """Remember the worker of some groups."""
        for group in groups:
            self._open[group] = worker
            self._open.move_to_end(group)
        while len(self._open) > OPEN_GROUPS:
            group, owner = self._open.popitem(last=False)
            self._over.add(hash(group))
            self._ended[owner].append(group)

    def is_over(self, group: str | None) -> bool:
        """Whether a group is closed, so that nothing is remembered of it."""
        return group is not None and group not in self._open and hash(group) in self._over

    def share_out(self, rows: Sequence[Row]) -> dict[int, list[RowTask]]:
        """Return the rows of a batch by worker."""
        freest = self.freest()
        shares: dict[int, list[RowTask]] = {}
        for row in rows:
            worker = freest
            if row.group is not None and self._remembers:
                worker = self._open.get(row.group, freest)
                self.keep([row.group], worker)
            task = RowTask(row.number, row.id, row.group, row.text, dates=row.dates)
            shares.setdefault(worker, []).append(task)
        return shares

    def ended(self, worker: int, rows: Sequence[RowTask]) -> list[str]:
        """Return the groups that a worker can forget after these rows."""
        if not self._remembers:
            return [group for group in {row.group for row in rows} if group is not None]
        groups, self._ended[worker] = self._ended[worker], []
        return groups
