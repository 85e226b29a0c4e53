"""A browser, and a page that holds the text pane alone, sent with the headers of the server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.web.browser.server import served
from tests.web.browsing import browser as browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def origin() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.fixture(scope="module")
def quiet_page(browser: Browser, origin: str) -> Iterator[Page]:
    """A page for the tests of a module; at the end nothing was said and nothing left the origin."""
    said: list[str] = []
    asked: list[str] = []
    page = browser.new_page(viewport={"width": 1000, "height": 700})
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(origin)
    page.locator("body[data-ready]").wait_for()
    yield page
    violations = page.evaluate("violations")
    page.close()
    assert said == []
    assert violations == []
    assert [url for url in asked if not url.startswith((f"{origin}/", "data:"))] == []


@pytest.fixture
def page(quiet_page: Page) -> Page:
    """The page with no mouse button or key held, and no events yet."""
    quiet_page.evaluate("pane.selection.exact = false; events.length = 0")
    return quiet_page
