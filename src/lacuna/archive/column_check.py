"""Columns that must not be copied are refused before a run starts."""

from __future__ import annotations

from collections.abc import Sequence

from lacuna.archive.date_columns import first_values, looks_like_dates
from lacuna.archive.inputs import InputFile
from lacuna.archive.options import ArchiveOptions
from lacuna.archive.tables import open_table
from lacuna.deid.date_cells import SHOWING
from lacuna.errors import ConfigError


def check_columns(files: Sequence[InputFile], options: ArchiveOptions) -> None:
    """Check that no true dates are copied next to shifted ones.

    Whoever has one true date of a patient knows the patient's offset, and so all other dates.

    Raises
    ------
    ConfigError
        Naming the column and what to do.
    """
    columns = options.columns
    if columns.dates and not isinstance(options.policy.action("DATE"), SHOWING):
        raise ConfigError("--date-columns: the policy hides dates, so there is nothing to copy")
    if not (columns.keep and options.shifts_dates):
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
                raise ConfigError(
                    f"column {name!r} looks like dates; next to shifted texts it would show by how"
                    f" many days; use --date-columns {name} to shift it along"
                )
