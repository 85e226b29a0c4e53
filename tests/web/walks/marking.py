"""What a person does in the text: point at words, drag over them, see that it is saved."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

#: The borders of some characters of the text, in the window, scrolled into view and at rest.
BORDERS = """async ([start, end]) => {
  const root = document.querySelector('#pane .text');
  const text = root.textContent;
  const units = (points) => [...text].slice(0, points).join('').length;
  const place = (unit, ending) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (unit < node.length || (ending && unit === node.length)) return [node, unit];
      unit -= node.length;
    }
    return null;
  };
  const range = document.createRange();
  range.setStart(...place(units(start), false));
  range.setEnd(...place(units(end), true));
  range.startContainer.parentElement.scrollIntoView({ block: 'nearest' });
  let before = '';
  for (;;) {
    await new Promise((done) => setTimeout(() => requestAnimationFrame(done), 50));
    const rects = [...range.getClientRects()].filter((rect) => rect.width > 0);
    const [first, last] = [rects[0], rects.at(-1)];
    const borders = [[first.left + 0.5, (first.top + first.bottom) / 2],
                     [last.right - 0.5, (last.top + last.bottom) / 2]];
    if (before === String(borders)) return borders; // nothing moves any more
    before = String(borders);
  }
}"""


def text_of(page: Page) -> str:
    """Return the note as it is in the page."""
    found: str = page.evaluate("document.querySelector('#pane .text').textContent")
    return found


def show_note(page: Page, text: str) -> None:
    """Wait until a note is shown."""
    from playwright.sync_api import expect

    expect(page.locator("#pane .text")).to_contain_text(text)


def span_of(text: str, words: str) -> tuple[int, int]:
    """Return where words are, in code points."""
    start = text.index(words)
    return start, start + len(words)


def drag(page: Page, words: str, *, key: str | None = None) -> None:
    """Drag over words, perhaps with a key held."""
    drag_span(page, *span_of(text_of(page), words), key=key)


def drag_span(page: Page, start: int, end: int, *, key: str | None = None) -> None:
    """Drag over characters."""
    begin, finish = page.evaluate(BORDERS, [start, end])
    if key:
        page.keyboard.down(key)
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move(*finish, steps=4)
    page.mouse.up()
    if key:
        page.keyboard.up(key)


def click(page: Page, words: str) -> None:
    """Click on the first of some characters."""
    (x, y), _ = page.evaluate(BORDERS, list(span_of(text_of(page), words)))
    page.mouse.click(x + 3, y)


def selected(page: Page) -> list[str]:
    """Return the parts that are selected, as the page shows them."""
    found: list[str] = page.evaluate(
        "[...(CSS.highlights.get('lacuna-selection') ?? [])].map(String)"
    )
    return found


def is_saved(page: Page) -> None:
    """Wait until all edits are on the disk; a dialog that was just closed makes its edit later."""
    from playwright.sync_api import expect

    page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done), 100))")
    expect(page.locator("#saved")).to_have_text(re.compile("^saved"))


def marks(project: Path, key: int) -> list[tuple[str, list[str]]]:
    """Return the mentions of a note as they are stored: label, and the words of each part."""
    from lacuna.web.project import open_project

    with open_project(project) as opened:
        found = opened.store.document(key)
        assert found is not None
        text = found.source.text
        return [
            (mention.label, [text[span.start : span.end] for span in mention.spans])
            for mention in found.document.mentions
        ]


def shown_marks(page: Page) -> dict[str, Any]:
    """Return what is painted: the words of each mention, by uid."""
    found: dict[str, Any] = page.evaluate(
        """() => {
          const all = {};
          for (const element of document.querySelectorAll('#pane .text .m')) {
            all[element.dataset.m] = (all[element.dataset.m] ?? '') + element.textContent;
          }
          return all;
        }"""
    )
    return found
