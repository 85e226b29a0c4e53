"""The store of a project: documents, and edits of them that are never lost and can be undone.

Every edit is one transaction; when :meth:`Store.apply_edit` returns, the edit is on disk. The same
request again gives the same answer and changes nothing. An edit is refused (:class:`Conflict`) if
it touches something that was changed after the version the client had seen.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from lacuna.errors import EditError
from lacuna.web import edit_log
from lacuna.web.database import Database
from lacuna.web.document_pages import PAGE, Counts, Filter, Order, count_all, page_of_documents
from lacuna.web.documents_table import (
    ReviewedDocument,
    Row,
    documents_in_order,
    documents_of,
    select_document,
    select_row,
)
from lacuna.web.edit_log import Edit
from lacuna.web.edit_steps import (
    Asker,
    Conflict,
    Edited,
    Step,
    answer,
    checked_edit,
    checked_undo,
    to_undo,
    write,
)
from lacuna.web.operations import Asked, State

REQUEST = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
LONGEST_NAME = 100
WAITING = frozenset({State.NEW, State.OPEN})  #: states of documents that the queue hands out


def utc_now() -> str:
    """Return the time, e.g. ``2026-11-18T07:58:27.123+00:00``."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class RequestUsedError(EditError):
    """The id of a request is that of another edit."""

    def __init__(self) -> None:
        super().__init__("the request was used for another edit")


class Store:
    """Documents and edits of a project; can be used by several threads and processes."""

    def __init__(self, database: Database, clock: Callable[[], str] = utc_now) -> None:
        self.database = database
        self._clock = clock

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    # --- reading

    def document(self, key: int) -> ReviewedDocument | None:
        """Return a document; ``None`` if there is none with this key."""
        with self.database.reading() as connection:
            return select_document(connection, key)

    def row(self, key: int) -> Row | None:
        """Return the state and version of a document; ``None`` if there is none with this key."""
        return select_row(self.database.reader, key)

    def documents(
        self,
        filter_: Filter | None = None,
        *,
        order: Order = Order.IMPORT,
        after: int | None = None,
        limit: int = PAGE,
    ) -> list[Row]:
        """Return a page of documents; `after` is the key of the last row of the page before it."""
        with self.database.reading() as connection:
            last = None if after is None else select_row(connection, after)
            return page_of_documents(connection, filter_ or Filter(), order, last, limit)

    def next_document(self, after: int | None = None) -> Row | None:
        """Return the document to review after another one; the first follows the last."""
        waiting = Filter(WAITING)
        found = self.documents(waiting, order=Order.NEED, after=after, limit=1)
        found = found or self.documents(waiting, order=Order.NEED, limit=1)
        return found[0] if found else None

    def whole_documents(
        self, which: frozenset[State] | Sequence[int]
    ) -> Generator[ReviewedDocument]:
        """Yield the documents in some states, or with some keys, as they are now."""
        with self.database.snapshot() as connection:
            if isinstance(which, frozenset):
                yield from documents_in_order(connection, which)
            else:
                yield from documents_of(connection, which)

    def history(
        self,
        document: int | None = None,
        *,
        who: str | None = None,
        after: int | None = None,
        limit: int = PAGE,
        newest: bool = False,
    ) -> list[Edit]:
        """Return edits, oldest or newest first.

        `after` is the key of the last one of the page before.
        """
        return edit_log.page(
            self.database.reader,
            document=document,
            who=who,
            after=after,
            limit=limit,
            newest=newest,
        )

    def counts(self) -> Counts:
        """Return how far the project is."""
        with self.database.reading() as connection:
            return count_all(connection)

    # --- the queue

    def set_needs(self, needs: Mapping[int, float]) -> None:
        """Store how much a review of each document is needed, by key; not below 0."""
        with self.database.writing() as connection:
            connection.executemany(
                "UPDATE document SET need = ? WHERE key = ?",
                [(need, key) for key, need in needs.items()],
            )

    def mark_sampled(self, keys: Iterable[int]) -> None:
        """Store that documents were drawn at random."""
        with self.database.writing() as connection:
            connection.executemany(
                "UPDATE document SET sampled = 1 WHERE key = ?", [(key,) for key in keys]
            )

    # --- editing

    def apply_edit(
        self, document: int, operations: Sequence[Asked], *, request: str, base: int, who: str
    ) -> Edited | Conflict:
        """Edit a document, completely or not at all.

        Parameters
        ----------
        document
            Its key.
        operations
            What to do, in this order.
        request
            An id that the client makes for this edit and uses again if it has to retry.
        base
            The version of the document that the client has seen.
        who
            Name of the person.

        Raises
        ------
        EditError
            If an operation is not possible, or the request was used for another edit.
        """
        answers = self._apply({document: (base, operations)}, request, who, batch=None)
        return answers if isinstance(answers, Conflict) else answers[0]

    def apply_batch(
        self, edits: Mapping[int, tuple[int, Sequence[Asked]]], *, request: str, who: str
    ) -> tuple[Edited, ...] | Conflict:
        """Edit several documents as one step: all of them or none; an undo undoes all.

        `edits` are base and operations by key of the document. See :meth:`apply_edit`.
        """
        return self._apply(edits, request, who, batch=request)

    def undo(self, document: int, *, request: str, who: str) -> tuple[Edited, ...] | Conflict:
        """Undo the last edit that a person made in a document, in all documents if it was a batch.

        The first answer is that of `document`. It is a conflict if somebody changed the same
        since.
        """
        return self._undo(document, request, who, redo=False)

    def redo(self, document: int, *, request: str, who: str) -> tuple[Edited, ...] | Conflict:
        """Undo the last undo of a person in a document, unless they edited it since."""
        return self._undo(document, request, who, redo=True)

    def _apply(
        self,
        edits: Mapping[int, tuple[int, Sequence[Asked]]],
        request: str,
        who: str,
        batch: str | None,
    ) -> tuple[Edited, ...] | Conflict:
        with self._asking(request, who) as (connection, asker):
            if earlier := edit_log.of_request(connection, request):
                same = {edit.document: edit.operations for edit in earlier if edit.undoes is None}
                if same != {key: tuple(operations) for key, (_, operations) in edits.items()}:
                    raise RequestUsedError
                return tuple(answer(connection, edit) for edit in earlier)
            if not edits:
                raise EditError("a batch needs at least one document")
            steps = [checked_edit(connection, key, *edit) for key, edit in edits.items()]
            return _written(connection, replace(asker, batch=batch), steps)

    def _undo(
        self, document: int, request: str, who: str, *, redo: bool
    ) -> tuple[Edited, ...] | Conflict:
        with self._asking(request, who) as (connection, asker):
            if earlier := edit_log.of_request(connection, request):
                if any(edit.undoes is None for edit in earlier):
                    raise RequestUsedError
                return tuple(answer(connection, edit) for edit in earlier)
            edits = to_undo(connection, document, who, redo=redo)
            edits.sort(key=lambda edit: edit.document != document)
            steps = [checked_undo(connection, edit) for edit in edits]
            batch = request if len(steps) > 1 else None
            return _written(connection, replace(asker, batch=batch), steps)

    @contextmanager
    def _asking(self, request: str, who: str) -> Iterator[tuple[sqlite3.Connection, Asker]]:
        if not REQUEST.fullmatch(request):
            raise EditError("a request id has 1 to 100 letters, digits or any of - _ . :")
        if not who.strip() or len(who) > LONGEST_NAME or not who.isprintable():
            raise EditError(f"a person's name has 1 to {LONGEST_NAME} printable characters")
        with self.database.writing() as connection:
            yield connection, Asker(request, who, self._clock())


def _written(
    connection: sqlite3.Connection, asker: Asker, steps: Sequence[Step | Conflict]
) -> tuple[Edited, ...] | Conflict:
    """Make all edits, or return the first conflict and make none."""
    possible: list[Step] = []
    for step in steps:
        if isinstance(step, Conflict):
            return step
        possible.append(step)
    return tuple(answer(connection, write(connection, asker, step)) for step in possible)
