"""Export: what cannot be held is said first, then files are written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lacuna.io.corpus import read_corpus
from lacuna.web.operations import SetState, State
from lacuna.web.project import open_project
from tests.web.walks.conftest import OpenTabs
from tests.web.walks.helpers import document, make_project, opened
from tests.web.walks.looks import check_accessibility, check_width, pictures
from tests.web.walks.quiet import Quiet
from tests.web.walks.serving import Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

NOTES, DONE = 12, (2, 3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a project; two notes are done."""
    made = tmp_path_factory.mktemp("export")
    make_project(made / "ward7", map(document, range(NOTES)))
    with open_project(made / "ward7") as project:
        for key in DONE:
            done = [SetState(State.DONE)]
            project.store.apply_edit(key, done, request=f"done-{key}", base=0, who="anna")
    return made


@pytest.fixture(scope="module")
def ward(folder: Path) -> Iterator[Serve]:
    with Serve(folder, "ward7") as serve:
        yield serve


@pytest.fixture
def tabs(ward: Serve, tabs_of: OpenTabs) -> Quiet:
    return tabs_of(ward)


@pytest.fixture
def page(ward: Serve, tabs: Quiet) -> Page:
    page = opened(tabs, ward, "export")
    page.get_by_label("All (12)").check()
    return page


def choose(page: Page, format_: str) -> None:
    page.get_by_role("combobox", name="Format").select_option(format_)


def exports(folder: Path) -> list[Path]:
    return list((folder / "ward7" / "exports").iterdir())


def written_to(page: Page) -> Path:
    page.get_by_text("12 notes written to").wait_for()
    return Path(page.locator("code").inner_text())


def test_brat(page: Page, folder: Path) -> None:
    before = exports(folder)
    choose(page, "brat")
    page.get_by_text("12 notes will be written to").wait_for()
    left_out = page.get_by_role("listitem").all_inner_texts()
    assert sorted(left_out) == ["patients of notes: 12", "probabilities: 12"]
    assert exports(folder) == before
    page.get_by_role("button", name="Write", exact=True).click()
    path = written_to(page)
    assert path.parent == folder / "ward7" / "exports"
    found = list(read_corpus([path]))
    assert [one.id for one in found] == [document(number).id for number in range(NOTES)]
    assert [len(one.mentions) for one in found] == [3, *[2] * 9, 3, 2]


def test_everything_in_json_lines(page: Page) -> None:
    choose(page, "jsonl")
    page.get_by_text("Nothing will be left out.").wait_for()
    page.get_by_role("button", name="Write", exact=True).click()
    assert list(read_corpus([written_to(page)])) == [document(number) for number in range(NOTES)]


def test_mentions_that_a_format_cannot_hold(page: Page, folder: Path) -> None:
    """The button says it too, and nothing is written before it is pressed."""
    before = exports(folder)
    (folder / "out").mkdir()
    choose(page, "doccano")
    page.get_by_text("mentions with gaps: 2").wait_for()
    assert exports(folder) == before
    page.get_by_label("File or folder").fill("out/notes.jsonl")
    page.get_by_text("/out/notes.jsonl").wait_for()
    page.get_by_role("button", name="Write without these mentions").click()
    assert written_to(page) == folder / "out" / "notes.jsonl"
    assert sum(len(one.mentions) for one in read_corpus([folder / "out/notes.jsonl"])) == 24


def test_de_identified(page: Page) -> None:
    """Without a model, notes that nobody has reviewed cannot be; that is said."""
    choose(page, "txt")
    page.get_by_label("De-identified notes").check()
    assert page.get_by_role("combobox", name="Policy").input_value() == "safe-harbor"
    page.get_by_text("12 notes will be written to").wait_for()
    page.get_by_role("button", name="Write").click()
    page.get_by_text("2 notes written to").wait_for(timeout=90_000)  # compiles kernels
    assert page.get_by_text("documents that could not be de-identified: 10").is_visible()
    texts = [one.text for one in read_corpus([page.locator("code").inner_text()])]
    assert len(texts) == 2
    assert not any("Sató" in text or "03/14" in text for text in texts)


def test_errors_are_said_in_place(page: Page, tabs: Quiet) -> None:
    from playwright.sync_api import expect

    tabs.allow("the server responded with a status of 4")
    page.get_by_label("File or folder").fill("/etc/passwd")
    expect(page.locator(".error")).not_to_be_empty()
    assert page.get_by_role("button", name="Write").is_disabled()
    page.get_by_label("File or folder").fill("")
    page.get_by_text("12 notes will be written to").wait_for()
    expect(page.locator(".error")).to_be_empty()


def test_looks(page: Page, tmp_path: Path) -> None:
    choose(page, "doccano")
    page.get_by_text("mentions with gaps: 2").wait_for()
    check_accessibility(page)
    check_width(page)
    pictures(page, "export", tmp_path)
