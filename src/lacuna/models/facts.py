"""What ``lacuna inspect`` shows of a model: tables for people, values for ``--json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import msgspec

from lacuna.models.settings import Settings
from lacuna.text.document import Document


class Table(NamedTuple):
    """A table; the columns in `text_columns` hold text and may wrap."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    text_columns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Inspection:
    """What to show of a model.

    Attributes
    ----------
    words
        Words of the training text in the model file, used to name features.
    features
        How many of the strongest features of each tag to show.
    documents
        Annotated documents, used to show what hidden states represent.
    label
        Show only what leads to mentions of this label and what follows them.
    """

    words: Sequence[str] = ()
    features: int = 5
    documents: Sequence[Document] = ()
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a model has to show.

    Attributes
    ----------
    tables
        For people.
    values
        For programs, by key of the JSON output.
    remarks
        What explains the tables.
    warnings
        What the owner of the file should know, whatever is shown.
    """

    tables: tuple[Table, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __add__(self, other: Facts) -> Facts:
        return Facts(
            (*self.tables, *other.tables),
            {**self.values, **other.values},
            (*self.remarks, *other.remarks),
            (*self.warnings, *other.warnings),
        )

    def titled(self, name: str) -> Facts:
        """Return the facts with a name in front of every title."""
        tables = tuple(table._replace(title=f"{name}: {table.title}") for table in self.tables)
        return replace(self, tables=tables)


def settings_table(config: Settings) -> Table:
    """Return the settings of a model as a table."""
    values = msgspec.to_builtins(config)
    return Table("settings", ("setting", "value"), [(k, str(v)) for k, v in values.items()], (1,))


def counts_table(counts: Mapping[str, int]) -> Table:
    """Return the sizes of the parts of a model as a table."""
    return Table("counted", ("", "number"), [(k, f"{v:,}") for k, v in counts.items()])
