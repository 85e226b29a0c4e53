"""Models at work: suggestions for all documents that wait, and opened deidentifiers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

from lacuna.pipeline.deidentify import Deidentifier
from lacuna.web.server.events import Hub
from lacuna.web.server.problems import unexpected
from lacuna.web.store import Store
from lacuna.web.suggestions import Suggester


class Filler:
    """Fills the table of suggestions, one model at a time.

    Parameters
    ----------
    store, events
        Of the project.
    log_error
        Takes the type and place of an error.
    """

    def __init__(self, store: Store, events: Hub, log_error: Callable[[str], None]) -> None:
        self._store, self._events, self._log_error = store, events, log_error
        self._changed = threading.Condition()
        self._wanted: Suggester | None = None
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self.progress: dict[str, int] | None = None

    def fill(self, suggester: Suggester | None) -> None:
        """Begin, or begin again: with another model, or because there are new documents."""
        with self._changed:
            self._wanted = suggester
            if suggester is not None and self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def close(self) -> None:
        """Stop after the documents at hand."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=1.0)

    def _work(self) -> None:
        while True:
            with self._changed:
                while self._wanted is None and not self._is_closed:
                    self._changed.wait()
                suggester, self._wanted = self._wanted, None
                if self._is_closed or suggester is None:
                    return
            try:
                suggester.fill(self._store, self._progressed, self._must_stop)
            except Exception as error:
                self._log_error(unexpected(error)[1])
            self.progress = None
            self._events.tell("queue")

    def _progressed(self, done: int, of: int) -> None:
        self.progress = {"done": done, "of": of}
        self._events.tell("filling", done=done, of=of)

    def _must_stop(self) -> bool:
        with self._changed:
            return self._is_closed or self._wanted is not None


class Deidentifiers:
    """Those that were used last; opening one takes time."""

    MOST = 4

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: dict[Hashable, Deidentifier] = {}

    def get(self, key: Hashable, make: Callable[[], Deidentifier]) -> Deidentifier:
        """Return the one that is known by `key`, or make it."""
        with self._lock:
            found = self._opened.pop(key, None) or make()
            self._opened[key] = found  # now the last
            while len(self._opened) > self.MOST:
                del self._opened[next(iter(self._opened))]
            return found
