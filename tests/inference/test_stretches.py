"""Probabilities of stretches against enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.inference.chain import Chain, first_order
from lacuna.inference.stretches import Stretch, stretch_probabilities
from tests.reference import enumerate_paths, probabilities

STEPS, LABELS = 5, 3


def by_enumeration(paths: dict[tuple[int, ...], float], stretch: Stretch) -> float:
    return sum(
        probability
        for path, probability in paths.items()
        if all(stretch.allowed[i, path[stretch.begin + i]] for i in range(len(stretch.allowed)))
    )


def random_stretches(rng: np.random.Generator) -> list[Stretch]:
    borders = combinations(range(STEPS + 1), 2)
    return [Stretch(begin, rng.random((end - begin, LABELS)) < 0.7) for begin, end in borders]


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
    stretches = random_stretches(rng)
    paths = probabilities(enumerate_paths(chain, emission))
    expected = [by_enumeration(paths, stretch) for stretch in stretches]
    found = stretch_probabilities(chain, emission, stretches)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_paths_that_underflow_are_done_in_log_space() -> None:
    transition = np.array([[0.0, -np.inf], [-800.0, -800.0]])
    chain = first_order(transition, [-np.inf, 0.0], [-np.inf, 0.0])
    emission = np.zeros((3, 2))
    always = Stretch(1, np.array([[False, True]]))
    never = Stretch(1, np.array([[True, False]]))
    assert stretch_probabilities(chain, emission, [always, never]).tolist() == [1.0, 0.0]


def test_nothing_asked() -> None:
    chain = first_order(np.zeros((2, 2)))
    assert len(stretch_probabilities(chain, np.zeros((3, 2)), [])) == 0


@pytest.mark.parametrize("seed", range(5))
def test_second_order_by_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = Chain(
        rng.normal(size=(LABELS + 1, LABELS, LABELS)),
        rng.normal(size=LABELS),
        rng.normal(size=(LABELS + 1, LABELS)),
    )
    emission = rng.normal(scale=3, size=(STEPS, LABELS))
    stretches = random_stretches(rng)
    paths = probabilities(enumerate_paths(chain, emission))
    expected = [by_enumeration(paths, stretch) for stretch in stretches]
    found = stretch_probabilities(chain, emission, stretches)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_rows_after_the_end_are_ignored() -> None:
    chain = first_order(np.zeros((2, 2)))
    ends = Stretch.of_path(2, [1], 2, not_next=0)
    assert len(ends.allowed) == 2
    assert stretch_probabilities(chain, np.zeros((3, 2)), [ends])[0] == pytest.approx(0.5)
