"""Notes are held out here as in a real project."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def parts() -> None:
    """Hold notes out by their patients."""
