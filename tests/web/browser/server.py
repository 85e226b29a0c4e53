"""Serves the page that holds the text pane alone, with the headers of the review page."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import lacuna

HERE = Path(__file__).parent
STATIC = Path(lacuna.__file__).parent / "web" / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


class Handler(SimpleHTTPRequestHandler):
    """Files of the tests, and those of the page under ``/static/``."""

    def translate_path(self, path: str) -> str:
        inside = path.removeprefix("/static/")
        return str(STATIC / inside if inside != path else HERE / (path.lstrip("/") or "index.html"))

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Write nothing."""


@contextmanager
def served() -> Iterator[str]:
    """Serve on a free port; the address without a slash at the end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
