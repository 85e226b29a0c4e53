"""The review screen for people who see, hear or move differently: axe, in both themes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.web.walks.looks import check_accessibility

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.mark.parametrize("keys", ["", "j", "j Space", "j l", "?", "c", "Enter", "j o", "Shift+a"])
def test_accessible(page: Page, keys: str) -> None:
    """As it opens, with a mention in focus, and with each window over the page."""
    for key in keys.split():
        page.keyboard.press(key)
    expect(page.locator("#saved")).to_have_text("saved ✓")
    check_accessibility(page)
