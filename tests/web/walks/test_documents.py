"""The table of all notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lacuna.web.document_pages import Filter
from lacuna.web.operations import State
from lacuna.web.project import open_project
from tests.web.walks.conftest import OpenTabs
from tests.web.walks.helpers import document, make_project, opened
from tests.web.walks.looks import check_accessibility, check_width, pictures
from tests.web.walks.serving import Serve

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

NOTES = 130


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a project."""
    made = tmp_path_factory.mktemp("documents")
    make_project(made / "ward7", map(document, range(NOTES)))
    return made


@pytest.fixture(scope="module")
def ward(folder: Path) -> Iterator[Serve]:
    with Serve(folder, "ward7") as serve:
        yield serve


@pytest.fixture
def page(ward: Serve, tabs_of: OpenTabs) -> Page:
    page = opened(tabs_of(ward), ward, "documents")
    rows(page).nth(99).wait_for()
    return page


def rows(page: Page) -> Locator:
    return page.locator(".documents tbody tr")


def shows(page: Page, *ids: str) -> None:
    """Wait until the table has just these rows."""
    from playwright.sync_api import expect

    expect(rows(page).locator("th")).to_have_text(list(ids))


def tick(page: Page, *ids: str) -> None:
    for id_ in ids:
        page.get_by_label(f"Select {id_}", exact=True).check()


def states(folder: Path, **conditions: object) -> set[str]:
    with open_project(folder / "ward7") as project:
        found = project.store.documents(Filter(**conditions))  # type: ignore[arg-type]
        return {row.id for row in found}


def test_more_rows_come_at_the_end(page: Page) -> None:
    from playwright.sync_api import expect

    expect(page.get_by_role("status").filter(has_text="so far")).to_have_text("100 notes so far")
    assert rows(page).count() == 100
    rows(page).nth(99).scroll_into_view_if_needed()
    expect(rows(page)).to_have_count(NOTES)
    ids = rows(page).locator("th").all_inner_texts()
    assert ids == [f"note-{number:03}" for number in range(NOTES)]
    expect(page.get_by_role("button", name="Show more")).to_be_hidden()


def test_filters(page: Page) -> None:
    page.get_by_role("searchbox", name="Search in notes").fill("word117")
    shows(page, "note-117")
    page.get_by_role("searchbox", name="Search in notes").fill("WORD11.")
    shows(page, "note-011")
    page.get_by_role("searchbox", name="Search in notes").fill("no such words")
    shows(page)
    assert page.get_by_text("No such note.").is_visible()
    page.get_by_role("searchbox", name="Search in notes").fill("")
    page.get_by_role("searchbox", name="Patient").fill("p4")
    shows(page, "note-012", "note-013", "note-014")
    page.get_by_role("searchbox", name="Patient").fill("")
    page.get_by_role("combobox", name="Label").select_option("FINDING")
    shows(page, *(f"note-{number:03}" for number in range(0, NOTES, 10)))
    page.get_by_role("combobox", name="State").select_option("done")
    shows(page)


def test_several_at_once(page: Page, folder: Path) -> None:
    tick(page, "note-001", "note-003")
    assert page.get_by_text("2 selected").is_visible()
    page.get_by_role("button", name="Flag", exact=True).click()
    page.get_by_text("2 notes flagged").wait_for()
    page.get_by_label("Flagged only").check()
    shows(page, "note-001", "note-003")
    assert states(folder, flag=True) == {"note-001", "note-003"}
    page.get_by_role("button", name="Later").click()
    page.get_by_text("2 notes put off").wait_for()
    assert states(folder, states=frozenset({State.LATER})) == {"note-001", "note-003"}
    page.get_by_role("combobox", name="State").select_option("new")
    shows(page)
    page.get_by_role("combobox", name="State").select_option("new open later")
    shows(page, "note-001", "note-003")
    page.get_by_role("button", name="Reopen").click()
    page.get_by_text("2 notes reopened").wait_for()
    page.get_by_role("button", name="Remove flag").click()
    page.get_by_text("2 notes without a flag now").wait_for()
    shows(page)
    assert states(folder, flag=True) == set()
    assert states(folder, states=frozenset({State.OPEN})) == {"note-001", "note-003"}
    page.get_by_role("button", name="Select none").click()
    assert page.get_by_role("button", name="Reopen").is_hidden()


def test_more_than_a_request_takes(page: Page, folder: Path) -> None:
    from playwright.sync_api import expect

    rows(page).nth(99).scroll_into_view_if_needed()
    expect(rows(page)).to_have_count(NOTES)
    page.get_by_label("Select all notes shown").check()
    page.get_by_role("button", name="Flag", exact=True).click()
    page.get_by_text("130 notes flagged").wait_for()
    assert len(states(folder, flag=True)) == 100  # a page
    page.get_by_role("button", name="Remove flag").click()
    page.get_by_text("130 notes without a flag now").wait_for()
    assert states(folder, flag=True) == set()


def test_a_selection_is_exported(page: Page) -> None:
    from playwright.sync_api import expect

    tick(page, "note-001", "note-010", "note-020")
    page.get_by_role("button", name="Export…").click()
    expect(page.get_by_label("Selected among all notes (3)")).to_be_checked()
    page.get_by_text("3 notes will be written").wait_for()


def test_a_row_opens_the_note(page: Page) -> None:
    from playwright.sync_api import expect

    page.get_by_role("link", name="note-002").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name="note-003")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("#pane")).to_contain_text("word1.")
    assert page.evaluate("location.hash") == "#/review/2"
    page.go_back()
    rows(page).nth(4).locator("td").nth(3).click()
    expect(page.locator("#pane")).to_contain_text("word4.")


def test_looks(page: Page, tmp_path: Path) -> None:
    tick(page, "note-001")
    page.get_by_role("searchbox", name="Search in notes").fill(
        "note-00"
    )  # axe takes long with many rows
    shows(page, *(f"note-{number:03}" for number in range(10)))
    check_accessibility(page)
    check_width(page)
    pictures(page, "documents", tmp_path)
