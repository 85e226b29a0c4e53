"""Settings shared by all tests."""

from __future__ import annotations

import os
import sys
from typing import Any

from hypothesis import settings

# No deadline: the first call of a kernel compiles it. In CI examples are the same every time.
settings.register_profile("lacuna", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("lacuna")

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost", "", None})


def _stay_at_home(event: str, arguments: tuple[Any, ...]) -> None:
    """Let nothing in the tests speak to another machine."""
    if event in ("socket.connect", "socket.sendto", "socket.bind"):
        address = arguments[1]
        host = (
            address[0] if isinstance(address, tuple) else None
        )  # else a socket in the file system
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    else:
        return
    if (host.decode() if isinstance(host, bytes) else host) not in LOOPBACK:
        raise RuntimeError("a test tried to reach the network")


sys.addaudithook(_stay_at_home)
