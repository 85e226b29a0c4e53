"""The review page shows both texts exactly, whatever they contain."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.before_after import BeforeAfter, Doubtful
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.rewriting import rewrite
from lacuna.deid.tally import Place
from lacuna.pictures.review_page import review_page

LETTERS = "ab <>&\"'{}\n\t\\;é😀"
LABELS = ["NAME", "a\"b'<c>&{}\\</style><img><script>", "DATE"]


TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "nav", "section", "div"),
    *("h1", "h2", "h3", "p", "b", "u", "mark", "a", "ul", "ol", "li", "details", "summary"),
    *("label", "input", "select", "option", "span", "kbd", "script"),
}


class Cells(HTMLParser):
    """The text of the cells of the page, and all tags with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self._open.append(tag)
        if tag == "p" and "section" in self._open:
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "section" in self._open and "p" in self._open:
            self.cells[-1] += data

    def with_class(self, name: str) -> list[tuple[str, dict[str, str | None]]]:
        return [one for one in self.tags if name in (one[1].get("class") or "").split()]


@st.composite
def before_and_after(draw: st.DrawFn) -> BeforeAfter:
    text = draw(st.text(LETTERS, max_size=60))
    borders = sorted(draw(st.sets(st.integers(0, len(text)), max_size=12)))
    spans = list(zip(borders[::2], borders[1::2], strict=False))
    labels = st.sampled_from(LABELS)
    findings = [
        Finding(*span, draw(labels), draw(st.sampled_from(Origin)), draw(st.floats(0, 1)))
        for span in spans
    ]
    chosen = draw(st.lists(st.booleans(), min_size=len(spans), max_size=len(spans)))
    plan = [finding for finding, here in zip(findings, chosen, strict=True) if here]
    kept = [finding for finding, here in zip(findings, chosen, strict=True) if not here]
    instead = [draw(st.text(LETTERS, max_size=9)) for _ in plan]
    doubtful = [
        Doubtful(start, start + 1, draw(st.floats(0, 1)))
        for start in sorted(draw(st.sets(st.integers(0, max(len(text) - 1, 0)), max_size=5)))
        if text
    ]
    id_ = draw(st.text(LETTERS, min_size=1, max_size=9))
    place = Place("x", draw(st.text(LETTERS, max_size=9)), draw(st.none() | st.integers(1, 9)))
    return BeforeAfter(id_, None, text, place, plan, instead, kept, doubtful, 0.5, 1.25)


def parsed(*documents: BeforeAfter, **options: Any) -> Cells:
    numbered = enumerate(documents, start=1)
    page = "".join(review_page(numbered, len(documents), len(documents), **options))
    cells = Cells()
    cells.feed(page)
    cells.close()
    return cells


@given(before_and_after())
def test_both_texts_can_be_read_off_the_page(document: BeforeAfter) -> None:
    page = parsed(document)
    new = rewrite(
        document.text,
        [(f.start, f.end, i) for f, i in zip(document.plan, document.instead, strict=True)],
    )
    before, after = "\n".join(page.cells[::2]), "\n".join(page.cells[1::2])
    # an empty last line has no row
    assert before + "\n" * (len(document.text) - len(before)) == document.text
    assert after + "\n" * (len(new) - len(after)) == new
    assert {tag for tag, _ in page.tags} <= TAGS
    assert sum(tag == "script" for tag, _ in page.tags) == 1


@given(before_and_after())
def test_every_replacement_and_every_doubt_is_marked(document: BeforeAfter) -> None:
    page = parsed(document)
    written = [new for new in document.instead if new]
    taken = {i for f in document.plan for i in range(f.start, f.end)}
    kept = [f for f in document.kept if taken.isdisjoint(range(f.start, f.end))]
    marks = [attrs for tag, attrs in page.tags if tag == "mark" and "title" in attrs]
    assert len(marks) == len(document.plan) + len(written) + 2 * len(kept)
    taken |= {i for f in kept for i in range(f.start, f.end)}
    words = [word for word in document.doubtful if word.start not in taken]
    unsure = [f for f in document.plan if f.origin is Origin.MODEL and f.probability < 0.75]
    assert len(page.with_class("q")) == len(words) + len(unsure)


def test_control_characters_are_shown() -> None:
    text = "a\0b\x1bc\rd\x7f"
    (before, after) = parsed(BeforeAfter("i", None, text, Place("x"), [], [], [], [], 0.5, 0)).cells
    assert before == after == "a␀b␛c\rd␡"


def test_failures_are_listed() -> None:
    page = "".join(review_page([], 0, 0, ["a<b>.txt: not valid utf-8"]))
    assert "a&lt;b&gt;.txt: not valid utf-8" in page
    assert "0 documents." in page
