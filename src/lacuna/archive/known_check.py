"""Checks that the patients of ``--known`` are those of the documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lacuna.archive.inputs import InputFile
from lacuna.archive.options import ArchiveOptions
from lacuna.archive.survey import readable_rows
from lacuna.deid.patient_values import read_known
from lacuna.errors import ConfigError

WITHOUT_DOCUMENTS = "patients of --known without a document"


def check_known(
    files: Sequence[InputFile], groups: Iterable[str | None], options: ArchiveOptions
) -> dict[str, int]:
    """Return how many patients of ``--known`` have no document, under a name for the report.

    Raises
    ------
    ConfigError
        If none of them has one: their values would be looked for nowhere.
    """
    if options.detection.known is None:
        return {}
    known = read_known(Path(options.detection.known)).by_group
    missing = known.keys() - {""}
    wanted = len(missing)
    if not wanted:
        return {}
    for group in _groups(files, groups, options):
        missing.discard(group)
        if not missing:
            return {}
    if len(missing) == wanted:
        values = sum(len(known[group]) for group in missing)
        raise ConfigError(
            f"{options.detection.known}: {values:,} known values belong to groups that no document"
            " has; say which documents are a patient's with --group-from or --group-column, or"
            " leave the group empty to look for a value everywhere"
        )
    return {WITHOUT_DOCUMENTS: len(missing)}


def _groups(
    files: Sequence[InputFile], groups: Iterable[str | None], options: ArchiveOptions
) -> Iterator[str]:
    """Yield the groups of all documents, as far as tables can be read."""
    yield from (group for group in groups if group is not None)
    for file in files:
        yield from (row.group for row in readable_rows(file, options) if row.group is not None)
