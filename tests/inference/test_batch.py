"""How work is shared out."""

from __future__ import annotations

import os
import threading

import pytest

from lacuna import ConfigError
from lacuna.inference.batch import THREADS_VARIABLE, cores, run_chunks


def test_a_variable_says_how_many_threads_share_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(THREADS_VARIABLE, raising=False)
    assert cores() == os.cpu_count()
    monkeypatch.setenv(THREADS_VARIABLE, "1")
    assert cores() == 1
    runs = [(0, 1), (1, 2), (2, 3)]
    found = run_chunks(lambda a, _: (a, threading.current_thread()), runs)
    assert found == [(a, threading.main_thread()) for a, _ in runs]


@pytest.mark.parametrize("value", ["0", "two", "-1"])
def test_other_values_are_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, value)
    with pytest.raises(ConfigError, match="whole number of at least 1"):
        cores()
