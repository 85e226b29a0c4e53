"""The page at 200 % and in a window of 320 pixels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lacuna.text.document import Document
from tests.web.walks.conftest import OpenTabs, ServeIn
from tests.web.walks.helpers import make_project, opened
from tests.web.walks.looks import NARROW, check_accessibility, check_width, pictures
from tests.web.walks.marking import show_note

if TYPE_CHECKING:
    pass

ONE = "Ana Mace has pain in left arm and leg."
TWO = "Seen by Bo Lind."
MOUSE = """for (const type of ['mousedown', 'pointerdown', 'wheel', 'touchstart']) {
  addEventListener(type, () => console.error('a mouse was used'), true);
}"""


def test_narrow_and_magnified(serve_in: ServeIn, tabs_of: OpenTabs, tmp_path: Path) -> None:
    make_project(tmp_path / "ward7", [Document("n1", ONE * 30), Document("n2", TWO)])
    serve = serve_in(tmp_path, "ward7")
    page = opened(tabs_of(serve, viewport=NARROW), serve, "review/1")
    show_note(page, ONE)
    check_width(page)
    pane = page.locator("#pane").bounding_box()
    assert pane is not None
    assert pane["height"] >= 0.35 * NARROW["height"]
    menu, links = page.get_by_role("button", name="Menu"), page.get_by_label("Screens")
    assert not links.is_visible()
    menu.click()
    check_width(page)
    links.get_by_role("link", name="Teach").click()
    page.get_by_role("heading", name="Teach").wait_for()
    assert not links.is_visible()
    half = tabs_of(serve, viewport={"width": 640, "height": 400}, device_scale_factor=2)
    page = opened(half, serve, "review/1")  # what 1280 × 800 is at 200 %
    show_note(page, ONE)
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    check_accessibility(page)
    pictures(page, "magnified", tmp_path)
