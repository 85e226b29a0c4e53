"""Packages of other tools: a test that needs one is skipped without it, but not in CI."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest

REQUIRED = "integrations" in os.environ.get("LACUNA_REQUIRE", "").split(",")


def needed(name: str) -> Any:
    """Return a module; skip the tests of the file if it is not installed."""
    return importlib.import_module(name) if REQUIRED else pytest.importorskip(name)
