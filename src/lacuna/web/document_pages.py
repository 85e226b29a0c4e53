"""Lists of documents page by page, and counts.

A page goes on after the last row of the page before it, not at a number of rows, so that nothing
is shown twice or left out when documents change in between.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from lacuna.web.documents_table import ROW, Row, places, row_of
from lacuna.web.operations import State
from lacuna.web.parts import IS_HELD_OUT, UNIT, Part, part_of

PAGE = 100  #: rows of a page, by default and at most
NO_NEED = -1.0  # of documents whose need is not known: after all others


class Order(StrEnum):
    """The order of documents."""

    IMPORT = "import"
    NEED = "need"  #: the greatest need first


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents to list.

    Attributes
    ----------
    states
        Their states; empty: any.
    label
        A label that one of their mentions has.
    words
        Characters of the id or the text; ASCII letters match in either case.
    group, flag, held_out
        What they must have; ``None``: anything.
    """

    states: frozenset[State] = frozenset()
    label: str | None = None
    words: str | None = None
    group: str | None = None
    flag: bool | None = None
    held_out: bool | None = None


@dataclass(frozen=True, slots=True)
class PartCounts:
    """How far a part of a project is.

    Attributes
    ----------
    documents, done
        How many there are, and how many are reviewed.
    patients, patients_done
        The same for patients: reviewed if all their documents are. A document without a patient
        counts as one.
    """

    documents: int = 0
    done: int = 0
    patients: int = 0
    patients_done: int = 0

    def __add__(self, other: PartCounts) -> PartCounts:
        return PartCounts(
            self.documents + other.documents,
            self.done + other.done,
            self.patients + other.patients,
            self.patients_done + other.patients_done,
        )


@dataclass(frozen=True, slots=True)
class Counts:
    """How far a project is."""

    documents: int
    states: Mapping[State, int]
    flagged: int
    parts: Mapping[Part, PartCounts]
    groups: int
    edits: int
    labels: Mapping[str, int]  #: mentions by label, without rejected ones; the most frequent first

    @property
    def held_out(self) -> int:
        """Documents that are held out."""
        return self.parts[Part.GATE].documents + self.parts[Part.SEAL].documents

    @property
    def held_out_done(self) -> int:
        """Those of them that are reviewed."""
        return self.parts[Part.GATE].done + self.parts[Part.SEAL].done

    @property
    def mentions(self) -> int:
        """All mentions that are not rejected."""
        return sum(self.labels.values())


def page_of_documents(
    connection: sqlite3.Connection, filter_: Filter, order: Order, after: Row | None, limit: int
) -> list[Row]:
    """Return the rows that follow `after`, at most `limit`."""
    conditions, values = _conditions(filter_)
    by = f"-coalesce(need, {NO_NEED})" if order is Order.NEED else "key"
    if after is not None:
        need = NO_NEED if after.need is None else after.need
        conditions.append(f"({by}, key) > (?, ?)")
        values += [-need if order is Order.NEED else after.key, after.key]
    where = " AND ".join(conditions) or "true"
    rows = connection.execute(
        f"SELECT {ROW} FROM document WHERE {where} ORDER BY {by}, key LIMIT ?",
        (*values, max(1, min(limit, PAGE))),
    )
    return [row_of(row) for row in rows]


def _conditions(filter_: Filter) -> tuple[list[str], list[Any]]:
    conditions: list[str] = []
    values: list[Any] = []

    def add(condition: str, *given: Any) -> None:
        conditions.append(condition)
        values.extend(given)

    if filter_.states:
        add(f"state IN ({places(len(filter_.states))})", *sorted(filter_.states))
    if filter_.label is not None:
        add(
            "key IN (SELECT document FROM mention WHERE label = ? AND status <> 'rejected')",
            filter_.label,
        )
    if filter_.words:
        escaped = filter_.words.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
        add(r"(id LIKE ? ESCAPE '\' OR text LIKE ? ESCAPE '\')", *[f"%{escaped}%"] * 2)
    if filter_.group is not None:
        add("grp = ?", filter_.group)
    if filter_.flag is not None:
        add("flag = ?", filter_.flag)
    if filter_.held_out is not None:
        add(f"({IS_HELD_OUT}) = ?", filter_.held_out)
    return conditions, values


def count_all(connection: sqlite3.Connection) -> Counts:
    """Return how far a project is."""
    states = dict(connection.execute("SELECT state, count(*) FROM document GROUP BY state"))
    flagged, groups = connection.execute(
        "SELECT coalesce(sum(flag), 0), count(DISTINCT grp) FROM document"
    ).fetchone()
    (edits,) = connection.execute("SELECT count(*) FROM edit").fetchone()
    labels = connection.execute(
        "SELECT label, count(*) FROM mention WHERE status <> 'rejected'"
        " GROUP BY label ORDER BY count(*) DESC, label"
    )
    return Counts(
        sum(states.values()),
        {state: states.get(state, 0) for state in State},
        flagged,
        count_parts(connection),
        groups,
        edits,
        dict(labels),
    )


def count_parts(connection: sqlite3.Connection) -> dict[Part, PartCounts]:
    """Return how far each part of a project is."""
    counts = dict.fromkeys(Part, PartCounts())
    rows = connection.execute(
        "SELECT fold, sum(documents), sum(done), count(*), sum(documents = done) FROM"
        " (SELECT min(fold) AS fold, count(*) AS documents, sum(state = 'done') AS done"
        f" FROM document GROUP BY {UNIT}) GROUP BY fold"
    )
    for fold, *numbers in rows:
        counts[part_of(fold)] += PartCounts(*numbers)
    return counts
