"""What every request has to pass before a route sees it, and the headers of every answer.

In this order: the Host, against pages that rebind their name to this machine; a session or the
bearer token; for a session, that the request comes from our own page. A cookie does not say so:
browsers send it to every port of this machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lacuna.web.server.problems import Problem, unexpected
from lacuna.web.server.sessions import Paused, Sessions

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
#: Of finished pages (reports, protocols): no scripts, no forms, no links that lead anywhere.
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
API, SESSION, HEALTH, EVENTS = "/api/", "/api/session", "/api/health", "/api/events"
REPORTS = "/api/reports/"  #: pages with styles of their own
SAME_ORIGIN = "same-origin"
#: Where a browser may say that a request to read comes from: our page, or the address bar.
READS_FROM = frozenset({None, SAME_ORIGIN, "none"})


def headers_of(path: str, status: int) -> dict[str, str]:
    """Return the headers of an answer; finished pages have a policy of their own."""
    if path.startswith(REPORTS) and status == 200:
        return HEADERS | {"Content-Security-Policy": REPORT_POLICY}
    return HEADERS


@dataclass(frozen=True, slots=True)
class Address:
    """How the server is reached.

    Attributes
    ----------
    hosts
        Values of ``Host`` that are ours.
    origins
        Origins of our page.
    cookie
        Name of the session's cookie.
    secure
        Whether the page is reached by TLS, here or at a proxy.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    cookie: str
    secure: bool = False


def loopback(port: int) -> Address:
    """Return the address of a server that only this machine can reach."""
    hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))
    return Address(hosts, frozenset(f"http://{host}" for host in hosts), f"lacuna_{port}")


def named(host: str, port: int | None, *, secure: bool) -> Address:
    """Return the address of a server that has a name; without a port, that of a proxy."""
    standard = 443 if secure else 80
    hosts = {f"{host}:{port or standard}"} | ({host} if port in (None, standard) else set())
    scheme = "https" if secure else "http"
    origins = frozenset(f"{scheme}://{one}" for one in hosts)
    return Address(frozenset(hosts), origins, f"lacuna_{port or standard}", secure)


@dataclass(frozen=True, slots=True)
class Log:
    """Where lines go: one for each request, and one for each error of ours."""

    request: Callable[[str], None] = lambda _: None
    error: Callable[[str], None] = lambda _: None


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, *, address: Address, sessions: Sessions, log: Log) -> None:
        self._app = app
        self._address, self._sessions, self._log = address, sessions, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:  # websockets: there are none
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, status = time.perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in headers_of(scope["path"], status).items():
                    headers[name] = value
            await send(message)

        try:
            refusal = self._refusal(scope)
            app = self._app if refusal is None else refusal.response()
            await app(scope, receive, send_with_headers)
        except Exception as error:  # its message could quote a note
            answer, what = unexpected(error)
            self._log.error(what)
            if not status:
                await answer(scope, receive, send_with_headers)
        route = getattr(scope.get("route"), "path", "-")
        took = 1000 * (time.perf_counter() - began)
        self._log.request(f"{scope['method']} {route} {status} {took:.1f} ms")

    def _refusal(self, scope: Scope) -> Problem | None:
        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self._address.hosts]:
            return Problem(403, "This server does not answer to that name.", kind="wrong-host")
        path, method = scope["path"], scope["method"]
        if not path.startswith(API):
            return None
        if path == HEALTH and method == "GET":
            scope.setdefault("state", {})["known"] = self._is_known(headers)
            return None
        try:
            if path != SESSION:
                bearer = _bearer(headers)
                if bearer is not None:
                    return None if self._sessions.is_bearer(bearer) else _unknown()
                if not self._has_session(headers):
                    return _unknown()
        except Paused as pause:
            return paused(pause)
        return self._foreign(method, path, headers)

    def _foreign(self, method: str, path: str, headers: Headers) -> Problem | None:
        """Return a refusal if a request with a cookie does not come from our page."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        is_ours = origin in self._address.origins
        if method not in ("GET", "HEAD"):
            is_right = is_ours and site == SAME_ORIGIN
        elif path == EVENTS:  # browsers send no Origin with requests to read from the same one
            is_right = (origin is None or is_ours) and site == SAME_ORIGIN
        else:
            is_right = (origin is None or is_ours) and site in READS_FROM
        if is_right:
            return None
        return Problem(403, "The request does not come from lacuna's own page.", kind="cross-site")

    def _has_session(self, headers: Headers) -> bool:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._address.cookie)
        except CookieError:
            return False
        return cookie is not None and self._sessions.is_open(cookie.value)

    def _is_known(self, headers: Headers) -> bool:
        try:
            bearer = _bearer(headers)
            return self._sessions.is_bearer(bearer) if bearer else self._has_session(headers)
        except Paused:
            return False


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _unknown() -> Problem:
    detail = "Open the link that lacuna serve printed, or send its token."
    return Problem(401, detail, kind="no-session", headers={"WWW-Authenticate": "Bearer"})


def paused(pause: Paused) -> Problem:
    """Return the answer while no token is accepted."""
    detail = f"Too many wrong tokens; try again in {pause.seconds} seconds."
    return Problem(429, detail, kind="paused", headers={"Retry-After": str(pause.seconds)})


def set_cookie(response: Response, address: Address, session: str) -> None:
    """Put a session into a cookie that only our own pages send, and no script reads."""
    response.set_cookie(
        address.cookie, session, path="/", httponly=True, samesite="strict", secure=address.secure
    )
