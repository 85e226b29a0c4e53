"""Server-sent events: what changed, in this window, in another one, or by another program.

A thread looks at SQLite's ``data_version``, which changes with every commit of another connection,
whoever made it, and reads the new rows of the log of edits. The id of an event is the key of its
edit, so a client that was away says the last one it has seen, and is told what it has missed.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import msgspec

from lacuna.web.database import Database
from lacuna.web.edit_log import last_edits

LOOK_EVERY = 0.25  #: seconds; our own edits are told at once
KEEP_ALIVE = 15.0  #: seconds between signs of life
RETRY = b"retry: 1000\n\n"  # milliseconds after which a browser connects again
WATCHER = "lacuna events"  #: name of the thread that looks
MOST_WAITING = 1000  #: events of a client that does not read; then it has to connect again


class Event(NamedTuple):
    """Something that happened; `key` is that of an edit, if it is one."""

    kind: str
    data: Mapping[str, Any]
    key: int | None = None

    def encoded(self) -> bytes:
        """Return it as lines of the stream."""
        number = b"" if self.key is None else b"id: %d\n" % self.key
        return number + b"event: %s\ndata: %s\n\n" % (
            self.kind.encode(),
            msgspec.json.encode(self.data),
        )


class _Listener:
    """A client that is connected."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.queue: asyncio.Queue[Event | None] = asyncio.Queue()

    def put(self, event: Event | None) -> None:
        """Hand over an event, from any thread; ``None`` is the end."""
        try:
            self._loop.call_soon_threadsafe(self._put, event)
        except RuntimeError:  # its loop has ended
            return

    def _put(self, event: Event | None) -> None:
        if self.queue.qsize() >= MOST_WAITING:
            self.queue.put_nowait(None)
        else:
            self.queue.put_nowait(event)


class Hub:
    """Tells all clients what happens."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._listeners: set[_Listener] = set()
        self._look = threading.Event()
        self._watcher: threading.Thread | None = None
        self._is_closed = False

    # --- telling

    def tell(self, kind: str, **data: Any) -> None:
        """Tell all clients of something that is no edit; from any thread."""
        self._send(Event(kind, data))

    def look(self) -> None:
        """Look for new edits at once."""
        self._look.set()

    def close(self) -> None:
        """End all streams."""
        with self._lock:
            self._is_closed = True
        self._send(None)
        self._look.set()

    def _send(self, event: Event | None) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener.put(event)

    # --- listening

    async def stream(self, last: int | None) -> AsyncIterator[bytes]:
        """Yield events, first those after the edit `last`; without it, only new ones."""
        with self._listening() as listener:
            missed, newest = await asyncio.to_thread(self._missed, last)
            yield RETRY
            for event in missed:
                yield event.encoded()
            yield b"id: %d\n\n" % newest
            while True:
                try:
                    news = await asyncio.wait_for(listener.queue.get(), KEEP_ALIVE)
                except TimeoutError:
                    yield b":\n\n"
                    continue
                if news is None:
                    return
                if news.key is None or news.key > newest:
                    yield news.encoded()

    @contextmanager
    def _listening(self) -> Iterator[_Listener]:
        listener = _Listener()
        with self._lock:
            self._listeners.add(listener)
            if self._is_closed:
                listener.put(None)
            elif self._watcher is None:
                self._watcher = self._start_watching()
        try:
            yield listener
        finally:
            with self._lock:
                self._listeners.discard(listener)
            self._look.set()

    def _newest(self) -> int:
        row = self._database.reader.execute("SELECT coalesce(max(key), 0) FROM edit").fetchone()
        newest: int = row[0]
        return newest

    def _missed(self, last: int | None) -> tuple[list[Event], int]:
        newest = self._newest()
        if last is None or last >= newest:
            return [], newest
        return [_edited(*edit) for edit in last_edits(self._database.reader, last, newest)], newest

    # --- watching

    def _start_watching(self) -> threading.Thread:
        """Look for commits from now on."""
        connection = self._database.connect()
        version, newest = _data_version(connection), self._newest()
        thread = threading.Thread(
            target=self._watch, args=(connection, version, newest), name=WATCHER, daemon=True
        )
        thread.start()
        return thread

    def _watch(self, connection: sqlite3.Connection, version: int, newest: int) -> None:
        """Look for commits while somebody listens."""
        with closing(connection):
            while self._is_needed():
                self._look.wait(LOOK_EVERY)
                self._look.clear()
                now = _data_version(connection)
                if now == version:
                    continue
                version, edits = now, last_edits(connection, newest, None)
                for edit in edits:
                    self._send(_edited(*edit))
                    newest = edit[0]
                if not edits:  # documents, or their order
                    self.tell("queue")

    def _is_needed(self) -> bool:
        with self._lock:
            if self._listeners and not self._is_closed:
                return True
            self._watcher = None
            return False


def _edited(key: int, document: int, version: int, who: str) -> Event:
    return Event("document", {"key": document, "version": version, "who": who}, key)


def _data_version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return version
