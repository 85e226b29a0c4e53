"""The small modules by themselves: offsets, keys, elements; and what holds for all files."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.strategies import characters
from tests.web.browser.server import STATIC

if TYPE_CHECKING:
    from playwright.sync_api import Page

QUIET = settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
JOINING = st.sampled_from("e\u0301\u0308👨\u200d👩🏽\ufe0f😀 \r\na")
LINE_END = re.compile(r"(\r\n|[\n\r\u2028])\Z")
MAX_UNITS = 800
MAX_LINES = 300


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@QUIET
@given(text=st.text(characters | JOINING, max_size=60))
def test_code_points_and_units(page: Page, text: str) -> None:
    found = page.evaluate(
        """text => {
          const all = new offsets.Offsets(text);
          const points = Array.from({ length: all.length + 1 }, (_, point) => point);
          const there = points.map((point) => all.toUnit(point));
          return [all.units !== null, there, there.map((unit) => all.toPoint(unit))];
        }""",
        text,
    )
    astral = any(ord(character) > 0xFFFF for character in text)
    points = list(range(len(text) + 1))
    assert found == [astral, [units(text[:point]) for point in points], points]


def is_border(text: str, point: int) -> bool:
    if point in (0, len(text)):
        return True
    before, after = text[point - 1], text[point]
    attached = unicodedata.category(after).startswith("M") or "🏻" <= after <= "🏿"
    return not (attached or "\u200d" in (before, after) or before + after == "\r\n")


@QUIET
@given(text=st.text(JOINING, min_size=1, max_size=20), data=st.data())
def test_ends_move_outward(page: Page, text: str, data: st.DataObject) -> None:
    size = units(text)
    start = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(start + 1, size))
    found = page.evaluate(
        """([text, span]) => {
          const all = new offsets.Offsets(text);
          return all.toPoints([all.outward(span)])[0];
        }""",
        [text, [start, end]],
    )
    borders = [point for point in range(len(text) + 1) if is_border(text, point)]
    assert found == [
        max(point for point in borders if units(text[:point]) <= start),
        min(point for point in borders if units(text[:point]) >= end),
    ]


@QUIET
@given(
    text=st.lists(
        st.sampled_from(["\n", "\r\n", "\r", " ", "word " * 90, "x" * 799, "😀" * 450, "\u2028"]),
        max_size=12,
    ).map("".join)
)
def test_pieces(page: Page, text: str) -> None:
    pieces, cut, lines = page.evaluate(
        """text => {
          const all = new offsets.Offsets(text);
          const numbers = Array.from({ length: all.pieceCount() }, (_, index) => index);
          return [
            numbers.map((index) => text.slice(all.pieces[index], all.pieces[index + 1])),
            numbers.map((index) => all.isCut(index)),
            numbers.map((index) => text.slice(...all.lineAt(all.pieceStart(index)))),
          ];
        }""",
        text,
    )
    assert "".join(pieces) == text
    assert all(units(LINE_END.sub("", piece)) <= MAX_UNITS for piece in pieces)
    wanted = re.split(r"(?<=[\n\u2028])|(?<=\r)(?!\n)", text)
    whole: list[str] = []
    for index, piece in enumerate(pieces):
        if index and cut[index - 1]:
            whole[-1] += piece
        else:
            whole.append(piece)
        if cut[index] and " " in piece:
            assert piece.endswith(" ")
    assert whole == [line for line in wanted if line]
    contents = [LINE_END.sub("", line) for line in whole]
    assert list(dict.fromkeys(lines)) == list(dict.fromkeys(contents))


def test_keys_are_unique(page: Page) -> None:
    table = page.evaluate("keys.KEYS")
    used = [key for entry in table for key in entry["keys"]]
    assert len(used) == len(set(used))
    actions = [entry["action"] for entry in table]
    assert len(actions) == len(set(actions))
    assert all(entry["says"] and entry["keys"] for entry in table)
    assert not {"Tab", "Ctrl+f", "Ctrl+l", "Ctrl+t", "Ctrl+w", "Ctrl+r"} & set(used)


@pytest.mark.parametrize(
    ("event", "action"),
    [
        ({"key": "a", "code": "KeyA"}, "accept"),
        ({"key": "a", "code": "KeyQ"}, "accept"),  # French: what is printed on the key
        ({"key": "A", "code": "KeyA", "shiftKey": True}, "accept-all"),
        ({"key": "&", "code": "Digit1"}, "label-1"),  # French: digits need Shift
        ({"key": "!", "code": "Digit1", "shiftKey": True}, "label-11"),
        ({"key": "0", "code": "Numpad0"}, "label-10"),
        ({"key": "Insert", "code": "Numpad0"}, None),
        ({"key": ";", "code": "Comma", "shiftKey": True}, "start-left"),  # German
        ({"key": "≤", "code": "Comma", "altKey": True}, "end-left-character"),  # macOS
        ({"key": "+", "code": "Equal", "shiftKey": True}, "add-part"),
        ({"key": "+", "code": "BracketRight"}, "add-part"),
        ({"key": "?", "code": "Minus", "shiftKey": True}, "help"),
        ({"key": "z", "code": "KeyY", "metaKey": True}, "undo"),
        ({"key": "Z", "code": "KeyZ", "ctrlKey": True, "shiftKey": True}, "redo"),
        ({"key": "a", "code": "KeyA", "ctrlKey": True}, None),
        ({"key": "f", "code": "KeyF", "ctrlKey": True}, None),
        ({"key": "Tab", "code": "Tab"}, None),
        ({"key": " ", "code": "Space"}, "list-here"),
        (
            {"key": "ArrowLeft", "code": "ArrowLeft", "ctrlKey": True, "shiftKey": True},
            "character-left",
        ),
    ],
)
def test_keys_of_other_layouts(page: Page, event: dict[str, object], action: str | None) -> None:
    found = "event => keys.actionOf(new KeyboardEvent('keydown', event))"
    assert page.evaluate(found, event) == action


def test_no_keys_in_fields_and_letters_can_be_turned_off(page: Page) -> None:
    found = page.evaluate(
        """() => {
          const { h } = dom;
          const places = [h('input'), h('textarea'), h('div', { popover: 'auto' }, h('button'))];
          const results = places.map((place) => {
            document.body.append(place);
            let action;
            const target = place.querySelector('button') ?? place;
            target.addEventListener('keydown', (event) => (action = keys.actionOf(event)));
            target.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter' }));
            place.remove();
            return action;
          });
          const off = (init) =>
            keys.actionOf(new KeyboardEvent('keydown', init), { letters: false });
          const others = [{ key: 'a' }, { key: 'Enter' }, { key: 'z', ctrlKey: true }];
          return [...results, ...others.map(off)];
        }"""
    )
    assert found == [None, None, None, None, "done", "undo"]


def test_key_names(page: Page) -> None:
    names = page.evaluate(
        "['Shift+a', 'Digit1', '+', 'Ctrl+Shift+ArrowLeft', 'Alt+Comma', 'j'].map(keys.keyName)"
    )
    assert names == ["Shift+A", "1", "+", "Ctrl+Shift+←", "Alt+,", "j"]


def test_elements(page: Page) -> None:
    found = page.evaluate(
        """() => {
          const { h } = dom;
          let clicks = 0;
          const element = h('p', { class: 'x', hidden: true, title: null, onclick: () => clicks++ },
            'a<b>', [h('i', { dataset: { m: 1 } }, 2), null, false], 'c');
          element.click();
          const refused = ['innerHTML', 'srcdoc', 'style'].map((name) => {
            try { h('p', { [name]: 'x' }); return false; } catch { return true; }
          });
          return [element.outerHTML, clicks, refused];
        }"""
    )
    assert found == ['<p class="x" hidden="">a&lt;b&gt;<i data-m="1">2</i>c</p>', 1, [True] * 3]


@QUIET
@given(orders=st.lists(st.lists(st.integers(0, 8), unique=True), min_size=1, max_size=4))
def test_keyed_lists(page: Page, orders: list[list[int]]) -> None:
    found = page.evaluate(
        """orders => {
          const list = document.createElement('ul');
          let made = 0;
          const all = new Map();
          return orders.map((order) => {
            const before = [...list.children];
            dom.keyed(list, order, (item) => item, (item) => (made++, dom.h('li', null)),
              (element, item) => { element.textContent = item; });
            const kept = before.filter((element) => order.includes(Number(element.textContent)));
            return [[...list.children].map((element) => Number(element.textContent)),
                    kept.every((element) => list.contains(element)), made];
          });
        }""",
        orders,
    )
    made = 0
    before: list[int] = []
    for order, (shown, kept, count) in zip(orders, found, strict=True):
        made += len(set(order) - set(before))
        assert (shown, kept, count) == (order, True, made)
        before = order


@pytest.mark.parametrize("path", sorted(STATIC.rglob("*.js")), ids=lambda path: path.name)
def test_files(path: object) -> None:
    source = STATIC.joinpath(str(path)).read_text("utf-8")
    assert source.count("\n") <= MAX_LINES
    code = re.sub(r"//.*|/\*[\s\S]*?\*/|'[^'\n]*'", "", source)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", code)
    assert not re.search(r"localStorage|sessionStorage|indexedDB|https?://", code)
