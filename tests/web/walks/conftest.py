"""The real server, and tabs of a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.browsing import browser as browser
from tests.web.walks.quiet import Quiet, quiet
from tests.web.walks.serving import Serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ServeIn = Callable[..., Serve]
OpenTabs = Callable[..., Quiet]


@pytest.fixture
def serve_in() -> Iterator[ServeIn]:
    """Start servers that end with the test: ``serve_in(folder, "project")``."""
    with ExitStack() as stack:

        def start(folder: Path, *arguments: str) -> Serve:
            return stack.enter_context(Serve(folder, *arguments))

        yield start


@pytest.fixture
def tabs_of(browser: Browser) -> Iterator[OpenTabs]:
    """Open browsers for a server; at the end of the test nothing went wrong in them unseen."""
    with ExitStack() as stack:

        def start(serve: Serve, **options: Any) -> Quiet:
            return stack.enter_context(quiet(browser, serve.origin, **options))

        yield start
