"""The log of edits as rows of the database: the audit, the undo, and the memory of requests."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lacuna.web.operations import Operation, decoded, encoded


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of the log.

    Attributes
    ----------
    key
        Its number; later edits have greater ones.
    document, version
        The document, and its version after the edit.
    base
        The version that the client had seen.
    at, who
        When (UTC, ISO 8601), and by whom.
    request
        The client's id of the edit.
    batch
        What edits of several documents have in common that are one step; else ``None``.
    undoes
        Key of the edit that this one undoes, if it does.
    """

    key: int
    document: int
    version: int
    base: int
    at: str
    who: str
    request: str
    batch: str | None
    operations: tuple[Operation, ...]
    inverse: tuple[Operation, ...]
    undoes: int | None


_COLUMNS = "key, document, version, base, at, who, request, batch, operation, inverse, undoes"


def append(connection: sqlite3.Connection, edit: Edit) -> Edit:
    """Add an edit; return it with its key."""
    cursor = connection.execute(
        f"INSERT INTO edit ({_COLUMNS}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            edit.document,
            edit.version,
            edit.base,
            edit.at,
            edit.who,
            edit.request,
            edit.batch,
            encoded(edit.operations),
            encoded(edit.inverse),
            edit.undoes,
        ),
    )
    (stored,) = _select(connection, "key = ?", cursor.lastrowid)
    return stored


def of_request(connection: sqlite3.Connection, request: str) -> list[Edit]:
    """Return what was done for a request, in the order it was done."""
    return list(_select(connection, "request = ? ORDER BY key", request))


def of_batch(connection: sqlite3.Connection, batch: str) -> list[Edit]:
    """Return the edits of a batch."""
    return list(_select(connection, "batch = ? ORDER BY key", batch))


def between(connection: sqlite3.Connection, document: int, base: int, version: int) -> list[Edit]:
    """Return the edits of a document after `base` and before `version`."""
    where = "document = ? AND version > ? AND version < ? ORDER BY version"
    return list(_select(connection, where, document, base, version))


def page(
    connection: sqlite3.Connection,
    *,
    document: int | None,
    who: str | None,
    after: int | None,
    limit: int,
    newest: bool = False,
) -> list[Edit]:
    """Return the edits that come after the key `after`, oldest or newest first."""
    sign, order = ("<", "DESC") if newest else (">", "ASC")
    conditions = {"document = ?": document, "who = ?": who, f"key {sign} ?": after}
    given = {condition: value for condition, value in conditions.items() if value is not None}
    where = " AND ".join(given) or "true"
    return list(
        _select(connection, f"{where} ORDER BY key {order} LIMIT ?", *given.values(), limit)
    )


def last_edits(
    connection: sqlite3.Connection, after: int, until: int | None
) -> list[tuple[int, int, int, str]]:
    """Return key, document, version and person of the last edit of each document.

    Of those with keys greater than `after`, up to `until`; in the order of their keys.
    """
    return connection.execute(
        "SELECT max(key), document, version, who FROM edit WHERE key > ? AND key <= ?"
        " GROUP BY document ORDER BY max(key)",
        (after, (1 << 63) - 1 if until is None else until),
    ).fetchall()


def by_key(connection: sqlite3.Connection, key: int) -> Edit:
    """Return an edit."""
    (edit,) = _select(connection, "key = ?", key)
    return edit


def done_and_undone(
    connection: sqlite3.Connection, document: int, who: str
) -> tuple[list[int], list[int]]:
    """Return the keys of a person's edits that can be undone, and that can be redone; last first.

    An undo takes an edit from the first list and adds itself to the second; a redo is an undo of
    an undo. Any other edit empties the second list.
    """
    done: list[int] = []
    undone: list[int] = []
    undos: set[int] = set()
    for key, undoes in connection.execute(
        "SELECT key, undoes FROM edit WHERE document = ? AND who = ? ORDER BY key", (document, who)
    ):
        if undoes is None:
            done.append(key)
            undone.clear()
        elif undoes in undos:  # a redo; with a batch, also of an undo before a later edit
            undone = [one for one in undone if one != undoes]
            done.append(key)
        else:
            done.remove(undoes)
            undone.append(key)
            undos.add(key)
    return done[::-1], undone[::-1]


def _select(connection: sqlite3.Connection, where: str, *values: Any) -> Iterator[Edit]:
    for row in connection.execute(f"SELECT {_COLUMNS} FROM edit WHERE {where}", values):
        fields: list[Any] = [*row[:8], decoded(row[8]), decoded(row[9]), row[10]]
        yield Edit(*fields)
