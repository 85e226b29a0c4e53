"""The recipe of the bundled model gives the same file every time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECIPE = ROOT / "recipes" / "en_clinical" / "build.py"


def test_the_recipe_gives_the_same_bytes_twice(tmp_path: Path) -> None:
    for name in ("first", "second"):
        command = [sys.executable, str(RECIPE), "--small", "-o", str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
