"""Routes to log in, to see whether the server answers, and to follow what happens."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request, Response
from starlette.responses import StreamingResponse

from lacuna.version import __version__
from lacuna.web.server import shapes
from lacuna.web.server.problems import Problem
from lacuna.web.server.security import paused, set_cookie
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.sessions import Paused
from lacuna.web.server.views import answer

Here = Annotated[Served, Depends(served_by)]
router = APIRouter()
LARGEST_DIGITS = 18


@router.post("/session", status_code=204, response_class=Response)
def open_session(served: Here, login: shapes.Login) -> Response:
    """Exchange the token of the link for a session cookie."""
    try:
        session = served.sessions.open(login.token)
    except Paused as pause:
        raise paused(pause) from None
    if session is None:
        raise Problem(401, "The token is wrong, or was used before.", kind="wrong-token")
    response = Response(status_code=204)
    set_cookie(response, served.address, session)
    return response


@router.get("/health", response_model=shapes.Health)
def health(request: Request) -> Response:
    """Say that the server answers."""
    version = {"version": __version__} if request.state.known else {}
    return answer({"ok": True} | version)


_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "Events"}
}


@router.get("/events", response_class=StreamingResponse, responses=_STREAM)
async def events(
    served: Here, last_event_id: Annotated[str | None, Header()] = None
) -> StreamingResponse:
    """Follow what happens: server-sent events. ``Last-Event-ID`` resumes after an edit."""
    last = None
    if last_event_id and last_event_id.isascii() and last_event_id.isdecimal():
        last = int(last_event_id[:LARGEST_DIGITS])
    return StreamingResponse(served.events.stream(last), media_type="text/event-stream")
