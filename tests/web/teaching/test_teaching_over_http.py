"""Teaching over HTTP, with the teacher in a process of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest

from lacuna.web.model_files import ModelGoneError, live_key, model_path
from lacuna.web.project import Project, open_project
from lacuna.web.suggestions import Suggester
from lacuna.web.teaching.models import all_taught
from tests.web.server.conftest import Live, live_server
from tests.web.teaching.lesson_notes import fill, project_with, wait_for


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with project_with(tmp_path / "ward7", []) as made:
        yield made


@pytest.fixture
def server(project: Project, tmp_path: Path) -> Iterator[Live]:
    with live_server(project, tmp_path) as live:
        live.served.teacher._early, live.served.teacher._iterations = 2, 6
        live.served.use(Suggester.open(project))
        yield live


def said(client: httpx.Client) -> dict[str, Any]:
    answer = client.get("/api/teaching")
    assert answer.status_code == 200
    content: dict[str, Any] = answer.json()
    return content


def teach(live: Live, client: httpx.Client) -> dict[str, Any]:
    """Teach, and return what is said at the end."""
    answer = client.post("/api/teaching")
    assert answer.status_code == 202, answer.text
    wait_for(lambda: not live.served.teacher.job.is_running)  # type: ignore[union-attr]
    return said(client)


def test_nothing_to_learn_from(server: Live) -> None:
    client = server.program()
    assert said(client)["advice"].startswith("Review a few documents")
    answer = client.post("/api/teaching")
    assert (answer.status_code, answer.json()["type"]) == (422, "lacuna:nothing-to-learn")
    assert client.delete("/api/teaching").json()["job"] is None


def test_a_taught_model_suggests_and_can_be_taken_back(
    server: Live, project: Project, tmp_path: Path
) -> None:
    fill(project, learn=10, gate=6, waiting=4)
    server.served.fill()
    client = server.program()
    wait_for(lambda: server.served.filler.progress is None and _filled(project, server) == 4)
    before = server.served.model
    told = teach(server, client)
    assert told["job"]["state"] == "done", told["job"]["message"]
    newest = told["models"][0]
    assert told["live"] == newest["key"] == told["last"]["key"]
    assert newest["live"]
    assert newest["went_live"]
    assert newest["documents"] == 10
    assert told["learnt"] == {"documents": 10, "since_live": 0}
    assert told["gate"] == {"documents": 6, "patients": 6}
    assert told["last"]["now"]["missed"] < told["last"]["before"]["missed"]
    assert server.served.model != before
    file = project.folder / "models" / f"{newest['key']:04d}.lacuna"
    assert file.stat().st_mode & 0o777 == 0o600
    wait_for(lambda: _filled(project, server) == 4)
    changes = said(client)["last"]["changes"]
    assert changes["new"] > 0
    assert {one["id"] for one in changes["documents"]} <= {r.id for r in project.store.documents()}
    assert told["curve"][0]["key"] == 0
    assert model_path(project) == file

    back = client.post("/api/models/0/live").json()
    assert (back["live"], server.served.model) == (0, before)
    assert client.post(f"/api/models/{newest['key']}/live").json()["live"] == newest["key"]
    assert client.post("/api/models/99/live").status_code == 404
    with open_project(project.folder) as again:  # as after a restart
        opened = Suggester.open(again)
        assert opened is not None
        assert opened.name == file.stem


def _filled(project: Project, live: Live) -> int:
    (count,) = project.store.database.reader.execute(
        "SELECT count(*) FROM suggestion JOIN document ON key = document"
        " WHERE model = ? AND state = 'new'",
        (live.served.model,),
    ).fetchone()
    number: int = count
    return number


def test_only_one_lesson_at_a_time_and_stopping_keeps(server: Live, project: Project) -> None:
    fill(project, learn=10, gate=0)
    server.served.teacher._early, server.served.teacher._iterations = 10_000, 100_000
    client = server.program()
    assert client.post("/api/teaching").status_code == 202
    assert client.post("/api/teaching").status_code == 409
    job = server.served.teacher.job
    assert job is not None
    wait_for(lambda: job.iteration >= 1 or not job.is_running)
    client.delete("/api/teaching")
    wait_for(lambda: not job.is_running)
    told = said(client)
    assert told["job"]["state"] in ("stopped", "done")
    assert told["live"] == told["models"][0]["key"] == 1
    assert told["last"]["verdict"] == "no-gate"


def test_a_choice_during_a_lesson_stays(server: Live, project: Project) -> None:
    fill(project, learn=10, gate=0)
    client = server.program()
    taught = teach(server, client)
    server.served.teacher._early, server.served.teacher._iterations = 10_000, 100_000
    client.post("/api/teaching")
    job = server.served.teacher.job
    assert job is not None
    wait_for(lambda: job.iteration >= 1)
    assert client.post("/api/models/0/live").json()["live"] == 0
    client.delete("/api/teaching")
    wait_for(lambda: not job.is_running)
    assert said(client)["live"] == 0
    assert len(said(client)["models"]) == len(taught["models"])


def test_the_screen_opens_if_the_live_model_is_gone(server: Live, project: Project) -> None:
    fill(project, learn=6, gate=0)
    client = server.program()
    key = teach(server, client)["live"]
    fill(project, learn=12, gate=0)
    (project.folder / "models" / f"{key:04d}.lacuna").unlink()
    told = said(client)
    assert told["learnt"]["since_live"] >= 5
    assert client.post("/api/models/0/live").json()["live"] == 0


def test_a_killed_teacher_loses_nothing(server: Live, project: Project) -> None:
    fill(project, learn=10, gate=0)
    server.served.teacher._early, server.served.teacher._iterations = 10_000, 100_000
    client = server.program()
    client.post("/api/teaching")
    pid = server.served.teacher.process
    assert pid is not None
    (project.folder / "models").mkdir(exist_ok=True)
    (project.folder / "models" / ".draft-1").touch()  # as if it had been killed a little later
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: said(client)["job"]["state"] == "failed")
    assert said(client)["live"] == 0
    assert all_taught(project.store.database.reader) == []
    server.served.teacher._early, server.served.teacher._iterations = 2, 4
    assert teach(server, client)["live"] >= 1
    assert not list((project.folder / "models").glob(".draft*"))


def test_the_process_ends_with_the_server(project: Project, tmp_path: Path) -> None:
    fill(project, learn=6, gate=0)
    with live_server(project, tmp_path) as live:
        said(live.program())  # warms it
        pid = live.served.teacher.process
        assert pid is not None
    wait_for(lambda: not _runs(pid), 10)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_model_that_is_gone_or_changed_is_not_used(server: Live, project: Project) -> None:
    fill(project, learn=4, gate=0)
    client = server.program()
    told = teach(server, client)
    key = told["live"]
    file = project.folder / "models" / f"{key:04d}.lacuna"
    client.post("/api/models/0/live")
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    for _ in ("changed", "gone"):
        answer = client.post(f"/api/models/{key}/live")
        assert (answer.status_code, answer.json()["type"]) == (409, "lacuna:model-gone")
        assert said(client)["live"] == 0
        file.unlink(missing_ok=True)
    assert live_key(project.store.database.reader) is None
    with project.store.database.writing() as connection:
        connection.execute("UPDATE live SET taught = ?", (key,))
    with pytest.raises(ModelGoneError, match="cannot be read"):
        Suggester.open(project)
    assert project.settings.model.endswith("tiny.lacuna")
    Path(project.settings.model).unlink()
    answer = client.post("/api/models/0/live")
    assert (answer.status_code, answer.json()["type"]) == (409, "lacuna:model-gone")
    assert live_key(project.store.database.reader) == key


def test_another_model_in_the_settings_is_used_at_once(server: Live, project: Project) -> None:
    fill(project, learn=4, gate=0)
    client = server.program()
    assert teach(server, client)["live"] != 0
    etag = client.get("/api/project").headers["etag"]
    answer = client.patch("/api/project", headers={"If-Match": etag}, json={"model": "none"})
    assert answer.status_code == 200, answer.text
    assert said(client)["live"] == 0
    assert answer.json()["model"] is None


def test_the_curve_is_a_picture(server: Live, project: Project) -> None:
    client = server.program()
    empty = client.get("/api/teaching/curve.svg")
    assert "nothing was measured yet" in empty.text
    fill(project, learn=8, gate=5)
    teach(server, client)
    answer = client.get("/api/teaching/curve.svg")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    root = ElementTree.fromstring(answer.text)
    names = [child.tag.rpartition("}")[2] for child in root]
    assert {"title", "desc"} <= set(names)
    assert answer.text.count('class="point"') >= 2
