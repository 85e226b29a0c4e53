"""The application: routes of the API under ``/api``, the page at ``/``, its files at ``/static``.

A request passes the guard (security.py) and the limit of its size (request_limits.py) before a
route sees it. Routes are plain functions that run in threads; what they answer is made by views.py.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

from lacuna.version import __version__
from lacuna.web.server import (
    batch_routes,
    deid_run_routes,
    document_routes,
    edit_routes,
    export_routes,
    finish_routes,
    import_routes,
    model_routes,
    project_routes,
    report_routes,
    session_routes,
    teaching_routes,
    work_routes,
)
from lacuna.web.server.problems import MEDIA_TYPE, handle_problems
from lacuna.web.server.request_limits import BodyLimit
from lacuna.web.server.security import Guard
from lacuna.web.server.served import Served
from lacuna.web.server.shapes import Problem

STATIC = Path(__file__).parent.parent / "static"
ROUTERS = (
    session_routes.router,
    project_routes.router,
    document_routes.router,
    edit_routes.router,
    batch_routes.router,
    import_routes.router,
    export_routes.router,
    teaching_routes.router,
    deid_run_routes.router,
    report_routes.router,
    model_routes.router,
    finish_routes.router,
    work_routes.router,
)
#: FastAPI can export requests and errors, notes included, if an environment variable says so.
NO_TELEMETRY = {
    **dict.fromkeys(("tracing", "metrics", "logs", "operation_spans"), False),
    "auto_configure": False,
}


def create_app(served: Served) -> FastAPI:
    """Return the application that serves a project."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        served.close()

    app = FastAPI(
        title="lacuna",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,  # its scripts come from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        telemetry=NO_TELEMETRY,  # type: ignore[arg-type]
    )
    app.state.served = served
    for router in ROUTERS:
        app.include_router(router, prefix="/api")
    app.add_api_route("/", _page, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    handle_problems(app)
    app.add_middleware(BodyLimit)
    app.add_middleware(  # the last is the outermost
        Guard, address=served.address, sessions=served.sessions, log=served.log
    )
    app.openapi = lambda: _description(app)  # type: ignore[method-assign]
    return app


def _page() -> Response:
    page = STATIC / "index.html"
    if not page.is_file():
        raise HTTPException(404)
    return FileResponse(page)


def _description(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI description; every route may also answer with a problem."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, routes=app.routes)
        parts = schema["components"]["schemas"]
        parts["Problem"] = Problem.model_json_schema()
        for name in ("HTTPValidationError", "ValidationError"):
            parts.pop(name, None)
        content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        for path in schema["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)
                operation["responses"]["default"] = {"description": "Error", "content": content}
        app.openapi_schema = schema
    return app.openapi_schema
