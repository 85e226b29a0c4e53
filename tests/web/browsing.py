"""Chromium for tests; a package of tests that wants it imports ``browser`` into its conftest."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def missing(reason: str) -> None:
    """Skip, or fail where the browser is required."""
    if "browser" in os.environ.get("LACUNA_REQUIRE", "").split(","):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Open a browser until the last test of a package.

    No longer: while it is open, nothing else in this thread can run an event loop.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        missing("no chromium on the path")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()
