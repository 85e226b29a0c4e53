"""Two windows on the same note, and seven windows of one browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lacuna.text.document import Document
from tests.web.walks.conftest import OpenTabs
from tests.web.walks.helpers import make_project, opened
from tests.web.walks.marking import click, drag, is_saved, marks
from tests.web.walks.serving import Serve

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXT = "Ana Mace came with Bo Lind and Cy Orr."


@pytest.fixture
def ward(tmp_path: Path) -> Iterator[Serve]:
    make_project(tmp_path / "ward7", [Document("n1", TEXT)])
    with Serve(tmp_path, "ward7") as serve:
        yield serve


def test_both_see_both(ward: Serve, tabs_of: OpenTabs, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    tabs = tabs_of(ward)
    one, other = (opened(tabs, ward, "review/1") for _ in range(2))
    for seen, (page, words) in enumerate(((one, "Ana Mace"), (other, "Bo Lind"))):
        page.bring_to_front()
        expect(page.locator("#pane .text .m")).to_have_count(seen)  # before it moves the text
        drag(page, words)
        page.keyboard.press("1")
        is_saved(page)
    for page in (one, other):
        page.bring_to_front()
        expect(page.locator("#pane .text .m")).to_have_count(2)
    assert sorted(parts[0] for _, parts in marks(tmp_path / "ward7", 1)) == ["Ana Mace", "Bo Lind"]


def test_the_second_is_told(ward: Serve, tabs_of: OpenTabs, tmp_path: Path) -> None:
    """Two browsers change the same mention, the second without having seen the first."""
    from playwright.sync_api import expect

    first, second = tabs_of(ward), tabs_of(ward)
    second.allow("412 (Precondition Failed)")
    one = opened(first, ward, "review/1")
    drag(one, "Cy Orr")
    one.keyboard.press("1")
    is_saved(one)
    other = opened(second, ward, "review/1")
    expect(other.locator("#pane .text .m")).to_have_count(1)
    other.route("**/api/events", lambda route: route.abort())
    hold(other)
    click(other, "Cy Orr")
    other.keyboard.press("2")
    click(one, "Cy Orr")
    one.keyboard.press("3")
    is_saved(one)
    release(other)
    expect(other.get_by_text("changed in another window").first).to_be_visible()
    expect(other.locator("#pane .text .m")).to_have_attribute("data-label", "DATE")
    assert marks(tmp_path / "ward7", 1) == [("DATE", ["Cy Orr"])]


def hold(page: Page) -> None:
    """Let no edit through; they wait."""
    page.route("**/mentions", lambda route: HELD.append(route))


def release(page: Page) -> None:
    """Let through what was held, and what comes after it."""
    for _ in range(100):
        if HELD:
            break
        page.wait_for_timeout(50)
    page.unroute("**/mentions")
    while HELD:
        HELD.pop(0).continue_()


HELD: list = []  # type: ignore[type-arg]


def test_seven_windows(ward: Serve, tabs_of: OpenTabs) -> None:
    """A browser opens six connections to a place; events of all windows share one."""
    from playwright.sync_api import expect

    tabs = tabs_of(ward)
    pages = [opened(tabs, ward, "review/1") for _ in range(7)]
    drag(pages[-1], "Ana Mace")
    pages[-1].keyboard.press("1")
    is_saved(pages[-1])
    for page in pages:
        page.bring_to_front()
        expect(page.locator("#pane .text .m")).to_have_count(1)
