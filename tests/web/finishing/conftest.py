"""A tiny model that is trained once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.finishing.tiny import save_base


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tiny model."""
    path = tmp_path_factory.mktemp("base") / "base.lacuna"
    save_base(path)
    return path


@pytest.fixture(autouse=True)
def parts() -> None:
    """Hold notes out as it is."""
