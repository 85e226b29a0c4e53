"""A first reading of the tables of a run: whose documents are not together.

The second look needs all documents of a patient at once. Files are grouped by their names, and rows
of a patient that follow one another in a table are in one job. Patients whose documents are *apart*
(rows with others in between, in several tables, or in tables and files) need two passes; see
:mod:`lacuna.archive.held`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter

from lacuna.archive.inputs import InputFile
from lacuna.archive.jobs import LONGEST_RUN
from lacuna.archive.options import InputOptions
from lacuna.archive.rows import Row
from lacuna.archive.tables import open_table


def groups_apart(
    files: Sequence[InputFile], groups: Iterable[str | None], options: InputOptions
) -> set[str]:
    """Return the groups whose documents are apart.

    Parameters
    ----------
    files
        The inputs; only tables are read.
    groups
        Of the files that are documents.
    options
        How tables are read.
    """
    seen = {hash(group) for group in groups if group is not None}
    apart: set[str] = set()
    for group, size in _runs(files, options):
        if hash(group) in seen or size >= LONGEST_RUN // 2:
            apart.add(group)
        seen.add(hash(group))
    return apart


def _runs(files: Iterable[InputFile], options: InputOptions) -> Iterator[tuple[str, int]]:
    """Yield group and characters of rows of one group that follow one another."""
    for file in files:
        if file.is_table:
            # a table that cannot be read to its end is reported when it is de-identified
            with suppress(Exception):
                for group, rows in groupby(open_table(file, options).rows(), _GROUP):
                    size = sum(len(row.text) for row in rows)
                    if group is not None:
                        yield group, size


_GROUP = attrgetter("group")


def rows_apart(file: InputFile, options: InputOptions, apart: Container[str]) -> Iterator[Row]:
    """Yield the rows of groups that are apart, as far as the table can be read."""
    with suppress(Exception):
        for row in open_table(file, options).rows():
            if row.group is not None and row.group in apart and row.reason is None:
                yield row
