"""Killing a server that is edited over HTTP, around its commits, as often as asked.

``python -m tests.web.http_kills 30`` is the long form (``make stress``). The server kills itself
inside a transaction, between a commit and its answer, or the parent does it at any moment. The
client starts it again and sends what was not answered again, with the same request.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

from lacuna.web import edit_log
from lacuna.web.edit_log import Edit
from lacuna.web.project import open_project
from lacuna.web.server import edit_routes
from lacuna.web.server.running import bound_sockets, port_of, server_of
from lacuna.web.server.security import loopback
from lacuna.web.server.served import Served
from tests.web.kills import MOMENTS, check_whole, die
from tests.web.server.conftest import project_of_notes

EDITS = 20  #: of one round


def request_of(number: int) -> str:
    return f"r{number}"


# --- the server


def serve(folder: Path, moment: str, last: int) -> None:
    """Serve a project; die at a moment of the edit `last`."""
    append, changed = edit_log.append, edit_routes.changed

    def append_and_die(connection: Any, edit: Edit) -> Edit:
        stored = append(connection, edit)
        if edit.request == request_of(last):
            die()
        return stored

    def die_before_the_answer(served: Served, key: int, base: int, edits: Any) -> Any:
        if edits[0].edit.request == request_of(last):  # it is committed
            die()
        return changed(served, key, base, edits)

    if moment == "in transaction":
        vars(edit_log)["append"] = append_and_die
    if moment == "after commit":
        vars(edit_routes)["changed"] = die_before_the_answer
    with open_project(folder) as project:
        sockets = bound_sockets(["127.0.0.1"], 0)
        port = port_of(sockets)
        served = Served(project, person="ana", root=folder, address=loopback(port))

        def started() -> None:
            sys.stdout.write(f"http://127.0.0.1:{port} {served.sessions.token}\n")
            sys.stdout.flush()

        server_of(served, on_start=started).run(sockets=sockets)


# --- the client


class Client:
    """Sends edits; starts the server again when it is gone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.child: subprocess.Popen[str] | None = None
        self.killed = Counter[str]()

    def start(self, moment: str, last: int) -> None:
        command = [sys.executable, "-m", "tests.web.http_kills", "serve", str(self._folder)]
        self.child = subprocess.Popen(
            [*command, moment, str(last)], stdout=subprocess.PIPE, text=True
        )
        assert self.child.stdout is not None
        origin, token = self.child.stdout.readline().split()
        headers = {"Authorization": f"Bearer {token}"}
        self.http = httpx.Client(base_url=origin, headers=headers, trust_env=False, timeout=20)

    def end(self) -> None:
        assert self.child is not None
        self.child.kill()
        assert self.child.wait() == -signal.SIGKILL
        assert self.child.stdout is not None
        self.child.stdout.close()
        self.http.close()

    def send(self, number: int) -> bool:
        """Send an edit, the same each time; whether it was answered."""
        key, place = 1 + number % 3, number % 30
        operation = {
            "op": "add",
            "uid": f"m{number}",
            "label": f"L{number}",
            "spans": [[place, place + 1]],
        }
        try:
            answer = self.http.patch(
                f"/api/documents/{key}/mentions",
                headers={"If-Match": '"0"'},
                json={"request": request_of(number), "operations": [operation]},
            )
        except httpx.TransportError:
            return False
        assert answer.status_code == 200, answer.text
        assert f"m{number}" in answer.json()["mentions"]
        return True


def kill_and_check(folder: Path, times: int, seed: int) -> Counter[str]:
    """Kill servers so often; return how often at which moment."""
    project_of_notes(folder).close()
    rng, client = random.Random(seed), Client(folder)
    for number in range(times):
        moment = MOMENTS[number % len(MOMENTS)]
        first = number * EDITS
        last = first + rng.randrange(EDITS)
        client.start(moment, last)
        timer = threading.Timer(rng.uniform(0, 0.3), client.child.kill)  # type: ignore[union-attr]
        if moment == "any":
            timer.start()
        answered = [one for one in range(first, first + EDITS) if client.send(one)]
        timer.cancel()
        client.end()
        present = _requests(folder)
        assert present == [request_of(one) for one in range(len(present))]  # in order, none twice
        assert len(present) - first - len(answered) in (0, 1)
        if moment != "any":
            assert answered == list(range(first, last))
            assert len(present) == last + (moment == "after commit")
        client.start("never", 0)
        for one in range(first + len(answered), first + EDITS):  # as a client does
            assert client.send(one)
        client.end()
        client.killed[moment] += 1
    with open_project(folder) as project:
        check_whole(project.store, [request_of(one) for one in range(times * EDITS)])
    return client.killed


def _requests(folder: Path) -> list[str]:
    with open_project(folder) as project:
        return [one.request for one in project.store.history(limit=10**6)]


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        os.umask(0o077)
        serve(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    else:
        rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
        with tempfile.TemporaryDirectory() as temporary:
            counts = kill_and_check(Path(temporary) / "project", rounds, seed=1)
        sys.stdout.write(
            f"killed a server {rounds} times; every answered edit was there, none twice:"
            f" {dict(counts)}\n"
        )
