"""What people did: shown with words in the page, downloaded without."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lacuna.web.edits import check_of
from lacuna.web.operations import Add, Asked, Change, Reject, SetState, State
from lacuna.web.project import open_project
from tests.web.walks.conftest import OpenTabs
from tests.web.walks.helpers import document, go, make_project, opened
from tests.web.walks.looks import check_accessibility, check_width, pictures
from tests.web.walks.serving import Serve

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

MANY = 120


def edit(folder: Path) -> None:
    """Let two people edit three notes."""
    text = document(0).text
    spans = ((text.index("pain"), text.index("pain") + 4),)
    with open_project(folder / "ward7") as project:
        store = project.store
        (given, *_) = store.document(1).review.mentions  # type: ignore[union-attr]
        edits: list[tuple[str, list[Asked]]] = [
            ("anna", [Add("a", "FINDING", spans, check_of(text, spans))]),
            ("anna", [Change("a", "DATE")]),
            ("bert", [Reject(given), SetState(State.DONE, comment="ask Sató again")]),
        ]
        for number, (who, operations) in enumerate(edits):
            store.apply_edit(1, operations, request=f"r{number}", base=number, who=who)
        store.undo(1, request="u", who="anna")
        store.apply_batch(
            {2: (0, (SetState(flag=True),)), 3: (0, (SetState(flag=True),))},
            request="b",
            who="anna",
        )
        for number in range(MANY):
            flag = SetState(flag=bool(number % 2))
            store.apply_edit(4, [flag], request=f"m{number}", base=number, who="carl")


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    folder = tmp_path_factory.mktemp("history")
    make_project(folder / "ward7", map(document, range(4)))
    edit(folder)
    with Serve(folder, "ward7") as serve:
        yield serve


@pytest.fixture
def page(ward: Serve, tabs_of: OpenTabs) -> Page:
    return opened(tabs_of(ward), ward, "history/1")


def rows(page: Page) -> Locator:
    return page.locator("tbody tr")


def cells(page: Page, column: int) -> list[str]:
    texts = rows(page).locator(f"td:nth-child({column})").all_inner_texts()
    return [" ".join(text.split()) for text in texts]


def test_a_note(page: Page) -> None:
    from playwright.sync_api import expect

    expect(rows(page)).to_have_count(4)
    at = document(0).text.index("pain")
    assert cells(page, 2) == ["anna", "bert", "anna", "anna"]
    assert cells(page, 3) == [
        f"Undo put back FINDING pain {at}–{at + 4}",
        "rejected DOCTOR Ana Sató 12–20 state: done, comment",
        f"Undone later changed DATE pain {at}–{at + 4}",
        f"added FINDING pain {at}–{at + 4}",
    ]
    page.get_by_role("combobox", name="Person").select_option("bert")
    expect(rows(page)).to_have_count(1)


def test_the_project(page: Page) -> None:
    from playwright.sync_api import expect

    go(page, "history")
    expect(rows(page)).to_have_count(100)
    assert "Sató" not in page.locator("#screen").inner_text()
    page.get_by_role("button", name="Show more").click()
    expect(rows(page)).to_have_count(MANY + 6)
    page.get_by_role("combobox", name="Person").select_option("anna")
    expect(rows(page)).to_have_count(5)
    page.get_by_role("link", name="Note 3").click()
    expect(page.locator("#pane")).to_contain_text("word2.")


@pytest.mark.parametrize(("screen", "count"), [("history/1", 4), ("history", MANY + 6)])
def test_the_download_has_no_words(page: Page, screen: str, count: int) -> None:
    go(page, screen)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download without words").click()
    content = Path(waiting.value.path()).read_text("utf-8")
    edits = [json.loads(line) for line in content.splitlines()]
    assert len(edits) == count
    assert {"anna", "bert"} <= {one["who"] for one in edits}
    assert "Sató" not in content
    assert not any({"check", "comment"} & one.keys() for e in edits for one in e["operations"])
    assert waiting.value.suggested_filename.startswith("history")


def test_looks(page: Page, tmp_path: Path) -> None:
    rows(page).nth(3).wait_for()
    check_accessibility(page)
    check_width(page)
    pictures(page, "history", tmp_path)
