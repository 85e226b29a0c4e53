"""Mentions with gaps and mentions that overlap, by mouse and by keyboard; undo and redo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lacuna.text.document import Document
from tests.web.walks.conftest import OpenTabs
from tests.web.walks.helpers import go, make_project, opened
from tests.web.walks.marking import click, drag, is_saved, marks, shown_marks
from tests.web.walks.serving import Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXT = "Pain in left arm and leg since May. Seen at St. Mary Hospital of Zorg by Dr. Ana Mace."


@pytest.fixture
def ward(tmp_path: Path) -> Iterator[Serve]:
    notes = [Document(f"n{number}", TEXT, group=f"p{number}") for number in range(1, 4)]
    make_project(tmp_path / "ward7", notes)
    with Serve(tmp_path, "ward7") as serve:
        yield serve


@pytest.fixture
def page(ward: Serve, tabs_of: OpenTabs) -> Page:
    page = opened(tabs_of(ward), ward, "review/1")
    page.get_by_role("heading", name="n1").wait_for()
    return page


def test_by_mouse(page: Page, tmp_path: Path) -> None:
    drag(page, "left")
    drag(page, "leg", key="Control")
    page.keyboard.press("4")
    is_saved(page)
    assert marks(tmp_path / "ward7", 1) == [("FINDING", ["left", "leg"])]
    drag(page, "since", key="Control")  # one more part of the mention in focus
    is_saved(page)
    assert marks(tmp_path / "ward7", 1) == [("FINDING", ["left", "leg since"])]


def test_by_keyboard(page: Page, tmp_path: Path) -> None:
    page.locator("#pane").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "+"):  # left
        page.keyboard.press(key)
    for _ in range(3):
        page.keyboard.press("ArrowRight")  # leg
    page.keyboard.press("4")
    is_saved(page)
    assert marks(tmp_path / "ward7", 1) == [("FINDING", ["left", "leg"])]


def test_three_that_overlap(page: Page, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    for words, key in (
        ("St. Mary Hospital of Zorg", "1"),
        ("St. Mary Hospital", "2"),
        ("Mary", "3"),
    ):
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        drag(page, words)
        page.keyboard.press(key)
        is_saved(page)
    expect(page.locator("#pane .l0, #pane .l1, #pane .l2")).not_to_have_count(0)
    assert sorted(label for label, _ in marks(tmp_path / "ward7", 1)) == [
        *("DATE", "DOCTOR", "PATIENT")
    ]
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    click(page, "Mary")  # the innermost; the others are listed
    dialog = page.get_by_role("dialog", name="Mention")
    expect(dialog).to_contain_text("DATE")
    expect(dialog.get_by_role("group", name="In the same place")).to_contain_text("PATIENT")
    expect(dialog.get_by_role("group", name="In the same place")).to_contain_text("DOCTOR")


def test_undo_and_redo_survive_a_reload(page: Page, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    words = ("Pain", "arm", "May", "Zorg", "Ana Mace")
    for one in words:
        drag(page, one)
        page.keyboard.press("1")
    is_saved(page)
    whole = marks(tmp_path / "ward7", 1)
    assert sorted(parts[0] for _, parts in whole) == sorted(words)
    for left in range(4, -1, -1):
        page.keyboard.press("u")
        expect(page.locator("#pane .text .m")).to_have_count(left)
    is_saved(page)
    assert marks(tmp_path / "ward7", 1) == []
    page.reload()
    page.get_by_role("heading", name="n1").wait_for()
    for there in range(1, 6):
        page.keyboard.press("Control+y")
        expect(page.locator("#pane .text .m")).to_have_count(there)
    is_saved(page)
    assert sorted(marks(tmp_path / "ward7", 1)) == sorted(whole)
    page.reload()
    page.get_by_role("heading", name="n1").wait_for()
    expect(page.locator("#pane .text .m")).to_have_count(5)
    assert sorted(shown_marks(page).values()) == sorted(words)


def test_the_same_words_everywhere(ward: Serve, tabs_of: OpenTabs, tmp_path: Path) -> None:
    """One step over all notes of a patient, and one undo takes all of it back."""
    from playwright.sync_api import expect

    from lacuna.web.importing import import_documents
    from lacuna.web.project import open_project

    more = [Document(f"more-{number}", TEXT, group="p1") for number in range(3)]
    with open_project(tmp_path / "ward7") as project:
        import_documents(project.store, more)
    page = opened(tabs_of(ward), ward, "review/1")
    page.get_by_role("heading", name="n1").wait_for()
    drag(page, "Ana Mace")
    page.keyboard.press("2")
    is_saved(page)
    page.keyboard.press("o")
    page.get_by_role("button", name="Mark 3").click()
    page.get_by_text("Marked 3 places").wait_for()
    expected = [("DOCTOR", ["Ana Mace"])]
    assert [marks(tmp_path / "ward7", key) for key in (1, 4, 5, 6, 2)] == [*[expected] * 4, []]
    page.keyboard.press("u")
    expect(page.locator("#live")).to_contain_text("undone")
    is_saved(page)
    assert [marks(tmp_path / "ward7", key) for key in (1, 4, 5, 6)] == [expected, [], [], []]
    go(page, "review/4")
    page.get_by_role("heading", name="more-0").wait_for()
    expect(page.locator("#pane .text .m")).to_have_count(0)
