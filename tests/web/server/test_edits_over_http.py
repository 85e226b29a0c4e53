"""Edits over HTTP: retries, conflicts, undo, two clients, and many documents as one step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from lacuna.web.edits import check_of
from lacuna.web.project import Project
from lacuna.web.suggestions import Suggester
from tests.web.server.conftest import TEXT, Live, edit, live_server, project_of_notes

BERN = ((43, 47),)
ADD = {"op": "add", "uid": "n", "label": "CITY", "spans": BERN, "check": check_of(TEXT, BERN)}
ACCEPT = {"op": "accept", "uid": "g1"}
REJECT = {"op": "reject", "uid": "g1"}


@pytest.fixture
def program(live: Live) -> httpx.Client:
    return live.program()


def document(client: httpx.Client, key: int = 1) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/api/documents/{key}").json()
    return found


def test_the_marked_place_is_bern() -> None:
    assert TEXT[43:47] == "Bern"


def test_an_edit_is_answered_with_what_changed(program: httpx.Client) -> None:
    answer = edit(program, ADD, {"op": "state", "state": "open"}, request="r1", base=0)
    assert answer.status_code == 200
    assert answer.headers["ETag"] == '"1.0"'
    mention = {"uid": "n", "label": "CITY", "spans": [[43, 47]], "status": "added"}
    assert answer.json() == {
        "version": 1,
        "mentions": {"n": {**mention, "probability": None}},
        "state": "open",
        "flag": False,
        "comment": "",
        "undo": True,
        "redo": False,
        "others": [],
    }
    now = document(program)
    assert (now["version"], now["state"], len(now["mentions"])) == (1, "open", 3)
    assert now["text"] == TEXT
    assert now["patient"] == {"number": 1, "of": 2, "keys": [1, 2]}


def test_a_document_that_was_seen_is_not_sent_again(program: httpx.Client) -> None:
    etag = program.get("/api/documents/1").headers["ETag"]
    again = program.get("/api/documents/1", headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
    edit(program, ACCEPT, request="r1", base=0)
    assert program.get("/api/documents/1", headers={"If-None-Match": etag}).status_code == 200


def test_a_retry_gives_the_same_answer_and_does_nothing(live: Live, program: httpx.Client) -> None:
    first = edit(program, ADD, request="r1", base=0)
    assert edit(program, ADD, request="r1", base=0).json() == first.json()
    assert live.served.store.counts().edits == 1
    other = edit(program, ACCEPT, request="r1", base=1)
    assert (other.status_code, other.json()["type"]) == (409, "lacuna:request-used")


def test_a_retry_after_edits_of_others_tells_those_too(program: httpx.Client) -> None:
    edit(program, ADD, request="r1", base=0)
    edit(program, REJECT, request="r2", base=1)
    again = edit(program, ADD, request="r1", base=0).json()
    assert again["version"] == 2
    assert again["mentions"].keys() == {"n", "g1"}


def test_other_text_than_the_client_sees_is_409(live: Live, program: httpx.Client) -> None:
    answer = edit(program, ADD | {"spans": [[42, 46]]}, request="r1", base=0)
    assert (answer.status_code, answer.json()["type"]) == (409, "lacuna:text-differs")
    assert live.served.store.counts().edits == 0


def test_two_clients_that_change_the_same_are_told(program: httpx.Client) -> None:
    assert edit(program, ACCEPT, ADD, request="r1", base=0).status_code == 200
    answer = edit(program, REJECT, request="r2", base=0)
    assert answer.status_code == 412
    problem = answer.json()
    assert problem["type"] == "lacuna:changed"
    assert problem["detail"] == "Changed in the meantime: 1 mention."
    current = problem["current"]
    assert current["targets"] == ["g1"]
    assert (current["key"], current["version"], current["state"]) == (1, 1, "new")
    assert current["mentions"]["g1"]["status"] == "accepted"
    assert edit(program, REJECT, request="r2", base=current["version"]).status_code == 200


def test_two_clients_interleaved_converge(program: httpx.Client) -> None:
    """Both edit different mentions without waiting for each other; both see everything."""
    seen: list[dict[str, Any]] = [{}, {}]
    versions = [0, 0]
    for turn in range(8):
        who = turn % 2
        place = 2 * turn
        operation = {"op": "add", "uid": f"m{turn}", "label": "CITY", "spans": [[place, place + 1]]}
        answer = edit(program, operation, request=f"r{turn}", base=versions[who])
        assert answer.status_code == 200
        versions[who] = answer.json()["version"]
        seen[who] |= answer.json()["mentions"]
    assert versions == [7, 8]
    assert seen[1].keys() == {f"m{turn}" for turn in range(8)}
    assert seen[0].keys() == seen[1].keys() - {"m7"}
    assert {one["uid"] for one in document(program)["mentions"]} == {"g1", "g2", *seen[1]}


@pytest.mark.parametrize(
    ("if_match", "status"),
    [
        *((None, 428), ('"0"', 200), ('"0.17"', 200), ('W/"0"', 200), ("0", 422), ("*", 422)),
        *(('"x"', 422), ('"99"', 422), ('"-1"', 422), ('"9999999999999999999"', 422)),
    ],
)
def test_the_version_that_was_seen(
    program: httpx.Client, if_match: str | None, status: int
) -> None:
    headers = {} if if_match is None else {"If-Match": if_match}
    body = {"request": "r1", "operations": [ACCEPT]}
    answer = program.patch("/api/documents/1/mentions", headers=headers, json=body)
    assert answer.status_code == status


def test_no_such_document(program: httpx.Client) -> None:
    for path in ("", "/tokens", "/history", "/output"):
        assert program.get(f"/api/documents/99{path}").status_code == 404, path
    assert edit(program, ACCEPT, request="r", base=0, key=99).status_code == 404
    for path in ("undo", "redo"):
        answer = program.post(f"/api/documents/99/{path}", json={"request": "r"})
        assert answer.status_code == 404
    for key in ("0", "-1", "9223372036854775808", "1e3", "x"):
        assert program.get(f"/api/documents/{key}").status_code == 422


def test_undo_and_redo(program: httpx.Client) -> None:
    edit(program, ADD, request="r1", base=0)
    undone = program.post("/api/documents/1/undo", json={"request": "u1"}).json()
    assert (undone["version"], undone["mentions"]) == (2, {"n": None})
    assert (undone["undo"], undone["redo"]) == (False, True)
    again = program.post("/api/documents/1/undo", json={"request": "u1"}).json()
    assert again == undone
    nothing = program.post("/api/documents/1/undo", json={"request": "u2"})
    assert (nothing.status_code, nothing.json()["type"]) == (409, "lacuna:nothing-to-undo")
    redone = program.post("/api/documents/1/redo", json={"request": "u3"}).json()
    assert redone["mentions"]["n"]["status"] == "added"
    assert document(program)["undo"] is True


def test_an_undo_tells_what_the_client_has_not_seen(program: httpx.Client) -> None:
    edit(program, ADD, request="r1", base=0)
    edit(program, ACCEPT, request="r2", base=1)
    answer = program.post(
        "/api/documents/1/undo", json={"request": "u"}, headers={"If-Match": '"0"'}
    )
    assert answer.json()["mentions"].keys() == {"n", "g1"}


def test_an_undo_of_what_somebody_changed_is_412(live: Live, program: httpx.Client) -> None:
    edit(program, ADD, request="r1", base=0)
    live.served.person = "bo"
    edit(program, {"op": "change", "uid": "n", "label": "DATE"}, request="r2", base=1)
    live.served.person = "ana"
    answer = program.post("/api/documents/1/undo", json={"request": "u"})
    assert answer.status_code == 412
    assert answer.json()["current"]["targets"] == ["n"]


def test_history_has_offsets_and_no_text(program: httpx.Client) -> None:
    edit(program, ADD, request="r1", base=0)
    edit(program, ACCEPT, request="r2", base=0, key=2)
    program.post("/api/documents/1/undo", json={"request": "u1"})
    page = program.get("/api/documents/1/history").json()
    assert [one["version"] for one in page["edits"]] == [1, 2]
    assert page["edits"][1]["undoes"] == page["edits"][0]["key"]
    assert page["edits"][0]["operations"][0]["spans"] == [[43, 47]]
    assert "Bern" not in str(page)
    first = program.get("/api/history?limit=2").json()
    assert [one["document"] for one in first["edits"]] == [1, 2]
    rest = program.get(f"/api/history?after={first['next']}").json()
    assert [one["document"] for one in rest["edits"]] == [1]
    assert rest["next"] is None


def test_states_of_several_documents_are_one_step(program: httpx.Client) -> None:
    asked = {"keys": [1, 3], "state": "done", "flag": True, "request": "s1"}
    assert program.post("/api/documents/states", json=asked).json() == {"changed": 2}
    assert program.post("/api/documents/states", json=asked).json() == {"changed": 2}
    assert [document(program, key)["state"] for key in (1, 2, 3)] == ["done", "new", "done"]
    undone = program.post("/api/documents/1/undo", json={"request": "u1"}).json()
    assert undone["others"] == [{"key": 3, "version": 2}]
    assert document(program, 3)["state"] == "new"
    nothing = {"keys": [1], "request": "s2"}
    assert program.post("/api/documents/states", json=nothing).status_code == 422
    missing = {"keys": [1, 99], "flag": False, "request": "s3"}
    assert program.post("/api/documents/states", json=missing).status_code == 404


def everywhere(client: httpx.Client, **asked: Any) -> httpx.Response:
    body = {"label": "CITY", "spans": BERN, "scope": "patient", "remove": False, "dry": False}
    return client.post("/api/documents/1/everywhere", json=body | asked)


def test_the_same_words_in_all_notes_of_a_patient(live: Live, program: httpx.Client) -> None:
    dry = everywhere(program, request="e0", dry=True).json()
    assert dry == {"places": 2, "documents": 2, "kept": 0, "here": [[[43, 47]]], "changed": None}
    assert live.served.store.counts().edits == 0
    done = everywhere(program, request="e1").json()
    assert (done["places"], done["documents"]) == (2, 2)
    assert done["changed"]["version"] == 1
    assert done["changed"]["others"] == [{"key": 2, "version": 1}]
    assert [len(document(program, key)["mentions"]) for key in (1, 2, 3)] == [3, 3, 2]
    again = everywhere(program, request="e1").json()
    assert again["changed"] == done["changed"]
    assert (again["places"], again["here"]) == (2, [[[43, 47]]])
    assert live.served.store.counts().edits == 2
    nothing = everywhere(program, request="e2").json()
    assert (nothing["places"], nothing["changed"]) == (0, None)
    program.post("/api/documents/1/undo", json={"request": "u"})
    assert [len(document(program, key)["mentions"]) for key in (1, 2, 3)] == [2, 2, 2]


def test_removed_everywhere(program: httpx.Client) -> None:
    everywhere(program, request="e1")
    removed = everywhere(program, request="e2", remove=True).json()
    assert removed["documents"] == 2
    assert [uid for uid, one in removed["changed"]["mentions"].items() if one is None]
    one = everywhere(program, request="e3", scope="document").json()
    assert (one["places"], one["documents"]) == (1, 1)


def test_everywhere_refuses_what_is_no_place(program: httpx.Client) -> None:
    wrongs: list[dict[str, Any]] = [{"spans": [[0, 9999]]}, {"spans": []}, {"spans": [[5, 2]]}]
    for wrong in (*wrongs, {"label": " "}):
        assert everywhere(program, request="e", **wrong).status_code == 422, wrong
    edit(program, ACCEPT, request="r1", base=0)
    assert everywhere(program, request="r1").status_code == 409


# --- lists, search


def test_pages_of_documents(program: httpx.Client) -> None:
    first = program.get("/api/documents?limit=2").json()
    assert [one["key"] for one in first["documents"]] == [1, 2]
    rest = program.get(f"/api/documents?limit=2&after={first['next']}").json()
    assert ([one["key"] for one in rest["documents"]], rest["next"]) == ([3], None)
    edit(program, {"op": "state", "state": "done", "comment": "x"}, request="r1", base=0)
    states = program.get("/api/documents?state=done&state=later").json()["documents"]
    assert [(one["key"], one["commented"], one["decided_by"]) for one in states] == [
        (1, True, "ana")
    ]
    assert program.get("/api/documents?label=NONE").json()["documents"] == []
    assert program.get("/api/documents?state=nonsense").status_code == 422
    assert program.get("/api/documents?limit=101").status_code == 422


def test_words_are_searched_in_the_body(program: httpx.Client) -> None:
    def found(**asked: Any) -> list[int]:
        answer = program.post("/api/documents/search", json=asked)
        assert answer.status_code == 200
        return [one["key"] for one in answer.json()["documents"]]

    assert found(words="bern") == [1, 2, 3]
    assert found(words="n3") == [3]
    assert found(group="p1", limit=1) == [1]
    assert found(words="%") == []


def test_the_queue(program: httpx.Client) -> None:
    asked = program.get("/api/queue").json()
    assert (asked["waiting"], len(asked["documents"])) == (3, 3)
    first = program.get("/api/queue/next").json()
    assert first["key"] == asked["documents"][0]["key"]
    assert first["reason"] in ("need", "random", "rest")
    done = {"keys": [1, 2, 3], "state": "done", "request": "s"}
    program.post("/api/documents/states", json=done)
    assert program.get("/api/queue/next").status_code == 204


# --- the project


def test_settings_can_be_changed(live: Live, program: httpx.Client) -> None:
    before = program.get("/api/project")
    assert before.json()["labels"][0] == {
        "name": "PATIENT",
        "short": "PATIENT",
        "key": "1",
        "colour": "blue",
        "hue": 0,
    }
    assert before.json()["counts"]["states"] == {"new": 3, "open": 0, "done": 0, "later": 0}
    etag = {"If-Match": before.headers["ETag"]}
    labels = [{"name": "CITY", "key": "5", "colour": "red"}, {"name": "FINDING"}]
    asked = {"name": "Ward 8", "threshold": 0.25, "labels": labels}
    after = program.patch("/api/project", json=asked, headers=etag)
    assert after.status_code == 200
    assert (after.json()["name"], after.json()["threshold"]) == ("Ward 8", 0.25)
    assert [one["name"] for one in after.json()["labels"]][:2] == ["CITY", "FINDING"]
    toml = (live.served.project.folder / "project.toml").read_text()
    assert 'name = "Ward 8"' in toml
    assert program.patch("/api/project", json=asked, headers=etag).status_code == 412
    assert program.patch("/api/project", json=asked).status_code == 428
    assert program.get("/api/project").json() == after.json()


@pytest.mark.parametrize(
    "wrong",
    [
        {"policy": "nonsense"},
        {"policy": "../../x.toml"},
        {"model": "/etc/passwd"},
        {"model": "../../../etc/passwd"},
        {"threshold": 2},
        {"name": "\n"},
        {"labels": [{"name": "A"}, {"name": "A"}]},
        {"labels": [{"name": "A", "key": "1"}, {"name": "B", "key": "1"}]},
        {"labels": [{"name": "A", "colour": "mauve"}]},
    ],
    ids=str,
)
def test_settings_that_cannot_be_used_change_nothing(
    live: Live, program: httpx.Client, wrong: dict[str, Any]
) -> None:
    file = live.served.project.folder / "project.toml"
    before = file.read_bytes()
    etag = program.get("/api/project").headers["ETag"]
    answer = program.patch("/api/project", json=wrong, headers={"If-Match": etag})
    assert answer.status_code in (403, 422)
    assert file.read_bytes() == before


def test_settings_changed_by_hand_are_seen(live: Live, program: httpx.Client) -> None:
    file = live.served.project.folder / "project.toml"
    good = file.read_text()
    file.write_text(good.replace("Ward 7", "Ward 77"))
    assert program.get("/api/project").json()["name"] == "Ward 77"
    file.write_text("nonsense")
    assert program.get("/api/project").json()["name"] == "Ward 77"
    assert len(live.lines.errors) == 1


def test_suggestions_of_a_model(tmp_path: Path) -> None:
    with project_of_notes(tmp_path / "w", model="bundled") as project:
        _check_suggestions(project, tmp_path)


def _check_suggestions(project: Project, root: Path) -> None:
    with live_server(project, root) as live:
        live.served.use(Suggester.open(project))
        program = live.program()
        found = document(program)
        sources = {one["source"] for one in found["suggestions"]}
        assert sources <= {"model", "pattern"}
        assert "DATE" in {one["label"] for one in found["suggestions"]}
        assert found["model"] == 1
        assert found["need"] is not None
        assert program.get("/api/documents/1").headers["ETag"] == '"0.1"'
        model = program.get("/api/project").json()["model"]
        assert (model["key"], "DATE" in model["labels"]) == (1, True)
        etag = program.get("/api/project").headers["ETag"]
        headers = {"If-Match": etag}
        changed = program.patch("/api/project", json={"model": "none"}, headers=headers).json()
        assert changed["model"] is None
        assert document(program)["suggestions"] == []
