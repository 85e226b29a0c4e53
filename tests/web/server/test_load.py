"""Fifty clients for three seconds: only 200 and 429."""

from __future__ import annotations

from pathlib import Path

from tests.web.load import load


def test_fifty_clients(tmp_path: Path) -> None:
    result = load(tmp_path / "project", 3.0)
    assert result.statuses[200] > 50
    assert {"document", "edit"} <= result.times.keys()
