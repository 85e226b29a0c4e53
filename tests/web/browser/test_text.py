"""The text in the page is the text of the document, whatever is marked in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from lacuna.text.document import Document
from tests.strategies import documents
from tests.web.browser.helpers import mention, show

if TYPE_CHECKING:
    from playwright.sync_api import Page

FAMILY = "👨‍👩‍👧‍👦"
TEXTS = {
    "empty": "",
    "emoji": "a 😀 b 𝔘 c",
    "family": f"one {FAMILY} two {FAMILY}{FAMILY}",
    "combining": "e\u0301te\u0301 o\u0308\u0323 n\u0303",
    "crlf": "one\r\ntwo\r\n\r\nthree\r\n",
    "lone cr": "one\rtwo\r\rthree",
    "rtl": "name: שלום עולם, 03/14/2014\nمرحبا 12 بالعالم",
    "tabs": "a\tb\t\tc\n\td",
    "line separator": "one\u2028two\u2029three\u0085four\x0bfive\x0csix",
    "controls": "a\x01b\x1fc\x7fd\ufeffe\u200bf\xa0g",
    "leading newline": "\n\none",
    "blanks": "   a   b  \n  \n   ",
    "one long line": "word and more 😀 " * 12_000,
    "one long word": "x" * 5_000 + "\n" + "e\u0301" * 1_000 + "😀" * 1_000 + "\u0301" * 2_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_the_page_shows_the_text(page: Page, text: str) -> None:
    marks = [mention("1", "DATE", (0, len(text)))] if text else []
    marks += [mention(str(at), "AGE", (at, at + 3)) for at in range(2, min(len(text), 90) - 3, 2)]
    for shown in ([], marks):
        show(page, text, shown)
        assert page.evaluate("pane.text.textContent") == text
    sizes = page.evaluate(
        "pane.pieces.elements.map((e) => e.textContent.replace(/[\\r\\n]+$/, '').length)"
    )
    assert max(sizes, default=0) <= 800


def painted(page: Page) -> dict[str, list[list[int]]]:
    """Return the code points that are inside elements of each mention, as runs."""
    found: dict[str, list[list[int]]] = page.evaluate(
        """() => {
          const covered = {};
          const walker = document.createTreeWalker(pane.text, NodeFilter.SHOW_TEXT);
          let unit = 0;
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            for (const uid of pane.stackAt(node.parentElement)) {
              (covered[uid] ??= []).push([unit, unit + node.length]);
            }
            unit += node.length;
          }
          return Object.fromEntries(Object.entries(covered).map(
            ([uid, spans]) => [uid, pane.offsets.toPoints(offsets.joined(spans))]));
        }"""
    )
    return found


def as_given(document: Document) -> list[dict[str, Any]]:
    return [
        mention(f"m{index}", found.label, *((span.start, span.end) for span in found.spans))
        for index, found in enumerate(document.mentions)
    ]


def runs(spans: list[list[int]]) -> list[list[int]]:
    """Join spans that touch."""
    found: list[list[int]] = []
    for start, end in spans:
        if found and found[-1][1] == start:
            found[-1][1] = end
        else:
            found.append([start, end])
    return found


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=documents(max_mentions=6), other=documents(max_mentions=6))
def test_marks_cover_what_they_should(page: Page, document: Document, other: Document) -> None:
    """Painted at once, or after updates piece by piece, the page is the same."""
    given_ = as_given(document)
    show(page, document.text, given_)
    assert page.evaluate("pane.text.textContent") == document.text
    assert painted(page) == {found["uid"]: runs(found["spans"]) for found in given_}
    whole = page.evaluate("pane.text.innerHTML")
    size = len(document.text)
    others = [found for found in as_given(other) if all(end <= size for _, end in found["spans"])]
    page.evaluate("mentions => pane.update(mentions)", others)
    assert page.evaluate("pane.text.textContent") == document.text
    assert painted(page) == {found["uid"]: runs(found["spans"]) for found in others}
    page.evaluate("mentions => pane.update(mentions)", given_)
    assert page.evaluate("pane.text.innerHTML") == whole


def test_only_pieces_that_changed_are_painted(page: Page) -> None:
    text = "one two three\n" * 100
    marks = [mention(str(line), "DATE", (line * 14, line * 14 + 3)) for line in range(100)]
    show(page, text, marks)
    page.evaluate("pane.pieces.elements.forEach((element) => { element.firstChild.seen = true })")
    marks[40] = mention("40", "AGE", (40 * 14, 40 * 14 + 7))
    page.evaluate("mentions => pane.update(mentions)", marks)
    seen = page.evaluate("pane.pieces.elements.map((element) => element.firstChild.seen ?? false)")
    assert [index for index, kept in enumerate(seen) if not kept] == [40]


def test_text_is_never_markup(page: Page) -> None:
    text = "<img src=x onerror=alert(1)> &amp; <b>x</b>"
    show(page, text, [mention('"><script>', "<i>", (0, 4))])
    assert page.evaluate("pane.text.textContent") == text
    assert page.evaluate("pane.text.querySelectorAll('img, b, script, i').length") == 0
    assert page.evaluate("pane.text.querySelector('[data-m]').dataset.m") == '"><script>'
