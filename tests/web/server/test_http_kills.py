"""An acknowledged edit survives the death of the server, and a retry does not repeat it."""

from __future__ import annotations

from pathlib import Path

from tests.web.http_kills import kill_and_check
from tests.web.kills import MOMENTS


def test_killed_three_times_every_answered_edit_is_there_once(tmp_path: Path) -> None:
    assert kill_and_check(tmp_path / "project", 3, seed=0) == dict.fromkeys(MOMENTS, 1)
