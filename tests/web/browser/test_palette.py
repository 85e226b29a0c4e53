"""Text and labels can be read on every background, in both themes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.browser.helpers import show

if TYPE_CHECKING:
    from playwright.sync_api import Page

READABLE = 4.5  # WCAG 2.2 AA
HUES, STRENGTHS = 10, 4

COLOURS = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const found = {};
  const of = (name, element, pseudo) => {
    const style = getComputedStyle(element);
    const text = getComputedStyle(element, pseudo).color;
    found[name] = [rgb(style.backgroundColor), rgb(text)];
  };
  const probe = document.createElement('span');
  pane.pieces.elements[0].append(probe);
  for (let hue = 0; hue < 10; hue++) {
    for (let step = 0; step < 4; step++) {
      for (const focused of ['', ' focused']) {
        probe.className = `m h${hue} s${step}${focused}`;
        probe.dataset.label = 'DATE';
        of(`text ${probe.className}`, probe, null);
        of(`label ${probe.className}`, probe, '::before');
      }
    }
  }
  probe.remove();
  const names = { selected: 'selected-ink', cursor: 'selected-ink', found: 'ink', changed: 'ink',
                  page: 'unsure', raised: 'soft' };
  const variable = (name) => {
    const element = document.createElement('i');
    element.className = 'probe';
    document.body.append(element);
    element.style.color = `var(--${name})`;
    const colour = getComputedStyle(element).color;
    element.remove();
    return rgb(colour);
  };
  for (const [back, text] of Object.entries(names)) found[back] = [variable(back), variable(text)];
  return found;
}"""


def luminance(rgb: list[int]) -> float:
    parts = [value / 255 for value in rgb]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: list[int], other: list[int]) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast(page: Page, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    show(page, "text")
    found = page.evaluate(COLOURS)
    page.emulate_media(color_scheme="light")
    assert len(found) == HUES * STRENGTHS * 2 * 2 + 6
    low = {name: contrast(*pair) for name, pair in found.items()}
    assert {name: value for name, value in low.items() if value < READABLE} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_strengths_and_hues_differ(page: Page, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    show(page, "text")
    found = page.evaluate(COLOURS)
    page.emulate_media(color_scheme="light")
    backs = {tuple(pair[0]) for name, pair in found.items() if name.startswith("text")}
    assert len(backs) == HUES * STRENGTHS * 2
