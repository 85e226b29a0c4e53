"""Probabilities of windows against enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.inference.chain import Chain, first_order
from lacuna.inference.stretches import Window, window_probabilities
from tests.reference import enumerate_paths, probabilities

STEPS, LABELS = 5, 3


def by_enumeration(paths: dict[tuple[int, ...], float], window: Window) -> float:
    return sum(
        probability
        for path, probability in paths.items()
        if all(window.allowed[i, path[window.begin + i]] for i in range(len(window.allowed)))
    )


def random_windows(rng: np.random.Generator) -> list[Window]:
    borders = combinations(range(STEPS + 1), 2)
    return [Window(begin, rng.random((end - begin, LABELS)) < 0.7) for begin, end in borders]


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.booleans())
def test_by_enumeration(seed: int, forbid: bool) -> None:
    rng = np.random.default_rng(seed)
    transition = rng.normal(scale=2, size=(LABELS, LABELS))
    if forbid:
        transition[rng.random(transition.shape) < 0.3] = -np.inf
        transition[:, 0] = 0.0
    chain = first_order(transition, rng.normal(size=LABELS), rng.normal(size=LABELS))
    emission = rng.normal(scale=3, size=(STEPS, LABELS))
    windows = random_windows(rng)
    paths = probabilities(enumerate_paths(chain, emission))
    expected = [by_enumeration(paths, window) for window in windows]
    found = window_probabilities(chain, emission, windows)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_paths_that_underflow_are_done_in_log_space() -> None:
    transition = np.array([[0.0, -np.inf], [-800.0, -800.0]])
    chain = first_order(transition, [-np.inf, 0.0], [-np.inf, 0.0])
    emission = np.zeros((3, 2))
    always = Window(1, np.array([[False, True]]))
    never = Window(1, np.array([[True, False]]))
    assert window_probabilities(chain, emission, [always, never]).tolist() == [1.0, 0.0]


def test_nothing_asked_and_second_order() -> None:
    chain = first_order(np.zeros((2, 2)))
    assert len(window_probabilities(chain, np.zeros((3, 2)), [])) == 0
    second = Chain(np.zeros((3, 2, 2)), np.zeros(2), np.zeros((3, 2)))
    with pytest.raises(ValueError, match="first order"):
        window_probabilities(second, np.zeros((3, 2)), [])
