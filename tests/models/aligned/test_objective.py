"""The likelihood of alignment: its gradient by differences, its value by enumeration."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from lacuna.models.aligned.objective import AlignmentObjective, AlignmentWeights, Occurrences

LABELS, SHAPES, FEATURES, STAYS = 4, 2, 7, 3


def problem(rng: np.random.Generator) -> tuple[Occurrences, np.ndarray]:
    """Make three words of 2 to 4 occurrences with two or three of four labels."""
    sizes, labels = np.array([2, 4, 3]), np.array([2, 3, 2], np.int32)
    owner = np.repeat(np.arange(3), sizes)
    seen = Occurrences(
        borders=np.cumsum([0, *sizes]),
        labels=labels,
        candidates=np.array([[0, 2, 0], [0, 1, 3], [0, 3, 0]], np.int32),
        shape=np.array([0, 1, 1], np.int32),
        features=rng.integers(FEATURES, size=(len(owner), 3)).astype(np.int32),
        stay=rng.integers(STAYS, size=len(owner)).astype(np.int32),
        first=(rng.integers(6, size=len(owner)) % labels[owner]).astype(np.int32),
    )
    return seen, (rng.integers(6, size=len(owner)) % labels[owner]).astype(np.int32)


def weights(rng: np.random.Generator) -> AlignmentWeights:
    return AlignmentWeights(
        rng.normal(size=(FEATURES, LABELS)),
        rng.normal(size=STAYS),
        rng.normal(size=LABELS),
        rng.normal(size=(SHAPES, 2)),
    )


def score(w: AlignmentWeights, seen: Occurrences, g: int, y: tuple[int, ...]) -> float:
    """Return the score of one labelling of one word, written down from the definition."""
    first, total = int(seen.borders[g]), 0.0
    for i, c in enumerate(y, start=first):
        label = seen.candidates[g, c]
        total += sum(w.weights[r, label] for r in seen.features[i])
        total += w.stay[seen.stay[i]] if c == seen.first[i] else 0.0
    for a, b in combinations(y, 2):
        if a == b:
            pair = w.by_label[seen.candidates[g, a]] + w.by_shape[seen.shape[g], int(a > 0)]
            total += pair / (len(y) - 1)
    return total


def test_value_is_that_of_enumeration() -> None:
    rng = np.random.default_rng(1)
    seen, truth = problem(rng)
    w = weights(rng)
    expected = 0.3 * float(w.flat() @ w.flat())
    for g in range(3):
        size = int(seen.borders[g + 1] - seen.borders[g])
        ways = product(range(seen.labels[g]), repeat=size)
        right = tuple(truth[seen.borders[g] : seen.borders[g + 1]].tolist())
        expected += np.logaddexp.reduce([score(w, seen, g, y) for y in ways])
        expected -= score(w, seen, g, right)
    value, _ = AlignmentObjective(seen, truth, w, 0.3)(w.flat())
    assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_gradient_is_that_of_differences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    seen, truth = problem(rng)
    w = weights(rng)
    objective = AlignmentObjective(seen, truth, w, 0.3)
    at, step = w.flat(), 1e-6
    _, gradient = objective(at)
    for k in range(len(at)):
        move = np.zeros(len(at))
        move[k] = step
        slope = (objective(at + move)[0] - objective(at - move)[0]) / (2 * step)
        assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_tables_and_rows_are_the_same_numbers() -> None:
    w = weights(np.random.default_rng(1))
    for one, other in zip(w, w.like(w.flat()), strict=True):
        np.testing.assert_array_equal(one, other)
