"""What answers say about documents and edits, as JSON values."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from starlette.responses import Response

from lacuna.web import edit_log
from lacuna.web.documents_table import ReviewedDocument, Row, select_review, select_row
from lacuna.web.edit_log import Edit
from lacuna.web.edit_steps import Conflict, NothingToUndoError, to_undo
from lacuna.web.edits import Review
from lacuna.web.operations import DOCUMENT, Entry, State, targets
from lacuna.web.parts import Part
from lacuna.web.server.problems import not_found
from lacuna.web.server.served import Served

Json = dict[str, Any]


def answer(content: Any, status: int = 200, *, etag: str | None = None) -> Response:
    """Return JSON as an answer."""
    headers = {} if etag is None else {"ETag": f'"{etag}"'}
    return Response(msgspec.json.encode(content), status, headers, media_type="application/json")


def etag_of(served: Served, version: int) -> str:
    """Return what identifies the state of a document."""
    return f"{version}.{served.model}"


def is_sealed(row: Row) -> bool:
    """Return whether nobody may learn yet what a model thinks of a document."""
    return row.part is Part.SEAL and row.state is not State.DONE


def row_json(row: Row) -> Json:
    """Return a document of a list."""
    return {
        "key": row.key,
        "id": row.id,
        "group": row.group,
        "state": row.state,
        "flag": row.flag,
        "commented": bool(row.comment),
        "version": row.version,
        "mentions": row.mentions,
        "held_out": row.held_out,
        "part": row.part,
        "sampled": row.sampled,
        "need": None if is_sealed(row) else row.need,
        "decided_by": row.decided_by,
        "decided_at": row.decided_at,
    }


def mention_json(uid: str, entry: Entry) -> Json:
    """Return a mention."""
    return {
        "uid": uid,
        "label": entry.label,
        "spans": entry.spans,
        "status": entry.status,
        "probability": entry.probability,
    }


def mentions_json(review: Review, uids: Collection[str]) -> Json:
    """Return mentions by uid; ``None`` for one that is no more."""
    found = {uid: review.mentions.get(uid) for uid in sorted(uids)}
    return {uid: entry and mention_json(uid, entry) for uid, entry in found.items()}


def state_json(review: Review) -> Json:
    """Return what people say about a document as a whole."""
    state = review.state
    return {"state": state.state, "flag": state.flag, "comment": state.comment}


def undo_json(connection: sqlite3.Connection, key: int, who: str) -> Json:
    """Return whether a person can undo and redo something in a document."""
    return {
        name: _is_possible(connection, key, who, redo=redo)
        for name, redo in (("undo", False), ("redo", True))
    }


def _is_possible(connection: sqlite3.Connection, key: int, who: str, *, redo: bool) -> bool:
    try:
        to_undo(connection, key, who, redo=redo)
    except NothingToUndoError:
        return False
    return True


def patient_json(connection: sqlite3.Connection, reviewed: ReviewedDocument) -> Json | None:
    """Return the place of a document among those of its patient; ``None`` if it has none."""
    row = reviewed.row
    if row.group is None:
        return None
    rows = connection.execute("SELECT key FROM document WHERE grp = ? ORDER BY key", (row.group,))
    keys = [key for (key,) in rows]
    return {"number": keys.index(row.key) + 1, "of": len(keys), "keys": keys}


def changed_json(
    served: Served, key: int, base: int, others: Mapping[int, int] | None = None
) -> Json:
    """Return what a client has to know about a document that it saw in the version `base`.

    Everything that was touched since, by its own edit or others, as it is now. `others` are
    versions of further documents that the edit changed.
    """
    with served.store.database.reading() as connection:
        row = select_row(connection, key)
        if row is None:
            raise not_found()
        review = select_review(connection, row)
        edits = edit_log.between(connection, key, base, row.version + 1)
        touched = {one for edit in edits for one in targets(edit.operations)} - {DOCUMENT}
        return {
            "version": row.version,
            "mentions": mentions_json(review, touched),
            **state_json(review),
            **undo_json(connection, key, served.person),
            "others": [{"key": other, "version": v} for other, v in (others or {}).items()],
        }


def conflict_json(served: Served, key: int, base: int, conflict: Conflict) -> Json:
    """Return what a client has to know to show what somebody else changed."""
    document = key if conflict.document == key else conflict.document
    current = changed_json(served, document, base if document == key else 0)
    return {"key": document, **current, "targets": sorted(conflict.targets)}


def edit_json(edit: Edit) -> Json:
    """Return an edit of the log: offsets and labels, no text."""
    return {
        "key": edit.key,
        "document": edit.document,
        "version": edit.version,
        "at": edit.at,
        "who": edit.who,
        "operations": msgspec.to_builtins(edit.operations),
        "undoes": edit.undoes,
        "batch": edit.batch,
    }


def page_json(name: str, items: Sequence[Json], limit: int) -> Json:
    """Return a page; `next` is the key to go on after, if there may be more."""
    following = items[-1]["key"] if len(items) >= limit else None
    return {name: items, "next": following}
