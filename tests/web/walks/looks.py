"""How the page looks: accessibility by axe, pictures, width."""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

THEMES = ("light", "dark")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
NARROW = {"width": 320, "height": 800}  #: also a window of 1280 px at 400 %
SMALLEST_PICTURE = 5_000  # bytes; an empty page has less


@cache
def _axe() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def violations(page: Page) -> list[str]:
    """Return what axe finds wrong, one line for each kind and place."""
    page.evaluate(_axe())
    found: list[dict[str, Any]] = page.evaluate(
        """async (tags) => {
          const { violations } = await axe.run(document, {
            runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] });
          return violations;
        }""",
        TAGS,
    )
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found
        for node in one["nodes"]
    ]


def check_accessibility(page: Page) -> None:
    """Fail if axe finds anything, in light and in dark."""
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        found = violations(page)
        assert not found, f"{theme}: {found}"
    page.emulate_media(color_scheme="light")


def check_width(page: Page) -> None:
    """Fail if one would have to scroll sideways in a narrow window."""
    before = page.viewport_size
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    wide = page.evaluate(
        """() => [...document.querySelectorAll('*')]
          .filter((element) => element.getBoundingClientRect().right > innerWidth + 1
            && element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
          .map((element) => `${element.tagName}.${element.className}`)"""
    )
    scrolls = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.set_viewport_size(before)  # type: ignore[arg-type]
    assert not wide, wide
    assert not scrolls


def pictures(page: Page, name: str, folder: Path) -> list[Path]:
    """Take pictures in light and dark, and at 320 px; return them.

    They are also kept in the folder that ``LACUNA_PICTURES`` names.
    """
    kept = os.environ.get("LACUNA_PICTURES")
    folder = Path(kept) if kept else folder
    found = []
    before = page.viewport_size
    for theme, size in (("light", before), ("dark", before), ("light", NARROW)):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        page.set_viewport_size(size)  # type: ignore[arg-type]
        kind = theme if size == before else "narrow"
        path = folder / f"{name}-{kind}.png"
        page.screenshot(path=path)
        assert path.stat().st_size > SMALLEST_PICTURE
        found.append(path)
    page.set_viewport_size(before)  # type: ignore[arg-type]
    page.emulate_media(color_scheme="light")
    return found
