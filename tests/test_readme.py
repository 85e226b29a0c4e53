"""What the documentation shows is run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_python_examples_run() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "Pain in … leg" in run.stdout


def test_commands_in_the_text_exist() -> None:
    from lacuna.cli.main import COMMANDS

    shown = set(re.findall(r"`lacuna ([a-z]+)", README))
    assert shown
    assert shown <= set(COMMANDS)
