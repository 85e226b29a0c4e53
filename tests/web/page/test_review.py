"""The review screen with its server: every interaction by mouse and by keyboard."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from lacuna.web.operations import SetState, State
from tests.web.page.conftest import TEXT, OpenTabs, Running, Serve, spans_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

PANE = "const { pane } = (await import('/static/js/main.js')).app.screen;"


class Opened:
    """A tab at the first note of a server."""

    def __init__(self, server: Running, tab: Page) -> None:
        self.server, self.tab = server, tab
        self.press = tab.keyboard.press

    @property
    def key(self) -> int:
        found = re.search(r"#/review/(\d+)", self.tab.url)
        assert found
        return int(found[1])

    def mentions(self, key: int) -> set[tuple[str, str, str]]:
        """Return label, words and status of all mentions, when everything is saved."""
        expect(self.tab.locator("#saved")).to_have_text("saved ✓")
        reviewed = self.server.store.document(key)
        assert reviewed is not None
        text = reviewed.source.text
        return {
            (entry.label, " ".join(text[s:e] for s, e in entry.spans), str(entry.status))
            for entry in reviewed.review.mentions.values()
        }

    def point(self, at: int) -> tuple[float, float]:
        x, y = self.tab.evaluate(
            f"""async (at) => {{
              {PANE}
              let before = '';
              for (;;) {{
                const rect = pane.pieces.rects([at, at + 1])[0];
                const point = [rect.left + 0.3 * rect.width, (rect.top + rect.bottom) / 2];
                if (before === String(point)) return point; // nothing moves any more
                before = String(point);
                await new Promise((done) => setTimeout(() => requestAnimationFrame(done), 50));
              }}
            }}""",
            at,
        )
        return x, y

    def drag(self, words: str) -> None:
        ((start, end),) = spans_of(TEXT, words)
        self.tab.mouse.move(*self.point(start))
        self.tab.mouse.down()
        self.tab.mouse.move(*self.point(end - 1), steps=4)
        self.tab.mouse.up()

    def click(self, words: str) -> None:
        ((start, _),) = spans_of(TEXT, words)
        self.tab.mouse.click(*self.point(start + 1))

    def label(self, name: str) -> None:
        self.tab.locator("#labels").get_by_role("button", name=name, exact=True).click()

    def option(self, name: str) -> Any:
        return self.tab.locator(f"#mentions [role=option][aria-label^='{name}']")


@pytest.fixture
def opened(serve: Serve, tabs_of: OpenTabs) -> Opened:
    server = serve()
    tabs = tabs_of(server)
    tabs.allow("409 (Conflict)")  # an undo where nothing is left; Chromium writes such answers down
    tab = tabs.page()
    tab.goto(server.link)
    tab.locator("#pane .m").first.wait_for()
    return Opened(server, tab)


def test_the_address_holds_no_key(opened: Opened) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#/review/\d+", opened.tab.url)


def test_every_key_does_something(opened: Opened) -> None:
    """No action of the table is left to nobody."""
    undone = opened.tab.evaluate(
        """async () => {
          const { KEYS } = await import('/static/js/keys.js');
          const { screen } = (await import('/static/js/main.js')).app;
          const undone = [];
          for (const { action } of KEYS) {
            if (screen.perform(action, 'key') !== true) undone.push(action);
            document.querySelector('dialog')?.close();
            await new Promise((done) => setTimeout(done, 20));
          }
          return undone;
        }"""
    )
    assert undone == []


def test_a_note_by_keyboard_alone(opened: Opened) -> None:
    tab, key = opened.tab, opened.key
    opened.press("j")  # the date
    expect(opened.option("DATE, 4/13/20")).to_have_attribute("aria-selected", "true")
    opened.press("a")
    expect(tab.locator("#live")).to_have_text("accepted; 3 left")
    expect(opened.option("DOCTOR, Adams")).to_have_attribute("aria-selected", "true")
    opened.press("x")
    expect(opened.option("DOCTOR, Brichese")).to_have_attribute("aria-selected", "true")
    opened.press("1")  # a patient, not a doctor
    opened.press("n")  # the doubt
    expect(opened.option("PATIENT, Emilie Mace")).to_have_attribute("aria-selected", "true")
    opened.press("a")
    opened.press("Enter")
    dialog = tab.get_by_role("dialog")
    expect(dialog).to_contain_text("1 suggestion neither accepted nor rejected")
    opened.press("Enter")  # the button that has the focus: accept
    expect(tab).not_to_have_url(re.compile(rf"/{key}$"))
    assert opened.mentions(key) == {
        ("DATE", "4/13/20", "accepted"),
        ("DOCTOR", "Adams", "rejected"),
        ("PATIENT", "Brichese", "accepted"),
        ("PATIENT", "Emilie Mace", "added"),
        ("HOSPITAL", "Saint Mary Hospital", "accepted"),
    }
    row = opened.server.store.row(key)
    assert row is not None
    assert row.state == "done"
    assert opened.server.store.history(key)[-1].operations[-1] == SetState(State.DONE)  # one edit
    opened.press("Shift+Enter")
    expect(tab).to_have_url(re.compile(rf"/{key}$"))


def test_words_and_gaps_by_keyboard(opened: Opened) -> None:
    """Arrows go word by word; + keeps a part; a digit makes the mention."""
    key = opened.key
    left = opened.tab.evaluate(
        f"""async (at) => {{
          {PANE}
          let steps = 0;
          while (!(pane.selection.head?.[0] >= at)) {{ pane.perform('cursor-right'); steps++; }}
          pane.perform('clear'); pane.selection.reset();
          return steps;
        }}""",
        TEXT.index("left arm"),
    )
    for _ in range(left):
        opened.press("ArrowRight")
    opened.press("Shift+ArrowRight")
    opened.press("+")
    opened.press("ArrowRight")
    opened.press("ArrowRight")
    opened.press("5")
    assert ("FINDING", "left arm leg", "added") in opened.mentions(key)
    opened.press("u")
    expect(opened.option("FINDING")).to_have_count(0)
    opened.press("Control+y")
    expect(opened.option("FINDING, left arm leg, added")).to_have_count(1)
    opened.tab.reload()
    expect(opened.option("FINDING, left arm leg, added")).to_have_count(1)


def test_a_note_by_mouse(opened: Opened) -> None:
    tab, key = opened.tab, opened.key
    opened.click("Adams")
    popover = tab.locator("#mention")
    expect(popover).to_contain_text("97 % sure")
    popover.get_by_role("button", name="Reject").click()
    expect(popover).to_be_hidden()
    opened.click("Brichese")
    popover.get_by_role("button", name="PATIENT").click()
    opened.option("DATE, 4/13/20").locator("[data-do=accept]").click()
    opened.drag("Emilie Mace")
    opened.label("PATIENT")
    opened.drag("left arm")
    tab.keyboard.down("Control")
    opened.drag("leg")
    tab.keyboard.up("Control")
    opened.label("FINDING")
    tab.get_by_role("button", name="Accept all").click()
    assert opened.mentions(key) == {
        ("DOCTOR", "Adams", "rejected"),
        ("PATIENT", "Brichese", "accepted"),
        ("DATE", "4/13/20", "accepted"),
        ("PATIENT", "Emilie Mace", "added"),
        ("FINDING", "left arm leg", "added"),
        ("HOSPITAL", "Saint Mary Hospital", "accepted"),
    }
    tab.get_by_role("button", name="Done").click()
    expect(tab).not_to_have_url(re.compile(rf"/{key}$"))


def test_the_brush(opened: Opened) -> None:
    """A label that is clicked with nothing selected stays pressed."""
    tab, key = opened.tab, opened.key
    opened.label("DATE")
    pressed = tab.locator("#labels [aria-pressed=true]")
    expect(pressed).to_have_count(1)
    opened.drag("5/1/20")
    opened.drag("pain")
    assert {("DATE", "5/1/20", "added"), ("DATE", "pain", "added")} <= opened.mentions(key)
    opened.press("Escape")
    expect(pressed).to_have_count(0)
    opened.press("b")
    opened.press("2")
    expect(pressed).to_have_attribute("aria-label", "DOCTOR")


def test_several_in_one_place(opened: Opened) -> None:
    """Space lists them; arrows and Enter choose; Enter there does not mean done."""
    tab, key = opened.tab, opened.key
    opened.drag("Mary")
    opened.label("PATIENT")
    overlapping = opened.option("HOSPITAL, Saint Mary Hospital, 90 percent, suggested, overlaps")
    expect(overlapping).to_have_count(1)
    opened.press("Space")
    other = tab.locator("#mention").get_by_role("group").get_by_role("button")
    expect(other).to_be_focused()
    opened.press("Enter")
    expect(overlapping).to_have_attribute("aria-selected", "true")
    opened.press("Escape")
    opened.press("x")
    assert ("HOSPITAL", "Saint Mary Hospital", "rejected") in opened.mentions(key)
    assert opened.key == key


def test_everywhere_is_shown_first_and_undone_at_once(opened: Opened) -> None:
    tab, key = opened.tab, opened.key
    opened.drag("Emilie Mace")
    opened.press("1")
    opened.press("o")
    popover = tab.locator("#mention")
    expect(popover).to_contain_text(re.compile(r"1 place in 1 note"))
    (other,) = {1, 2} - {key}  # two notes of one patient
    opened.press("Enter")
    expect(tab.locator(".toast")).to_contain_text("Marked 1 place in 1 note")
    assert ("PATIENT", "Emilie Mace", "added") in opened.mentions(other)
    opened.press("Shift+o")
    expect(popover).to_contain_text("2 places in 2 notes")
    opened.press("Escape")
    expect(popover).to_be_hidden()
    assert ("PATIENT", "Emilie Mace", "added") in opened.mentions(key)
    name = tab.locator(".notehead h1").text_content() or ""
    tab.evaluate("key => { location.hash = `#/review/${key}` }", other)
    expect(tab.locator(".notehead h1")).not_to_have_text(name)
    expect(opened.option("PATIENT, Emilie Mace, added")).to_have_count(1)
    opened.press("u")
    expect(opened.option("PATIENT, Emilie Mace, added")).to_have_count(0)


def test_a_click_on_another_note_opens_it(opened: Opened) -> None:
    key = opened.key
    other = opened.tab.locator(f"#queue a:not([href='#/review/{key}'])").first
    address = other.get_attribute("href")
    other.click()
    expect(opened.tab).to_have_url(re.compile(f"{address}$"))
    expect(opened.tab.locator("#queue a[aria-current=true]")).to_have_attribute(
        "href", address or ""
    )


def test_a_label_by_typing(opened: Opened) -> None:
    tab, key = opened.tab, opened.key
    opened.click("Adams")
    opened.press("l")
    field = tab.get_by_role("dialog").get_by_label("Label")
    field.fill("hosp")
    opened.press("Enter")
    expect(opened.option("HOSPITAL, Adams, accepted")).to_have_count(1)
    assert ("HOSPITAL", "Adams", "accepted") in opened.mentions(key)
    opened.press("l")
    field.fill("WARD")
    opened.press("Enter")
    expect(opened.option("WARD, Adams, accepted")).to_have_count(1)
    assert ("WARD", "Adams", "accepted") in opened.mentions(key)
    expect(tab.locator("#labels").get_by_role("button", name="WARD")).to_be_visible()
    assert opened.key == key


def test_comment_flag_later(opened: Opened) -> None:
    tab, key = opened.tab, opened.key
    opened.press("c")
    tab.get_by_role("dialog").get_by_label("Comment").fill("Who is\nshe?")
    tab.get_by_role("dialog").get_by_role("button", name="Save").click()
    opened.press("f")
    expect(tab.locator(".comment")).to_have_text("Who is\nshe?")
    opened.press("s")
    expect(tab).not_to_have_url(re.compile(rf"/{key}$"))
    reviewed = opened.server.store.document(key)
    assert reviewed is not None
    state = reviewed.review.state
    assert (state.state, state.flag, state.comment) == ("later", True, "Who is\nshe?")
    tab.get_by_label("Which notes").select_option("later")
    expect(tab.locator("#queue a")).to_have_count(1)


def test_search(opened: Opened) -> None:
    tab = opened.tab
    opened.press("/")
    expect(tab.locator("#search")).to_be_focused()
    tab.keyboard.type("emilie")
    expect(tab.locator("#queue a")).to_have_count(3)
    marked = "[...CSS.highlights.get('lacuna-search')].map(String)"
    for _ in range(50):
        if tab.evaluate(marked) == ["Emilie"]:
            break
        tab.wait_for_timeout(50)
    assert tab.evaluate(marked) == ["Emilie"]
    tab.locator("#search").fill("nobody at all")
    expect(tab.locator("#queue")).to_contain_text("No note found")
    tab.locator("#search").fill("")
    expect(tab.locator("#queue a")).to_have_count(3)


def test_letters_can_be_turned_off(opened: Opened) -> None:
    tab, key = opened.tab, opened.key
    opened.press("?")
    tab.get_by_role("dialog").get_by_label("Single letters").uncheck()
    opened.press("Escape")
    opened.press("j")
    expect(tab.locator("#mentions [aria-selected=true]")).to_have_count(0)
    tab.locator("#mentions [role=option]").first.focus()
    opened.press("ArrowDown")
    expect(opened.option("PATIENT, Emilie Mace")).to_be_focused()
    opened.press("Delete")
    assert opened.mentions(key) == {("PATIENT", "Emilie Mace", "rejected")}


def test_nothing_is_lost_while_the_server_is_away(serve: Serve, tabs_of: OpenTabs) -> None:
    server = serve()
    tabs = tabs_of(server)
    tabs.allow("ERR_FAILED")
    tab = tabs.page()
    tab.goto(server.link)
    tab.locator("#pane .m").first.wait_for()
    opened = Opened(server, tab)
    tab.route("**/mentions", lambda route: route.abort())
    opened.press("j")
    opened.press("a")
    expect(tab.locator("#saved")).to_have_text("not saved, trying again")
    opened.press("a")
    tab.unroute("**/mentions")
    assert len(opened.mentions(opened.key)) == 2


def test_nothing_left(opened: Opened) -> None:
    tab = opened.tab
    for left in (2, 1, 0):
        opened.press("Enter")
        if left == 2:
            tab.get_by_role("button", name="Accept them").click()
        expect(tab.locator(".counted")).to_have_text(f"{3 - left} of 3 reviewed")
        expect(tab.locator("#queue a")).to_have_count(left)
    expect(tab.get_by_role("heading", name="All notes are reviewed")).to_be_visible()
    expect(tab.get_by_role("link", name="Export the result")).to_be_visible()


def test_look_at_them_first(opened: Opened) -> None:
    tab, key = opened.tab, opened.key
    opened.press("Enter")
    tab.get_by_role("button", name="Look at them").click()
    expect(opened.option("DATE, 4/13/20")).to_have_attribute("aria-selected", "true")
    expect(tab.get_by_role("button", name="Look at 4")).to_be_visible()
    assert opened.mentions(key) == set()


def test_before_and_after(serve: Serve, tabs_of: OpenTabs) -> None:
    """Without a model, what people said counts, once they said that a note is done."""
    server = serve(TEXT)
    server.served.suggester = None
    tabs = tabs_of(server)
    tabs.allow("409")
    tab = tabs.page()
    tab.goto(server.link)
    opened = Opened(server, tab)
    expect(tab.locator("#pane")).to_contain_text("Brichese")
    opened.drag("Brichese")
    opened.press("1")
    opened.press("e")
    expect(tab.locator(".after [role=status]")).to_contain_text("nobody has reviewed it")
    opened.press("Enter")
    expect(tab.get_by_role("heading", name="All notes are reviewed")).to_be_visible()
    opened.tab.evaluate("location.hash = '#/review/1'")
    after = tab.locator("#after")
    expect(after).to_contain_text("NAME", timeout=90_000)
    expect(after).not_to_contain_text("Brichese")
    expect(tab.locator(".after [role=status]")).to_contain_text("Expected to be missed")
    opened.press("Escape")
    after.locator("[data-m]").first.click()
    expect(opened.option("PATIENT, Brichese")).to_have_attribute("aria-selected", "true")


def test_seven_tabs(serve: Serve, tabs_of: OpenTabs) -> None:
    """A browser has six connections for a server; one stream is shared by all tabs."""
    server = serve()
    tabs = tabs_of(server)
    for _ in range(7):
        tab = tabs.page()
        tab.goto(server.link)
        tab.locator("#pane .m").first.wait_for(timeout=5000)


@pytest.mark.parametrize("width", [320, 640, 1280])
def test_no_sideways_scrolling(serve: Serve, tabs_of: OpenTabs, width: int) -> None:
    server = serve()
    tab = tabs_of(server, viewport={"width": width, "height": 700}).page()
    tab.goto(server.link)
    tab.locator("#pane .m").first.wait_for()
    tab.locator("#pane .m").first.click()
    for name in ("Notes", "Mentions"):
        if width < 900:
            tab.locator(f"aside[aria-label={name}] .fold").click()
        expect(tab.locator(f"aside[aria-label={name}] .inside")).to_be_visible()
    wide = "document.documentElement.scrollWidth - innerWidth"
    assert tab.evaluate(wide) <= 0
    outside = """() => [...document.querySelectorAll('button, select, input, a, [role=option]')]
      .filter((one) => one.checkVisibility())
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).length"""
    assert tab.evaluate(outside) == 0
