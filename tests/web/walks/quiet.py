"""Tabs in which nothing may go wrong unseen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

#: Chromium writes violations to the console too, but not all of them.
VIOLATIONS = """addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violated:', event.effectiveDirective, event.blockedURI))"""

STILL = {"reduced_motion": "reduce"}  # a picture in the middle of a change shows neither colour
PATIENCE = 10_000  #: milliseconds that an element may take


class Quiet:
    """Tabs of one browser that share cookies.

    At the end there was no message in the console, no error, no request to another place and no
    violation of the Content-Security-Policy, but for messages that :meth:`allow` names.
    """

    def __init__(self, context: BrowserContext, origin: str) -> None:
        self.context = context
        self._origins = (f"{origin}/", f"blob:{origin}/", "data:", "about:blank")
        self._said: list[str] = []
        self._allowed: list[str] = []
        context.add_init_script(VIOLATIONS)
        context.on("console", lambda message: self._said.append(message.text))
        context.on("weberror", lambda error: self._said.append(str(error.error)))
        context.on("request", lambda request: self._asked(request.url))

    def _asked(self, url: str) -> None:
        if not url.startswith(self._origins):
            self._said.append(f"a request to {url}")

    def allow(self, words: str) -> None:
        """Let messages be that contain some words, such as those of a server that was killed."""
        self._allowed.append(words)

    def page(self) -> Page:
        """Return a new tab."""
        return self.context.new_page()

    def check(self) -> None:
        """Fail if anything was said."""
        said = [text for text in self._said if not any(words in text for words in self._allowed)]
        assert not said, "\n".join(said)


@contextmanager
def quiet(browser: Browser, origin: str, **options: Any) -> Iterator[Quiet]:
    """Open tabs, and check at the end, unless the test failed anyway."""
    options = {"viewport": {"width": 1100, "height": 800}, "locale": "en-GB", **STILL, **options}
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    try:
        tabs = Quiet(context, origin)
        yield tabs
        tabs.check()
    finally:
        context.close()
