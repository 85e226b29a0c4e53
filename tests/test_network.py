"""Nothing in the tests can reach another machine."""

from __future__ import annotations

import socket

import pytest


def test_other_machines_are_out_of_reach() -> None:
    with socket.socket() as one, pytest.raises(RuntimeError, match="network"):
        one.connect(("192.0.2.1", 80))
    with pytest.raises(RuntimeError, match="network"):
        socket.getaddrinfo("example.org", 80)


def test_this_machine_is_not() -> None:
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())
