"""Ends a Python process that tries to reach another machine.

Python imports this by itself where the folder stands in ``PYTHONPATH``, as it does in all processes
that tests start. Such a process ends at once, whatever it would make of an exception.
"""

from __future__ import annotations

import os
import sys
from typing import Any

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost", "", None})
EXIT_CODE = 97


def reaches_out(event: str, arguments: tuple[Any, ...]) -> bool:
    """Whether what happens is an attempt to speak to another machine."""
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"):
        address = arguments[1]  # a name where the socket is one of the file system
        host = address[0] if isinstance(address, tuple) else None
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        host = arguments[0]
    else:
        return False
    return (host.decode() if isinstance(host, bytes) else host) not in LOOPBACK


def _end(event: str, arguments: tuple[Any, ...]) -> None:
    if reaches_out(event, arguments):
        os.write(2, b"a test started a process that tried to reach the network\n")
        os._exit(EXIT_CODE)


if __name__ == "sitecustomize":
    sys.addaudithook(_end)
