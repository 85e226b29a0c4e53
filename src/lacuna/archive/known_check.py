"""Known values: their patients must be those of the documents, and who was found is recorded."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from lacuna.archive.inputs import WITHOUT_DOCUMENTS, InputFile
from lacuna.archive.options import ArchiveOptions
from lacuna.archive.survey import readable_rows
from lacuna.deid.patient_values import COLUMNS, KnownValues, read_known
from lacuna.errors import ConfigError
from lacuna.io.writing import whole_file
from lacuna.text.plurals import counted

HITS = "known_hits.csv"
LISTED = 10  #: lines that a message names


def check_known(
    files: Sequence[InputFile], groups: Iterable[str | None], options: ArchiveOptions
) -> dict[str, int]:
    """Return how many patients of ``--known`` have no document, under a name for the report.

    Raises
    ------
    ConfigError
        If there are any, unless the user expects it: their values would be looked for nowhere, and
        probably the groups of the documents are not those of the list.
    """
    if options.detection.known is None:
        return {}
    known = read_known(Path(options.detection.known))
    missing = known.by_group.keys() - {""}
    for group in _groups(files, groups, options) if missing else ():
        missing.discard(group)
        if not missing:
            return {}
    if missing and not options.allow_unmatched:
        raise ConfigError(_unmatched(options.detection.known, known, missing))
    return {WITHOUT_DOCUMENTS: len(missing)} if missing else {}


def _unmatched(path: str, known: KnownValues, missing: set[str]) -> str:
    lines = sorted(entry.line for group in missing for entry in known.by_group[group])
    more = f" and {len(lines) - LISTED:,} more" if len(lines) > LISTED else ""
    where = f"line{'' if len(lines) == 1 else 's'} {', '.join(map(str, lines[:LISTED]))}{more}"
    one = len(lines) == 1
    belong = "belongs to a group" if one else "belong to groups"
    return (
        f"{path}: {counted(len(lines), 'known value')} ({where}) {belong} that no document has, and"
        f" would be looked for nowhere; say which documents are a patient's with --group-from or"
        " --group-column, or leave the group empty to look for a value everywhere; if the list is"
        " for more patients than these, add --allow-unmatched"
    )


def _groups(
    files: Sequence[InputFile], groups: Iterable[str | None], options: ArchiveOptions
) -> Iterator[str]:
    """Yield the groups of all documents, as far as tables can be read."""
    yield from (group for group in groups if group is not None)
    for file in files:
        yield from (row.group for row in readable_rows(file, options) if row.group is not None)


def count_known(options: ArchiveOptions) -> int:
    """Return the number of known values."""
    if options.detection.known is None:
        return 0
    known = read_known(Path(options.detection.known))
    return sum(map(len, known.by_group.values()))


def write_known_hits(folder: Path, options: ArchiveOptions, hits: Mapping[str, int]) -> None:
    """Write how often each known value was found, for the owner."""
    if options.detection.known is None:
        return
    known = read_known(Path(options.detection.known))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("line", *COLUMNS, "found"))
    entries = [(entry, group) for group, of_one in known.by_group.items() for entry in of_one]
    for entry, group in sorted(entries, key=lambda pair: pair[0].line):
        found = hits.get(str(entry.line), 0)
        table.writerow((entry.line, group, entry.kind, entry.value, found))
    with whole_file(folder / HITS) as stream:
        os.fchmod(stream.fileno(), 0o600)
        stream.write(text.getvalue().encode(errors="backslashreplace"))
