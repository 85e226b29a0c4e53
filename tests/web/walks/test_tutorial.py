"""The tutorial, step by step as ``docs/tutorial.md`` says; its pictures are in docs.

Every command of the page is run. Words in “quotes” are on the page of lacuna, or are pressed there.
``LACUNA_PICTURES=docs/pictures pytest tests/web/walks/test_tutorial.py`` writes the pictures.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lacuna.deid.calibration import units_needed
from tests.web.walks.conftest import OpenTabs, ServeIn
from tests.web.walks.helpers import opened
from tests.web.walks.looks import check_accessibility, pictures
from tests.web.walks.marking import drag_span, is_saved, selected

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.walks.quiet import Quiet
    from tests.web.walks.serving import Serve

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
LONG = 120_000  # ms; teaching and finishing train models
NOTES, PATIENTS, TAUGHT = 1500, 608, 100
LEVELS = (0.1, 0.05, 0.02)


class Walk:
    """One walk through the page: the section at hand, the server, the tab."""

    def __init__(self, folder: Path, serve_in: ServeIn, tabs_of: OpenTabs) -> None:
        self.folder, self._serve_in, self._tabs_of = folder, serve_in, tabs_of
        (folder / "examples").symlink_to(ROOT / "examples")
        self.section = ""

    @property
    def commands(self) -> list[str]:
        """The commands of the section."""
        return re.findall(r"^    (\S.*)$", self.section, re.MULTILINE)

    def run(self, command: str) -> str:
        """Run a command in a shell, as typed; return what it prints."""
        lacuna = f'lacuna() {{ "{sys.executable}" -m lacuna "$@"; }}'
        python = f'python() {{ "{sys.executable}" "$@"; }}'
        if "LINK" in command:
            command = command.replace("LINK", f"'{self.serve.link}'")
        done = subprocess.run(
            ["bash", "-c", f"{lacuna}; {python}; {command}"],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout + done.stderr

    def says(self, words: str) -> str:
        """Return words that the section has, in one piece."""
        assert words in " ".join(self.section.split()), words
        return words

    def quoted(self, words: str) -> str:
        """Return words that the section quotes from the page of lacuna."""
        self.says(f"“{words}”")
        return words

    @cached_property
    def serve(self) -> Serve:
        """The server."""
        (command,) = self.commands
        assert command.startswith("lacuna serve ")
        return self._serve_in(self.folder, *command.split()[2:])

    @cached_property
    def tabs(self) -> Quiet:
        """The browser."""
        return self._tabs_of(self.serve, viewport={"width": 1280, "height": 800})

    @cached_property
    def page(self) -> Page:
        """The page."""
        return opened(self.tabs, self.serve)

    @cached_property
    def answers(self) -> dict[str, Any]:
        """The notes with all mentions, by id."""
        lines = (self.folder / "answers.jsonl").read_text("utf-8").splitlines()
        return {one["id"]: one for one in map(json.loads, lines)}

    def press(self, name: str) -> None:
        """Press what the section quotes, a button or a link."""
        self.quoted(name)
        button = self.page.get_by_role("button", name=name, exact=True)
        button.or_(self.page.get_by_role("link", name=name, exact=True)).first.click()


def make_notes(walk: Walk) -> None:
    for command in walk.commands:
        walk.run(command)
    walk.says(f"{NOTES:,} text files of {PATIENTS} patients")
    assert len(list((walk.folder / "notes").iterdir())) == NOTES
    assert len({one["group"] for one in walk.answers.values()}) == PATIENTS
    assert (walk.folder / "notes" / "p0001-n02.txt").exists()


def open_project(walk: Walk) -> None:
    page = walk.page
    page.get_by_role("heading", name=walk.quoted("Where are your notes?")).wait_for()
    page.get_by_label("Folder or file").fill("notes")
    page.get_by_text(walk.quoted("More"), exact=True).click()
    patient = page.get_by_role("combobox", name=walk.quoted("Patient"))
    patient.select_option(label=walk.quoted("the name of a file up to - or _"))
    walk.press("Open")
    page.get_by_text("1500 notes added").wait_for()
    walk.quoted(f"{NOTES} notes added")


def review_three(walk: Walk) -> None:
    """Correct three notes with mouse and keys, until they are as the answers say."""
    from playwright.sync_api import expect

    page = walk.page
    walk.press("Start reviewing")
    for number in range(3):
        page.locator("#pane .piece").first.wait_for(timeout=LONG)
        name = page.locator(".notehead h1").inner_text()
        correct(walk, name)
        page.keyboard.press("Enter")
        accept = page.get_by_role("button", name=walk.quoted("Accept them"))
        moved = page.locator(".notehead h1").get_by_text(name, exact=True)
        expect(accept.or_(page.get_by_text(f"{number + 1} of {NOTES} reviewed"))).to_be_visible()
        if accept.is_visible():
            accept.click()
        expect(moved).to_have_count(0)
        is_saved(page)


def correct(walk: Walk, name: str) -> None:
    """Remove what is wrong in the note that is shown, and mark what is missing."""
    page, answer = walk.page, walk.answers[name]
    shown = page.evaluate(
        """async () => {
          const { note } = await import('/static/js/review.js');
          return note.shown.filter(({ status }) => status !== 'doubt')
            .map(({ uid, label, spans }) => ({ uid, label, spans }));
        }"""
    )
    truth = [(one["label"], one["spans"]) for one in answer["mentions"]]
    for one in shown:
        if (one["label"], one["spans"]) not in truth:
            page.locator(f"#mentions [role=option][data-uid='{one['uid']}']").click()
            page.keyboard.press("x")
            is_saved(page)
    found = [(one["label"], one["spans"]) for one in shown]
    for label, spans in truth:
        if (label, spans) not in found:
            ((start, end),) = spans
            page.keyboard.press("Escape")
            drag_span(page, start, end)
            page.keyboard.press("l")
            page.get_by_label("Label", exact=True).fill(label)
            page.keyboard.press("Enter")
            while selected(page):  # it is marked when the selection is gone
                page.wait_for_timeout(20)
            is_saved(page)


def colleague(walk: Walk) -> None:
    learn, gate = walk.commands
    assert walk.run(learn).startswith(f"{TAUGHT} notes of ")
    reviewed = re.match(r"(\d+) notes of (\d+) patients", walk.run(gate))
    assert reviewed
    assert 30 < int(reviewed[2]) < 95  # a tenth of the patients


def teach(walk: Walk) -> None:
    from playwright.sync_api import expect

    page = walk.page
    page.keyboard.press("t")
    page.get_by_text(walk.quoted(f"{TAUGHT + 3} reviewed notes")).wait_for()
    walk.press("Teach now")
    page.get_by_role("link", name=walk.quoted("Model 1"), exact=True).wait_for(timeout=LONG)
    page.get_by_role("button", name="Teach now").wait_for(timeout=LONG)
    row = page.get_by_role("row", name=walk.quoted("Identifier words missed"))
    before, now = (float(row.get_by_role("cell").nth(at).inner_text().split()[0]) for at in (0, 1))
    walk.says("falls from about 5 % to less than half of that")
    assert 2.5 < before < 9
    assert now < min(3, before / 2)
    expect(page.locator(".counted")).to_contain_text("reviewed", timeout=LONG)
    pictures(page, "teach", walk.folder)
    check_accessibility(page)


def look_at_the_model(walk: Walk) -> None:
    from playwright.sync_api import expect

    page = walk.page
    walk.press("Model 1")
    heading = page.get_by_role("heading", name=walk.quoted("Can its probabilities be trusted?"))
    heading.wait_for(timeout=LONG)
    curve = page.locator("img[src*=calibration]")
    expect(curve).to_have_js_property("complete", value=True, timeout=LONG)
    curve.scroll_into_view_if_needed()
    pictures(page, "model", walk.folder)


def review_blind(walk: Walk) -> None:
    from playwright.sync_api import expect

    (command,) = walk.commands
    left = re.search(r"left to you: (\S+)", walk.run(command))
    assert left
    page = walk.page
    walk.press("Notes")
    page.get_by_label("Search in notes").fill(left[1])
    page.get_by_role("link", name=left[1], exact=True).click()
    page.get_by_text(walk.quoted("Sealed: please mark everything yourself")).wait_for()
    page.locator("#pane .piece").first.wait_for()
    expect(page.locator("#mentions [role=option]")).to_have_count(0)
    correct(walk, left[1])
    page.keyboard.press("Enter")
    expect(page.locator(".notehead h1")).not_to_have_text(left[1])
    is_saved(page)


def finish(walk: Walk) -> None:
    from playwright.sync_api import expect

    page = walk.page
    walk.press("Finish")
    needed = units_needed(0.1, 0.95)
    row = page.get_by_role("row", name=walk.quoted("at most 10 % missed"))
    expect(row.get_by_role("cell").first).to_have_text(str(needed))
    walk.says(f"{needed} sealed patients")
    level = page.get_by_label("Share of identifier words that may be missed")
    level.select_option(label=walk.quoted("10 %"))
    pictures(page, "finish", walk.folder)
    page.get_by_role("button", name="Finish", exact=True).click()
    protocol = page.get_by_role("link", name=walk.quoted("Protocol"))
    protocol.wait_for(timeout=2 * LONG)
    page.get_by_text("with confidence 95.0%").wait_for()
    check_accessibility(page)
    with walk.tabs.context.expect_page() as other:
        protocol.click()
    paper = other.value
    paper.get_by_role("heading").first.wait_for()
    pictures(paper, "protocol", walk.folder)
    paper.close()


def deidentify(walk: Walk) -> None:
    (command,) = walk.commands
    walk.run(command)
    safe = walk.folder / "safe"
    report = json.loads((safe / "report.json").read_text("utf-8"))
    written = list(safe.rglob("*.txt"))
    assert len(written) == NOTES, report
    walk.says(f"{NOTES:,} de-identified notes")
    assert (safe / "report.html").exists()
    assert (walk.folder / "safe.private").exists()
    page = walk.page
    walk.press("De-identify")
    walk.press("Count first")
    page.get_by_text(f"{NOTES} notes would be written").wait_for(timeout=LONG)
    pictures(page, "deid", walk.folder)


def own_notes(walk: Walk) -> None:
    for level in LEVELS:
        needed = units_needed(level, 0.95)
        walk.says(f"| {100 * level:g} % | {needed} | {10 * needed:,} |")


STEPS: tuple[Callable[[Walk], None], ...] = (
    *(make_notes, open_project, review_three, colleague, teach),
    *(look_at_the_model, review_blind, finish, deidentify, own_notes),
)


def test_the_tutorial(serve_in: ServeIn, tabs_of: OpenTabs, tmp_path: Path) -> None:
    walk = Walk(tmp_path, serve_in, tabs_of)
    sections = PAGE.split("\n## ")[1:]
    assert len(sections) == len(STEPS)
    for section, step in zip(sections, STEPS, strict=True):
        walk.section = section
        step(walk)
