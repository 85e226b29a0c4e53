"""The server is killed and started again: an open tab goes on when the new link was opened."""

from __future__ import annotations

from pathlib import Path

from tests.web.walks.conftest import OpenTabs, ServeIn
from tests.web.walks.helpers import document, make_project, opened


def test_a_tab_survives_the_server(tmp_path: Path, serve_in: ServeIn, tabs_of: OpenTabs) -> None:
    from playwright.sync_api import expect

    make_project(tmp_path / "ward7", map(document, range(3)))
    serve = serve_in(tmp_path, "ward7")
    tabs = tabs_of(serve)
    for words in ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "status of 401"):
        tabs.allow(words)
    page = opened(tabs, serve, "documents")
    rows = page.locator(".documents tbody tr")
    expect(rows).to_have_count(3)
    before = serve.link
    serve.kill()
    page.get_by_role("searchbox", name="Search in notes").fill("word1")
    expect(page.locator(".error")).to_have_text("lacuna does not answer. Is it still running?")
    serve.start()
    assert serve.link != before
    assert serve.link.startswith(f"{serve.origin}/")
    assert before.startswith(f"{serve.origin}/")  # the same port
    opened(tabs, serve)  # as the person does who started it again; tabs share the cookie
    page.get_by_role("searchbox", name="Search in notes").fill("word2")
    expect(rows.locator("th")).to_have_text(["note-002"])
    expect(page.locator(".error")).to_be_empty()
