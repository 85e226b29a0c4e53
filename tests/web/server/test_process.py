"""The command ``lacuna serve`` as a process: what it prints, the browser, Ctrl-C, options."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from lacuna.web.project import open_project
from tests.cli.conftest import Lacuna, lacuna
from tests.web.server.conftest import MARKER, project_of_notes

__all__ = ["lacuna"]  # a fixture
LINK = re.compile(r"http://127\.0\.0\.1:(\d+)/#k=([\w-]{43})\n")


class Process:
    """A running command."""

    def __init__(self, child: subprocess.Popen[str], line: str) -> None:
        self.child = child
        found = LINK.fullmatch(line)
        assert found, line
        self.origin, self.token = f"http://127.0.0.1:{found[1]}", found[2]

    def client(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=self.origin, headers=headers, trust_env=False, timeout=20)

    def end(self, number: int = signal.SIGINT) -> tuple[int, float, str]:
        """Send a signal; return the exit code, how long it took, and all that was printed."""
        began = time.monotonic()
        self.child.send_signal(number)
        out, err = self.child.communicate(timeout=10)
        return self.child.returncode, time.monotonic() - began, out + err


@contextmanager
def serving(*arguments: object, cwd: Path | None = None, **environment: str) -> Iterator[Process]:
    command = [sys.executable, "-m", "lacuna", "serve", *map(str, arguments)]
    quiet = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=quiet | {"BROWSER": ""} | environment,
    )
    assert child.stdout is not None
    try:
        yield Process(child, child.stdout.readline())
    finally:
        child.kill()
        child.communicate()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project_of_notes(tmp_path / "ward7").close()
    return tmp_path / "ward7"


def test_it_prints_the_link_and_ends_with_ctrl_c(folder: Path) -> None:
    with serving(folder, "--port", 0, "--no-browser", "--verbose", "--name", "Ana") as process:
        with process.client() as client:
            project = client.get("/api/project").json()
            assert (project["name"], project["person"]) == ("Ward 7", "Ana")
            assert client.post("/api/documents/search", json={"words": MARKER}).status_code == 200
            assert MARKER in client.get("/api/documents/1").text
        code, seconds, printed = process.end()
    assert code == 0
    assert seconds < 2
    assert "Ward 7, reviewed by Ana; Ctrl-C ends" in printed
    assert "stopped; everything is saved" in printed
    assert re.search(r"^GET \S*/project 200 [\d.]+ ms$", printed, re.MULTILINE)
    assert MARKER not in printed
    assert process.token not in printed
    assert "Traceback" not in printed


def test_it_ends_soon_while_somebody_listens(folder: Path) -> None:
    with (
        serving(folder, "--port", 0, "--no-browser") as process,
        process.client() as client,
        client.stream("GET", "/api/events") as answer,
    ):
        lines = answer.iter_lines()
        assert next(lines) == "retry: 1000"
        reader = threading.Thread(target=lambda: list(lines), daemon=True)
        reader.start()
        code, seconds, printed = process.end()
        reader.join(5)
        assert not reader.is_alive()
    assert (code, "Traceback" in printed) == (0, False)
    assert seconds < 2.5


def test_sigterm_ends_it_too(folder: Path) -> None:
    with serving(folder, "--port", 0, "--no-browser") as process:
        code, seconds, _ = process.end(signal.SIGTERM)
    assert code == 0
    assert seconds < 2


def test_the_browser_gets_a_file_and_no_token(folder: Path, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(
        '#!/bin/sh\nfile="${1#file://}"\nstat -c %a "$file" > "$0.mode"\n'
        'cp "$file" "$0.copy.part"\necho "$@" > "$0.arguments"\nmv "$0.copy.part" "$0.copy"\n'
    )
    browser.chmod(0o700)
    with serving(folder, "--port", 0, BROWSER=str(browser)) as process:
        copy = tmp_path / "browser.copy"
        for _ in range(200):
            if copy.exists():
                break
            time.sleep(0.05)
        page, arguments = copy.read_text(), (tmp_path / "browser.arguments").read_text()
        assert (tmp_path / "browser.mode").read_text().strip() == "600"
        found = re.search(r"url=(http://127\.0\.0\.1:\d+)/#k=([\w-]{43})\"", page)
        assert found
        token = found[2]
        assert found[1] == process.origin
        assert token != process.token
        assert token not in arguments
        headers = {"Origin": process.origin, "Sec-Fetch-Site": "same-origin"}
        with httpx.Client(base_url=process.origin, headers=headers, trust_env=False) as client:
            assert client.post("/api/session", json={"token": token}).status_code == 204
            assert client.post("/api/session", json={"token": token}).status_code == 401
        process.end()
    assert not list(folder.glob("open-*"))


def test_a_new_folder_becomes_a_project(tmp_path: Path) -> None:
    with serving("new", "--port", 0, "--no-browser", cwd=tmp_path) as process:
        _, _, printed = process.end()
    assert "new project: new" in printed
    with open_project(tmp_path / "new") as project:
        assert project.settings.name == "new"
    for path in ((tmp_path / "new"), *(tmp_path / "new").rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_the_current_folder_may_be_the_project(folder: Path) -> None:
    with serving("--port", 0, "--no-browser", cwd=folder) as process, process.client() as client:
        assert client.get("/api/project").json()["name"] == "Ward 7"


def test_the_demo_leaves_nothing(tmp_path: Path) -> None:
    with serving("--demo", "--port", 0, "--no-browser", TMPDIR=str(tmp_path)) as process:
        (made,) = tmp_path.glob("lacuna-demo-*")
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
        with process.client() as client:
            project = client.get("/api/project").json()
            assert project["demo"] is True
            assert project["counts"]["documents"] > 5
            first = client.get("/api/queue/next").json()
            assert client.get(f"/api/documents/{first['key']}").json()["suggestions"]
        code, _, printed = process.end()
    assert code == 0
    assert "removed at the end" in printed
    assert not made.exists()


# --- in this process: what is refused


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "the current folder is no project"),
        (["file.txt"], "is no project"),
        (["no/such/folder"], "its folder does not exist"),
        (["new", "--listen", "192.0.2.1"], "lets other machines in"),
        (["new", "--listen", "0.0.0.0"], "the address or name that people use"),
        (["new", "--behind-proxy", "http://x.example"], "must be like https://"),
        (["new", "--certificate", "x.pem"], "belong together"),
        (["new", "--certificate", "x.pem", "--certificate-key", "y.pem"], "no such file"),
        (["new", "--root", "missing"], "there is no such folder"),
        (["new", "--name", " "], "a person's name"),
        (["new", "--model", "missing.lacuna"], "there is no such file"),
    ],
    ids=str,
)
def test_refused_with_a_reason(
    lacuna: Lacuna,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.txt").write_text("x")
    before = os.umask(0o022)
    try:
        run = lacuna("serve", *arguments)
    finally:
        os.umask(before)
    assert run.code == 2
    assert reason in run.err
    assert not (tmp_path / "new").exists()


def test_a_port_in_use_is_refused(lacuna: Lacuna, folder: Path) -> None:
    from lacuna.web.server.running import bound_sockets, port_of

    (taken,) = bound_sockets(["127.0.0.1"], 0)
    with taken:
        run = lacuna("serve", folder, "--port", port_of([taken]), "--no-browser")
    assert run.code == 2
    assert "cannot be used" in run.err


def test_answers_are_sent_at_once() -> None:
    """An answer has two parts; without TCP_NODELAY the second waits 40 ms for the first."""
    from lacuna.web.server.running import bound_sockets

    async def accepted(listening: socket.socket) -> int:
        option: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            inner = writer.get_extra_info("socket")
            option.set_result(inner.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(connected, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname()[:2])
            found = await option
            writer.close()
            return found

    for listening in bound_sockets(["127.0.0.1", "::1"], 0):
        assert asyncio.run(accepted(listening)) == 1


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn"])
def test_without_the_extra_it_says_what_to_install(
    lacuna: Lacuna, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    run = lacuna("serve", tmp_path / "new")
    assert run.code == 2
    assert "pip install 'lacuna[serve]'" in run.err
    assert not (tmp_path / "new").exists()


def test_no_other_command_needs_the_extra() -> None:
    code = (
        "import sys; sys.modules.update(fastapi=None, uvicorn=None, starlette=None)\n"
        "from lacuna.cli.main import command_line; command_line()\n"
        "import lacuna.web.store, lacuna.web.queue, lacuna.web.document_output\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
