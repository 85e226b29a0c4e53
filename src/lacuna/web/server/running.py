"""Running the server: sockets, the file that opens the browser, and the end."""

from __future__ import annotations

import asyncio
import html
import logging
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from lacuna.errors import ConfigError
from lacuna.web.server.app import create_app
from lacuna.web.server.served import Served

DEFAULT_PORT = 8765  #: another free one is taken if it is in use
LOOPBACK = ("127.0.0.1", "::1")
SECONDS_TO_END = 1  #: requests may take so long after Ctrl-C
BACKLOG = 128


def bound_sockets(addresses: Sequence[str], port: int | None) -> list[socket.socket]:
    """Return sockets on all addresses with one port; without a port, the usual or a free one.

    The first address is needed; of the others, those that this machine has.
    Raises :class:`ConfigError` if it cannot be had.
    """
    first = _first(addresses[0], port)
    number = first.getsockname()[1]
    sockets = [first]
    for address in addresses[1:]:
        with suppress(OSError):
            sockets.append(_bound(address, number))
    return sockets


def _first(address: str, port: int | None) -> socket.socket:
    if port is None:
        with suppress(OSError):
            return _bound(address, DEFAULT_PORT)
    try:
        return _bound(address, port or 0)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError(f"{address}:{port or 0}: cannot be used: {reason}") from None


def _bound(address: str, port: int) -> socket.socket:
    family, *_, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
    # with the protocol: asyncio sends answers of such sockets at once, of others 40 ms later
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere this would share the port with others
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        opened.bind(place)
        opened.listen(BACKLOG)
    except BaseException:
        opened.close()
        raise
    return opened


class _Server(uvicorn.Server):
    """Ends after Ctrl-C or SIGTERM: at once if nothing is going on, else within two seconds."""

    def __init__(self, config: uvicorn.Config, served: Served, on_start: Callable[[], None]):
        super().__init__(config)
        self._served, self._on_start = served, on_start

    def handle_exit(self, sig: int, _: FrameType | None) -> None:
        """End; after a second Ctrl-C without waiting for anything.

        A signal comes in the middle of whatever this thread does, so nothing here takes a lock.
        """
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams and jobs, then connections."""
        await asyncio.to_thread(self._served.close)
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and say so."""
        await super().startup(sockets=sockets)
        self._on_start()


def server_of(
    served: Served,
    *,
    on_start: Callable[[], None] = lambda: None,
    certificate: Path | None = None,
    certificate_key: Path | None = None,
) -> uvicorn.Server:
    """Return a server; its ``run`` answers requests until Ctrl-C or SIGTERM."""
    _keep_quiet()
    config = uvicorn.Config(
        create_app(served),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=SECONDS_TO_END,
        ssl_certfile=certificate,
        ssl_keyfile=certificate_key,
    )
    return _Server(config, served, on_start)


def _keep_quiet() -> None:
    """Write nothing of uvicorn's: it logs tracebacks, whose messages could quote a note."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.asgi", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [logging.NullHandler()], False


# --- the browser


@contextmanager
def opening_file(folder: Path, link: str) -> Iterator[Path]:
    """Make a file that leads a browser to a link; only its owner can read it.

    A link on a command line could be read by every user of this machine.
    """
    path = folder / f"open-{secrets.token_hex(4)}.html"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    target = html.escape(link)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(
            '<!doctype html><meta charset="utf-8"><title>lacuna</title>'
            '<meta name="referrer" content="no-referrer">'
            f'<meta http-equiv="refresh" content="0; url={target}">'
            f'<a href="{target}">lacuna</a>\n'
        )
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def open_browser(path: Path) -> None:
    """Show a file in the browser, if there is one with a screen."""
    has_screen = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    if sys.platform.startswith("linux") and not has_screen:
        return

    def show() -> None:
        with suppress(webbrowser.Error, OSError):
            webbrowser.open(path.as_uri())

    threading.Thread(target=show, daemon=True).start()


def port_of(sockets: Sequence[Any]) -> int:
    """Return the port of sockets."""
    port: int = sockets[0].getsockname()[1]
    return port
