"""A server on a free port of this machine, in a thread of the test."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from lacuna.text.document import Document
from lacuna.web.importing import import_documents
from lacuna.web.project import Project, create_project
from lacuna.web.project_file import Settings, labels_named
from lacuna.web.server.running import bound_sockets, port_of, server_of
from lacuna.web.server.security import Log, loopback
from lacuna.web.server.served import Served
from lacuna.web.server.sessions import Sessions

MARKER = "Quintilian"  #: a word of all notes, which must not leave the project by itself
TEXT = f"Seen by Dr. {MARKER} Sató 😀 on 03/14\r\nin Bern."
LABELS = ("PATIENT", "DOCTOR", "DATE", "CITY")


def marked_note(id_: str, group: str | None = None) -> Document:
    """Return a note with two given mentions."""
    return Document.from_dict(
        {
            "id": id_,
            "text": TEXT,
            "group": group,
            "mentions": [
                {"label": "DOCTOR", "spans": [[12, 27]], "probability": 0.75},
                {"label": "DATE", "spans": [[33, 38]]},
            ],
        }
    )


def project_of_notes(folder: Path, *, model: str = "none") -> Project:
    """Make a project with three notes of two patients."""
    project = create_project(folder, Settings("Ward 7", labels=labels_named(LABELS), model=model))
    notes = [marked_note("n1", "p1"), marked_note("n2", "p1"), marked_note("n3", "p2")]
    import_documents(project.store, notes)
    return project


@dataclass
class Lines:
    """What the server logs."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def log(self) -> Log:
        return Log(self.requests.append, self.errors.append)


@dataclass
class Live:
    """A running server."""

    served: Served
    origin: str
    lines: Lines
    clients: list[httpx.Client] = field(default_factory=list)

    def client(self, **headers: str) -> httpx.Client:
        """Return a client without any rights."""
        made = httpx.Client(base_url=self.origin, headers=headers, trust_env=False, timeout=20)
        self.clients.append(made)
        return made

    def program(self) -> httpx.Client:
        """Return a client with the bearer token."""
        return self.client(Authorization=f"Bearer {self.served.sessions.token}")

    def page(self, token: str | None = None) -> httpx.Client:
        """Return a client that logged in as the page does."""
        made = self.client(Origin=self.origin, **{"Sec-Fetch-Site": "same-origin"})
        answer = made.post("/api/session", json={"token": token or self.served.sessions.token})
        assert answer.status_code == 204
        return made


@contextmanager
def running(served: Served, lines: Lines, sockets: list[Any]) -> Iterator[Live]:
    """Run a server while the block runs."""
    has_begun = threading.Event()
    server = server_of(served, on_start=has_begun.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": sockets})
    thread.start()
    assert has_begun.wait(20)
    live = Live(served, f"http://127.0.0.1:{port_of(sockets)}", lines)
    try:
        yield live
    finally:
        for client in live.clients:
            client.close()
        served.close()
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive()


@contextmanager
def live_server(
    project: Project, root: Path, clock: Callable[[], float] | None = None, **options: Any
) -> Iterator[Live]:
    """Serve a project while the block runs."""
    sockets, lines = bound_sockets(["127.0.0.1"], 0), Lines()
    sessions = Sessions() if clock is None else Sessions(clock)
    served = Served(
        project,
        person="ana",
        root=root,
        address=loopback(port_of(sockets)),
        sessions=sessions,
        log=lines.log,
        **options,
    )
    with running(served, lines, sockets) as live:
        yield live


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[Project]:
    """Return a project whose notes have the marker word."""
    with project_of_notes(tmp_path / "ward7") as project:
        yield project


@pytest.fixture
def live(marked: Project, tmp_path: Path) -> Iterator[Live]:
    """Return a server of such a project; files below the parent of the project may be used."""
    with live_server(marked, tmp_path) as running_server:
        yield running_server


def edit(
    client: httpx.Client, *operations: dict[str, Any], request: str, base: int, key: int = 1
) -> httpx.Response:
    """Send an edit."""
    return client.patch(
        f"/api/documents/{key}/mentions",
        headers={"If-Match": f'"{base}"'},
        json={"request": request, "operations": list(operations)},
    )
