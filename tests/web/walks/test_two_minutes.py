"""Two minutes: open, correct, teach, see the score move, export, restart; all is there."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lacuna.io.corpus import read_corpus
from lacuna.web.importing import import_documents
from lacuna.web.parts import Part
from tests.web.teaching.lesson_notes import fill, of_part, project_with
from tests.web.walks.conftest import OpenTabs, ServeIn
from tests.web.walks.helpers import go, opened
from tests.web.walks.looks import check_accessibility, check_width, pictures
from tests.web.walks.marking import drag, is_saved, marks, text_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

TWO_MINUTES = 120.0
SECONDS = 60_000  # ms; the first lesson may compile
REVIEWED, CORRECTED = 28, 3


@pytest.fixture(autouse=True)
def parts() -> None:
    """Hold notes out by their patients."""


def mark_all(page: Page) -> tuple[str, str]:
    """Mark doctor and city of the note that is shown, which the model misses; return them."""
    page.locator("#pane .piece").first.wait_for()
    _, _, rest = text_of(page).partition("rounds w/ ")
    doctor, _, rest = rest.partition(" from ")
    city = rest.partition(".")[0]
    for words, key in ((doctor, "1"), (city, "2")):
        drag(page, words)
        page.keyboard.press(key)
        is_saved(page)
    return doctor, city


def missed(page: Page) -> tuple[float, float]:
    """Return the share of missed identifier words before and now."""
    cells = page.get_by_role("row", name="Identifier words missed").get_by_role("cell")
    before, now = (float(cells.nth(at).inner_text().split()[0]) for at in (0, 1))
    return before, now


def test_two_minutes(serve_in: ServeIn, tabs_of: OpenTabs, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    ward = tmp_path / "ward7"
    with project_with(ward, []) as project:
        fill(project, learn=20, gate=8)
        waiting = of_part(project, Part.LEARN, 26)[20:]
        import_documents(project.store, [replace(one, mentions=()) for one in waiting])
    serve = serve_in(tmp_path, "ward7")
    tabs = tabs_of(serve)
    tabs.allow("ERR_")  # while the server is away
    tabs.allow("401 (Unauthorized)")  # then it has forgotten the session
    page = opened(tabs, serve)
    began = time.monotonic()

    page.locator("#mentions").wait_for()
    pictures(page, "minutes-open", tmp_path)
    corrected = {}
    for number in range(CORRECTED):
        name = page.locator(".notehead h1").inner_text()
        corrected[name] = mark_all(page)
        page.keyboard.press("Enter")
        accept = page.get_by_role("button", name="Accept them")
        done = page.get_by_text(f"{REVIEWED + number + 1} of 34 reviewed")
        expect(accept.or_(done)).to_be_visible()
        if accept.is_visible():
            accept.click()
        expect(page.locator(".notehead h1")).not_to_have_text(name)

    page.keyboard.press("t")
    page.get_by_text(f"{20 + CORRECTED} reviewed notes").wait_for()
    page.get_by_role("button", name="Teach now").click()
    page.get_by_role("link", name="Model 1", exact=True).wait_for(timeout=SECONDS)
    page.get_by_role("button", name="Teach now").wait_for(timeout=SECONDS)
    score = missed(page)
    assert score[1] < score[0]
    pictures(page, "minutes-teach", tmp_path)
    check_accessibility(page)
    check_width(page)

    go(page, "export")
    page.get_by_role("combobox", name="Format").select_option("jsonl")
    page.get_by_text("31 notes will be written to").wait_for()
    page.get_by_role("button", name="Write").click()
    page.get_by_text("31 notes written to").wait_for()
    pictures(page, "minutes-export", tmp_path)
    written = {one.id: one for one in read_corpus([Path(page.locator("code").inner_text())])}
    for name, words in corrected.items():
        text = written[name].text
        found = {text[one.spans[0].start : one.spans[-1].end] for one in written[name].mentions}
        assert set(words) <= found

    serve.stop()
    serve.start()
    page.goto(serve.link)  # another token, in the same tab
    expect(page).not_to_have_url(re.compile("#k="))
    page.get_by_text("31 of 34 reviewed").wait_for(timeout=SECONDS)
    go(page, "teach")
    page.get_by_role("link", name="Model 1", exact=True).wait_for()
    assert missed(page) == score
    expect(page.get_by_role("row", name="Model 1").get_by_text("in use")).to_be_visible()
    go(page, "documents")
    first, words = next(iter(corrected.items()))
    page.get_by_role("link", name=first, exact=True).click()
    for one in words:
        expect(page.locator("#mentions [role=option]").filter(has_text=one)).to_have_count(1)
    pictures(page, "minutes-again", tmp_path)
    assert time.monotonic() - began < TWO_MINUTES
    serve.stop()
    keys = {key for key in range(1, 35) if ("DOCTOR", [words[0]]) in marks(ward, key)}
    assert keys
