"""Settings shared by all tests."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import no_network
from tests.no_network.sitecustomize import reaches_out
from tests.slow import COMPILED_ONLY, SLOW

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"  #: kernels run as Python, for coverage

# No deadline: the first call of a kernel compiles it. In CI examples are the same every time.
settings.register_profile("lacuna", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.register_profile("quick", deadline=None, max_examples=10)
settings.register_profile("uncompiled", deadline=None, max_examples=10, derandomize=True)
settings.load_profile("uncompiled" if UNCOMPILED else "lacuna")


def pytest_configure(config: pytest.Config) -> None:
    """Without compilation, NumPy warns where compiled code wraps around or divides by zero."""
    if UNCOMPILED:
        for message in ("overflow", "divide by zero", "invalid value"):
            config.addinivalue_line("filterwarnings", f"ignore:{message}:RuntimeWarning")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the slow tests and run them first, so that no core waits for one at the end.

    Without compilation, tests that would take minutes are left out.
    """
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: not item.nodeid.startswith(SLOW))
    if UNCOMPILED:
        large = [item for item in items if item.nodeid.startswith(COMPILED_ONLY)]
        config.hook.pytest_deselected(items=large)
        items[:] = [item for item in items if item not in large]


def _stay_at_home(event: str, arguments: tuple[Any, ...]) -> None:
    """Let nothing in the tests speak to another machine."""
    if reaches_out(event, arguments):
        raise RuntimeError("a test tried to reach the network")


sys.addaudithook(_stay_at_home)


@pytest.fixture(scope="session", autouse=True)
def _started_processes_stay_at_home() -> None:
    """Nor anything in Python processes that tests start; those end at once."""
    folders = [str(Path(no_network.__file__).parent), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, folders))


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let processes that a test starts be interrupted, even if the tests ignore SIGINT.

    Under ``nohup`` and some CI runners they do. A process inherits ignored signals, not handlers.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
