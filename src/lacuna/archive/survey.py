"""A first reading of the inputs of a run: how dates are written, whose documents are not together.

Numeric dates of a patient who has none with a number over 12 are read in the order of the run.

The second look needs all documents of a patient at once. Files are grouped by their names, and rows
of a patient that follow one another in a table are in one job. Patients whose documents are *apart*
(rows with others in between, in several tables, or in tables and files) need two passes; see
:mod:`lacuna.archive.held`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from mmap import ACCESS_READ, mmap
from operator import attrgetter

from lacuna.archive.delimited import DELIMITERS
from lacuna.archive.inputs import InputFile
from lacuna.archive.jobs import LONGEST_RUN
from lacuna.archive.options import ArchiveOptions, InputOptions
from lacuna.archive.rows import Row
from lacuna.archive.tables import open_table
from lacuna.deid.dates.order import OrderEvidence
from lacuna.deid.dates.order_survey import numeric_order_evidence


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
        if not _may_have_groups(file, options):
            continue
        for group, rows in groupby(readable_rows(file, options), _GROUP):
            size = sum(len(row.text) for row in rows)
            if group is not None:
                yield group, size


_GROUP = attrgetter("group")


def _may_have_groups(file: InputFile, options: InputOptions) -> bool:
    """Whether rows of a table may have groups; quick, and in doubt True."""
    if not file.is_table:
        return False
    if options.group_from is not None or options.columns.group is not None:
        return True
    if file.format in (*DELIMITERS, "parquet"):
        return False
    if file.format != "jsonl" or not options.encodings.is_like_ascii:
        return True
    try:
        with (
            file.path.open("rb") as stream,
            mmap(stream.fileno(), 0, access=ACCESS_READ) as content,
        ):
            # a key may be written with escapes, or in an encoding with zero bytes
            return any(content.find(sign) >= 0 for sign in (b'"group"', b"\\u00", b"\0"))
    except (OSError, ValueError):  # the run reports it; ValueError: the file is empty
        return True


def order_of_run(files: Iterable[InputFile], options: ArchiveOptions) -> OrderEvidence:
    """Return what all inputs say about the order of numeric dates; nothing if none is shifted."""
    order = OrderEvidence()
    if options.policy.needs_key:
        for text in _texts(files, options):
            order = order.merged(numeric_order_evidence(text))
    return order


def _texts(files: Iterable[InputFile], options: InputOptions) -> Iterator[str]:
    """Yield all texts as far as they can be read; what cannot be is reported later."""
    for file in files:
        yield from (row.text for row in readable_rows(file, options))
        if not file.is_table:
            with suppress(Exception):
                yield options.encodings.decode(file.path.read_bytes(), replace=True).text


def rows_apart(file: InputFile, options: InputOptions, apart: Container[str]) -> Iterator[Row]:
    """Yield the rows of groups that are apart."""
    for row in readable_rows(file, options):
        if row.group is not None and row.group in apart and row.reason is None:
            yield row


def readable_rows(file: InputFile, options: InputOptions) -> Iterator[Row]:
    """Yield the rows of a table as far as it can be read, none of a file that is no table.

    What cannot be read is reported when the table is de-identified.
    """
    if file.is_table:
        with suppress(Exception):
            yield from open_table(file, options).rows()
