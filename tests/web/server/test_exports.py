"""Imports and exports over HTTP: files below the root, uploads, what is left out, streams."""

from __future__ import annotations

import json
import stat
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from lacuna.io.corpus import read_corpus
from lacuna.text.document import Document
from lacuna.web.server.request_limits import LARGEST_BODY, LARGEST_IMPORT
from tests.web.server.conftest import MARKER, TEXT, Live, edit

GAP = {"op": "add", "uid": "gap", "label": "CITY", "spans": [[0, 4], [8, 11]]}
DONE = {"op": "state", "state": "done"}
UPLOAD = {"Content-Type": "application/octet-stream"}


@pytest.fixture
def program(live: Live) -> httpx.Client:
    return live.program()


def finished(client: httpx.Client, answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 202, answer.text
    for _ in range(200):
        state: dict[str, Any] = client.get(f"/api/imports/{answer.json()['job']}").json()
        if state["state"] != "running":
            return state
        time.sleep(0.02)
    raise AssertionError


def exported(client: httpx.Client, **asked: Any) -> dict[str, Any]:
    answer = client.post("/api/exports", json=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


# --- imports


def test_a_folder_of_this_machine(program: httpx.Client, tmp_path: Path) -> None:
    folder = tmp_path / "notes" / "p9"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"One.\r\nTwo.")
    asked = {"path": "notes", "group_from": "^[^/]+"}
    state = finished(program, program.post("/api/imports", json=asked))
    assert state == {
        "state": "done",
        "documents": 1,
        "mentions": 0,
        "present": 0,
        "refused": 0,
        "error": None,
    }
    found = program.get("/api/documents/4").json()
    assert (found["text"], found["group"]) == ("One.\r\nTwo.", "p9")
    again = finished(program, program.post("/api/imports", json=asked))
    assert (again["documents"], again["present"]) == (0, 1)


def test_an_upload_leaves_no_file(live: Live, program: httpx.Client) -> None:
    before = sorted(live.served.project.folder.iterdir())
    headers = UPLOAD | {"X-Lacuna-Name": "Nachtr%C3%A4ge.jsonl"}
    body = b'{"id": "u1", "text": "Fine.", "mentions": [{"label": "X", "spans": [[0, 4]]}]}\n'
    state = finished(program, program.post("/api/imports", content=body, headers=headers))
    assert (state["documents"], state["mentions"]) == (1, 1)
    broken = program.post("/api/imports", content=body + b"{oops\n", headers=headers)
    state = finished(program, broken)
    assert state["state"] == "failed"
    assert state["error"].startswith("Nachträge.jsonl:2: ")
    assert str(live.served.project.folder) not in state["error"]
    assert sorted(live.served.project.folder.iterdir()) == before


@pytest.mark.parametrize("name", ["", "../x.txt", "a/b.txt", "a%2Fb.txt", ".x", "a%00", "x" * 300])
def test_names_of_uploads_are_file_names(program: httpx.Client, name: str) -> None:
    headers = UPLOAD | {"X-Lacuna-Name": name}
    assert program.post("/api/imports", content=b"x", headers=headers).status_code == 422


def test_sizes_of_requests(program: httpx.Client) -> None:
    large = b" " * (LARGEST_BODY + 1)

    def in_chunks() -> Any:
        for _ in range(17):
            yield b" " * (1 << 20)

    kind = {"Content-Type": "application/json"}
    assert program.post("/api/folders", content=large, headers=kind).status_code == 413
    assert program.post("/api/folders", content=in_chunks(), headers=kind).status_code == 413
    lines = {"Content-Type": "application/x-ndjson"}
    assert program.post("/api/deid", content=large, headers=lines).status_code in (409, 413)
    headers = UPLOAD | {"X-Lacuna-Name": "a.txt"}
    assert finished(program, program.post("/api/imports", content=large, headers=headers))
    too_large = b" " * (LARGEST_IMPORT + 1)
    assert program.post("/api/imports", content=too_large, headers=headers).status_code == 413


def test_other_kinds_of_bodies_are_refused(program: httpx.Client) -> None:
    answer = program.post("/api/imports", content=b"x", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415
    assert program.get("/api/imports/99").status_code == 404
    assert program.post("/api/imports", json={"path": "nothing"}).status_code == 422


def test_made_up_notes(live: Live, program: httpx.Client) -> None:
    state = finished(program, program.post("/api/imports/demo"))
    assert state["documents"] > 5
    assert live.served.store.counts().documents == 3 + state["documents"]


# --- exports


def test_an_export_is_what_people_decided(
    live: Live, program: httpx.Client, tmp_path: Path
) -> None:
    edit(program, GAP, {"op": "reject", "uid": "g2"}, DONE, request="r1", base=0)
    dry = exported(program, format="jsonl", path="out.jsonl", dry=True)
    assert (dry["documents"], dry["written"], dry["refused"]) == (1, False, None)
    assert not (tmp_path / "out.jsonl").exists()
    done = exported(program, format="jsonl", path="out.jsonl")
    assert done == dry | {"written": True}
    assert done["path"] == str(tmp_path / "out.jsonl")
    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o600
    (document,) = read_corpus([tmp_path / "out.jsonl"])
    assert document.text == TEXT
    assert {m.label for m in document.mentions} == {"CITY", "DOCTOR"}
    stored = live.served.store.document(1)
    assert stored is not None
    assert document == stored.document


def test_what_a_format_cannot_hold_is_said_before(program: httpx.Client, tmp_path: Path) -> None:
    edit(program, GAP, DONE, request="r1", base=0)
    asked = {"format": "conll", "path": "out.conll", "documents": "all"}
    refused = exported(program, **asked)
    assert not refused["written"]
    assert "discontiguous mentions" in refused["refused"]
    levels = {one["what"]: one["level"] for one in refused["left_out"]}
    assert levels["discontiguous mentions"] == "mentions"
    assert levels["groups"] == "extras"
    assert not (tmp_path / "out.conll").exists()
    assert exported(program, **asked, loss="mentions")["written"]


def test_chosen_documents_and_places(live: Live, program: httpx.Client) -> None:
    default = exported(program, documents=[3, 1])
    assert Path(default["path"]).parent == live.served.project.exports.resolve()
    assert {one.id for one in read_corpus([default["path"]])} == {"n1", "n3"}
    nothing = exported(program, documents="reviewed")
    assert (nothing["written"], nothing["refused"]) == (False, "there is no document to export")
    for own in ("ward7", "ward7/review.db", "ward7/models/x.jsonl"):
        answer = program.post("/api/exports", json={"documents": "all", "path": own})
        assert answer.json()["type"] == "lacuna:path", own
    assert program.post("/api/exports", json={"path": "/etc/x"}).status_code == 403
    assert program.post("/api/exports", json={"path": "no/x.jsonl"}).status_code == 422
    assert program.post("/api/exports", json={"documents": [99]}).status_code == 404
    assert program.post("/api/exports", json={"format": "nonsense"}).status_code == 422
    assert program.post("/api/exports", json={"suggestions": True}).status_code == 409


def test_nothing_is_replaced(program: httpx.Client, tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text("mine")
    answer = program.post("/api/exports", json={"documents": "all", "path": "mine.jsonl"})
    assert (answer.status_code, answer.json()["type"]) == (409, "lacuna:exists")
    assert (tmp_path / "mine.jsonl").read_text() == "mine"


def test_documents_as_a_stream(program: httpx.Client) -> None:
    headers = {"Accept": "application/x-ndjson"}
    answer = program.post("/api/exports", json={"documents": "all"}, headers=headers)
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    documents = [Document.from_dict(json.loads(line)) for line in answer.text.splitlines()]
    assert [one.id for one in documents] == ["n1", "n2", "n3"]
    assert all(one.text == TEXT for one in documents)


def test_deidentified_texts(live: Live, program: httpx.Client, tmp_path: Path) -> None:
    for key in (1, 2):
        edit(program, DONE, request=f"r{key}", base=0, key=key)
    done = exported(program, content="deidentified", path="safe.jsonl")
    assert (done["documents"], done["written"]) == (2, True)
    safe = (tmp_path / "safe.jsonl").read_text()
    assert MARKER not in safe
    assert '"n1"' not in safe
    every = exported(program, content="deidentified", documents="all", path="all.jsonl")
    assert every["documents"] == 2  # nobody reviewed the third, and there is no model
    assert [one["count"] for one in every["left_out"] if "de-identified" in one["what"]] == [1]
    lines = program.post(
        "/api/exports",
        json={"content": "deidentified", "documents": "all"},
        headers={"Accept": "application/x-ndjson"},
    ).text.splitlines()
    assert len(lines) == 3
    assert json.loads(lines[-1])["error"].startswith("1 document")


def test_before_and_after(program: httpx.Client) -> None:
    unreviewed = program.get("/api/documents/1/output")
    assert (unreviewed.status_code, unreviewed.json()["type"]) == (409, "lacuna:not-deidentified")
    edit(program, DONE, request="r1", base=0)
    edit(program, DONE, request="r2", base=0, key=2)
    made = program.get("/api/documents/1/output?policy=mask&threshold=0.2").json()
    assert (made["policy"], made["threshold"]) == ("mask", 0.2)
    assert MARKER not in made["text"]
    one = made["replaced"][0]
    assert made["text"][one["new_start"] : one["new_end"]] == one["instead"]
    assert TEXT[one["start"] : one["end"]] == f"{MARKER} Sató"
    assert program.get("/api/documents/1/output?policy=nonsense").status_code == 422
