"""Fifty clients for three seconds: only 200 and 429."""

from __future__ import annotations

from pathlib import Path

from tests.web.load import CLIENTS, load


def test_fifty_clients(tmp_path: Path) -> None:
    result = load(tmp_path / "project", 3.0)
    assert result.statuses.keys() <= {200, 429}
    assert sum(result.statuses.values()) >= CLIENTS  # everybody was answered
    assert result.statuses[200] > 0
