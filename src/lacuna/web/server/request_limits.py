"""How much a client may ask for: the size of a request, and how many are worked on at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lacuna.web.server.problems import BUSY_SECONDS, Problem

MEGABYTE = 1 << 20
LARGEST_BODY, LARGEST_IMPORT = 16 * MEGABYTE, 64 * MEGABYTE
IMPORTS = "/api/imports"
AT_WORK, WAITING = 8, 32  #: requests to tag or de-identify


class BodyLimit:
    """Refuses requests that are too large, if they say so or not."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = LARGEST_IMPORT if scope["path"] == IMPORTS else LARGEST_BODY
        announced = Headers(scope=scope).get("content-length", "0")
        if not announced.isdecimal() or int(announced[:20]) > limit:
            await _too_large(limit).response()(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise HTTPException(413)
            return message

        await self._app(scope, counted, send)


def _too_large(limit: int) -> Problem:
    return Problem(413, f"A request has at most {limit // MEGABYTE} MB.")


class Slots:
    """Places for requests that take long; the others wait, or are sent away."""

    def __init__(self, at_work: int = AT_WORK, waiting: int = WAITING) -> None:
        self._free, self._places = asyncio.Semaphore(at_work), at_work + waiting
        self._taken = 0

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Hold a place, as soon as one is free.

        Raises :class:`Problem` (429) if too many wait already.
        """
        if self._taken >= self._places:
            detail = "Too many requests are waiting; try again."
            raise Problem(429, detail, kind="busy", headers={"Retry-After": str(BUSY_SECONDS)})
        self._taken += 1
        try:
            async with self._free:
                yield
        finally:
            self._taken -= 1
