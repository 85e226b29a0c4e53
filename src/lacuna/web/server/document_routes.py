"""Routes to read documents, and the queue."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Header, Query, Response

from lacuna.web.blind import is_blind
from lacuna.web.document_pages import PAGE, Filter, Order
from lacuna.web.documents_table import ReviewedDocument, select_document
from lacuna.web.operations import State
from lacuna.web.queue import next_in_queue
from lacuna.web.queue import queue as queue_of
from lacuna.web.server import shapes
from lacuna.web.server.problems import not_found
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.views import (
    Json,
    answer,
    etag_of,
    mention_json,
    page_json,
    patient_json,
    row_json,
    state_json,
    undo_json,
)
from lacuna.web.snapping import delta_coded, snapping_tokens
from lacuna.web.store import WAITING

Here = Annotated[Served, Depends(served_by)]
router = APIRouter()
LONG = 20_000  #: characters of a text whose tokens are sent apart
QUEUE = 50

# --- lists


@router.get("/documents", response_model=shapes.Rows)
def documents(
    served: Here,
    state: Annotated[list[State], Query()] = [],  # noqa: B006 — as FastAPI wants it
    label: str | None = None,
    flag: bool | None = None,
    held_out: bool | None = None,
    order: Order = Order.IMPORT,
    after: shapes.AfterQuery = None,
    limit: shapes.LimitQuery = PAGE,
) -> Response:
    """List documents, page by page."""
    asked = Filter(frozenset(state), label, flag=flag, held_out=held_out)
    return _listed(served, asked, order, after, limit)


@router.post("/documents/search", response_model=shapes.Rows)
def search(served: Here, asked: shapes.Search) -> Response:
    """List documents by words of the id or the text, or by patient."""
    filter_ = Filter(
        frozenset(asked.states), asked.label, asked.words, asked.group, asked.flag, asked.held_out
    )
    return _listed(served, filter_, asked.order, asked.after, asked.limit)


def _listed(
    served: Served, filter_: Filter, order: Order, after: int | None, limit: int
) -> Response:
    rows = served.store.documents(filter_, order=order, after=after, limit=limit)
    return answer(page_json("documents", [row_json(row) for row in rows], limit))


# --- the queue


@router.get("/queue", response_model=shapes.Queued)
def queue(served: Here, limit: shapes.LimitQuery = QUEUE) -> Response:
    """List the documents that come next."""
    states = served.store.counts().states
    documents = [
        row_json(row) | {"reason": reason} for row, reason in queue_of(served.store, limit=limit)
    ]
    return answer({"documents": documents, "waiting": sum(states[one] for one in WAITING)})


@router.get("/queue/next", response_model=shapes.NextPlace, responses={204: {"model": None}})
def following(served: Here, after: shapes.AfterQuery = None) -> Response:
    """Return the document to review after another one, and why."""
    found = next_in_queue(served.store, after)
    if found is None:
        return Response(status_code=204)
    row, reason = found
    return answer({"key": row.key, "reason": reason})


# --- one document

_NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "As the client has it"}}


@router.get("/documents/{key}", response_model=shapes.DocumentShape, responses=_NOT_MODIFIED)
def document(
    served: Here, key: shapes.KeyPath, if_none_match: Annotated[str | None, Header()] = None
) -> Response:
    """Return a document with its mentions, and what a model suggests."""
    row = served.store.row(key)
    if row is None:
        raise not_found()
    etag = etag_of(served, row.version)
    if if_none_match is not None and f'"{etag}"' in if_none_match:
        return Response(status_code=304, headers={"ETag": f'"{etag}"'})
    content = _document(served, key)
    return answer(content, etag=etag_of(served, content["version"]))


def _document(served: Served, key: int) -> Json:
    suggested = (
        None if served.suggester is None else served.suggester.for_document(served.store, key)
    )
    with served.store.database.reading() as connection:
        reviewed = select_document(connection, key)
        if reviewed is None:
            raise not_found()
        (sha256,) = connection.execute(
            "SELECT lower(hex(sha256)) FROM document WHERE key = ?", (key,)
        ).fetchone()
        more = {
            "blind": is_blind(connection, reviewed.row),
            "patient": patient_json(connection, reviewed),
            **undo_json(connection, key, served.person),
        }
    text, entries = reviewed.source.text, reviewed.review.mentions
    return {
        **row_json(reviewed.row),
        **state_json(reviewed.review),
        "text": text,
        "sha256": sha256,
        "mentions": [mention_json(*item) for item in entries.items()],
        "suggestions": [] if suggested is None else msgspec.to_builtins(suggested.suggestions),
        "doubts": [] if suggested is None else msgspec.to_builtins(suggested.doubts),
        "overlapping": served.suggester is not None and served.suggester.overlapping,
        "model": served.model or None,
        "tokens": _tokens(reviewed) if len(text) <= LONG else None,
        **more,
    }


@router.get("/documents/{key}/tokens", response_model=shapes.TokensShape)
def tokens(served: Here, key: shapes.KeyPath) -> Response:
    """Return where tokens begin (each after the one before) and how long they are."""
    reviewed = served.store.document(key)
    if reviewed is None:
        raise not_found()
    return answer(_tokens(reviewed))


def _tokens(reviewed: ReviewedDocument) -> Json:
    return dict(delta_coded(*snapping_tokens(reviewed.source)))
