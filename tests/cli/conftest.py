"""Running the command line inside the test process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from lacuna.cli.main import main


@dataclass(frozen=True, slots=True)
class Run:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Lacuna = Callable[..., Run]


@pytest.fixture
def lacuna(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Lacuna:
    """Call ``lacuna(…)`` like the command."""

    def run(*arguments: object) -> Run:
        monkeypatch.setattr(sys, "argv", ["lacuna", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            main()
        code = exit_.value.code
        return Run(code if isinstance(code, int) else 0, *capfd.readouterr())

    return run
