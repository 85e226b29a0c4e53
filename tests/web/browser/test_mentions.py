"""Mentions in the pane: lanes, labels, focus, overlaps, joining lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.strategies import spans_in
from tests.web.browser.helpers import events, frames, mention, point, show

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXT = "Patient Anna Maria Smith of St. Mary Hospital, pain in left arm and leg."
QUIET = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def at(words: str) -> tuple[int, int]:
    return TEXT.index(words), TEXT.index(words) + len(words)


def overlap(one: list[list[int]], other: list[list[int]]) -> bool:
    return any(s < to and start < e for s, e in one for start, to in other)


@QUIET
@given(found=st.lists(spans_in(30), max_size=9))
def test_lanes(page: Page, found: list[Any]) -> None:
    """By brute force: overlapping mentions have different lanes unless the third is shared."""
    spans = [[[span.start, span.end] for span in one] for one in found]
    lanes = page.evaluate("all => [...lanes.lanes(all.map((spans) => ({ spans })))]", spans)
    size = [sum(end - start for start, end in one) for one in spans]
    order = sorted(range(len(spans)), key=lambda index: (size[index], index))
    for rank, one in enumerate(order):
        taken = {lanes[other] for other in order[:rank] if overlap(spans[one], spans[other])}
        assert lanes[one] == min([lane for lane in (0, 1) if lane not in taken], default=2)


def test_lanes_of_many_under_one(page: Page) -> None:
    """A mention of the whole document does not make lanes slow."""
    took = page.evaluate(
        """() => {
          const all = [{ spans: [[0, 200000]] }];
          for (let at = 0; at < 2000; at++) all.push({ spans: [[at * 100, at * 100 + 10]] });
          const began = performance.now();
          lanes.lanes(all);
          return performance.now() - began;
        }"""
    )
    assert took < 200


def test_three_that_overlap(page: Page) -> None:
    show(
        page,
        TEXT,
        [
            mention("outer", "PATIENT", at("Anna Maria Smith of St. Mary")),
            mention("inner", "CITY", at("Mary Hospital")),
            mention("middle", "HOSPITAL", at("St. Mary Hospital")),
        ],
    )
    x, y = point(page, TEXT.index("Mary") + 1)
    stack = page.evaluate("([x, y]) => pane.stackAt(document.elementFromPoint(x, y))", [x, y])
    assert stack == ["inner", "middle", "outer"]
    lanes = page.evaluate(
        "[...pane.records.values()].map(({ uid, lane }) => [uid, lane])",
    )
    assert dict(lanes) == {"inner": 0, "middle": 1, "outer": 2}
    for expected in ["inner", "middle", "outer", "inner"]:
        page.wait_for_timeout(600)  # not a double click
        page.mouse.click(x, y)
        clicked = events(page, "focus")[-1]
        assert clicked == {"uid": expected, "all": stack}
        page.evaluate("uid => pane.focus(uid)", expected)
        focused = page.evaluate(
            "[...new Set([...document.querySelectorAll('.focused')].map((e) => e.dataset.m))]"
        )
        assert focused == [expected]


def test_the_label_stands_once_before_each_part(page: Page) -> None:
    show(
        page,
        TEXT,
        [
            mention("gap", "FINDING", at("left arm"), at("leg")),
            mention("across", "AGE", (TEXT.index("arm"), TEXT.index("leg") + 1)),
        ],
    )
    labels = page.evaluate(
        "[...document.querySelectorAll('[data-label]')].map((e) => [e.dataset.m, e.dataset.label])"
    )
    assert sorted(labels) == [["across", "AGE"], ["gap", "FINDING"], ["gap", "·"]]
    assert page.evaluate("pane.text.textContent") == TEXT


def test_kinds(page: Page) -> None:
    """Suggested is dashed, decided solid, doubts dotted; rejected ones are not there."""
    show(
        page,
        TEXT,
        [
            mention("1", "PATIENT", at("Anna"), probability=0.3),
            mention("2", "PATIENT", at("Maria"), probability=0.99),
            mention("3", "PATIENT", at("Smith"), status="added", probability=None),
            mention("4", "PATIENT", at("pain"), status="doubt", probability=0.2),
            mention("5", "PATIENT", at("leg"), status="rejected"),
        ],
    )
    found = page.evaluate(
        """Object.fromEntries([...document.querySelectorAll('[data-m]')].map((element) => {
          const style = getComputedStyle(element);
          return [element.dataset.m, [style.borderBottomStyle, style.textDecorationStyle,
                                      /s[0-3]/.exec(element.className)?.[0] ?? null]];
        }))"""
    )
    assert found == {
        "1": ["dashed", "solid", "s0"],
        "2": ["dashed", "solid", "s3"],
        "3": ["solid", "solid", "s3"],
        "4": ["none", "dotted", None],
    }


def test_focus_scrolls_and_draws(page: Page) -> None:
    text = "one two three four\n" * 2_000
    last = len(text) - 19
    show(
        page,
        text,
        [
            mention("far", "FINDING", (last, last + 3), (last + 8, last + 13)),
            mention("middle", "DATE", (len(text) // 2, len(text) // 2 + 3)),
        ],
    )
    for uid in ["far", "middle", "far"]:
        page.evaluate("uid => pane.focus(uid)", uid)
        frames(page)
        box = page.locator(".focused").first.bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= 680
    assert page.locator(".overlay .join").count() == 1
    assert page.locator(".overlay .handle").count() == 4
    assert page.locator(".focused[role=mark]").count() == 2
    page.evaluate("pane.focus(null)")
    frames(page)
    assert page.locator(".overlay > *").count() == 0
    assert page.locator("[role=mark]").count() == 0


def test_a_mention_with_a_gap_is_joined_under_the_pointer(page: Page) -> None:
    show(page, TEXT, [mention("gap", "FINDING", at("left arm"), at("leg"))])
    assert page.locator(".overlay .join").count() == 0
    page.mouse.move(*point(page, TEXT.index("left") + 1))
    frames(page)
    assert page.locator(".overlay .join").count() == 1
    page.mouse.move(500, 600)
    frames(page)
    assert page.locator(".overlay .join").count() == 0


def test_marks_survive_painting(page: Page) -> None:
    show(page, TEXT)
    page.evaluate("span => pane.mark('search', [span])", at("Smith"))
    page.evaluate("mention => pane.update([mention])", mention("1", "DATE", at("Maria Smith")))
    assert page.evaluate("[...CSS.highlights.get('lacuna-search')].map(String)") == ["Smith"]


def test_hidden_while_held(page: Page) -> None:
    show(page, TEXT, [mention("1", "DATE", at("Smith"))])
    back = "getComputedStyle(document.querySelector('.m')).backgroundColor"
    before = page.evaluate(back)
    page.evaluate("pane.hide(true)")
    assert page.evaluate(back) == "rgba(0, 0, 0, 0)" != before
    page.evaluate("pane.hide(false)")
    assert page.evaluate(back) == before
