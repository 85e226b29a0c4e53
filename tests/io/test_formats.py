"""The table of formats: complete, and drawn in its docstring as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from lacuna.errors import ConfigError
from lacuna.io import formats
from lacuna.io.formats import FORMATS, format_named
from lacuna.io.limits import Feature

COLUMNS = {
    "gaps": {Feature.GAPS},
    "crossing": {Feature.CROSSING},
    "overlaps": {Feature.OVERLAPS},
    "mentions": {Feature.MENTIONS},
    "ids": {Feature.IDS},
    "tokens": {Feature.TOKENS},
    "group": {Feature.GROUPS},
    "meta, p": {Feature.META, Feature.PROBABILITIES},
    "reviewed": {Feature.REVIEWED},
}


def drawn() -> dict[str, set[Feature]]:
    """Read the table in the docstring: name -> what it says the format holds."""
    lines = (formats.__doc__ or "").splitlines()
    border = next(line for line in lines if line.startswith("==="))
    starts = [i for i, c in enumerate(border) if c == "=" and border[i - 1 : i] in {"", " "}]
    first, last = (i for i, line in enumerate(lines) if line == border and i != lines.index(border))
    rows = {}
    for line in lines[first + 1 : last]:
        cells = [line[i:j].strip() for i, j in zip(starts, [*starts[1:], None], strict=True)]
        held = (what for cell, what in zip(cells[1:], COLUMNS.values(), strict=True) if cell)
        rows[cells[0]] = set().union(*held)
    return rows


def test_the_table_in_the_docstring_is_true() -> None:
    told = set().union(*COLUMNS.values())
    assert drawn() == {name: told & format_.limits.holds for name, format_ in FORMATS.items()}


def test_every_format_is_named_with_suffixes_and_a_summary() -> None:
    for name, format_ in FORMATS.items():
        assert format_named(name) is format_
        assert format_.suffixes or format_.read is FORMATS["jsonl"].read
        assert all(suffix == Path(f"x{suffix}").suffix for suffix in format_.suffixes)
        assert format_.summary


def test_an_unknown_format_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="unknown format 'doc'; the formats are jsonl, brat"):
        format_named("doc")
