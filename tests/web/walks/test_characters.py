"""Whatever characters a note has: what is selected by mouse is what is exported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lacuna.io.corpus import read_corpus
from lacuna.text.document import Document
from lacuna.web.exporting import Which, export
from lacuna.web.project import open_project
from tests.web.walks.conftest import OpenTabs
from tests.web.walks.helpers import go, make_project, opened
from tests.web.walks.marking import drag_span, is_saved, span_of, text_of
from tests.web.walks.serving import Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
#: Text, and the words that are dragged over.
TEXTS = {
    "emoji": ("Seen 😀 by 😀😀 Ana Mace 🏥 today", "Ana Mace"),
    "zwj": (f"Family {FAMILY}{FAMILY} of Bo Lind {FAMILY} came", "Bo Lind"),
    "marks": (
        "e\u0301te\u0301 with Zoe\u0308 Mu\u0308ller a\u0323\u0308",
        "Zoe\u0308 Mu\u0308ller",
    ),
    "crlf": ("one\r\ntwo\r\nDr. Ana Mace\r\nfour", "Ana Mace"),
    "lone cr": ("one\rtwo\rDr. Ana Mace\rfour", "Ana Mace"),
    "across lines": ("Seen by Ana\r\nMace today", "Ana\r\nMace"),
    "rtl": ("שם: דנה לוי בת 40", "דנה לוי"),
    "tabs": ("a\tb\t\tAna Mace\tc", "Ana Mace"),
    "separators": ("one\u2028two\u2029Ana Mace\u0085four", "Ana Mace"),
    "controls": ("a\x01b \x1f Ana Mace \x7f c\ufeff", "Ana Mace"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("characters")
    make_project(made / "ward7", [Document(name, text) for name, (text, _) in TEXTS.items()])
    return made


@pytest.fixture(scope="module")
def ward(folder: Path) -> Iterator[Serve]:
    with Serve(folder, "ward7") as serve:
        yield serve


@pytest.fixture
def page(ward: Serve, tabs_of: OpenTabs) -> Page:
    return opened(tabs_of(ward), ward)


def test_select_and_export(page: Page, folder: Path, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    for key, (name, (text, words)) in enumerate(TEXTS.items(), start=1):
        go(page, f"review/{key}")
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        assert text_of(page) == text
        drag_span(page, *span_of(text, words))
        page.keyboard.press("1")
        is_saved(page)
    path = tmp_path / "out.jsonl"
    with open_project(folder / "ward7") as project:
        export(project, path, format="jsonl", which=Which.ALL)
    found = {one.id: one for one in read_corpus([path])}
    assert {one.id: one.text for one in found.values()} == {
        name: text for name, (text, _) in TEXTS.items()
    }
    marked = {
        name: [mention.surface(one.text) for mention in one.mentions] for name, one in found.items()
    }
    assert marked == {name: [words] for name, (_, words) in TEXTS.items()}


def test_exact_characters(page: Page) -> None:
    """With Alt the borders are those of the drag, but never inside a character."""
    from tests.web.walks.marking import selected

    go(page, "review/1")
    page.get_by_role("heading", name="emoji").wait_for()
    text = TEXTS["emoji"][0]
    start = text.index("Mace")
    drag_span(page, start + 1, start + 3, key="Alt")
    assert selected(page) == ["ac"]
