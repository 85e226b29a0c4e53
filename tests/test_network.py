"""Nothing in the tests can reach another machine, nor can a process that they start."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from tests.no_network.sitecustomize import EXIT_CODE

REACH_OUT = """
import socket
try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
except Exception:
    pass
"""


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


def test_a_process_that_reaches_out_ends_even_if_it_would_not_say_so() -> None:
    run = subprocess.run(
        [sys.executable, "-c", REACH_OUT], capture_output=True, text=True, check=False
    )
    assert run.returncode == EXIT_CODE
    assert "network" in run.stderr
