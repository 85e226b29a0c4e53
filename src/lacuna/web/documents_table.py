"""Documents and their mentions as rows of the database."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from lacuna.text.document import Document
from lacuna.web.edits import Review, given_mentions, reviewed_mentions
from lacuna.web.operations import DOCUMENT, DocumentState, Entry, Spans, State, Status
from lacuna.web.parts import Part, part_of

_spans = msgspec.json.Decoder(Spans)
_json = msgspec.json.Decoder()


@dataclass(frozen=True, slots=True)
class Row:
    """A document in a list: everything but its text and mentions.

    Attributes
    ----------
    key
        Its number in this project; ids can hold names, so URLs use this.
    part
        What it is used for, as are all documents of its unit (patient).
    sampled
        Whether its unit was drawn at random for review.
    mentions
        How many it has, without rejected ones.
    decided_by, decided_at
        Who said that it is done, and when.
    """

    key: int
    id: str
    group: str | None
    state: State
    flag: bool
    comment: str
    version: int
    mentions: int
    part: Part
    sampled: bool
    need: float | None
    decided_by: str | None
    decided_at: str | None

    @property
    def held_out(self) -> bool:
        """Whether no model that is scored with it learns from it."""
        return self.part is not Part.LEARN

    @property
    def unit(self) -> tuple[str, str]:
        """Its patient, or itself; as :attr:`~lacuna.text.document.Document.unit`."""
        return ("document", self.id) if self.group is None else ("group", self.group)


@dataclass(frozen=True, slots=True)
class ReviewedDocument:
    """A document as it is now.

    Attributes
    ----------
    row
        Its state and version.
    source
        As it was imported, but without mentions.
    review
        What people have decided, with the mentions it was imported with.
    """

    row: Row
    source: Document
    review: Review

    @property
    def document(self) -> Document:
        """The document with the mentions that count."""
        is_done = self.row.state is State.DONE  # then all of it was reviewed
        reviewed = None if is_done else self.source.reviewed
        return replace(self.source, mentions=reviewed_mentions(self.review), reviewed=reviewed)


ROW = (
    "key, id, grp, state, flag, comment, version, mentions, fold, sampled, need, decided_by,"
    " decided_at"
)


#: SQL: models name documents by their keys, so those of erased ones are not used again.
NEXT_KEY = (
    "(SELECT 1 + max(coalesce((SELECT max(key) FROM document), 0),"
    " coalesce((SELECT max(value) FROM erasure, json_each(erasure.documents)), 0)))"
)


#: Keys of a document that the column ``tokens`` holds as one JSON object.
ALSO_GIVEN = ("tokens", "sentences", "columns", "reviewed")


def row_of(values: tuple[Any, ...]) -> Row:
    """Return the row of the values of the columns :data:`ROW`."""
    key, id_, group, state, flag, comment, version, mentions, fold, sampled, *rest = values
    return Row(
        key,
        id_,
        group,
        State(state),
        bool(flag),
        comment,
        version,
        mentions,
        part_of(fold),
        bool(sampled),
        *rest,
    )


def sha256_of(document: Document) -> bytes:
    """Return the hash of all that a document has.

    Raises ValueError (:class:`UnicodeEncodeError`) or TypeError if it cannot be stored.
    """
    return hashlib.sha256(msgspec.json.encode(document.to_dict())).digest()


def insert_document(
    connection: sqlite3.Connection, document: Document, sha256: bytes, fold: int, at: str
) -> int:
    """Add a document, its mentions as given; return its key."""
    whole = document.to_dict()
    given = {key: whole[key] for key in ALSO_GIVEN if key in whole}
    stored_tokens = msgspec.json.encode(given).decode() if given else None
    cursor = connection.execute(
        "INSERT INTO document (key, id, grp, text, meta, tokens, sha256, fold, imported_at,"
        f" mentions) VALUES ({NEXT_KEY}, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            document.id,
            document.group,
            document.text,
            msgspec.json.encode(dict(document.meta)).decode(),
            stored_tokens,
            sha256,
            fold,
            at,
            len(document.mentions),
        ),
    )
    key = cursor.lastrowid
    assert key is not None
    entries = given_mentions(document)
    connection.executemany(PUT_MENTION, [_mention_values(key, *item) for item in entries.items()])
    return key


def find_sha256(connection: sqlite3.Connection, id_: str) -> bytes | None:
    """Return the hash of the document with this id, if there is one."""
    row = connection.execute("SELECT sha256 FROM document WHERE id = ?", (id_,)).fetchone()
    return None if row is None else row[0]


def select_document(connection: sqlite3.Connection, key: int) -> ReviewedDocument | None:
    """Return a document; ``None`` if there is none with this key."""
    values = connection.execute(
        f"SELECT text, meta, tokens, {ROW} FROM document WHERE key = ?", (key,)
    ).fetchone()
    return None if values is None else _reviewed(connection, values)


def _reviewed(connection: sqlite3.Connection, values: tuple[Any, ...]) -> ReviewedDocument:
    text, meta, tokens, *of_row = values
    row = row_of(tuple(of_row))
    item = {"id": row.id, "text": text, "group": row.group, "meta": _json.decode(meta)}
    if tokens is not None:
        item |= _json.decode(tokens)
    return ReviewedDocument(row, Document.from_dict(item), select_review(connection, row))


def select_text(connection: sqlite3.Connection, key: int) -> str:
    """Return the text of a document."""
    text: str = connection.execute("SELECT text FROM document WHERE key = ?", (key,)).fetchone()[0]
    return text


def select_row(connection: sqlite3.Connection, key: int) -> Row | None:
    """Return the state and version of a document; ``None`` if there is none with this key."""
    values = connection.execute(f"SELECT {ROW} FROM document WHERE key = ?", (key,)).fetchone()
    return None if values is None else row_of(values)


def select_review(connection: sqlite3.Connection, row: Row) -> Review:
    """Return what people have decided about a document."""
    entries = {
        uid: Entry(label, _spans.decode(spans), Status(status), probability, model)
        for uid, label, spans, status, probability, model in connection.execute(
            "SELECT uid, label, spans, status, probability, model FROM mention WHERE document = ?",
            (row.key,),
        )
    }
    return Review(entries, DocumentState(row.state, row.flag, row.comment))


def update_review(
    connection: sqlite3.Connection,
    row: Row,
    before: Review,
    after: Review,
    *,
    touched: frozenset[str],
    who: str,
    at: str,
) -> None:
    """Store a review that was changed by one edit; the version of the document grows by one."""
    for uid in touched - {DOCUMENT}:
        entry = after.mentions.get(uid)
        if entry is None:
            connection.execute("DELETE FROM mention WHERE document = ? AND uid = ?", (row.key, uid))
        else:
            connection.execute(PUT_MENTION, _mention_values(row.key, uid, entry))
    decided: tuple[str | None, str | None] = (row.decided_by, row.decided_at)
    if before.state.state is not after.state.state:
        decided = (who, at) if after.state.state is State.DONE else (None, None)
    state = after.state
    connection.execute(
        "UPDATE document SET version = version + 1, mentions = ?, state = ?, flag = ?,"
        " comment = ?, decided_by = ?, decided_at = ? WHERE key = ?",
        (_live(after.mentions), state.state, state.flag, state.comment, *decided, row.key),
    )


def _live(entries: Mapping[str, Entry]) -> int:
    return sum(entry.status is not Status.REJECTED for entry in entries.values())


PUT_MENTION = (
    "INSERT OR REPLACE INTO mention (document, uid, label, spans, status, probability, model)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def _mention_values(document: int, uid: str, entry: Entry) -> tuple[Any, ...]:
    spans = msgspec.json.encode(entry.spans).decode()
    return (
        document,
        uid,
        entry.label,
        spans,
        entry.status.value,
        entry.probability,
        entry.model,
    )


def documents_in_order(
    connection: sqlite3.Connection, states: frozenset[State]
) -> Iterator[ReviewedDocument]:
    """Yield the documents in these states, in the order of import, one at a time."""
    keys = connection.execute(
        f"SELECT key FROM document WHERE state IN ({places(len(states))}) ORDER BY key",
        tuple(states),
    ).fetchall()
    yield from documents_of(connection, [key for (key,) in keys])


def documents_of(connection: sqlite3.Connection, keys: Iterable[int]) -> Iterator[ReviewedDocument]:
    """Yield the documents with these keys, one at a time; keys that no document has are skipped."""
    for key in keys:
        document = select_document(connection, key)
        if document is not None:
            yield document


def places(count: int) -> str:
    """Return so many question marks."""
    return ", ".join("?" * count)
