"""Server-sent events: what is told, to whom, and what a client that was away gets."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Empty, Queue
from typing import Any

import httpx

from lacuna.web.server import events
from lacuna.web.server.running import server_of
from tests.web.server.conftest import Live, edit

OPEN = {"op": "state", "state": "open"}
DONE = {"op": "state", "state": "done"}
Event = tuple[str, dict[str, Any], int | None]


class Listener:
    """Reads events in a thread, as a browser does."""

    def __init__(self, answer: httpx.Response) -> None:
        self.events: Queue[Event] = Queue()
        self.last: str | None = None
        self._answer = answer
        self.has_begun = threading.Event()
        self.has_ended = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        fields: dict[str, str] = {}
        try:
            for line in self._answer.iter_lines():
                if line:
                    name, _, value = line.partition(": ")
                    fields[name] = value
                    continue
                self.last = fields.get("id", self.last)
                if "data" in fields:
                    key = int(fields["id"]) if "id" in fields else None
                    self.events.put((fields["event"], json.loads(fields["data"]), key))
                elif "id" in fields:
                    self.has_begun.set()
                fields = {}
        except (httpx.HTTPError, httpx.StreamError):
            pass
        self.has_ended.set()

    def next(self, seconds: float = 5.0) -> Event:
        return self.events.get(timeout=seconds)

    def nothing(self, seconds: float = 0.6) -> bool:
        try:
            self.events.get(timeout=seconds)
        except Empty:
            return True
        return False


@contextmanager
def listening(client: httpx.Client, last: str | None = None) -> Iterator[Listener]:
    headers = {} if last is None else {"Last-Event-ID": last}
    with client.stream("GET", "/api/events", headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        listener = Listener(answer)
        assert listener.has_begun.wait(5)
        yield listener
        with suppress(OSError):  # while the thread reads, closing alone would not end it
            connection = answer.extensions["network_stream"].get_extra_info("socket")
            connection.shutdown(socket.SHUT_RDWR)


def test_an_edit_is_told_to_all_at_once(live: Live) -> None:
    with listening(live.program()) as one, listening(live.page()) as other:
        began = time.monotonic()
        edit(live.program(), OPEN, request="r1", base=0, key=2)
        told = ("document", {"key": 2, "version": 1, "who": "ana"}, 1)
        assert one.next() == told
        assert time.monotonic() - began < events.LOOK_EVERY + 0.75
        assert other.next() == told
        assert one.nothing()


def test_a_client_that_was_away_is_told_what_it_missed(live: Live) -> None:
    program = live.program()
    edit(program, OPEN, request="r1", base=0, key=1)
    with listening(live.program()) as first:
        assert first.nothing(0.3)
        last = first.last
    assert last == "1"
    edit(program, DONE, request="r2", base=1, key=1)
    edit(program, OPEN, request="r3", base=0, key=2)
    edit(program, OPEN, request="r4", base=2, key=1)
    with listening(live.program(), last) as again:
        assert again.next() == ("document", {"key": 2, "version": 1, "who": "ana"}, 3)
        assert again.next() == ("document", {"key": 1, "version": 3, "who": "ana"}, 4)
        assert again.nothing(0.3)
        edit(program, DONE, request="r5", base=1, key=2)
        assert again.next()[2] == 5


def test_a_strange_last_id_is_no_error(live: Live) -> None:
    edit(live.program(), OPEN, request="r1", base=0)
    for last in ("x", "-1", "", "9" * 40, "1.5"):
        with listening(live.program(), last) as listener:
            assert listener.nothing(0.2)


def test_edits_of_another_program_are_told(live: Live) -> None:
    code = (
        "import sys; from pathlib import Path; from lacuna.web.project import open_project\n"
        "from lacuna.web.operations import Accept\n"
        "with open_project(Path(sys.argv[1])) as project:\n"
        "    project.store.apply_edit(3, [Accept('g1')], request='x', base=0, who='bo')\n"
    )
    with listening(live.program()) as listener:
        folder = str(live.served.project.folder)
        subprocess.run([sys.executable, "-c", code, folder], check=True)
        assert listener.next() == ("document", {"key": 3, "version": 1, "who": "bo"}, 1)


def test_documents_that_come_are_told(live: Live) -> None:
    with listening(live.program()) as listener:
        headers = {"Content-Type": "application/octet-stream", "X-Lacuna-Name": "new.txt"}
        assert live.program().post("/api/imports", content=b"New.", headers=headers).json()
        kinds = {listener.next()[0] for _ in range(3)}
        assert {"import", "queue"} <= kinds


def test_settings_that_change_are_told(live: Live) -> None:
    program = live.program()
    etag = program.get("/api/project").headers["ETag"]
    with listening(live.program()) as listener:
        program.patch("/api/project", json={"name": "Ward 8"}, headers={"If-Match": etag})
        assert listener.next()[0] == "project"


def test_signs_of_life(live: Live) -> None:
    before, events.KEEP_ALIVE = events.KEEP_ALIVE, 0.1
    try:
        with live.program().stream("GET", "/api/events") as answer:
            lines = answer.iter_lines()
            assert any(line == ":" for line, _ in zip(lines, range(8), strict=False))
    finally:
        events.KEEP_ALIVE = before


def test_nobody_listens_nobody_looks(live: Live) -> None:
    def watchers() -> int:
        names = [thread.name for thread in threading.enumerate()]
        return sum(name == events.WATCHER for name in names)

    with listening(live.program()), listening(live.program()):
        assert watchers() == 1
    deadline = time.monotonic() + 5
    while watchers() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert watchers() == 0
    with listening(live.program()) as listener:
        edit(live.program(), OPEN, request="r1", base=0)
        assert listener.next()[0] == "document"


def test_streams_end_with_the_server(live: Live) -> None:
    with listening(live.program()) as listener:
        live.served.close()
        assert listener.has_ended.wait(3)


def test_ctrl_c_in_the_middle_of_anything(live: Live) -> None:
    """The signal arrives in the main thread, which may hold any lock."""
    hub = live.served.events
    server = server_of(live.served)
    has_ended = threading.Event()

    def interrupted() -> None:
        with hub._lock, hub._look._cond:  # type: ignore[attr-defined]
            server.handle_exit(signal.SIGINT, None)
        has_ended.set()

    threading.Thread(target=interrupted, daemon=True).start()
    assert has_ended.wait(20)
    assert server.should_exit
