"""Routes to edit documents, to undo, and to read what was done."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Response

from lacuna.web.document_pages import PAGE
from lacuna.web.edit_steps import Conflict, Edited, NothingToUndoError
from lacuna.web.operations import operations_from
from lacuna.web.server import shapes
from lacuna.web.server.problems import Problem, not_found
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.views import (
    answer,
    changed_json,
    conflict_json,
    edit_json,
    etag_of,
    page_json,
)
from lacuna.web.store import RequestUsedError

Here = Annotated[Served, Depends(served_by)]
IfMatch = Annotated[str | None, Header(description='The version that was seen, e.g. "17".')]
router = APIRouter()
_VERSION = re.compile(r'\s*(?:W/)?"(\d{1,18})(?:\.[^"]*)?"\s*')


def base_of(if_match: str | None) -> int:
    """Return the version that a client has seen."""
    if if_match is None:
        raise Problem(428, "The header If-Match has to say which version was seen.")
    found = _VERSION.fullmatch(if_match)
    if found is None:
        raise Problem(422, 'If-Match has to be a version in quotes, e.g. "17".')
    return int(found[1])


def check_present(served: Served, key: int) -> None:
    """Raise :class:`Problem` (404) if there is no such document."""
    if served.store.row(key) is None:
        raise not_found()


def changed(served: Served, key: int, base: int, edits: tuple[Edited, ...] | Conflict) -> Response:
    """Return the answer to an edit."""
    if isinstance(edits, Conflict):
        current = conflict_json(served, key, base, edits)
        detail = f"{edits.reason[0].upper()}{edits.reason[1:]}."
        raise Problem(412, detail, kind="changed", current=current)
    served.events.look()
    others = {one.edit.document: one.edit.version for one in edits if one.edit.document != key}
    content = changed_json(served, key, base, others)
    return answer(content, etag=etag_of(served, content["version"]))


@router.patch("/documents/{key}/mentions", response_model=shapes.Changed)
def edit(
    served: Here, key: shapes.KeyPath, asked: shapes.Edit, if_match: IfMatch = None
) -> Response:
    """Edit a document, completely or not at all."""
    base = base_of(if_match)
    check_present(served, key)
    operations = operations_from(asked.operations)
    try:
        edited = served.store.apply_edit(
            key, operations, request=asked.request, base=base, who=served.person
        )
    except RequestUsedError as error:
        raise Problem(409, f"{error}.", kind="request-used") from None
    return changed(served, key, base, edited if isinstance(edited, Conflict) else (edited,))


@router.post("/documents/{key}/undo", response_model=shapes.Changed)
def undo(
    served: Here, key: shapes.KeyPath, asked: shapes.Again, if_match: IfMatch = None
) -> Response:
    """Undo the last edit that was made here, in all documents if it was made in several."""
    return _undone(served, key, asked.request, if_match, redo=False)


@router.post("/documents/{key}/redo", response_model=shapes.Changed)
def redo(
    served: Here, key: shapes.KeyPath, asked: shapes.Again, if_match: IfMatch = None
) -> Response:
    """Undo the last undo."""
    return _undone(served, key, asked.request, if_match, redo=True)


def _undone(
    served: Served, key: int, request: str, if_match: str | None, *, redo: bool
) -> Response:
    check_present(served, key)
    step = served.store.redo if redo else served.store.undo
    try:
        edits = step(key, request=request, who=served.person)
    except NothingToUndoError as error:
        raise Problem(409, f"{error}.".capitalize(), kind="nothing-to-undo") from None
    except RequestUsedError as error:
        raise Problem(409, f"{error}.", kind="request-used") from None
    if if_match is not None:
        base = base_of(if_match)
    else:
        base = 0 if isinstance(edits, Conflict) else edits[0].edit.base
    return changed(served, key, base, edits)


# --- the log

Newest = Annotated[bool, Query(description="The newest first; `after` goes back in time.")]


@router.get("/documents/{key}/history", response_model=shapes.History)
def document_history(
    served: Here,
    key: shapes.KeyPath,
    *,
    newest: Newest = False,
    after: shapes.AfterQuery = None,
    limit: shapes.LimitQuery = PAGE,
) -> Response:
    """Return the edits of a document, oldest first."""
    check_present(served, key)
    return _history(served, key, newest=newest, after=after, limit=limit)


@router.get("/history", response_model=shapes.History)
def history(
    served: Here,
    *,
    newest: Newest = False,
    after: shapes.AfterQuery = None,
    limit: shapes.LimitQuery = PAGE,
) -> Response:
    """Return the edits of all documents, oldest first."""
    return _history(served, None, newest=newest, after=after, limit=limit)


def _history(
    served: Served, key: int | None, *, newest: bool, after: int | None, limit: int
) -> Response:
    edits = served.store.history(key, newest=newest, after=after, limit=limit)
    return answer(page_json("edits", [edit_json(one) for one in edits], limit))
