"""Erasing a patient: documents, decisions, suggestions and the log, so that the bytes are gone.

The log of edits refuses to be changed. Here its trigger is taken away and put back in the one
transaction that removes the rows, which leaves a record (table ``erasure``) without identity. Other
programs must not have the project open: they could hold the text in memory, or in files of SQLite
that are copied back later.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from lacuna.errors import ConfigError
from lacuna.web.documents_table import places
from lacuna.web.finishing.discipline import trace_of, words_of
from lacuna.web.project import DATABASE, EXPORTS, MODELS, open_project
from lacuna.web.store import utc_now

TRIGGER = "edit_is_not_removed"
WAIT = 1.0  #: seconds for other programs to close the project
KEPT = (EXPORTS, "reports")  #: folders whose files may hold texts
_versions = msgspec.json.Decoder(list[tuple[int, int]])


class Erased(msgspec.Struct, frozen=True):
    """What is erased.

    Attributes
    ----------
    documents
        Keys, which no other document will get.
    models
        Files of models that learnt from them, were compared on them, or come from such a model.
    files
        Files in the folder of the project that may still hold texts.
    """

    documents: tuple[int, ...]
    models: tuple[str, ...]
    files: tuple[str, ...]


def to_erase(folder: Path, patient: str) -> Erased:
    """Return what would be erased.

    Raises :class:`ConfigError` if there is no such patient, and no document without a patient that
    has this id.
    """
    with open_project(folder) as project, project.store.database.reading() as connection:
        return _found(connection, folder, patient)


def erase(folder: Path, patient: str, *, who: str) -> Erased:
    """Remove all documents of a patient from a project.

    Raises :class:`ConfigError` also if another program has the project open.
    """
    open_project(folder).close()  # is it one, and of this version?
    with closing(_alone(folder / DATABASE)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        try:
            found = _found(connection, folder, patient)
            _record(connection, found, who)
            _remove(connection, found.documents)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("VACUUM")
    return found


def _alone(path: Path) -> sqlite3.Connection:
    """Open a database that nobody else has open; removed rows are overwritten."""
    connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
    try:
        for pragma in (
            "foreign_keys = ON",
            "secure_delete = ON",
            "temp_store = MEMORY",
            "synchronous = FULL",
            "locking_mode = EXCLUSIVE",
            "journal_mode = DELETE",  # writes the WAL back, and is refused if it is in use
        ):
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.OperationalError:
        connection.close()
        raise ConfigError(
            f"{path.parent}: another program has the project open; stop the server first"
        ) from None
    return connection


# --- what there is


def _found(connection: sqlite3.Connection, folder: Path, patient: str) -> Erased:
    rows = connection.execute(
        "SELECT key, id FROM document WHERE grp = ?1 OR (grp IS NULL AND id = ?1"
        " AND NOT EXISTS (SELECT 1 FROM document WHERE grp = ?1)) ORDER BY key",
        (patient,),
    ).fetchall()
    if not rows:
        raise ConfigError(f"{folder}: has no such patient, and no document of that id without one")
    keys = tuple(key for key, _ in rows)
    models = tuple(file for file, _ in _models(connection, keys))
    return Erased(keys, models, tuple(_files(folder, [id_ for _, id_ in rows])))


def _models(connection: sqlite3.Connection, keys: Sequence[int]) -> list[tuple[str, int]]:
    """Return files and keys of the models that have seen documents."""
    rows = connection.execute(
        "SELECT key, file, sha256, base_sha256, learnt_from, compared_on FROM taught ORDER BY key"
    ).fetchall()
    found: dict[int, tuple[str, bytes]] = {}
    for key, file, sha256, base, learnt, compared in rows:  # a base is older than its children
        seen = {one for one, _ in (*_versions.decode(learnt), *_versions.decode(compared))}
        if seen & {*keys} or base in [digest for _, digest in found.values()]:
            found[key] = file, sha256
    return [(file, key) for key, (file, _) in found.items()]


def _files(folder: Path, ids: Sequence[str]) -> Iterator[str]:
    """Yield files that may hold texts of documents, as paths in the folder."""
    for path in sorted(folder.glob(f"{DATABASE}.version-*")):
        if path.suffix not in ("-wal", "-shm") and _has(path, ids):
            yield path.name
    for path in sorted(folder.glob("upload-*")):
        yield path.name
    for path in sorted((folder / MODELS).glob(".*")):  # of processes that were killed
        yield f"{MODELS}/{path.name}"
    for name in KEPT:
        for path in sorted((folder / name).glob("*")):
            yield f"{name}/{path.name}"


def _has(path: Path, ids: Sequence[str]) -> bool:
    """Return whether a copy of the database has one of the documents."""
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            rows = connection.execute("SELECT id FROM document")
            return not {*ids}.isdisjoint(id_ for (id_,) in rows)
    except sqlite3.DatabaseError:
        return True  # nobody knows


# --- removing


def _record(connection: sqlite3.Connection, found: Erased, who: str) -> None:
    (secret,) = connection.execute("SELECT secret FROM project").fetchone()
    traces: set[int] = set()
    for key in found.documents:
        id_, group, text = connection.execute(
            "SELECT id, grp, text FROM document WHERE key = ?", (key,)
        ).fetchone()
        unit = ("document", id_) if group is None else ("group", group)
        traces |= {trace_of(secret, *unit), trace_of(secret, "text", words_of(text))}
    models = [key for _, key in _models(connection, found.documents)]
    values = (found.documents, models, sorted(traces))
    connection.execute(
        "INSERT INTO erasure (at, who, documents, models, traces) VALUES (?, ?, ?, ?, ?)",
        (utc_now(), who, *(msgspec.json.encode(one).decode() for one in values)),
    )


def _remove(connection: sqlite3.Connection, keys: Sequence[int]) -> None:
    (trigger,) = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?", (TRIGGER,)
    ).fetchone()
    connection.execute(f"DROP TRIGGER {TRIGGER}")
    for table in ("suggestion", "mention", "edit"):
        connection.executemany(f"DELETE FROM {table} WHERE document = ?", [(key,) for key in keys])
    connection.execute(f"DELETE FROM document WHERE key IN ({places(len(keys))})", tuple(keys))
    connection.execute(trigger)
    for model, scores in connection.execute("SELECT key, scores FROM taught").fetchall():
        cleaned = msgspec.json.encode(_without_ids(msgspec.json.decode(scores), {*keys}))
        connection.execute("UPDATE taught SET scores = ? WHERE key = ?", (cleaned.decode(), model))


def _without_ids(value: Any, keys: set[int]) -> Any:
    """Return JSON without the ids of documents with some keys."""
    if isinstance(value, list):
        return [_without_ids(one, keys) for one in value]
    if not isinstance(value, dict):
        return value
    cleaned = {name: _without_ids(one, keys) for name, one in value.items()}
    if "id" in cleaned and cleaned.get("key") in keys:
        cleaned["id"] = "erased"
    return cleaned
