"""Routes to see a document de-identified, and to write documents to files of this machine."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Header, Query, Response
from starlette.responses import StreamingResponse

from lacuna.deid.policy import policies
from lacuna.errors import ConfigError, FormatLimitError, RedactionError
from lacuna.io.formats import FORMATS
from lacuna.io.limits import Loss, loss_needed
from lacuna.io.output import Written
from lacuna.text.plurals import counted
from lacuna.web.document_output import output_of
from lacuna.web.exporting import (
    Chosen,
    Which,
    check_export,
    check_texts,
    default_path,
    documents_to_export,
    export,
    export_texts,
    safe_documents,
)
from lacuna.web.redacting import Redaction
from lacuna.web.server import project_shapes as shapes
from lacuna.web.server.edit_routes import check_present
from lacuna.web.server.paths_below import new_below
from lacuna.web.server.problems import Problem, not_found
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.shapes import KeyPath
from lacuna.web.server.views import Json, answer

Here = Annotated[Served, Depends(served_by)]
router = APIRouter()
LINES = "application/x-ndjson"
FAILED = "documents that could not be de-identified"


@router.get("/documents/{key}/output", response_model=shapes.OutputShape)
def output(
    served: Here,
    key: KeyPath,
    policy: Annotated[str | None, Query(max_length=1000)] = None,
    threshold: Annotated[float | None, Query(ge=0, le=1)] = None,
) -> Response:
    """Return a document de-identified, and what was replaced."""
    check_present(served, key)
    check_policy(served, policy)
    try:
        made = output_of(served.project, served.suggester, key, policy=policy, threshold=threshold)
    except RedactionError as error:
        detail = f"The document cannot be de-identified: {error}."
        raise Problem(409, detail, kind="not-deidentified") from None
    return answer(made)


def check_policy(served: Served, policy: str | None) -> None:
    """Raise :class:`Problem` if a policy is not a bundled one or that of the project."""
    if policy is not None and policy not in (*policies(), served.project.settings.policy):
        raise Problem(422, "There is no such policy.")


_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {LINES: {"schema": {"type": "string"}}}, "description": "What was written"}
}


@router.post("/exports", response_model=shapes.Exported, responses=_STREAM)
def exports(
    served: Here, asked: shapes.ExportAsked, accept: Annotated[str | None, Header()] = None
) -> Response:
    """Write documents to a file or folder; with ``Accept: application/x-ndjson``, stream them."""
    _check(served, asked)
    chosen = _chosen(served, asked)
    if accept is not None and LINES in accept:
        return StreamingResponse(_lines(served, asked, chosen), media_type=LINES)
    path = _path(served, asked)
    count, left_out, refused = _checked(served, asked, chosen, path)
    is_written = refused is None and not asked.dry
    if is_written:
        count, failed = _write(served, asked, chosen, path)
        if failed:
            left_out.append({"what": FAILED, "count": failed, "level": "mentions"})
    return answer(
        {
            "documents": count,
            "left_out": left_out,
            "refused": refused,
            "path": str(path),
            "written": is_written,
        }
    )


# --- what is asked


def _check(served: Served, asked: shapes.ExportAsked) -> None:
    if asked.format not in FORMATS:
        raise Problem(422, "There is no such format.")
    check_policy(served, asked.policy)
    if asked.suggestions and served.suggester is None:
        raise Problem(409, "The project has no model.", kind="no-model")


def _chosen(served: Served, asked: shapes.ExportAsked) -> Chosen:
    if isinstance(asked.documents, str):
        return Which(asked.documents)
    keys = list(dict.fromkeys(asked.documents))
    if any(served.store.row(key) is None for key in keys):
        raise not_found()
    return keys


def _path(served: Served, asked: shapes.ExportAsked) -> Path:
    """Return where to write: a new file or folder, and never into the project itself."""
    project = served.project
    if not asked.path:
        return default_path(project, asked.format, datetime.now()).resolve()
    return new_below(served.root, asked.path, project.folder)


# --- checking, writing


def _checked(
    served: Served, asked: shapes.ExportAsked, chosen: Chosen, path: Path
) -> tuple[int, list[Json], str | None]:
    """Return how many documents there are, what is left out, and why it cannot be written."""
    allowed = Loss[asked.loss.upper()]
    try:
        found = _tried(served, asked, chosen, path)
    except FormatLimitError as error:  # cannot be written at all
        return 0, [], f"{error}"
    except ConfigError:
        return 0, [], f"{asked.format} cannot be written there, or holds no de-identified texts"
    left_out = [_left_out(asked.format, *item) for item in found.left_out.items()]
    too_much = [one["what"] for one in left_out if Loss[one["level"].upper()] > allowed]
    refused = None
    if too_much:
        refused = f"{asked.format} cannot hold {', '.join(too_much)}"
    elif not found.documents:
        refused = "there is no document to export"
    return found.documents, left_out, refused


def _tried(served: Served, asked: shapes.ExportAsked, chosen: Chosen, path: Path) -> Written:
    if asked.content == "deidentified":
        return check_texts(
            served.project, path, format=asked.format, which=chosen, loss=Loss.MENTIONS
        )
    suggester = served.suggester if asked.suggestions else None
    return check_export(
        served.project, path, format=asked.format, which=chosen, suggester=suggester
    )


def _left_out(format_: str, what: str, count: int) -> Json:
    level = loss_needed(what, FORMATS[format_].limits)
    return {"what": what, "count": count, "level": (level or Loss.MENTIONS).name.lower()}


def _write(
    served: Served, asked: shapes.ExportAsked, chosen: Chosen, path: Path
) -> tuple[int, int]:
    """Write; return how many documents were written, and how many could not be de-identified."""
    loss = Loss[asked.loss.upper()]
    try:
        if asked.content == "deidentified":
            done = export_texts(
                _redaction(served, asked), path, format=asked.format, which=chosen, loss=loss
            )
            return done.written.documents, len(done.failed)
        suggester = served.suggester if asked.suggestions else None
        written = export(
            served.project,
            path,
            format=asked.format,
            which=chosen,
            loss=loss,
            suggester=suggester,
        )
    except OSError as error:
        detail = f"It cannot be written: {error.strerror or type(error).__name__}."
        raise Problem(409, detail, kind="not-written") from None
    return written.documents, 0


def _redaction(served: Served, asked: shapes.ExportAsked) -> Redaction:
    return Redaction.of(served.project, served.suggester, policy=asked.policy)


def _lines(served: Served, asked: shapes.ExportAsked, chosen: Chosen) -> Generator[bytes]:
    """Yield documents as JSON lines; at the end, how many could not be de-identified."""
    failed: dict[int, str] = {}
    if asked.content == "deidentified":
        documents = safe_documents(_redaction(served, asked), chosen, failed)
    else:
        suggester = served.suggester if asked.suggestions else None
        documents = documents_to_export(served.project, chosen, suggester=suggester)
    with closing(documents) as stream:
        for document in stream:
            yield msgspec.json.encode(document.to_dict()) + b"\n"
    if failed:
        reason = f"{counted(len(failed), 'document')} could not be de-identified"
        yield msgspec.json.encode({"id": None, "error": reason}) + b"\n"
