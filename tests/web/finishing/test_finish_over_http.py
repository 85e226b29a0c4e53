"""Finish over HTTP: a job of its own, what it answers, and how it is stopped."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lacuna.web.parts import Part
from lacuna.web.project import Project
from tests.web.finishing.tiny import add_notes, decide, tiny_project
from tests.web.server.conftest import Live, live_server

ASKED = {"level": 0.3}


@pytest.fixture
def project(tmp_path: Path, base: Path) -> Iterator[Project]:
    """Return a project in which nothing is reviewed."""
    with tiny_project(tmp_path / "ward7", base=base) as made:
        for part, patients in ((Part.LEARN, 4), (Part.SEAL, 10)):
            add_notes(made, part, patients)
        yield made


@pytest.fixture
def live(project: Project, tmp_path: Path) -> Iterator[Live]:
    with live_server(project, tmp_path) as running:
        yield running


def ended(page: httpx.Client) -> dict[str, Any]:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        body: dict[str, Any] = page.get("/api/finish").json()
        if body["job"]["state"] in ("done", "failed", "stopped"):
            return body
        time.sleep(0.05)
    raise AssertionError("it does not end")


def review_all(project: Project) -> None:
    decide(project, range(1, 15))


def test_finish_and_a_second_time(live: Live, project: Project) -> None:
    page = live.page()
    assert page.post("/api/finish", json=ASKED).status_code == 422
    review_all(project)
    before = page.get("/api/finish").json()
    assert before["job"] is None
    assert before["finished"] == []
    assert before["sealed"]["unseen_patients"] == before["promise"][0]["have"] == 10
    assert page.get("/api/teaching").json()["promise"] == before["promise"]
    begun = page.post("/api/finish", json=ASKED)
    assert begun.status_code == 202
    assert page.post("/api/finish", json=ASKED).json()["type"] == "lacuna:running"
    body = ended(page)
    assert body["job"]["state"] == "done"
    (made,) = body["finished"]
    assert (made["learnt_from"], made["sealed"]) == (4, {"documents": 10, "patients": 10})
    assert made["promise"].startswith("with confidence 95.0%")
    assert made["protocol"] == "/api/reports/finished-0001.html"
    assert body["sealed"]["unseen_patients"] == 0
    refused = page.post("/api/finish", json=ASKED)
    assert (refused.status_code, refused.json()["type"]) == (409, "lacuna:seal-was-opened")
    assert page.post("/api/finish", json={**ASKED, "again": True}).status_code == 202
    newest = ended(page)["finished"][0]
    assert (newest["void"], newest["promise"]) == (True, None)
    assert live.lines.errors == []


def test_stopped_at_once_it_writes_nothing(live: Live, project: Project) -> None:
    review_all(project)
    page = live.page()
    page.post("/api/finish", json=ASKED)
    assert page.delete("/api/finish").json()["job"]["state"] == "stopped"
    process = live.served.finishing._process
    assert process is not None
    process.wait(20)
    body = ended(page)
    assert (body["job"]["state"], body["finished"]) == ("stopped", [])
    assert body["sealed"]["unseen_patients"] == 10
    assert page.delete("/api/finish").status_code == 200


@pytest.mark.parametrize("asked", [{"level": 0}, {"level": 1}, {"confidence": 1.5}, {"other": 1}])
def test_what_cannot_be_asked(live: Live, asked: dict[str, Any]) -> None:
    assert live.page().post("/api/finish", json=asked).status_code == 422
