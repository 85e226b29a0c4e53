"""Imports that run in threads while people work."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from lacuna.errors import LacunaError
from lacuna.text.document import Document
from lacuna.web.importing import Imported, import_documents
from lacuna.web.server.events import Hub
from lacuna.web.server.problems import BUSY_SECONDS, Problem, unexpected
from lacuna.web.store import Store

MOST_RUNNING = 4
MOST_REMEMBERED = 100
RUNNING, DONE, FAILED = "running", "done", "failed"


@dataclass(slots=True)
class Job:
    """An import."""

    number: int
    state: str = RUNNING
    imported: Imported = field(default_factory=Imported)
    error: str | None = None

    def json(self) -> dict[str, Any]:
        """Return how far it is."""
        done = self.imported
        return {
            "state": self.state,
            "documents": done.documents,
            "mentions": done.mentions,
            "present": done.present,
            "refused": done.refused,
            "error": self.error,
        }


class Stopped(LacunaError):  # noqa: N818 — not an error
    """The server ends."""


class Imports:
    """The imports of a server; what is committed stays if one is interrupted.

    Parameters
    ----------
    store, events
        Of the project.
    on_documents
        Called after an import that added documents.
    log_error
        Takes the type and place of an error.
    """

    def __init__(
        self,
        store: Store,
        events: Hub,
        on_documents: Callable[[], None],
        log_error: Callable[[str], None],
    ) -> None:
        self._store, self._events = store, events
        self._on_documents, self._log_error = on_documents, log_error
        self._jobs: dict[int, Job] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._is_closed = False

    def get(self, number: int) -> Job | None:
        """Return an import by its number."""
        return self._jobs.get(number)

    def start(
        self,
        read: Callable[[], Iterable[Document]],
        *,
        hide: str = "",
        at_end: Callable[[], None] = lambda: None,
    ) -> Job:
        """Begin an import.

        Parameters
        ----------
        read
            Called in the thread of the import; opens the documents.
        hide
            Beginning of paths that messages leave out.
        at_end
            Called when it has ended, however it did.
        """
        with self._lock:
            running = [job for job in self._jobs.values() if job.state == RUNNING]
            if len(running) >= MOST_RUNNING or self._is_closed:
                wait = {"Retry-After": str(BUSY_SECONDS)}
                raise Problem(429, "Other imports are running; wait for them.", headers=wait)
            job = Job(next(self._numbers))
            self._jobs[job.number] = job
            while len(self._jobs) > MOST_REMEMBERED:
                oldest = next(n for n, one in self._jobs.items() if one.state != RUNNING)
                del self._jobs[oldest]
        arguments = (job, read, hide, at_end)
        threading.Thread(target=self._run, args=arguments, daemon=True).start()
        return job

    def close(self) -> None:
        """Stop all imports after the documents at hand."""
        self._is_closed = True

    def _run(
        self,
        job: Job,
        read: Callable[[], Iterable[Document]],
        hide: str,
        at_end: Callable[[], None],
    ) -> None:
        def committed(so_far: Imported) -> None:
            job.imported = so_far
            self._tell(job)

        state = FAILED
        try:
            job.imported = import_documents(self._store, self._until_closed(read()), committed)
            state = DONE
        except LacunaError as error:  # names files and ids, quotes no text
            job.error = str(error).replace(hide, "") if hide else str(error)
        except OSError as error:
            job.error = f"a file cannot be read: {error.strerror or type(error).__name__}"
        except Exception as error:
            what = unexpected(error)[1]
            job.error = f"an error in lacuna: {what}"
            self._log_error(what)
        finally:
            at_end()
            job.state = state
        self._tell(job)
        if job.imported.documents:
            self._on_documents()

    def _until_closed(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            if self._is_closed:
                raise Stopped("the server was stopped")
            yield document

    def _tell(self, job: Job) -> None:
        self._events.tell("import", job=job.number, **job.json())
