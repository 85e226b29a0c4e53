"""The start page of an empty project, and notes that come in later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lacuna.web.document_pages import Filter
from lacuna.web.project import open_project
from tests.web.walks.conftest import OpenTabs, ServeIn
from tests.web.walks.helpers import document, make_project, opened
from tests.web.walks.looks import check_accessibility, check_width, pictures
from tests.web.walks.quiet import Quiet
from tests.web.walks.serving import Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

DROP = """([name, content]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([content], name));
  const card = document.querySelector('input[type=file]').closest('section');
  for (const type of ['dragover', 'drop']) {
    card.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }
}"""


@pytest.fixture
def ward(tmp_path: Path, serve_in: ServeIn) -> Serve:
    """Return a server with an empty project."""
    make_project(tmp_path / "ward7", [])
    return serve_in(tmp_path, "ward7")


@pytest.fixture
def tabs(ward: Serve, tabs_of: OpenTabs) -> Quiet:
    return tabs_of(ward)


@pytest.fixture
def page(ward: Serve, tabs: Quiet) -> Page:
    return opened(tabs, ward)


def lines(*numbers: int, **more: str) -> str:
    return "".join(json.dumps(document(one).to_dict() | more) + "\n" for one in numbers)


def groups(folder: Path) -> dict[str, str | None]:
    with open_project(folder / "ward7") as project:
        return {row.id: row.group for row in project.store.documents(Filter())}


def test_a_folder(page: Page, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    for name in ("anna/one.txt", "anna/two.txt", "bert/one.txt"):
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Note {name}: seen on 03/14.", "utf-8")
    expect(page.get_by_role("heading", level=1)).to_have_text("Where are your notes?")
    field = page.get_by_label("Folder or file")
    field.fill("no")
    expect(page.locator("datalist option[value='notes/']")).to_have_count(1)
    field.fill("notes/")
    expect(page.locator("datalist option[value='notes/anna/']")).to_have_count(1)
    page.get_by_text("More").click()
    page.get_by_role("combobox", name="Patient").select_option(label="the folder a note is in")
    page.get_by_role("button", name="Open").click()
    page.get_by_text("3 notes added").wait_for()
    assert groups(tmp_path) == {"anna/one": "anna", "anna/two": "anna", "bert/one": "bert"}
    expect(page.get_by_role("button", name="Start reviewing")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#pane")).to_contain_text("seen on 03/14.")


def test_an_upload(page: Page, tmp_path: Path) -> None:
    upload = page.get_by_label("File", exact=True)
    content = lines(1, 2, 3).encode()
    upload.set_input_files({"name": "Nötes 1.jsonl", "mimeType": "", "buffer": content})
    page.get_by_text("3 notes added, with 6 mentions.").wait_for()
    assert groups(tmp_path) == {"note-001": "p0", "note-002": "p0", "note-003": "p1"}
    changed = lines(2) + lines(3, text=document(3).text.upper()) + lines(4)
    page.evaluate(DROP, ["more.jsonl", changed])
    page.get_by_text("1 note added").wait_for()
    assert page.get_by_text("Already there, and skipped: 1 note.").is_visible()
    assert page.get_by_text("Refused, because another note has the same name: 1 note.").is_visible()


def test_what_cannot_be_read_is_said(page: Page, tabs: Quiet, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    tabs.allow("the server responded with a status of 4")
    page.get_by_label("Folder or file").fill("not-there")
    page.get_by_role("button", name="Open").click()
    expect(page.locator(".error")).not_to_be_empty()
    (tmp_path / "wrong.jsonl").write_text('{"id": 1, "tex', "utf-8")
    page.get_by_label("Folder or file").fill("wrong.jsonl")
    page.get_by_role("button", name="Open").click()
    expect(page.locator(".error")).not_to_be_empty()
    assert groups(tmp_path) == {}
    assert page.get_by_role("button", name="Start reviewing").count() == 0


def test_made_up_notes(page: Page, tmp_path: Path) -> None:
    page.get_by_role("button", name="Add made-up notes").click()
    page.get_by_role("button", name="Start reviewing").wait_for(timeout=60_000)
    assert groups(tmp_path)


def test_looks(page: Page, tmp_path: Path) -> None:
    page.get_by_text("More").click()
    check_accessibility(page)
    check_width(page)
    pictures(page, "start", tmp_path)
    upload = page.get_by_label("File", exact=True)
    upload.set_input_files({"name": "a.jsonl", "mimeType": "", "buffer": lines(1).encode()})
    page.get_by_text("1 note added").wait_for()
    check_accessibility(page)
    check_width(page)
    pictures(page, "imported", tmp_path)
