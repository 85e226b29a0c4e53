"""Documents into a project, some hundred in a transaction.

What is committed stays if the import is interrupted; the same import again skips what is there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

from lacuna.deid.keys import Key
from lacuna.errors import ConfigError
from lacuna.text.document import Document
from lacuna.web.documents_table import find_sha256, insert_document, sha256_of
from lacuna.web.parts import fold_of
from lacuna.web.store import Store, utc_now

BATCH = 200  #: documents of one transaction


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import.

    Attributes
    ----------
    documents, mentions
        How many were added.
    present
        Documents that were in the project already, just the same.
    refused
        Documents whose id is in the project with other content, which stays as it is.
    first_refused
        Id of the first of them.
    """

    documents: int = 0
    mentions: int = 0
    present: int = 0
    refused: int = 0
    first_refused: str | None = None

    def __add__(self, other: Imported) -> Imported:
        return Imported(
            self.documents + other.documents,
            self.mentions + other.mentions,
            self.present + other.present,
            self.refused + other.refused,
            self.first_refused if self.first_refused is not None else other.first_refused,
        )


def import_documents(
    store: Store,
    documents: Iterable[Document],
    on_commit: Callable[[Imported], None] = lambda _: None,
) -> Imported:
    """Add documents with their mentions as given.

    Parameters
    ----------
    store
        Of the project.
    documents
        Read one at a time.
    on_commit
        Called with the sum so far after each transaction.
    """
    secret = store.database.reader.execute("SELECT secret FROM project").fetchone()[0]
    key, stream, total = Key(secret), iter(documents), Imported()
    while batch := list(islice(stream, BATCH)):
        at = utc_now()
        with store.database.writing() as connection:
            added = [_add(connection, document, key, at) for document in batch]
        total = sum(added, total)
        on_commit(total)
    return total


def _add(connection: sqlite3.Connection, document: Document, key: Key, at: str) -> Imported:
    try:
        sha256 = sha256_of(document)
    except (TypeError, ValueError):
        name = ascii(document.id)
        reason = "has half of a surrogate pair, or metadata that is not JSON"
        raise ConfigError(f"document {name}: cannot be stored: it {reason}") from None
    present = find_sha256(connection, document.id)
    if present is None:
        insert_document(connection, document, sha256, fold_of(key, document.unit), at)
        return Imported(documents=1, mentions=len(document.mentions))
    if present == sha256:
        return Imported(present=1)
    return Imported(refused=1, first_refused=document.id)
