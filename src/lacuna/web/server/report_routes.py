"""Route to a finished web page of the project.

Such a page is shown in a sandbox: it has no scripts, no links into the API, and cannot be taken
for a part of the review page (security.py).
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from lacuna.web.reports import NAME, read_report
from lacuna.web.server.problems import Problem
from lacuna.web.server.served import Served, served_by

Here = Annotated[Served, Depends(served_by)]
router = APIRouter()
HTML = "text/html"


@router.get(
    "/reports/{name}",
    responses={
        200: {"content": {HTML: {"schema": {"type": "string"}}}, "description": "A web page"}
    },
    response_class=Response,
)
def report(served: Here, name: Annotated[str, Path(pattern=NAME, max_length=80)]) -> Response:
    """Return a report of a run, or the protocol of a finished model."""
    content = read_report(served.project, name)
    if content is None:
        raise Problem(404, "There is no such report.")
    return Response(content, media_type=f"{HTML}; charset=utf-8")
