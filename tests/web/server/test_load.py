"""Fifty clients for three seconds: only 200 and 429."""

from __future__ import annotations

from pathlib import Path

from tests.web.load import load

SLOWEST = 50.0  #: milliseconds until an edit of one client is acknowledged (p95) on a quiet machine


def test_fifty_clients(tmp_path: Path) -> None:
    result = load(tmp_path / "project", 3.0)
    assert sum(result.statuses.values()) > 100
    assert result.statuses[200] > 50
    assert result.alone.p50 < SLOWEST  # the median: tests share the machine with others
