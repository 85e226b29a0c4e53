"""The SQLite file of a project: connections, transactions, migrations.

In WAL mode readers never wait. ``synchronous = FULL``: what is committed survives a power cut.
Each thread reads through a connection of its own; all writes of a process go through one.
``migrations/NNNN.sql`` leads to version NNNN of the schema, in one transaction.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from lacuna.errors import ConfigError
from lacuna.web.network_mounts import refuse_network
from lacuna.web.parts import add_sql_function

MIGRATIONS = Path(__file__).parent / "migrations"
APPLICATION = 0x6C616375  #: marks the file as ours
WAIT = 30.0  #: seconds to wait for another process that writes


class _Connection(sqlite3.Connection):
    """A connection that can be known without being kept: it closes when its thread has ended."""


class Database:
    """An open database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer = _connect(path)
        self._write_lock = threading.RLock()
        self._own = threading.local()
        self._readers: weakref.WeakSet[_Connection] = weakref.WeakSet()

    @property
    def reader(self) -> sqlite3.Connection:
        """The connection of this thread, for reading."""
        if getattr(self._own, "connection", None) is None:
            self._own.connection = _connect(self.path)
            self._own.connection.execute("PRAGMA query_only = ON")
            self._readers.add(self._own.connection)
        connection: sqlite3.Connection = self._own.connection
        return connection

    def connect(self) -> sqlite3.Connection:
        """Return a further connection, which the caller closes."""
        return _connect(self.path)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read several tables in one state."""
        connection = self.reader
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            connection.execute("COMMIT")

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Read the present state for a long time, through a connection of its own."""
        with closing(_connect(self.path)) as connection:
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Write in one transaction, which is on disk when the block has ended without an error."""
        with self._write_lock, _transaction(self._writer):
            yield self._writer

    def close(self) -> None:
        """Close all connections."""
        for connection in (*self._readers, self._writer):
            connection.close()


def create_database(path: Path) -> Database:
    """Make a new database, readable by its owner only."""
    refuse_network(path.parent)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return _opened(path)


def open_database(path: Path) -> Database:
    """Open a database; an older one is copied and migrated first."""
    refuse_network(path.parent)
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such file")
    return _opened(path)


def _opened(path: Path) -> Database:
    try:
        migrate(path)
        return Database(path)
    except sqlite3.DatabaseError as error:
        raise ConfigError(f"{path}: cannot be opened: {error}") from None


def _connect(path: Path) -> _Connection:
    connection = sqlite3.connect(
        path,
        timeout=WAIT,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        factory=_Connection,
    )
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


# --- migrations


def migrate(path: Path, folder: Path = MIGRATIONS) -> None:
    """Bring a database to the newest version; a copy of an older one is kept beside it."""
    steps = {int(file.stem): file for file in sorted(folder.glob("*.sql"))}
    newest = max(steps)
    with closing(_connect(path)) as connection:
        version = _version(connection)
        is_empty = not connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
        if not is_empty and _pragma(connection, "application_id") != APPLICATION:
            raise ConfigError(f"{path}: is not the database of a project")
        if version > newest:
            raise ConfigError(
                f"{path}: was made by a newer version of lacuna (schema {version}; this one knows"
                f" {newest})"
            )
        if version and version < newest:
            copy_database(path, path.with_name(f"{path.name}.version-{version}"))
        add_sql_function(connection)
        for number in range(version + 1, newest + 1):
            _step(connection, number, steps[number].read_text("utf-8"))


def _step(connection: sqlite3.Connection, number: int, script: str) -> None:
    with _transaction(connection):
        if _version(connection) >= number:  # another process was faster
            return
        statement = ""
        for line in script.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                connection.execute(statement)
                statement = ""
        connection.execute(f"PRAGMA user_version = {number}")


def _version(connection: sqlite3.Connection) -> int:
    return _pragma(connection, "user_version")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value


def copy_database(path: Path, target: Path) -> None:
    """Copy a database, also while it is used; the copy is readable by its owner only."""
    target.unlink(missing_ok=True)
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
