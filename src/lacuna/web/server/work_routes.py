"""Routes for programs: find mentions in texts, and de-identify texts.

One JSON object gives one; JSON lines give JSON lines, in order, while later ones are worked on. A
line that fails gives ``{"id", "error"}``, the others are done.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Annotated, Any, NamedTuple

import msgspec
from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from lacuna.deid.policy import policies
from lacuna.pipeline.deidentify import Deidentifier
from lacuna.pipeline.detect_and_redact import Failed
from lacuna.text.document import Document
from lacuna.web.model_files import model_path
from lacuna.web.server import project_shapes as shapes
from lacuna.web.server.problems import Problem
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.views import answer

Here = Annotated[Served, Depends(served_by)]
router = APIRouter()
LINES = "application/x-ndjson"
BATCH, BATCH_CHARACTERS = 32, 200_000  #: documents and characters that are worked on together
NOT_JSON = 'a line has to be a JSON object {"id", "text", "group"}, of which text is needed'


class Given(msgspec.Struct, forbid_unknown_fields=True):
    """A text of a client."""

    text: str
    id: str | None = None
    group: str | None = None


class Line(NamedTuple):
    """A line of a request: what it holds, or what is wrong."""

    given: Given | None
    number: int


Work = Callable[[Sequence[Document]], Sequence[Document | Failed]]
_given = msgspec.json.Decoder(Given)
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": shapes.TextAsked.model_json_schema()},
            LINES: {"schema": {"type": "string"}},
        },
    }
}


def _answers(shape: type[shapes.TextAsked]) -> dict[int | str, dict[str, Any]]:
    lines = {LINES: {"schema": {"type": "string"}}}
    return {200: {"model": shape, "content": lines, "description": "As the request was"}}


@router.post("/tag", responses=_answers(shapes.Tagged), openapi_extra=_BODY)
async def tag(served: Here, request: Request) -> Response:
    """Find mentions with the model of the project."""
    if served.suggester is None:
        raise _no_model()
    tagger = served.suggester.detector.tagger
    return await _worked(served, request, partial(_each_tagged, tagger), lambda _: None)


@router.post("/deid", responses=_answers(shapes.Deidentified), openapi_extra=_BODY)
async def deid(
    served: Here,
    request: Request,
    policy: Annotated[str | None, Query(max_length=100)] = None,
    threshold: Annotated[float | None, Query(ge=0, le=1)] = None,
) -> Response:
    """De-identify texts; without a policy and a threshold, with those of the project."""
    deidentifier = await to_thread.run_sync(_deidentifier, served, policy, threshold)

    def work(documents: Sequence[Document]) -> Sequence[Document | Failed]:
        named = [one if one.id else deidentifier.document(one.text) for one in documents]
        outcomes = deidentifier.deidentify(named)
        return [one if isinstance(one, Failed) else one.document for one in outcomes]

    return await _worked(served, request, work, deidentifier.forget)


# --- what does the work


def _deidentifier(served: Served, policy: str | None, threshold: float | None) -> Deidentifier:
    project = served.project
    settings = project.settings
    if policy is not None and policy not in (*policies(), settings.policy):
        raise Problem(422, "There is no such policy.")
    path = model_path(project)
    if path is None:
        raise _no_model()
    chosen = project.policy(policy)
    lowest = settings.threshold if threshold is None else threshold

    def make() -> Deidentifier:
        return Deidentifier(model=path, policy=chosen, key=project.key, threshold=lowest)

    return served.deidentifiers.get((str(path), chosen.digest, lowest), make)


def _each_tagged(tagger: Any, documents: Sequence[Document]) -> Sequence[Document | Failed]:
    try:
        return list(tagger.find(documents, probabilities=True))
    except Exception as error:
        if len(documents) == 1:
            return [Failed(f"could not be tagged ({type(error).__name__})")]
    return [one for document in documents for one in _each_tagged(tagger, [document])]


def _no_model() -> Problem:
    return Problem(409, "The project has no model.", kind="no-model")


# --- requests and answers


async def _worked(
    served: Served, request: Request, work: Work, forget: Callable[[str], None]
) -> Response:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/json", LINES):
        raise Problem(415, f"The body has to be application/json or {LINES}.")
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(served.slots.one())
        body = await request.body()
        if kind == LINES:
            return _Held(_lines(body, work, forget), stack.pop_all())
        try:
            given = _given.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise Problem(
                422, "The body has to be an object with text, and maybe id and group."
            ) from None
        (outcome,) = await to_thread.run_sync(_batch_done, [Line(given, 1)], work)
        _forget([given], forget)
    if "error" in outcome:
        raise Problem(422, f"The text {outcome['error']}.", kind="failed")
    return answer(outcome)


class _Held(StreamingResponse):
    """A stream that gives back its place at the end."""

    def __init__(self, content: AsyncIterator[bytes], held: AsyncExitStack) -> None:
        super().__init__(content, media_type=LINES)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._held:
            await super().__call__(scope, receive, send)


async def _lines(body: bytes, work: Work, forget: Callable[[str], None]) -> AsyncIterator[bytes]:
    given: list[Given] = []
    for batch in _batches(body):
        given += [line.given for line in batch if line.given is not None and line.given.group]
        outcomes = await to_thread.run_sync(_batch_done, batch, work)
        yield b"".join(msgspec.json.encode(one) + b"\n" for one in outcomes)
    _forget(given, forget)


def _forget(given: Sequence[Given], forget: Callable[[str], None]) -> None:
    """Keep nothing of patients after a request, so that memory does not grow."""
    for group in {one.group for one in given if one.group is not None}:
        forget(group)


def _batches(body: bytes) -> Iterator[list[Line]]:
    batch: list[Line] = []
    size = 0
    for number, line in enumerate(body.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            given = _given.decode(line)
            size += len(given.text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            given = None
        batch.append(Line(given, number))
        if len(batch) >= BATCH or size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _batch_done(batch: Sequence[Line], work: Work) -> list[dict[str, Any]]:
    """Work on lines; return what to answer to each."""
    documents = [_document(line) for line in batch if line.given is not None]
    outcomes = iter(work(documents) if documents else ())
    return [
        {"id": None, "error": f"line {line.number}: {NOT_JSON}"}
        if line.given is None
        else _outcome(line.given, next(outcomes))
        for line in batch
    ]


def _document(line: Line) -> Document:
    given = line.given
    assert given is not None
    return Document(given.id or "", given.text, group=given.group)


def _outcome(given: Given, outcome: Document | Failed) -> dict[str, Any]:
    if isinstance(outcome, Failed):
        return {"id": given.id, "error": outcome.reason}
    item: dict[str, Any] = {"id": given.id, "text": outcome.text, "group": given.group}
    if outcome.mentions:
        item["mentions"] = [mention.to_dict() for mention in outcome.mentions]
    return item
