"""Columns that must not be copied are refused before a run starts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import msgspec

from lacuna.archive.column_names import MissingColumnError
from lacuna.archive.date_columns import LOOKED_AT, first_values, looks_like_dates
from lacuna.archive.inputs import InputFile
from lacuna.archive.options import ArchiveOptions
from lacuna.archive.tables import open_table
from lacuna.deid.actions import Action, Generalise, Keep
from lacuna.deid.date_cells import SHOWING
from lacuna.errors import ConfigError
from lacuna.io.foreign import converter_for
from lacuna.io.source import BYTE_ORDER_MARK


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
    """Return the error if none of the first JSON lines has the key of the text."""
    keys: dict[str, None] = {}
    with options.encodings.open_lines(file.path) as lines:
        for line in islice(lines, LOOKED_AT):
            item = msgspec.json.decode(line.removeprefix(BYTE_ORDER_MARK))
            if options.columns.text in item or converter_for(item) is not None:
                return None
            keys.update(dict.fromkeys(item))
    return MissingColumnError([*keys], options.columns.text, "--text-column") if keys else None
