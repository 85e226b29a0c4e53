"""What is selected is what is reported: by mouse and by keyboard, in any text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lacuna.text.tokens import tokenize
from tests.web.browser.helpers import drag, events, mention, point, show

if TYPE_CHECKING:
    from playwright.sync_api import Page

FAMILY = "👨‍👩‍👧‍👦"
NOTE = (
    "A&E attendance 4/13/20, 7:36a. R. S. Brichese, 1/29/66.\n"
    "Primary care doctor: Dr. Pranav\n"
    "pain in left arm and leg since Monday\n"
)
#: Words in texts where offsets go wrong elsewhere.
WORDS = [
    ("seen 😀 by Dr. Adams 😀 today", "Adams"),
    (f"{FAMILY} mother {FAMILY} Emilie Mace {FAMILY}", "Emilie Mace"),
    ("e\u0301te\u0301 o\u0308 Rene\u0301 a e\u0301", "Rene\u0301"),
    ("one\r\ntwo\r\nMr. Smith\r\nfour", "Smith"),
    ("one\rtwo\rMr. Smith\rfour", "Smith"),
    ("name\t\tSmith\tJohn\tx", "John"),
    ("one\u2028two Smith\u2028three", "Smith"),
    ("a\x01b c\x1fd Smith \x7fe", "Smith"),
    ("שלום Smith עולם 03/14/2014", "Smith"),
    ("one two\r\nthree 😀 four\r\nfive six", "two\r\nthree 😀 four"),
    ("word 😀 " * 3_000 + "Smith " + "word " * 3_000, "Smith"),
]


def selected(page: Page) -> Any:
    return events(page, "select")[-1]


def texts(text: str, spans: list[list[int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def span_of(text: str, words: str) -> tuple[int, int]:
    at = text.index(words)
    return at, at + len(words)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("text", "words"), WORDS)
def test_drag(page: Page, text: str, words: str, exact: bool) -> None:
    start, end = span_of(text, words)
    show(page, text, [mention("1", "DATE", (start + 1, end)), mention("2", "AGE", (0, start + 2))])
    if exact:
        page.keyboard.down("Alt")
    drag(page, start, end)
    page.keyboard.up("Alt")
    assert selected(page)["spans"] == [[start, end]]
    assert selected(page)["text"] == words
    assert page.evaluate("[...CSS.highlights.get('lacuna-selection')].map(String)") == [words]


@pytest.mark.parametrize(("text", "words"), [(t, w) for t, w in WORDS if "\r\n" not in w])
def test_by_keyboard(page: Page, text: str, words: str) -> None:
    """Click somewhere before, walk by words, extend."""
    start, end = span_of(text, words)
    tokens = tokenize(text)
    first = tokens.start.tolist().index(start)
    last = tokens.end.tolist().index(end)
    show(page, text)
    page.evaluate("pane.element.focus()")
    if first > 50:
        page.mouse.click(*point(page, start - 3))
        first = 1
    for _ in range(first + 1):
        page.keyboard.press("ArrowRight")
    for _ in range(last - tokens.start.tolist().index(start)):
        page.keyboard.press("Shift+ArrowRight")
    assert selected(page)["spans"] == [[start, end]]
    assert selected(page)["text"] == words
    assert selected(page)["by"] == "keyboard"


def test_snaps_to_words_and_alt_is_exact(page: Page) -> None:
    show(page, NOTE)
    start, end = span_of(NOTE, "richese, 1/2")
    drag(page, start, end)
    assert texts(NOTE, selected(page)["spans"]) == ["Brichese, 1/29"]
    page.keyboard.down("Alt")
    drag(page, start, end)
    page.keyboard.up("Alt")
    assert texts(NOTE, selected(page)["spans"]) == ["richese, 1/2"]
    page.evaluate("pane.perform('exact')")
    drag(page, start, end)
    assert texts(NOTE, selected(page)["spans"]) == ["richese, 1/2"]


def test_the_preview_is_snapped_while_dragging(page: Page) -> None:
    show(page, NOTE)
    start, end = span_of(NOTE, "riches")
    to = point(page, end, ending=True)
    page.mouse.move(*point(page, start))
    page.mouse.down()
    page.mouse.move(*to, steps=3)
    preview = "[...CSS.highlights.get('lacuna-selection')].map(String)"
    page.wait_for_timeout(50)
    assert page.evaluate(preview) == ["Brichese"]
    assert events(page, "select") == []
    page.evaluate("pane.update([])")
    page.evaluate(  # painted again under the hand
        "mentions => pane.update(mentions)", [mention("1", "DATE", span_of(NOTE, "S. Brichese"))]
    )
    page.mouse.up()
    assert selected(page)["text"] == "Brichese"


def test_double_and_triple_click(page: Page) -> None:
    show(page, NOTE + "word " * 400 + "\nend")
    page.mouse.dblclick(*point(page, NOTE.index("ichese")))
    assert selected(page)["text"] == "Brichese"
    page.mouse.click(*point(page, NOTE.index("care")), click_count=3)
    assert selected(page)["text"] == "Primary care doctor: Dr. Pranav"
    page.mouse.click(*point(page, len(NOTE) + 1200), click_count=3)
    assert selected(page)["text"] == ("word " * 400).strip()
    page.mouse.click(*point(page, 3))
    assert selected(page) is None


def test_shift_click_extends(page: Page) -> None:
    show(page, NOTE)
    page.mouse.dblclick(*point(page, NOTE.index("left")))
    page.keyboard.down("Shift")
    page.mouse.click(*point(page, NOTE.index("leg") + 1))
    page.keyboard.up("Shift")
    assert selected(page)["text"] == "left arm and leg"


def test_characters_by_keyboard(page: Page) -> None:
    text = "one e\u0301te\u0301 😀x two"
    show(page, text)
    page.evaluate("pane.element.focus()")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    assert selected(page)["text"] == "e\u0301te\u0301"
    page.keyboard.press("Control+Shift+ArrowLeft")
    assert selected(page)["text"] == "e\u0301t"
    for _ in range(3):
        page.keyboard.press("Control+Shift+ArrowRight")
    assert selected(page)["text"] == "e\u0301te\u0301 😀"
    page.keyboard.press("Shift+C")
    page.keyboard.press("ArrowRight")
    assert selected(page)["text"] == "x"
    page.keyboard.press("ArrowLeft")
    assert selected(page)["text"] == "😀"
    assert selected(page)["exact"] is True


def test_lines_by_keyboard(page: Page) -> None:
    text = "one two three\nfour five six\n\nseven eight nine\n" + "word " * 300 + "\nlast"
    show(page, text)
    page.evaluate("pane.element.focus()")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert selected(page)["text"] == "four"
    page.keyboard.press("Shift+ArrowDown")
    assert selected(page)["text"] == "four five six\n\nseven"
    page.keyboard.press("ArrowUp")
    assert selected(page)["text"] == "four"
    page.keyboard.press("ArrowUp")
    assert selected(page)["text"] == "one"
    for _ in range(60):
        page.keyboard.press("ArrowDown")
        if selected(page)["text"] == "last":
            break
    assert selected(page)["text"] == "last"
    starts = [event["spans"][0][0] for event in events(page, "select")[4:]]
    assert starts == sorted(starts)
    assert len(starts) > 6  # the long line is several on the screen


def test_extending_backward_and_forward(page: Page) -> None:
    show(page, NOTE)
    page.mouse.dblclick(*point(page, NOTE.index("arm")))
    page.keyboard.press("Shift+ArrowLeft")
    assert selected(page)["text"] == "left arm"
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    assert selected(page)["text"] == "arm and"


def test_gaps_by_mouse(page: Page) -> None:
    show(page, NOTE)
    drag(page, *span_of(NOTE, "pain"))
    page.keyboard.down("Control")
    drag(page, *span_of(NOTE, "left"))
    drag(page, *span_of(NOTE, "leg"))
    page.keyboard.up("Control")
    assert texts(NOTE, selected(page)["spans"]) == ["pain", "left", "leg"]
    drag(page, *span_of(NOTE, "Pranav"))
    assert texts(NOTE, selected(page)["spans"]) == ["Pranav"]


def test_gaps_by_keyboard(page: Page) -> None:
    show(page, NOTE)
    page.mouse.click(*point(page, NOTE.index("pain")))
    for key in ["ArrowRight", "+", *["ArrowRight"] * 2, "+", *["ArrowRight"] * 3]:
        page.keyboard.press(key)
    assert texts(NOTE, selected(page)["spans"]) == ["pain", "left", "leg"]
    page.keyboard.press("+")
    page.keyboard.press("ArrowLeft")
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    assert texts(NOTE, selected(page)["spans"]) == ["pain", "left", "leg"]
    page.keyboard.press("-")  # the cursor is on "left"
    assert texts(NOTE, selected(page)["spans"]) == ["pain", "leg"]
    page.keyboard.press("Escape")
    assert selected(page) is None


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_part_is_added_to_the_focused_mention(page: Page, by: str) -> None:
    show(page, NOTE, [mention("7", "FINDING", span_of(NOTE, "left arm"))])
    page.evaluate("pane.focus('7')")
    if by == "mouse":
        page.keyboard.down("Control")
        drag(page, *span_of(NOTE, "leg"))
        page.keyboard.up("Control")
    else:
        page.evaluate("pane.element.focus()")
        for key in [*["ArrowRight"] * 4, "+"]:
            page.keyboard.press(key)
    (change,) = events(page, "change")
    assert change["uid"] == "7"
    assert texts(NOTE, change["spans"]) == ["left arm", "leg"]
    page.evaluate("mention => pane.update([mention])", mention("7", "FINDING", *change["spans"]))
    page.evaluate("events.length = 0")
    page.mouse.click(*point(page, NOTE.index("leg") + 1))
    page.keyboard.press("-")
    (change,) = events(page, "change")
    assert texts(NOTE, change["spans"]) == ["left arm"]


@pytest.mark.parametrize(
    ("key", "after"),
    [
        ("Period", "left arm and"),
        ("Comma", "left"),
        ("Shift+Comma", "in left arm"),
        ("Shift+Period", "arm"),
        ("Alt+Period", "left arm "),
        ("Alt+Comma", "left ar"),
        ("Alt+Shift+Comma", " left arm"),
        ("Alt+Shift+Period", "eft arm"),
    ],
)
def test_borders_by_keyboard(page: Page, key: str, after: str) -> None:
    show(page, NOTE, [mention("7", "FINDING", span_of(NOTE, "left arm"))])
    page.evaluate("pane.focus('7'); pane.element.focus()")
    page.keyboard.press(key)
    (change,) = events(page, "change")
    assert texts(NOTE, change["spans"]) == [after]


@pytest.mark.parametrize("key", ["Comma", "Shift+Period"])
def test_a_part_never_becomes_empty(page: Page, key: str) -> None:
    show(page, NOTE, [mention("7", "FINDING", span_of(NOTE, "arm"))])
    page.evaluate("pane.focus('7'); pane.element.focus()")
    page.keyboard.press(key)
    assert events(page, "change") == []


@pytest.mark.parametrize(
    ("side", "words", "after"),
    [
        ("start", "pain", "pain in left arm"),
        ("end", "leg", "left arm and leg"),
    ],
)
def test_borders_by_handle(page: Page, side: str, words: str, after: str) -> None:
    show(page, NOTE, [mention("7", "FINDING", span_of(NOTE, "left arm"))])
    page.evaluate("pane.focus('7')")
    page.locator(f".handle[data-side={side}] circle").hover(force=True)
    page.mouse.down()
    start, end = span_of(NOTE, words)
    to = point(page, start) if side == "start" else point(page, end, ending=True)
    page.mouse.move(*to, steps=3)
    page.mouse.up()
    (change,) = events(page, "change")
    assert texts(NOTE, change["spans"]) == [after]
    assert [event for event in events(page, "select") if event] == []


def test_tokens_may_come_later(page: Page) -> None:
    show(page, NOTE)
    later = page.evaluate("() => ({ start: [...pane.tokens.start], end: [...pane.tokens.end] })")
    page.evaluate("pane.tokens = null")
    drag(page, *span_of(NOTE, "riches"))
    assert len(events(page, "tokens")) == 1
    assert selected(page)["text"] == "riches"
    page.evaluate("tokens => pane.setTokens(tokens)", later)
    assert selected(page)["text"] == "Brichese"


def test_copies_the_selection(page: Page) -> None:
    page.evaluate(
        """document.addEventListener('copy', (event) => {
          window.copied = event.clipboardData.getData('text/plain');
        })"""
    )
    text = "one 😀 two\r\nthree four"
    show(page, text, [mention("1", "DATE", (0, 3))])
    drag(page, *span_of(text, "😀 two\r\nthree"))
    page.keyboard.press("Control+c")
    assert page.evaluate("window.copied") == "😀 two\r\nthree"
