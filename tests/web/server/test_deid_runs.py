"""De-identifying from the page: the project or files, dry or not, one at a time, all or nothing."""

from __future__ import annotations

import os
import re
import shutil
import stat
import threading
import time
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from lacuna.archive.options import ArchiveOptions
from lacuna.archive.run import run_archive
from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.policy import load_policy
from lacuna.io.corpus import read_corpus
from lacuna.web import deid_runs
from lacuna.web.document_output import output_of
from lacuna.web.exporting import pseudonymous
from lacuna.web.project import Project, open_project
from lacuna.web.server.security import HEADERS, REPORT_POLICY
from lacuna.web.suggestions import Suggester
from tests.web.server.conftest import MARKER, Live, edit, live_server, project_of_notes

GOLDEN = Path(__file__).parents[2] / "models" / "golden" / "format-2.lacuna"
DONE = {"op": "state", "state": "done"}
NOTES = {
    "p1/a.txt": f"Seen by Dr. Zola {MARKER} in Arden on 03/14/2014. Call 555-123-4567.\n",
    "p1/b.txt": "Ana Vogel was moved to Arden.\n",
    "p2/c.txt": "No fever and no pain were reported on 04/02/2014.\n",
}


def with_model(folder: Path) -> Project:
    """Make a project of notes that names a small model."""
    project_of_notes(folder).close()
    shutil.copy(GOLDEN, folder / "tiny.lacuna")
    (folder / "tiny.lacuna").chmod(0o600)
    settings = folder / "project.toml"
    settings.write_text(settings.read_text().replace('model = "none"', 'model = "tiny.lacuna"'))
    return open_project(folder)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with with_model(tmp_path / "ward7") as project, live_server(project, tmp_path) as running:
        running.served.use(Suggester.open(project))
        yield running


@pytest.fixture
def program(live: Live) -> httpx.Client:
    return live.program()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in NOTES.items():
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "notes"


def started(client: httpx.Client, **asked: Any) -> dict[str, Any]:
    answer = client.post("/api/deid-runs", json=asked)
    assert answer.status_code == 202, answer.text
    run: dict[str, Any] = answer.json()
    return run


def finished(client: httpx.Client, **asked: Any) -> dict[str, Any]:
    run = started(client, **asked)
    end = time.monotonic() + 120  # kernels may have to be compiled first
    while time.monotonic() < end:
        if run["state"] != "running":
            return run
        time.sleep(0.02)
        run = client.get(f"/api/deid-runs/{run['job']}").json()
    raise AssertionError(run)


def refusal(client: httpx.Client, **asked: Any) -> tuple[int, str]:
    answer = client.post("/api/deid-runs", json=asked)
    assert MARKER not in answer.text
    return answer.status_code, answer.json().get("type", "").removeprefix("lacuna:")


def files_below(folder: Path) -> set[str]:
    """Return the files that matter: SQLite makes and removes some of its own."""
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if not path.name.startswith("review.db")
    }


# --- the project


def test_the_project_with_what_people_decided(
    live: Live, program: httpx.Client, tmp_path: Path
) -> None:
    added = {"op": "add", "uid": "x", "label": "CITY", "spans": [[43, 47]]}
    edit(program, added, {"op": "reject", "uid": "g1"}, DONE, request="r1", base=0)
    before = files_below(tmp_path)
    dry = finished(program, source="project", dry=True)
    assert files_below(tmp_path) == before
    assert (dry["state"], dry["dry"], dry["output"], dry["report"]) == ("done", True, None, None)
    assert (dry["documents"], dry["failed"], dry["of"], dry["share"]) == (3, 0, 3, 1.0)
    assert dry["counts"]["CITY"] >= 1
    done = finished(program, source="project", output="safe.jsonl")
    assert done["counts"] == dry["counts"]
    assert done["expected_missed"] == pytest.approx(dry["expected_missed"])
    assert (done["output"], done["private"]) == (str(tmp_path / "safe.jsonl"), None)
    assert stat.S_IMODE((tmp_path / "safe.jsonl").stat().st_mode) == 0o600
    project, suggester = live.served.project, live.served.suggester
    safe = {one.id: one for one in read_corpus([tmp_path / "safe.jsonl"])}
    missed, replaced = 0.0, 0
    for key in (1, 2, 3):
        stored, expected = project.store.document(key), output_of(project, suggester, key)
        assert stored is not None
        assert safe[pseudonymous(project, stored.source, "").id].text == expected.text
        missed, replaced = missed + expected.expected_missed, replaced + len(expected.replaced)
    assert done["expected_missed"] == pytest.approx(missed)
    assert sum(done["counts"].values()) == replaced


def test_policy_threshold_and_text_files(program: httpx.Client, tmp_path: Path) -> None:
    asked = {"source": "project", "policy": "mask", "threshold": 0.9, "output": "texts"}
    run = finished(program, **asked)
    assert run["state"] == "done", run
    texts = [path.read_text() for path in (tmp_path / "texts").iterdir()]
    assert len(texts) == 3
    assert not any(MARKER in text for text in texts)  # given mentions are always hidden
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "texts").iterdir()]
    assert modes == [0o600] * 3
    assert stat.S_IMODE((tmp_path / "texts").stat().st_mode) == 0o700
    page = unescape(re.sub("<[^>]*>", " ", program.get(run["report"]).text))
    assert "policy  mask" in page
    assert "threshold  0.9" in page


def test_a_document_that_cannot_be_made_safe_is_left_out(marked: Project, tmp_path: Path) -> None:
    """The project of this test names no model."""
    with live_server(marked, tmp_path) as live:
        program = live.program()
        before = files_below(tmp_path)
        void = finished(program, source="project", output="void.jsonl")
        assert (void["state"], void["report"]) == ("failed", None)
        assert void["error"].startswith("no document could be de-identified: nobody has reviewed")
        assert files_below(tmp_path) - before == {"ward7/reports"}
        edit(program, DONE, request="r1", base=0)
        some = finished(program, source="project", output="some.jsonl")
        assert (some["state"], some["documents"], some["failed"]) == ("done", 1, 2)
        assert some["expected_missed"] is None
        assert some["remarks"][0] == "2 documents failed and were left out"
        assert len(list(read_corpus([tmp_path / "some.jsonl"]))) == 1
        assert MARKER not in (tmp_path / "some.jsonl").read_text()
        assert "nobody has reviewed it" in program.get(some["report"]).text


# --- files of this machine


def test_files_are_written_as_by_the_command(
    live: Live, program: httpx.Client, folder: Path, tmp_path: Path
) -> None:
    before = files_below(tmp_path)
    dry = finished(program, source="notes", group_from="^[^/]+", dry=True)
    assert files_below(tmp_path) == before
    assert (dry["state"], dry["documents"], dry["of"]) == ("done", 3, 3)
    done = finished(program, source=str(folder), group_from="^[^/]+")
    assert (done["state"], done["error"]) == ("done", None)
    assert done["counts"] == dry["counts"]
    output = Path(done["output"])
    assert output.parent == live.served.project.exports.resolve()
    project = live.served.project
    run_archive(
        ArchiveOptions(
            input=folder,
            output=tmp_path / "same",
            detection=DetectionOptions(model=str(project.folder / "tiny.lacuna")),
            policy=load_policy("safe-harbor"),
            threshold=0.5,
            key=project.key.derive("de-identified"),
            group_from="^[^/]+",
        )
    )
    texts = {
        str(path.relative_to(tmp_path / "same")): path.read_text()
        for path in (tmp_path / "same").rglob("*.txt")
    }
    assert len(texts) == 3
    assert texts == {name: (output / name).read_text() for name in texts}
    assert "555-123-4567" not in "".join(texts.values())
    assert (output / "report.json").exists()
    for path in [output, Path(done["private"]), *output.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_rows_of_a_table_and_a_document_that_fails(program: httpx.Client, tmp_path: Path) -> None:
    rows = "".join(f'{{"id": "{i}", "text": "On 03/14/2014 {MARKER}."}}\n' for i in range(4))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "table.jsonl").write_text(rows)
    (tmp_path / "notes" / "broken.txt").write_bytes(b"\xff\xfe\x00")
    run = finished(program, source="notes", output="safe")
    assert (run["state"], run["documents"], run["failed"], run["of"]) == ("done", 4, 1, 5)
    assert sum(run["counts"].values()) >= 4
    assert "03/14/2014" not in (tmp_path / "safe" / "table.jsonl").read_text()
    assert not list((tmp_path / "safe").rglob("broken*"))
    alone = finished(program, source="notes/broken.txt", output="nothing")
    assert alone["state"] == "failed"
    assert not (tmp_path / "nothing").exists()
    assert not (tmp_path / "nothing.private").exists()


def test_what_cannot_be_asked(live: Live, folder: Path, tmp_path: Path) -> None:
    program = live.program()
    (tmp_path / "mine.jsonl").write_text("mine")
    (tmp_path / "other.private").mkdir()
    (tmp_path / "link").symlink_to("/etc")
    assert refusal(program, source="no", dry=True) == (422, "no-file")
    assert refusal(program, source="/etc", dry=True) == (403, "outside-root")
    assert refusal(program, source="link", dry=True) == (403, "outside-root")
    (tmp_path / "link").unlink()
    assert refusal(program, source="notes", output="/etc/x") == (403, "outside-root")
    assert refusal(program, source="notes", output="notes/safe") == (422, "path")
    assert refusal(program, source="notes", output="ward7/models/x") == (422, "path")
    assert refusal(program, source=".") == (422, "path")  # exports are inside
    assert refusal(program, source="project", output="mine.jsonl") == (409, "exists")
    assert refusal(program, source="notes", output="other") == (409, "exists")
    assert refusal(program, source="project", policy=MARKER, dry=True)[0] == 422
    assert refusal(program, source="project", threshold=2, dry=True)[0] == 422
    assert refusal(program, source="project", words=MARKER)[0] == 422
    assert program.get("/api/deid-runs/99").status_code == 404
    assert program.delete("/api/deid-runs/99").status_code == 404
    assert program.get("/api/deid-runs").json() == {"runs": []}
    (live.served.project.folder / "tiny.lacuna").unlink()
    assert refusal(program, source="project", dry=True) == (409, "model-file")


def test_files_need_a_model_and_the_project_documents(
    marked: Project, folder: Path, tmp_path: Path
) -> None:
    with live_server(marked, tmp_path) as live:
        assert refusal(live.program(), source="notes", dry=True) == (409, "no-model")
        with marked.store.database.writing() as connection:
            for table in ("mention", "edit", "document"):
                connection.execute(f"DELETE FROM {table}")
        assert refusal(live.program(), source="project", dry=True) == (422, "no-documents")


def test_a_wrong_pattern_for_patients_is_said(program: httpx.Client, folder: Path) -> None:
    run = finished(program, source="notes", group_from="(", output="safe")
    assert run["state"] == "failed"
    assert not run["error"].startswith("an error in lacuna")
    assert not (folder.parent / "safe").exists()


# --- the live model


def test_the_model_that_is_live_does_the_work(live: Live, folder: Path, tmp_path: Path) -> None:
    project = live.served.project
    taught = project.folder / "models" / "0001.lacuna"
    shutil.copy(GOLDEN.with_name("private.lacuna"), taught)
    add_taught(project, taught)
    run = finished(live.program(), source="notes", output="safe")
    assert run["state"] == "done", run
    assert "0001.lacuna" in (tmp_path / "safe" / "report.json").read_text()
    taught.write_bytes(taught.read_bytes() + b" ")
    assert refusal(live.program(), source="project", dry=True) == (409, "model-file")


def add_taught(project: Project, file: Path) -> int:
    """Enter a model as taught, and let it be live."""
    from lacuna.models.file import file_digest

    values = ("2026", "ana", "teach", f"models/{file.name}", bytes.fromhex(file_digest(file)))
    with project.store.database.writing() as connection:
        cursor = connection.execute(
            "INSERT INTO taught (made_at, made_by, purpose, file, sha256, learnt_from, compared_on,"
            " went_live, why, scores, iterations, seconds)"
            " VALUES (?, ?, ?, ?, ?, '[]', '[]', 1, '', '{}', 1, 1.0)",
            values,
        )
        connection.execute("UPDATE live SET taught = ?", (cursor.lastrowid,))
    return int(cursor.lastrowid or 0)


# --- one at a time, stopping

HANGS = "import sys, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
WRITES = """
import sys, pathlib, signal, time
sys.stdin.buffer.read(8)
pathlib.Path(sys.argv[2], "x.txt").write_text("half")
pathlib.Path(sys.argv[2] + ".private", "crosswalk").write_text("half")
if sys.argv[3] == "end": sys.exit(1)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(60)
"""


def replaced_process(monkeypatch: pytest.MonkeyPatch, code: str, *arguments: str) -> None:
    """Run other code instead; its last arguments come after the id of the parent."""
    launch = f"import sys; sys.argv += {list(arguments)!r}; exec({code!r})"
    monkeypatch.setattr(deid_runs, "PROCESS", ("-c", launch))


def test_one_run_at_a_time_and_stopping(
    live: Live, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = live.program()
    replaced_process(monkeypatch, WRITES, str(tmp_path / "safe"), "hang")
    before = files_below(tmp_path) | {"ward7/reports"}
    run = started(program, source="notes", output="safe")
    assert (run["state"], run["report"]) == ("running", None)
    assert refusal(program, source="project", dry=True) == (409, "running")
    wait_for(lambda: (tmp_path / "safe.private" / "crosswalk").exists())
    began = time.perf_counter()
    stopped = program.delete(f"/api/deid-runs/{run['job']}").json()
    assert time.perf_counter() - began < 5
    assert (stopped["state"], stopped["error"], stopped["report"]) == ("stopped", None, None)
    assert files_below(tmp_path) == before
    monkeypatch.undo()
    assert finished(program, source="project", dry=True)["state"] == "done"
    again = program.delete(f"/api/deid-runs/{run['job']}").json()
    assert again == stopped
    states = [one["state"] for one in program.get("/api/deid-runs").json()["runs"]]
    assert states == ["done", "stopped"]


def test_a_process_that_ends_leaves_nothing(
    live: Live, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced_process(monkeypatch, WRITES, str(tmp_path / "safe"), "end")
    run = finished(live.program(), source="notes", output="safe")
    assert run["state"] == "failed"
    assert run["error"].endswith(deid_runs.ENDED)
    assert live.lines.errors == [deid_runs.ENDED]
    assert not list(tmp_path.glob("safe*"))


def test_the_end_of_the_server_ends_a_run(
    live: Live, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced_process(monkeypatch, HANGS)
    run = started(live.program(), source="notes", output="safe")
    served = live.served.deid_runs
    wait_for(lambda: served.get(run["job"]).process is not None)  # type: ignore[union-attr]
    process = served.get(run["job"]).process  # type: ignore[union-attr]
    began = time.perf_counter()
    live.served.close()
    assert time.perf_counter() - began < 4
    assert process is not None
    assert process.poll() is not None
    assert not list(tmp_path.glob("safe*"))
    assert refusal(live.program(), source="project", dry=True) == (409, "running")


def test_a_real_run_is_stopped(live: Live, tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    line = f'{{"id": "%d", "text": "{"Dr. Zola Wexler was in Arden on 03/14/2014. " * 40}"}}\n'
    with (tmp_path / "many" / "many.jsonl").open("w") as stream:
        stream.writelines(line % i for i in range(20_000))
    program = live.program()
    before = files_below(tmp_path) | {"ward7/reports"}
    run = started(program, source="many", output="safe")
    wait_for(lambda: program.get(f"/api/deid-runs/{run['job']}").json()["share"] > 0)
    began = time.perf_counter()
    assert program.get("/api/project").status_code == 200
    assert time.perf_counter() - began < 1
    assert program.delete(f"/api/deid-runs/{run['job']}").json()["state"] == "stopped"
    assert files_below(tmp_path) == before


def wait_for(condition: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


# --- nothing of a note gets out


def test_events_and_logs_hold_no_text(
    live: Live, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    client, seen = live.program(), list[str]()
    has_begun = threading.Event()

    def listen() -> None:
        with client.stream("GET", "/api/events") as answer:
            for line in answer.iter_lines():
                has_begun.set()
                seen.append(line)

    thread = threading.Thread(target=listen)
    thread.start()
    assert has_begun.wait(10)
    program = live.program()
    for asked in ({"source": "notes", "output": "safe"}, {"source": "project", "dry": True}):
        run = finished(program, **asked)
        assert MARKER not in str(run)
    live.served.events.close()
    thread.join(10)
    events = [data for event, data in pairwise(seen) if event == "event: deid"]
    assert len(events) >= 4
    assert set(events) == {"data: {}"}
    everything = "".join(seen + live.lines.requests + live.lines.errors)
    assert MARKER not in everything + "".join(capfd.readouterr())


# --- reports


def test_reports_are_shown_in_a_sandbox(live: Live, folder: Path) -> None:
    page = live.page()
    run = finished(page, source="notes", output="safe")
    name = run["report"].rpartition("/")[2]
    file = live.served.project.folder / "reports" / name
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    answer = page.get(run["report"])
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    policy = answer.headers["Content-Security-Policy"]
    assert policy == REPORT_POLICY
    assert policy.startswith(
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    )
    others = {name: value for name, value in HEADERS.items() if value != HEADERS[CSP]}
    assert others.items() <= {name: answer.headers.get(name) for name in HEADERS}.items()
    assert len(others) == len(HEADERS) - 1
    assert "De-identification report" in answer.text
    assert "<a " not in answer.text  # the outputs are not beside it
    assert "<script" not in answer.text
    assert MARKER not in answer.text


CSP = "Content-Security-Policy"


@pytest.mark.parametrize(
    "name",
    [
        *("..%2Freview.db", "%2e%2e%2fproject.toml", "..%5Cx.html", "no-1.html", "deid.html"),
        *("deid-1.html%00", "deid-1.html%0A", "DEID-1.html", "deid-1.HTML", ".deid-1.html"),
        *("link-1.html", "folder-1.html", "pipe-1.html", "deid-１.html", "x" * 100 + "-1.html"),
    ],
)
def test_only_reports_are_served(live: Live, tmp_path: Path, name: str) -> None:
    folder = live.served.project.folder / "reports"
    folder.mkdir()
    (tmp_path / "secret.html").write_text(MARKER)
    (folder / "link-1.html").symlink_to(tmp_path / "secret.html")
    (folder / "folder-1.html").mkdir()
    os.mkfifo(folder / "pipe-1.html")
    (folder / "deid.html").write_text(MARKER)
    answer = live.program().get(f"/api/reports/{name}")
    assert answer.status_code in (404, 422)
    assert answer.headers[CSP] == HEADERS[CSP]
    assert MARKER not in answer.text


def test_a_folder_of_reports_that_is_a_link_is_not_followed(live: Live, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "deid-1.html").write_text(MARKER)
    (live.served.project.folder / "reports").symlink_to(tmp_path / "elsewhere")
    assert live.program().get("/api/reports/deid-1.html").status_code == 404


def test_reports_need_a_session(live: Live) -> None:
    folder = live.served.project.folder / "reports"
    folder.mkdir()
    (folder / "deid-1.html").write_text("page")
    assert live.client().get("/api/reports/deid-1.html").status_code == 401
    page = live.page()
    page.headers["Sec-Fetch-Site"] = "cross-site"
    assert page.get("/api/reports/deid-1.html").status_code == 403
