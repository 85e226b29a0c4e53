"""docs/features.md names every attribute and every preset, in the words of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lacuna.features.presets import PRESETS
from lacuna.features.templates import TOKEN_ATTRIBUTES, WORD_ATTRIBUTES, parse_templates

PAGE = (Path(__file__).parents[2] / "docs" / "features.md").read_text(encoding="utf-8")


def table(heading: str) -> dict[str, str]:
    """Return the rows of the table under a heading: first cell → second cell."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", section, re.MULTILINE))


@pytest.mark.parametrize(
    ("heading", "attributes"),
    [
        ("Attributes of a word", WORD_ATTRIBUTES),
        ("Attributes of a token in its place", TOKEN_ATTRIBUTES),
    ],
)
def test_attributes(heading: str, attributes: dict[str, str]) -> None:
    assert table(heading) == attributes


def test_presets() -> None:
    assert list(table("Presets")) == list(PRESETS)


def test_examples_are_templates() -> None:
    blocks = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert blocks
    assert all(parse_templates(block.splitlines()) for block in blocks)
