"""Texts of programs: tagged and de-identified, in order, some at a time; suggestions behind it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lacuna.web.server import work_routes
from lacuna.web.server.problems import Problem
from lacuna.web.server.request_limits import Slots
from lacuna.web.suggestions import Suggester
from tests.web.server.conftest import MARKER, Live, live_server, project_of_notes

LINES = {"Content-Type": "application/x-ndjson"}
NOTE = f"Seen by Dr. {MARKER} Sato on 03/14/2014. Call 555-123-4567."


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Return a server with the bundled model."""
    folder = tmp_path_factory.mktemp("work")
    with project_of_notes(folder / "ward7", model="bundled") as project:
        suggester = Suggester.open(project)
        with live_server(project, folder) as live:
            live.served.use(suggester)
            yield live


@pytest.fixture
def program(reading: Live) -> httpx.Client:
    return reading.program()


def lines_of(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


def test_one_text(program: httpx.Client) -> None:
    tagged = program.post("/api/tag", json={"id": "a", "text": NOTE}).json()
    assert (tagged["id"], tagged["text"], tagged["group"]) == ("a", NOTE, None)
    assert {"DOCTOR", "DATE"} <= {one["label"] for one in tagged["mentions"]}
    assert all(0 < one["probability"] <= 1 for one in tagged["mentions"])
    safe = program.post("/api/deid", json={"text": NOTE, "group": "p"}).json()
    assert safe.keys() == {"id", "text", "group"}
    assert MARKER not in safe["text"]
    assert "555" not in safe["text"]


def test_policy_and_threshold(program: httpx.Client) -> None:
    asked = {"id": "a", "text": NOTE, "group": "p"}
    tags = program.post("/api/deid?policy=safe-harbor", json=asked).json()["text"]
    names = program.post("/api/deid?policy=research", json=asked).json()["text"]
    assert "[NAME-1]" in tags
    assert "[NAME-1]" not in names
    assert names == program.post("/api/deid?policy=research", json=asked).json()["text"]
    assert program.post("/api/deid?threshold=2", json=asked).status_code == 422
    assert program.post("/api/deid?policy=x", json=asked).status_code == 422


@pytest.mark.parametrize("route", ["tag", "deid"])
def test_lines_stay_in_order_and_wrong_ones_fail_alone(program: httpx.Client, route: str) -> None:
    count = 2 * work_routes.BATCH + 3
    texts = [json.dumps({"id": f"n{number}", "text": NOTE}) for number in range(count)]
    texts[5] = f'{{"id": "n5", "text": "{MARKER}'  # broken
    texts[7] = json.dumps({"id": "n7", "txt": MARKER})
    texts[8] = json.dumps([MARKER])
    body = "\n".join(texts) + "\n\n"
    answers = lines_of(program.post(f"/api/{route}", content=body.encode(), headers=LINES))
    assert len(answers) == count
    for number, one in enumerate(answers):
        if number in (5, 7, 8):
            assert one.keys() == {"id", "error"}
            assert one["error"].startswith(f"line {number + 1}: ")
            assert MARKER not in one["error"]
        else:
            assert one["id"] == f"n{number}"
            assert (MARKER in one["text"]) == (route == "tag")


def test_a_text_that_fails_is_not_quoted(
    reading: Live, program: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object, documents: list[Any], *, probabilities: bool) -> Any:
        if any("fails" in one.text for one in documents):
            raise ValueError(MARKER)
        return original(documents, probabilities=probabilities)

    tagger = reading.served.suggester.detector.tagger  # type: ignore[union-attr]
    original = tagger.find
    monkeypatch.setattr(type(tagger), "find", fail)
    body = "\n".join(json.dumps({"id": i, "text": t}) for i, t in (("a", "x"), ("b", "fails")))
    first, second = lines_of(program.post("/api/tag", content=body.encode(), headers=LINES))
    assert first["id"] == "a"
    assert second == {"id": "b", "error": "could not be tagged (ValueError)"}
    one = program.post("/api/tag", json={"text": f"fails {MARKER}"})
    assert one.status_code == 422
    assert MARKER not in one.text


def test_other_bodies_are_refused(program: httpx.Client) -> None:
    assert program.post("/api/tag", content=b"x").status_code == 415
    assert program.post("/api/deid", json=[]).status_code == 422
    assert lines_of(program.post("/api/tag", content=b"", headers=LINES)) == []


def test_memory_of_patients_is_given_back(reading: Live, program: httpx.Client) -> None:
    body = "\n".join(json.dumps({"text": NOTE, "group": f"g{n}"}) for n in range(40))
    lines_of(program.post("/api/deid", content=body.encode(), headers=LINES))
    for deidentifier in reading.served.deidentifiers._opened.values():
        assert deidentifier._evidence == {}


# --- how many at once


def test_places_are_limited_and_given_back() -> None:
    async def check() -> None:
        slots, go = Slots(at_work=2, waiting=1), asyncio.Event()
        at_work: list[int] = []

        async def work(number: int) -> None:
            async with slots.one():
                at_work.append(number)
                await go.wait()

        tasks = [asyncio.create_task(work(number)) for number in range(3)]
        await asyncio.sleep(0.01)
        assert at_work == [0, 1]
        with pytest.raises(Problem) as refused:
            await work(3)
        assert refused.value.status == 429
        assert int(refused.value.headers["Retry-After"]) > 0
        tasks[2].cancel()
        go.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        await work(4)
        assert at_work == [0, 1, 4]

    asyncio.run(check())


def test_too_many_requests_are_sent_away(
    reading: Live, program: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading.served, "slots", Slots(at_work=0, waiting=0))
    answer = program.post("/api/deid", json={"text": "x"})
    assert (answer.status_code, answer.json()["type"]) == (429, "lacuna:busy")
    assert answer.headers["Retry-After"]
    assert program.get("/api/documents/1").status_code == 200  # the page goes on


def test_a_stream_gives_its_place_back(
    reading: Live, program: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading.served, "slots", Slots(at_work=1, waiting=0))
    body = "\n".join(json.dumps({"text": NOTE}) for _ in range(200)).encode()
    for _ in range(3):
        lines_of(program.post("/api/tag", content=body, headers=LINES))
    with reading.program().stream("POST", "/api/tag", content=body, headers=LINES) as answer:
        next(answer.iter_lines())  # and away
    deadline = time.monotonic() + 10
    while program.post("/api/tag", json={"text": "x"}).status_code == 429:
        assert time.monotonic() < deadline
        time.sleep(0.05)


# --- behind the page


def test_waiting_documents_are_filled(tmp_path: Path) -> None:
    with project_of_notes(tmp_path / "w", model="bundled") as project:
        suggester = Suggester.open(project)
        with live_server(project, tmp_path) as live:
            live.served.use(suggester)
            program = live.program()
            headers = {"Content-Type": "application/octet-stream", "X-Lacuna-Name": "a.txt"}
            program.post("/api/imports", content=NOTE.encode(), headers=headers)
            deadline = time.monotonic() + 20
            while True:
                rows = program.get("/api/documents").json()["documents"]
                if len(rows) == 4 and all(row["need"] is not None for row in rows):
                    break
                assert time.monotonic() < deadline
                time.sleep(0.05)
            while program.get("/api/project").json()["filling"] is not None:
                assert time.monotonic() < deadline
                time.sleep(0.05)
