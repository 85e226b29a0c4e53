"""Many clients of one server: ``python -m tests.web.load 60`` (``make stress``).

Fifty programs read, edit, tag and de-identify for so many seconds on loopback. Every answer must
be 200, or 429 with ``Retry-After``; the memory of the server must not grow. Before, one client
alone edits, to measure how long an edit takes until it is acknowledged.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from lacuna.text.document import Document
from lacuna.web.importing import import_documents
from lacuna.web.project import create_project
from lacuna.web.project_file import DEFAULT_LABELS, Settings, labels_named

CLIENTS, DOCUMENTS = 50, 60
ALONE = 200  #: edits of one client before the others come
GROWTH = 1.2  #: of the memory of the server, from a third of the time to the end, at most
NOTE = "Seen by Dr. Ana Sato on 03/14/2014 in Bern. Call 555-123-4567.\n" * 8


class Times(NamedTuple):
    """Milliseconds until requests of a kind were answered."""

    p50: float
    p95: float
    p99: float
    number: int


class Result(NamedTuple):
    """What came of it: times by kind, how often which status, and memory in MB."""

    alone: Times
    times: dict[str, Times]
    statuses: dict[int, int]
    memory: list[float]


class Server:
    """A ``lacuna serve`` process."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "lacuna", "serve", str(folder)]
        self.child = subprocess.Popen(
            [*command, "--port", "0", "--no-browser", "--quiet"], stdout=subprocess.PIPE, text=True
        )
        assert self.child.stdout is not None
        origin, _, token = self.child.stdout.readline().strip().partition("/#k=")
        self.origin, self.headers = origin, {"Authorization": f"Bearer {token}"}

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.origin, headers=self.headers, trust_env=False, timeout=60)

    def memory(self) -> float:
        """Return the resident memory in MB."""
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        line = next(one for one in status.splitlines() if one.startswith("VmRSS"))
        return int(line.split()[1]) / 1024


@contextmanager
def server(folder: Path) -> Iterator[Server]:
    settings = Settings("Load", labels=labels_named(DEFAULT_LABELS))
    with create_project(folder, settings) as project:
        notes = (Document(f"n{n}", NOTE, group=f"p{n // 5}") for n in range(DOCUMENTS))
        import_documents(project.store, notes)
    running = Server(folder)
    try:
        yield running
    finally:
        running.child.terminate()
        running.child.communicate(timeout=20)


class Worker(threading.Thread):
    """A client that works until it is told to stop."""

    def __init__(self, running: Server, number: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self._running, self._stop_event, self._number = running, stop, number
        self._rng, self._edits = random.Random(number), 0
        self.times: dict[str, list[float]] = defaultdict(list)
        self.statuses: dict[int, int] = defaultdict(int)
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            with self._running.client() as client:
                self._one(client)
                while not self._stop_event.is_set():
                    self._one(client)
        except BaseException as error:
            self.error = error

    def _one(self, client: httpx.Client) -> None:
        key = self._rng.randint(1, DOCUMENTS)
        kind = self._rng.choices(
            ("document", "edit", "list", "queue", "tag", "deid", "output"),
            weights=(6, 6, 2, 2, 2, 2, 1),
        )[0]
        began = time.perf_counter()
        answer = self._ask(client, kind, key)
        self.times[kind].append(1000 * (time.perf_counter() - began))
        self.statuses[answer.status_code] += 1
        if answer.status_code == 429:
            assert int(answer.headers["Retry-After"]) > 0
            self._stop_event.wait(0.2)

    def _ask(self, client: httpx.Client, kind: str, key: int) -> httpx.Response:
        text = {"id": "x", "text": NOTE, "group": f"g{self._number}-{self._edits}"}
        match kind:
            case "document":
                return client.get(f"/api/documents/{key}")
            case "edit":
                self._edits += 1
                return edit(client, key, f"c{self._number}-{self._edits}")
            case "list":
                return client.get("/api/documents?order=need")
            case "queue":
                return client.get("/api/queue")
            case "output":
                return client.get(f"/api/documents/{key}/output")
            case _:
                return client.post(f"/api/{kind}", json=text)


def edit(client: httpx.Client, key: int, request: str) -> httpx.Response:
    """Send an edit that conflicts with none: a flag that is set already, or a new state."""
    body: dict[str, Any] = {"request": request, "operations": [{"op": "state", "flag": True}]}
    return client.patch(f"/api/documents/{key}/mentions", headers={"If-Match": '"0"'}, json=body)


def summary(values: list[float]) -> Times:
    ordered = sorted(values)

    def share(part: float) -> float:
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))]

    return Times(statistics.median(ordered), share(0.95), share(0.99), len(ordered))


def acknowledged(running: Server, count: int) -> Times:
    """Measure edits of one client, each of a new mention of its own document."""
    times = []
    with running.client() as client:
        client.get("/api/documents/1")
        for number in range(count):
            key, version = 1 + number % DOCUMENTS, number // DOCUMENTS
            operation = {
                "op": "add",
                "uid": f"a{number}",
                "label": "CITY",
                "spans": [[number, number + 1]],
            }
            body = {"request": f"alone-{number}", "operations": [operation]}
            began = time.perf_counter()
            answer = client.patch(
                f"/api/documents/{key}/mentions", headers={"If-Match": f'"{version}"'}, json=body
            )
            times.append(1000 * (time.perf_counter() - began))
            assert answer.status_code == 200, answer.text
    return summary(times)


def load(folder: Path, seconds: float, clients: int = CLIENTS) -> Result:
    """Run clients for so many seconds; check statuses and memory."""
    with server(folder) as running:
        alone = acknowledged(running, ALONE)
        stop = threading.Event()
        workers = [Worker(running, number, stop) for number in range(clients)]
        for worker in workers:
            worker.start()
        memory, ends = [running.memory()], time.monotonic() + seconds
        while time.monotonic() < ends:
            time.sleep(min(1.0, seconds / 6))
            memory.append(running.memory())
        stop.set()
        for worker in workers:
            worker.join(60)
        failed = [worker.error for worker in workers if worker.error is not None]
        assert not failed, failed[:3]
    times: dict[str, list[float]] = defaultdict(list)
    statuses: dict[int, int] = defaultdict(int)
    for worker in workers:
        for kind, values in worker.times.items():
            times[kind] += values
        for status, count in worker.statuses.items():
            statuses[status] += count
    assert set(statuses) <= {200, 429}, dict(statuses)
    by_kind = {kind: summary(values) for kind, values in sorted(times.items())}
    return Result(alone, by_kind, dict(statuses), memory)


def report(result: Result) -> str:
    lines = [f"{'':12}{'p50':>9}{'p95':>9}{'p99':>9} ms {'requests':>9}"]
    rows = {"edit, alone": result.alone, **result.times}
    lines += [
        f"{kind:12}{one.p50:9.1f}{one.p95:9.1f}{one.p99:9.1f}    {one.number:9,}"
        for kind, one in rows.items()
    ]
    lines.append(f"statuses: {result.statuses}")
    first, last = settled(result.memory)
    lines.append(f"memory of the server: {first:.0f} MB after a third, {last:.0f} MB at the end")
    return "\n".join(lines)


def settled(memory: list[float]) -> tuple[float, float]:
    """Return the memory after a third of the time, and at the end."""
    return max(memory[: max(1, len(memory) // 3)]), memory[-1]


if __name__ == "__main__":
    length = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    with tempfile.TemporaryDirectory() as temporary:
        done = load(Path(temporary) / "project", length)
    sys.stdout.write(report(done) + "\n")
    first, last = settled(done.memory)
    assert last <= GROWTH * first, "the memory of the server grows"
