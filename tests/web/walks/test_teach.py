"""Teach, look at the model, finish and de-identify: the screens around a model of one's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.teaching.lesson_notes import fill, project_with
from tests.web.walks.conftest import OpenTabs
from tests.web.walks.helpers import go, opened
from tests.web.walks.looks import check_accessibility, check_width
from tests.web.walks.serving import Serve

SECONDS = 120_000  # ms; the first lesson may compile


@pytest.fixture(autouse=True)
def parts() -> None:
    """Hold notes out by their patients."""


@pytest.fixture
def ward(tmp_path: Path) -> Iterator[Serve]:
    with project_with(tmp_path / "ward7", []) as project:
        fill(project, learn=20, gate=8, waiting=4)
    with Serve(tmp_path, "ward7") as serve:
        yield serve


def test_teach_and_use(ward: Serve, tabs_of: OpenTabs, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    tabs = tabs_of(ward)
    tabs.allow("409 (Conflict)")  # nobody has reviewed a sealed patient
    page = opened(tabs, ward)
    page.locator("#pane").wait_for()
    page.keyboard.press("t")
    expect(page.get_by_text("20 reviewed notes")).to_be_visible()
    check_accessibility(page)
    page.get_by_role("button", name="Teach now").click()
    page.get_by_role("link", name="Model 1", exact=True).wait_for(timeout=SECONDS)
    page.get_by_role("button", name="Teach now").wait_for(timeout=SECONDS)
    expect(page.get_by_role("cell", name="in use")).to_have_count(1)
    missed = page.get_by_role("row", name="Identifier words missed").get_by_role("cell")
    before, now = (float(missed.nth(at).inner_text().split()[0]) for at in (0, 1))
    assert now < before
    page.get_by_role("row", name="at most 5 % missed 59 0").wait_for()
    check_accessibility(page)
    check_width(page)

    page.get_by_role("button", name="Use the first model").click()
    last = page.get_by_role("row", name="First model")
    expect(last.get_by_text("in use")).to_be_visible()

    go(page, "model/1")
    page.get_by_role("heading", name="Model 1").wait_for()
    page.locator("img[src*=calibration]").wait_for()
    check_accessibility(page)
    check_width(page)

    go(page, "finish")
    page.get_by_role("row", name="at most 5 % missed 59 0").wait_for()
    check_accessibility(page)
    check_width(page)
    page.get_by_role("button", name="Finish", exact=True).click()
    expect(page.locator(".error")).not_to_be_empty()

    go(page, "deid")
    page.get_by_role("button", name="Count first").click()
    page.get_by_text("32 notes would be written").wait_for(timeout=SECONDS)
    check_accessibility(page)
    check_width(page)
    page.get_by_label("Write to").fill("safe.jsonl")
    page.get_by_role("button", name="De-identify", exact=True).click()
    page.get_by_text("32 notes written to").wait_for(timeout=SECONDS)
    lines = (tmp_path / "safe.jsonl").read_text("utf-8").splitlines()
    written = [json.loads(line) for line in lines]
    assert len(written) == 32
    assert not any("sato" in one["text"].lower() for one in written)
