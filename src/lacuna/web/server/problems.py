"""Errors as answers: ``application/problem+json`` (RFC 9457) in our own words.

No answer quotes what a client sent, because that can be a note. FastAPI's own answer to invalid
input does, so it is replaced. Of an exception that nobody expected, only its type and place are
named.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from lacuna.errors import EditError, LacunaError
from lacuna.web.edits import TextDiffersError

MEDIA_TYPE = "application/problem+json"
BUSY_SECONDS = 2  #: after which a client may try again

#: What pydantic says of these kinds of errors names no input.
_PLAIN = frozenset(
    {
        *("int_type", "int_from_float", "float_type", "bool_type", "string_type", "list_type"),
        *("dict_type", "model_attributes_type", "enum", "literal_error", "string_too_short"),
        *("string_too_long", "too_short", "too_long", "greater_than", "greater_than_equal"),
        *("less_than", "less_than_equal", "int_parsing", "float_parsing", "bool_parsing"),
        *("finite_number", "string_unicode"),
    }
)
_OWN_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "has a field that is not known",
    "json_invalid": "is not valid JSON",
}


class Problem(Exception):  # noqa: N818 — as RFC 9457 calls it
    """An answer that says what is wrong.

    Parameters
    ----------
    status
        Of HTTP.
    detail
        One sentence for a person. It quotes nothing that a client sent.
    kind
        A short name that a program can tell it by, e.g. ``text-differs``.
    headers, more
        Further headers, and further fields of the answer.
    """

    def __init__(
        self,
        status: int,
        detail: str = "",
        *,
        kind: str | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.kind = status, detail, kind
        self.headers, self.more = dict(headers or {}), more

    def response(self) -> Response:
        """Return the answer."""
        content = {
            "type": f"lacuna:{self.kind}" if self.kind else "about:blank",
            "title": _title(self.status),
            "status": self.status,
            "detail": self.detail,
            **self.more,
        }
        return Response(
            msgspec.json.encode(content), self.status, self.headers, media_type=MEDIA_TYPE
        )


def _title(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"


def not_found() -> Problem:
    """Return the answer to a key that no document has."""
    return Problem(404, "There is no such document.")


def handle_problems(app: FastAPI) -> None:
    """Answer every error that is expected with a problem."""
    for error, handler in (
        (Problem, _own),
        (HTTPException, _http),
        (RequestValidationError, _invalid),
        (LacunaError, _refused),
        (sqlite3.OperationalError, _busy),
    ):
        app.add_exception_handler(error, handler)  # type: ignore[arg-type]


def _own(_: Request, error: Problem) -> Response:
    return error.response()


def _http(_: Request, error: HTTPException) -> Response:
    details = {404: "There is nothing at this address.", 405: "This address has other methods."}
    detail = details.get(error.status_code, "")
    return Problem(error.status_code, detail, headers=error.headers).response()


def _invalid(_: Request, error: RequestValidationError) -> Response:
    return Problem(422, in_words(error.errors())).response()


def _refused(_: Request, error: LacunaError) -> Response:
    if isinstance(error, TextDiffersError):
        return Problem(409, f"{error}.", kind="text-differs").response()
    if isinstance(error, EditError):  # these messages quote nothing
        return Problem(422, f"{error}.").response()
    return Problem(422, f"This cannot be done ({type(error).__name__}).").response()


def _busy(_: Request, error: sqlite3.OperationalError) -> Response:
    if "locked" not in str(error):
        raise error
    detail = "Another program is writing to the project; try again."
    return Problem(503, detail, headers={"Retry-After": str(BUSY_SECONDS)}).response()


def in_words(errors: Sequence[Any]) -> str:
    """Return what is wrong with a request: places and reasons, no values."""
    parts = []
    for error in list(errors)[:5]:
        kind, place = str(error["type"]), list(error["loc"])
        if kind in ("extra_forbidden", "json_invalid"):
            place = place[:-1]  # the name that was sent, or a position in it
        reason = _OWN_WORDS.get(kind) or (str(error["msg"]) if kind in _PLAIN else "is not valid")
        parts.append(f"{'.'.join(map(str, place))}: {reason}")
    return "; ".join(parts)


def unexpected(error: BaseException) -> tuple[Response, str]:
    """Return the answer to an error of ours, and a line for the log: its type and place."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    place = f" at {Path(step.tb_frame.f_code.co_filename).name}:{step.tb_lineno}" if step else ""
    what = f"{type(error).__name__}{place}"
    return Problem(500, f"An error in lacuna: {what}.", kind="internal").response(), what
