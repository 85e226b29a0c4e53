"""The whole work without a mouse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lacuna.io.corpus import read_corpus
from lacuna.text.document import Document
from tests.web.walks.conftest import OpenTabs, ServeIn
from tests.web.walks.helpers import go, make_project, opened
from tests.web.walks.looks import check_accessibility
from tests.web.walks.marking import is_saved, marks, show_note

if TYPE_CHECKING:
    from playwright.sync_api import Page

ONE = "Ana Mace has pain in left arm and leg."
TWO = "Seen by Bo Lind."
MOUSE = """for (const type of ['mousedown', 'pointerdown', 'wheel', 'touchstart']) {
  addEventListener(type, () => console.error('a mouse was used'), true);
}"""


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def tab_to(page: Page, name: str) -> None:
    """Press Tab until something with this name has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"
        )
        if focused and focused.split("\n")[0].strip().startswith(name):
            return
    raise AssertionError(f"Tab does not lead to {name}")


def test_all_of_it(serve_in: ServeIn, tabs_of: OpenTabs, tmp_path: Path) -> None:
    ward = tmp_path / "ward7"
    make_project(ward, [Document("n1", ONE), Document("n2", TWO)])
    serve = serve_in(tmp_path, "ward7")
    tabs = tabs_of(serve, color_scheme="dark", reduced_motion="reduce")
    tabs.context.add_init_script(MOUSE)
    tabs.allow("409 (Conflict)")  # before/after, without a model, of a note nobody has reviewed
    page = opened(tabs, serve)
    go(page, "review/1")
    show_note(page, ONE)
    press(page, "ArrowRight", "Shift+ArrowRight", "1")  # Ana Mace
    is_saved(page)
    press(page, "Escape", "Escape")
    # after the mention in focus comes the next word: has, pain, in, left
    press(page, *["ArrowRight"] * 4, "+", *["ArrowRight"] * 3, "4")
    is_saved(page)
    found = dict(marks(ward, 1))
    assert found["PATIENT"] == ["Ana Mace"]
    assert len(found["FINDING"]) == 2
    press(page, "u")
    is_saved(page)
    assert len(marks(ward, 1)) == 1
    press(page, "Control+y")
    is_saved(page)
    assert len(marks(ward, 1)) == 2
    press(page, "f")
    is_saved(page)
    press(page, "c")
    page.keyboard.type("ask Bo")
    tab_to(page, "Save")
    press(page, "Enter")
    is_saved(page)
    press(page, "?")
    page.get_by_role("dialog").wait_for()
    press(page, "Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    press(page, "e")
    page.locator(".after").wait_for()
    press(page, "e")
    page.locator(".after").wait_for(state="hidden")
    press(page, "Enter")
    show_note(page, TWO)
    press(page, "/")
    page.keyboard.type("left arm")
    press(page, "Enter")  # found among notes that wait: none
    page.get_by_text("No note found").wait_for()
    press(page, "Control+a", "Delete")
    page.locator("#queue a").first.wait_for()
    page.keyboard.type("bo lind")
    press(page, "Enter")
    press(page, "Escape")
    show_note(page, TWO)
    press(page, *["ArrowRight"] * 3, "Shift+ArrowRight", "2")
    is_saved(page)
    press(page, "k", ".", ",", "Enter")
    page.get_by_role("heading", name="All notes are reviewed").wait_for()
    tab_to(page, "Export the result")
    press(page, "Enter")
    page.get_by_text("2 notes will be written to").wait_for()
    tab_to(page, "Write")
    press(page, "Enter")
    page.get_by_text("2 notes written to").wait_for()
    documents = list(read_corpus([Path(page.locator("code").inner_text())]))
    assert [one.id for one in documents] == ["n1", "n2"]
    assert [mention.surface(TWO) for mention in documents[1].mentions] == ["Bo Lind"]


def test_keys_of_fields_are_their_own(serve_in: ServeIn, tabs_of: OpenTabs, tmp_path: Path) -> None:
    """Enter in a field or a small window never means that a note is done."""
    from playwright.sync_api import expect

    make_project(tmp_path / "ward7", [Document("n1", ONE), Document("n2", TWO)])
    serve = serve_in(tmp_path, "ward7")
    page = opened(tabs_of(serve), serve, "review/1")
    show_note(page, ONE)
    press(page, "c")
    page.keyboard.type("x a 1")
    press(page, "Enter", "Escape")
    press(page, "/")
    page.keyboard.type("zzz")
    press(page, "Enter")
    page.keyboard.press("Escape")
    expect(page.locator("#pane .text .m")).to_have_count(0)
    show_note(page, ONE)
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    check_accessibility(page)
    page.get_by_label("letter", exact=False).first.uncheck()
    page.keyboard.press("Escape")
    page.locator("#pane").focus()
    press(page, "ArrowRight", "1", "f")
    expect(page.locator("#pane .text .m")).to_have_count(0)
