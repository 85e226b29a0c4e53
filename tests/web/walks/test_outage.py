"""The server is killed while somebody works."""

from __future__ import annotations

import re
from pathlib import Path

from lacuna.text.document import Document
from lacuna.web.project import open_project
from tests.web.walks.conftest import OpenTabs, ServeIn
from tests.web.walks.helpers import make_project, opened
from tests.web.walks.marking import drag, is_saved, marks

WORDS = ("Ana", "Mace", "Bo", "Lind", "Cy", "Orr")
TEXT = "Ana and Mace, Bo and Lind, Cy and Orr."


def test_nothing_is_lost_and_nothing_comes_twice(
    serve_in: ServeIn, tabs_of: OpenTabs, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    make_project(tmp_path / "ward7", [Document("n1", TEXT)])
    serve = serve_in(tmp_path, "ward7")
    tabs = tabs_of(serve)
    for words in ("ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE", "401", "403"):
        tabs.allow(words)
    page = opened(tabs, serve, "review/1")
    drag(page, WORDS[0])
    page.keyboard.press("1")
    is_saved(page)
    serve.kill()
    for words in WORDS[1:]:
        drag(page, words)
        page.keyboard.press("1")
    expect(page.locator("#saved")).to_have_text(re.compile("not saved"))
    expect(page.locator("#pane .text .m")).to_have_count(len(WORDS))
    assert marks(tmp_path / "ward7", 1) == [("PATIENT", [WORDS[0]])]
    serve.start()
    # sessions end with the server; the new link opens the page where it was
    other = tabs.page()
    other.goto(serve.link)
    other.locator("#pane .piece").first.wait_for()
    other.close()
    expect(page.locator("#saved")).to_have_text(re.compile("^saved"), timeout=60_000)
    assert sorted(parts[0] for _, parts in marks(tmp_path / "ward7", 1)) == sorted(WORDS)
    with open_project(tmp_path / "ward7") as project:
        edits = project.store.history(1)
    assert len(edits) == len({edit.request for edit in edits}) == len(WORDS)
