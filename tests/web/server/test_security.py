"""Who gets an answer: one test for each rule, on a real server."""

from __future__ import annotations

import socket
import stat
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from lacuna.web.project import Project
from lacuna.web.server.app import create_app
from lacuna.web.server.security import HEADERS, REPORT_POLICY, Guard, named
from lacuna.web.server.sessions import IDLE, MOST_FAILURES, PAUSE, Paused, Sessions
from tests.web.server.conftest import MARKER, Live, edit, live_server

STATE = {"op": "state", "state": "open"}


def raw(live: Live, *lines: str) -> str:
    """Send a request as it is; return the answer."""
    host, port = live.origin.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode())
        chunks = []
        while chunk := connection.recv(65536):
            chunks.append(chunk)
    return b"".join(chunks).decode()


# --- Host


@pytest.mark.parametrize("path", ["/", "/static/style.css", "/api/health", "/api/project", "/no"])
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil:80"])
def test_another_host_is_refused_before_anything_else(live: Live, path: str, host: str) -> None:
    answer = live.program().get(path, headers={"Host": host})
    assert answer.status_code == 403
    assert answer.json()["type"] == "lacuna:wrong-host"


def test_names_of_this_machine_are_right(live: Live) -> None:
    port = live.origin.rpartition(":")[2]
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
        assert live.client().get("/api/health", headers={"Host": host}).status_code == 200


def test_two_hosts_or_none_are_refused(live: Live) -> None:
    host = live.origin.removeprefix("http://")
    two = raw(live, "GET /api/health HTTP/1.1", f"Host: {host}", "Host: evil.example")
    assert two.split()[1] in ("400", "403")
    assert raw(live, "GET /api/health HTTP/1.0").split()[1] == "403"


# --- tokens, sessions


def test_without_a_session_nothing_is_told(live: Live) -> None:
    client = live.client()
    paths = live.program().get("/api/openapi.json").json()["paths"]
    assert len(paths) > 15
    for path, methods in paths.items():
        for method in methods:
            if path in ("/api/session", "/api/health"):
                continue
            answer = client.request(method.upper(), path.replace("{key}", "1"))
            assert answer.status_code == 401, path
            assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert client.get("/api/openapi.json").status_code == 401
    assert client.get("/api/nothing").status_code == 401


def test_health_tells_strangers_only_that_it_lives(live: Live) -> None:
    assert live.client().get("/api/health").json() == {"ok": True}
    assert live.client(Authorization="Bearer wrong").get("/api/health").json() == {"ok": True}
    assert "version" in live.page().get("/api/health").json()
    assert "version" in live.program().get("/api/health").json()


def test_a_session_needs_the_token(live: Live) -> None:
    client = live.client(Origin=live.origin, **{"Sec-Fetch-Site": "same-origin"})
    answer = client.post("/api/session", json={"token": "wrong"})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert client.get("/api/project").status_code == 401


def test_the_cookie_is_for_our_page_alone(live: Live) -> None:
    client = live.client(Origin=live.origin, **{"Sec-Fetch-Site": "same-origin"})
    answer = client.post("/api/session", json={"token": live.served.sessions.token})
    cookie = answer.headers["set-cookie"]
    port = live.origin.rpartition(":")[2]
    assert cookie.startswith(f"lacuna_{port}=")
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert live.served.sessions.token not in cookie


def test_with_tls_the_cookie_is_secure(marked: Project, tmp_path: Path) -> None:
    with live_server(marked, tmp_path) as live:
        port = int(live.origin.rpartition(":")[2])
        live.served.address = named("127.0.0.1", port, secure=True)
        client = live.client(Origin=live.origin, **{"Sec-Fetch-Site": "same-origin"})
        answer = client.post("/api/session", json={"token": live.served.sessions.token})
        assert "Secure" in answer.headers["set-cookie"].split("; ")


def test_a_wrong_cookie_is_none(live: Live) -> None:
    port = live.origin.rpartition(":")[2]
    for cookie in (f"lacuna_{port}=wrong", "lacuna_1=x", f'lacuna_{port}="\\', "\x7f;;;=="):
        assert live.client(Cookie=cookie).get("/api/project").status_code == 401


def test_the_link_stays_valid_but_the_file_is_used_once(live: Live) -> None:
    for _ in range(3):
        live.page(live.served.sessions.token)
    once = live.served.sessions.single_use_token()
    live.page(once)
    client = live.client(Origin=live.origin, **{"Sec-Fetch-Site": "same-origin"})
    assert client.post("/api/session", json={"token": once}).status_code == 401
    bearer = live.served.sessions.single_use_token()
    assert live.client(Authorization=f"Bearer {bearer}").get("/api/project").status_code == 401


def test_a_program_needs_no_cookie_and_no_origin(live: Live) -> None:
    program = live.program()
    assert program.get("/api/project").status_code == 200
    assert edit(program, STATE, request="r1", base=0).status_code == 200
    assert "set-cookie" not in program.get("/api/project").headers
    assert live.client(Authorization="Bearer wrong").get("/api/project").status_code == 401


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_pause_after_five_wrong_tokens(marked: Project, tmp_path: Path) -> None:
    clock = Clock()
    with live_server(marked, tmp_path, clock) as live:
        known, token = live.page(), live.served.sessions.token
        client = live.client(Origin=live.origin, **{"Sec-Fetch-Site": "same-origin"})
        for _ in range(MOST_FAILURES):
            assert client.post("/api/session", json={"token": "wrong"}).status_code == 401
        refused = client.post("/api/session", json={"token": token})
        assert refused.status_code == 429
        assert refused.headers["Retry-After"] == str(round(PAUSE))
        assert live.client(Authorization="Bearer wrong").get("/api/project").status_code == 429
        assert known.get("/api/project").status_code == 200  # who is in stays in
        assert live.program().get("/api/project").status_code == 200
        clock.now += PAUSE + 1
        assert client.post("/api/session", json={"token": token}).status_code == 204


def test_wrong_bearers_count_too() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    assert not any(sessions.is_bearer("wrong") for _ in range(MOST_FAILURES))
    with pytest.raises(Paused):
        sessions.is_bearer("wrong")
    with pytest.raises(Paused):
        sessions.open(sessions.token)
    clock.now += PAUSE + 1
    assert sessions.open(sessions.token)


def test_an_idle_session_ends(marked: Project, tmp_path: Path) -> None:
    clock = Clock()
    with live_server(marked, tmp_path, clock) as live:
        page = live.page()
        for _ in range(3):  # used again and again, it stays
            clock.now += IDLE - 1
            assert page.get("/api/project").status_code == 200
        clock.now += IDLE + 1
        assert page.get("/api/project").status_code == 401


def test_sessions_do_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lacuna.web.server.sessions.MOST_SESSIONS", 3)
    clock = Clock()
    sessions = Sessions(clock)
    opened = []
    for _ in range(5):
        clock.now += 1
        opened.append(sessions.open(sessions.token) or "")
    assert [sessions.is_open(one) for one in opened] == [False, False, True, True, True]


# --- from our own page

OURS = {"Sec-Fetch-Site": "same-origin"}
FOREIGN: list[tuple[str, dict[str, str | None]]] = [
    ("another origin", {"Origin": "http://evil.example", **OURS}),
    ("another port", {"Origin": "http://127.0.0.1:1", **OURS}),
    ("no origin", {"Origin": None, **OURS}),
    ("null", {"Origin": "null", **OURS}),
    ("cross-site", {"Sec-Fetch-Site": "cross-site"}),
    ("same-site", {"Sec-Fetch-Site": "same-site"}),
    ("none", {"Sec-Fetch-Site": "none"}),
    ("missing", {"Sec-Fetch-Site": None}),
]


def changed(client: httpx.Client, headers: dict[str, str | None]) -> httpx.Client:
    for name, value in headers.items():
        if value is None:
            del client.headers[name]
        else:
            client.headers[name] = value
    return client


@pytest.mark.parametrize(("name", "headers"), FOREIGN, ids=lambda value: str(value)[:12])
def test_a_cookie_changes_nothing_from_elsewhere(
    live: Live, name: str, headers: dict[str, str | None]
) -> None:
    page = changed(live.page(), headers)
    answers = [
        edit(page, STATE, request="r1", base=0),
        page.post("/api/documents/1/undo", json={"request": "u"}),
        page.post("/api/session", json={"token": live.served.sessions.token}),
        page.post("/api/deid", json={"text": "x"}),
    ]
    assert [one.status_code for one in answers] == [403] * 4
    assert {one.json()["type"] for one in answers} == {"lacuna:cross-site"}
    assert live.served.store.counts().edits == 0


def test_our_page_may_edit(live: Live) -> None:
    assert edit(live.page(), STATE, request="r1", base=0).status_code == 200


@pytest.mark.parametrize(
    ("site", "origin", "status"),
    [
        ("same-origin", None, 200),
        ("none", None, 200),  # typed into the address bar
        (None, None, 200),
        ("cross-site", None, 403),
        ("same-site", None, 403),
        ("same-origin", "http://127.0.0.1:1", 403),
    ],
)
def test_reading_with_a_cookie(
    live: Live, site: str | None, origin: str | None, status: int
) -> None:
    page = changed(live.page(), {"Sec-Fetch-Site": site, "Origin": origin})
    assert page.get("/api/documents/1").status_code == status


@pytest.mark.parametrize(
    ("site", "status"), [("same-origin", 200), (None, 403), ("none", 403), ("cross-site", 403)]
)
def test_events_with_a_cookie_need_our_page(live: Live, site: str | None, status: int) -> None:
    page = changed(live.page(), {"Sec-Fetch-Site": site, "Origin": None})
    with page.stream("GET", "/api/events") as answer:
        assert answer.status_code == status


def test_other_pages_may_read_nothing(live: Live) -> None:
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "PATCH"}
    for client in (live.page(), live.client(), live.program()):
        answer = client.options("/api/documents/1/mentions", headers=asked)
        assert answer.status_code >= 400
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_no_websocket(live: Live) -> None:
    host = live.origin.removeprefix("http://")
    upgrade = ("Upgrade: websocket", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13")
    answer = raw(live, "GET /api/events HTTP/1.1", f"Host: {host}", *upgrade)
    assert answer.split()[1] == "401"


# --- headers


KINDS: list[tuple[str, int, Callable[[Live], httpx.Response]]] = [
    ("JSON", 200, lambda live: live.program().get("/api/project")),
    ("file", 200, lambda live: live.client().get("/static/style.css")),
    ("no file", 404, lambda live: live.client().get("/static/no.css")),
    ("nothing", 404, lambda live: live.program().get("/api/nothing")),
    ("method", 405, lambda live: live.program().put("/api/project")),
    ("key", 404, lambda live: live.program().get("/api/documents/99")),
    ("input", 422, lambda live: live.program().post("/api/folders", json={})),
    ("session", 401, lambda live: live.client().get("/api/project")),
    ("host", 403, lambda live: live.client(Host="evil").get("/")),
    ("no content", 204, lambda live: _login(live)),
    ("not modified", 304, lambda live: _again(live)),
    ("too large", 413, lambda live: _large(live)),
    ("error", 500, lambda live: _broken(live)),
]


def _login(live: Live) -> httpx.Response:
    client = live.client(Origin=live.origin, **OURS)
    return client.post("/api/session", json={"token": live.served.sessions.token})


def _again(live: Live) -> httpx.Response:
    program = live.program()
    etag = program.get("/api/documents/1").headers["ETag"]
    return program.get("/api/documents/1", headers={"If-None-Match": etag})


def _large(live: Live) -> httpx.Response:
    body = b" " * ((16 << 20) + 1)
    headers = {"Content-Type": "application/json"}
    return live.program().post("/api/folders", content=body, headers=headers)


def _broken(live: Live) -> httpx.Response:
    def fail(*_: object, **__: object) -> None:
        raise ValueError(f"text of a note: {MARKER}")

    live.served.store.counts = fail  # type: ignore[assignment,method-assign]
    return live.program().get("/api/project")


@pytest.mark.parametrize(("name", "status", "ask"), KINDS, ids=[kind[0] for kind in KINDS])
def test_every_answer_has_the_headers(
    live: Live, name: str, status: int, ask: Callable[[Live], httpx.Response]
) -> None:
    answer = ask(live)
    assert answer.status_code == status
    assert HEADERS.items() <= {name: answer.headers.get(name) for name in HEADERS}.items()
    assert "require-trusted-types-for 'script'" in answer.headers["Content-Security-Policy"]
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert "server" not in answer.headers
    if status >= 400:
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["status"] == status
        assert answer.json().keys() >= {"type", "title", "status", "detail"}


def test_only_finished_pages_have_another_policy(live: Live) -> None:
    folder = live.served.project.folder / "reports"
    folder.mkdir()
    (folder / "deid-1.html").write_text("<p>page</p>")
    program, policy = live.program(), "Content-Security-Policy"
    page = program.get("/api/reports/deid-1.html")
    assert (page.status_code, page.headers[policy]) == (200, REPORT_POLICY)
    assert {name: page.headers[name] for name in HEADERS} == HEADERS | {policy: REPORT_POLICY}
    assert "script" not in REPORT_POLICY
    for path in ("/api/reports/deid-2.html", "/api/reports/x", "/api/reports/", "/api/project"):
        assert program.get(path).headers[policy] == HEADERS[policy]
    assert live.client().get("/api/reports/deid-1.html").headers[policy] == HEADERS[policy]


# --- nothing of a note gets out by itself


def test_an_error_of_ours_names_type_and_place(
    live: Live, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = _broken(live)
    assert answer.status_code == 500
    assert "ValueError at test_security.py:" in answer.json()["detail"]
    assert len(live.lines.errors) == 1
    everything = answer.text + "".join(live.lines.errors + live.lines.requests)
    assert MARKER not in everything + "".join(capfd.readouterr())


WRONG: list[tuple[str, str, object]] = [
    ("POST", "/api/session", {"token": [MARKER]}),
    ("POST", "/api/session", {"tok": MARKER}),
    ("POST", "/api/folders", {"path": 3, MARKER: MARKER}),
    ("POST", "/api/folders", {MARKER: MARKER}),
    ("POST", "/api/documents/search", {"states": [MARKER]}),
    ("POST", "/api/documents/search", {"words": {MARKER: MARKER}}),
    ("PATCH", "/api/documents/1/mentions", {"request": MARKER + " ", "operations": []}),
    ("PATCH", "/api/documents/1/mentions", {"request": "r", "operations": [{"op": MARKER}]}),
    (
        "PATCH",
        "/api/documents/1/mentions",
        {"request": "r", "operations": [{"op": "state", MARKER: MARKER}]},
    ),
    ("PATCH", "/api/documents/1/mentions", {"request": "r", "operations": {MARKER: 1}}),
    ("POST", "/api/imports", {"path": MARKER}),
    ("POST", "/api/imports", {"path": "x", "format": MARKER}),
    ("POST", "/api/imports", {"path": "x", MARKER: MARKER}),
    ("POST", "/api/deid-runs", {"source": MARKER}),
    ("POST", "/api/deid-runs", {"source": "project", "policy": MARKER}),
    ("POST", "/api/deid-runs", {"source": "project", MARKER: MARKER}),
    ("POST", "/api/tag", {"txt": MARKER}),
    ("POST", "/api/deid", {"text": MARKER, MARKER: 1}),
    ("PATCH", "/api/project", {"policy": MARKER}),
    ("PATCH", "/api/project", {"model": MARKER}),
    ("PATCH", "/api/project", {"labels": [{"name": MARKER, "colour": MARKER}]}),
]


@pytest.mark.parametrize(
    ("method", "path", "body"), WRONG, ids=[f"{one[1]}-{n}" for n, one in enumerate(WRONG)]
)
def test_wrong_input_is_not_quoted(
    live: Live, capfd: pytest.CaptureFixture[str], method: str, path: str, body: object
) -> None:
    program = live.program()
    etag = program.get("/api/project").headers["ETag"]
    headers = {"If-Match": etag if path.endswith("project") else '"0"'}
    answer = program.request(method, path, json=body, headers=headers)
    assert 400 <= answer.status_code < 500
    assert answer.headers["Content-Type"] == "application/problem+json"
    out = answer.text + str(answer.headers) + "".join(live.lines.errors + live.lines.requests)
    assert MARKER not in out + "".join(capfd.readouterr())


def test_a_body_that_is_no_json_is_not_quoted(live: Live) -> None:
    headers = {"Content-Type": "application/json"}
    for path in ("/api/folders", "/api/imports", "/api/tag", "/api/documents/search"):
        answer = live.program().post(path, content=f"{{{MARKER}".encode(), headers=headers)
        assert answer.status_code in (409, 422)
        assert MARKER not in answer.text


def test_the_log_has_routes_and_no_values(live: Live, capfd: pytest.CaptureFixture[str]) -> None:
    program = live.program()
    program.get("/api/documents/1")
    program.post("/api/documents/search", json={"words": MARKER})
    program.get(f"/api/{MARKER}")
    program.get(f"/api/documents?label={MARKER}")
    edit(program, {"op": "state", "comment": MARKER}, request="r1", base=0)
    lines = [line.rpartition(" ")[0].rpartition(" ")[0] for line in live.lines.requests]
    assert "GET /documents/{key} 200" in [line.replace("/api", "", 1) for line in lines]
    assert all(len(line.split()) == 3 for line in lines)
    everything = "".join(live.lines.requests + live.lines.errors) + "".join(capfd.readouterr())
    assert MARKER not in everything


def test_the_framework_reports_to_nobody(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    app = create_app(live.served)
    config = getattr(app, "_telemetry", {})
    assert not [name for name, value in config.items() if value and not callable(value)]
    assert app.user_middleware[0].cls is Guard  # type: ignore[comparison-overlap]


# --- files


def test_words_are_never_in_addresses(live: Live) -> None:
    described = live.program().get("/api/openapi.json").json()["paths"]
    in_paths = {part for path in described for part in path.split("/") if part.startswith("{")}
    assert in_paths == {"{key}", "{job}", "{name}"}  # names of reports: a word of ours and a date
    queries = {
        parameter["name"]
        for methods in described.values()
        for operation in methods.values()
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "query"
    }
    allowed = {"state", "label", "flag", "held_out", "order", "after", "limit", "newest"}
    assert queries <= allowed | {"policy", "threshold"}


@pytest.mark.parametrize("path", ["/etc", "..", "../../etc/passwd", "/", "inside/../..", "~root"])
@pytest.mark.parametrize("route", ["/api/imports", "/api/folders", "/api/deid-runs"])
def test_paths_lead_nowhere_else(live: Live, tmp_path: Path, path: str, route: str) -> None:
    (tmp_path / "inside").mkdir()
    name = "source" if route == "/api/deid-runs" else "path"
    answer = live.program().post(route, json={name: path})
    assert answer.status_code in (403, 422)
    assert answer.json()["type"] in ("lacuna:outside-root", "lacuna:no-file", "lacuna:path")


def test_links_lead_nowhere_else(marked: Project, tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    for folder in (root, elsewhere, root / "notes"):
        folder.mkdir()
    (elsewhere / "secret.txt").write_text("secret")
    (root / "link").symlink_to(elsewhere)
    (root / "notes" / "a.txt").symlink_to(elsewhere / "secret.txt")
    (root / "fine.txt").symlink_to(root / "real.txt")
    (root / "real.txt").write_text("fine")
    with live_server(marked, root) as live:
        program = live.program()
        for path in ("link", "link/secret.txt", "notes", "notes/a.txt"):
            answer = program.post("/api/imports", json={"path": path})
            assert answer.json().get("type") == "lacuna:outside-root", path
        assert program.post("/api/folders", json={"path": "link"}).status_code == 403
        names = [one["name"] for one in _entries(program, "")]
        assert names == ["notes", "fine.txt", "real.txt"]
        assert _entries(program, "notes") == []
        assert program.post("/api/imports", json={"path": "fine.txt"}).status_code == 202


def _entries(program: httpx.Client, path: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = program.post("/api/folders", json={"path": path}).json()[
        "entries"
    ]
    return found


def test_files_of_the_project_are_its_owners(live: Live) -> None:
    edit(live.program(), STATE, request="r1", base=0)
    folder = live.served.project.folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in folder.rglob("*"):
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file
