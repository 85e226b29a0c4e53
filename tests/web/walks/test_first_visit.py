"""A new user with the made-up notes, from the first look to two exports; its pictures are in docs.

``LACUNA_PICTURES=docs/pictures pytest tests/web/walks/test_first_visit.py`` writes them.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from lacuna.io.corpus import read_corpus
from lacuna.web.demo_notes import MISSED, WRONG
from tests.web.walks.conftest import OpenTabs, ServeIn
from tests.web.walks.helpers import go, opened
from tests.web.walks.looks import check_accessibility, check_width, pictures
from tests.web.walks.marking import click, drag, is_saved, marks, show_note, text_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

TWO_MINUTES = 120.0
PARTS = ["pain in left", "leg"]


def exported(page: Page, format_: str) -> Path:
    """Write the reviewed notes in a format; return where they are."""
    page.get_by_role("combobox", name="Format").select_option(format_)
    page.get_by_text("3 notes will be written to").wait_for()
    page.get_by_role("button", name="Write").click()
    page.get_by_text("3 notes written to").wait_for()
    return Path(page.locator("code").inner_text())


def test_the_first_two_minutes(serve_in: ServeIn, tabs_of: OpenTabs, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    ward = tmp_path / "ward"
    serve = serve_in(tmp_path, "ward", "--demo")
    page = opened(tabs_of(serve, viewport={"width": 1280, "height": 800}), serve)
    show_note(page, MISSED)
    expect(page.locator(".hint")).to_contain_text("select the missed name")
    page.locator("#mentions [role=option]").first.wait_for()
    pictures(page, "review", tmp_path)
    check_accessibility(page)
    check_width(page)
    began = time.monotonic()

    click(page, WRONG)  # 1. a wrong label
    expect(page.get_by_role("dialog", name="Mention")).to_contain_text("DOCTOR")
    pictures(page, "mention", tmp_path)
    check_accessibility(page)
    page.keyboard.press("l")
    page.get_by_label("Label", exact=True).fill("organ")
    page.keyboard.press("Enter")
    is_saved(page)
    assert ("ORGANIZATION", [WRONG]) in marks(ward, 1)

    drag(page, MISSED)  # 2. a missed name
    page.keyboard.press("1")
    is_saved(page)
    assert ("PATIENT", [MISSED]) in marks(ward, 1)
    page.keyboard.press("Enter")  # 3. done; the rest is accepted
    page.get_by_role("button", name="Accept them").click()
    expect(page.locator("#pane .text")).not_to_contain_text(WRONG)

    go(page, "review/2")  # 4. a finding with a gap
    show_note(page, "pain in left arm and leg")
    drag(page, PARTS[0])
    drag(page, PARTS[1], key="Control")
    page.keyboard.press("0")
    is_saved(page)
    assert ("FINDING", PARTS) in marks(ward, 2)
    pictures(page, "gap", tmp_path)
    page.keyboard.press("a")  # one more edit, then both are undone
    drag(page, "numbness")
    page.keyboard.press("0")
    is_saved(page)
    before = marks(ward, 2)
    page.keyboard.press("u")
    page.keyboard.press("u")
    is_saved(page)
    expect(page.locator("#pane [data-label=FINDING]")).to_have_count(0)
    assert not any(label == "FINDING" for label, _ in marks(ward, 2))
    page.keyboard.press("Control+Shift+z")
    page.keyboard.press("Control+Shift+z")
    expect(page.locator("#pane [data-label=FINDING]")).to_have_count(2)
    is_saved(page)
    assert sorted(marks(ward, 2)) == sorted(before)

    page.keyboard.press("e")  # 5. before and after
    page.locator(".after").get_by_text("[NAME").first.wait_for()
    pictures(page, "before-after", tmp_path)
    check_accessibility(page)
    page.keyboard.press("e")
    second = text_of(page)
    page.keyboard.press("Enter")
    expect(page.locator("#pane .text")).not_to_have_text(second)
    third = text_of(page)
    page.keyboard.press("Enter")
    expect(page.locator("#pane .text")).not_to_have_text(third)

    go(page, "export")  # 6. out of the project
    found = {format_: list(read_corpus([exported(page, format_)])) for format_ in ("brat", "jsonl")}
    assert time.monotonic() - began < TWO_MINUTES
    for documents in found.values():
        assert len(documents) == 3
        gaps = [m for one in documents for m in one.mentions if len(m.spans) > 1]
        assert [gap.label for gap in gaps] == ["FINDING"]
    texts = {one.id: one.text for one in found["jsonl"]}
    assert texts == {one.id: one.text for one in found["brat"]}
    assert third in texts.values()
