"""Columns that must not be copied are refused before a run starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from lacuna.archive.column_names import MissingColumnError
from lacuna.archive.date_columns import first_values, looks_like_dates
from lacuna.archive.inputs import InputFile
from lacuna.archive.options import ALL, ArchiveOptions, Columns
from lacuna.archive.tables import open_table
from lacuna.deid.actions import Action, Generalise, Keep
from lacuna.deid.date_cells import SHOWING
from lacuna.errors import ConfigError
from lacuna.io.foreign import converter_for
from lacuna.io.source import BYTE_ORDER_MARK

LINES = 1000  #: JSON lines in which a key is looked for


def check_columns(files: Sequence[InputFile], options: ArchiveOptions) -> None:
    """Check that the columns exist, and that no dates are copied unless the policy keeps them.

    If only some inputs lack a column, these fail alone. Whoever has one true date of a patient
    knows the patient's offset, and so all dates that were shifted.

    Raises
    ------
    ConfigError
        Naming the column and what to do.
    """
    columns = options.columns
    _refuse_missing_columns(files, options)
    action = options.policy.action("DATE")
    if columns.dates and not isinstance(action, SHOWING):
        raise ConfigError("--date-columns: the policy hides dates, so there is nothing to copy")
    if not columns.keep or isinstance(action, Keep):
        return
    for file in files:
        if not file.is_table:
            continue
        try:
            values = first_values(open_table(file, options))
        except Exception:  # the run reports what is wrong with a table
            continue
        for name, column in values.items():
            if columns.keeps(name) and looks_like_dates(column):
                raise ConfigError(f"column {name!r} looks like dates; {_advice(name, action)}")


def _advice(name: str, action: Action) -> str:
    """Say why a column of dates is not copied, and what to do instead."""
    if isinstance(action, Generalise):
        return f"the policy shows only years; use --date-columns {name} to copy its years"
    if isinstance(action, SHOWING):
        return (
            "next to shifted texts it would show by how many days;"
            f" use --date-columns {name} to shift it along"
        )
    return "the policy hides dates; leave the column out"


def _refuse_missing_columns(files: Sequence[InputFile], options: ArchiveOptions) -> None:
    """Refuse a run in which every input is a table without a column that was asked for."""
    first = None
    for file in files:
        error = _missing_column(file, options) if file.is_table else None
        if error is None:
            return
        first = first or error
    if first is not None:
        which = "" if len(files) == 1 else f" ({len(files):,} tables, the first of them)"
        raise ConfigError(f"{options.input}{which}: {first}")


def _missing_column(file: InputFile, options: ArchiveOptions) -> MissingColumnError | None:
    try:
        if file.format == "jsonl":
            return _missing_key(file, options)
        next(open_table(file, options).rows(), None)
    except MissingColumnError as error:
        return error
    except Exception:  # the run reports what is wrong with a table
        return None
    return None


def _missing_key(file: InputFile, options: ArchiveOptions) -> MissingColumnError | None:
    """Return the error if none of the first JSON lines has a key that was asked for."""
    keys: dict[str, None] = {}
    with options.encodings.open_lines(file.path) as lines:
        for line in islice(lines, LINES):
            item = msgspec.json.decode(line.removeprefix(BYTE_ORDER_MARK))
            if converter_for(item) is not None:
                return None
            keys.update(dict.fromkeys((*item, *(item.get("meta") or ()))))
    for name, option in _asked_for(options.columns):
        if keys and name not in keys:
            return MissingColumnError([*keys], name, option)
    return None


def _asked_for(columns: Columns) -> Iterator[tuple[str, str]]:
    """Yield the columns that must be there, and the option that names each."""
    yield columns.text, "--text-column"
    for name, option in ((columns.id, "--id-column"), (columns.group, "--group-column")):
        if name is not None:
            yield name, option
    yield from ((name, "--keep-columns") for name in columns.keep if name != ALL)
    yield from ((name, "--date-columns") for name in columns.dates)
