"""Routes that change several documents as one step, which one undo undoes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from lacuna.web import edit_log
from lacuna.web.edit_log import Edit
from lacuna.web.edit_steps import Conflict
from lacuna.web.edits import is_label
from lacuna.web.everywhere import Everywhere, same_words
from lacuna.web.operations import Add, SetState, Spans
from lacuna.web.server import shapes
from lacuna.web.server.edit_routes import check_present
from lacuna.web.server.problems import Problem, not_found
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.views import Json, answer, changed_json, conflict_json
from lacuna.web.store import RequestUsedError

Here = Annotated[Served, Depends(served_by)]
router = APIRouter()


@router.post("/documents/states", response_model=shapes.Count)
def states(served: Here, asked: shapes.StatesAsked) -> Response:
    """Change the state of several documents, e.g. to open them again."""
    if asked.state is None and asked.flag is None:
        raise Problem(422, "A state or a flag is needed.")
    rows = {key: served.store.row(key) for key in dict.fromkeys(asked.keys)}
    operation = SetState(asked.state, asked.flag)
    edits = {key: (row.version, (operation,)) for key, row in rows.items() if row is not None}
    if len(edits) < len(rows):
        raise not_found()
    try:
        done = served.store.apply_batch(edits, request=asked.request, who=served.person)
    except RequestUsedError as error:
        raise Problem(409, f"{error}.", kind="request-used") from None
    if isinstance(done, Conflict):
        raise Problem(412, "Somebody changed these documents just now.", kind="changed")
    served.events.look()
    return answer({"changed": len(done)})


@router.post("/documents/{key}/everywhere", response_model=shapes.EverywhereShape)
def everywhere(served: Here, key: shapes.KeyPath, asked: shapes.EverywhereAsked) -> Response:
    """Mark the same words everywhere, or remove them; with `dry`, only say where they are."""
    check_present(served, key)
    if not is_label(asked.label):
        raise Problem(422, "This cannot be a label.")
    if not asked.dry:
        with served.store.database.reading() as connection:
            earlier = edit_log.of_request(connection, asked.request)
        if earlier:
            return answer(_again(served, key, asked, earlier))
    spans: Spans = tuple((start, end) for start, end in asked.spans)
    found = same_words(
        served.store,
        served.suggester,
        key,
        asked.label,
        spans,
        scope=asked.scope,
        remove=asked.remove,
    )
    changed = None if asked.dry or not found.edits else _done(served, key, asked.request, found)
    return answer(
        {
            "places": found.places,
            "documents": found.documents,
            "kept": found.kept,
            "here": found.here,
            "changed": changed,
        }
    )


def _done(served: Served, key: int, request: str, found: Everywhere) -> Json:
    """Make the edits; return what changed in the document that was pointed at."""
    row = served.store.row(key)
    base = found.edits[key][0] if key in found.edits else row.version if row else 0
    done = served.store.apply_batch(found.edits, request=request, who=served.person)
    if isinstance(done, Conflict):
        current = conflict_json(served, key, base, done)
        detail = "Somebody changed one of these documents just now; nothing was done."
        raise Problem(412, detail, kind="changed", current=current)
    served.events.look()
    others = {one.edit.document: one.edit.version for one in done if one.edit.document != key}
    return changed_json(served, key, base, others)


def _again(
    served: Served, key: int, asked: shapes.EverywhereAsked, earlier: Sequence[Edit]
) -> Json:
    """Return the answer to a request that was done before: a client that did not get it."""
    if any(edit.undoes is not None or edit.batch != asked.request for edit in earlier):
        raise Problem(409, f"{RequestUsedError()}.", kind="request-used")
    here = [edit for edit in earlier if edit.document == key]
    others = {edit.document: edit.version for edit in earlier if edit.document != key}
    row = served.store.row(key)
    base = here[0].base if here else row.version if row else 0
    added = [one for edit in here for one in edit.operations if isinstance(one, Add)]
    return {
        "places": sum(len(edit.operations) for edit in earlier),
        "documents": len(earlier),
        "kept": 0,
        "here": [one.spans for one in added],
        "changed": changed_json(served, key, base, others),
    }
