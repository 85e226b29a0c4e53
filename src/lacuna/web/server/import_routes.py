"""Routes to add documents: a file or folder of this machine, or an upload."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Request, Response
from pydantic import ValidationError

from lacuna.io.corpus import read_corpus
from lacuna.io.formats import FORMATS
from lacuna.web.demo_notes import demo_notes
from lacuna.web.server import project_shapes as shapes
from lacuna.web.server.import_jobs import Job
from lacuna.web.server.paths_below import entries, existing_below
from lacuna.web.server.problems import Problem, in_words
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.shapes import KeyPath
from lacuna.web.server.views import answer

Here = Annotated[Served, Depends(served_by)]
router = APIRouter()
UPLOAD = "application/octet-stream"
LONGEST_NAME = 200
NAME, FORMAT, GROUP_FROM = "x-lacuna-name", "x-lacuna-format", "x-lacuna-group-from"


def _header(name: str, *, required: bool) -> dict[str, Any]:
    description = "Percent-encoded; for uploads."
    schema = {"type": "string"}
    more = {"description": description, "schema": schema, "required": required}
    return {"name": name, "in": "header", **more}


_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": shapes.ImportAsked.model_json_schema()},
            UPLOAD: {"schema": {"type": "string", "format": "binary"}},
        },
    },
    "parameters": [_header(name, required=False) for name in (NAME, FORMAT, GROUP_FROM)],
}


@router.post("/imports", status_code=202, response_model=shapes.JobNumber, openapi_extra=_BODY)
async def start_import(served: Here, request: Request) -> Response:
    """Begin to add documents."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == UPLOAD:
        return _begun(await _upload(served, request))
    if kind != "application/json":
        raise Problem(415, f"The body has to be application/json or {UPLOAD}.")
    try:
        asked = shapes.ImportAsked.model_validate_json(await request.body())
    except ValidationError as error:
        raise Problem(422, in_words(error.errors())) from None
    path = existing_below(served.root, asked.path)
    return _begun(_start(served, path, asked.format, asked.group_from))


def _begun(job: Job) -> Response:
    return answer({"job": job.number}, 202)


def _start(
    served: Served, path: Path, format_: str | None, group_from: str | None, **more: Any
) -> Job:
    if format_ is not None and format_ not in FORMATS:
        raise Problem(422, "There is no such format.")
    return served.imports.start(
        lambda: read_corpus([path], format=format_, group_from=group_from or None), **more
    )


async def _upload(served: Served, request: Request) -> Job:
    """Store a file in a folder of the project that is removed after the import."""
    name = unquote(request.headers.get(NAME, ""))
    if not _is_file_name(name):
        raise Problem(422, f"The header {NAME} has to be the name of a file.")
    format_, group_from = (
        unquote(request.headers[header]) if header in request.headers else None
        for header in (FORMAT, GROUP_FROM)
    )
    folder = Path(tempfile.mkdtemp(prefix="upload-", dir=served.project.folder))

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    try:
        with (folder / name).open("wb") as stream:
            async for chunk in request.stream():
                stream.write(chunk)
        hide = f"{folder}/"
        return _start(served, folder / name, format_, group_from, hide=hide, at_end=remove)
    except BaseException:
        remove()
        raise


def _is_file_name(name: str) -> bool:
    return (
        0 < len(name.encode("utf-8", "replace")) <= LONGEST_NAME
        and name.isprintable()
        and not name.startswith(".")
        and not set(name) & set("/\\")
    )


@router.post("/imports/demo", status_code=202, response_model=shapes.JobNumber)
def import_demo(served: Here) -> Response:
    """Begin to add made-up notes."""
    key = served.project.key
    return _begun(served.imports.start(lambda: demo_notes(key)))


@router.get("/imports/{job}", response_model=shapes.JobShape)
def import_state(served: Here, job: KeyPath) -> Response:
    """Say how far an import is."""
    found = served.imports.get(job)
    if found is None:
        raise Problem(404, "There is no such import.")
    return answer(found.json())


@router.post("/folders", response_model=shapes.FolderShape)
def folders(served: Here, asked: shapes.FolderAsked) -> Response:
    """List a folder of this machine."""
    return answer(entries(served.root, asked.path))
