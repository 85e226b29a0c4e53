"""The recall dial: the threshold by brute force, the promise by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.calibration import Unit, calibrate, curve, outcome, units_needed
from lacuna.errors import ConfigError

PROBABILITIES = st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]), max_size=5)


def unit(identifiers: list[float], others: list[float] | None = None) -> Unit:
    return Unit(np.array(identifiers, float), np.array(others or [], float))


@given(st.lists(PROBABILITIES, min_size=4, max_size=12), st.sampled_from([0.2, 0.25, 0.4, 0.7]))
def test_it_is_the_highest_threshold_that_keeps_the_bound(
    scores: list[list[float]], level: float
) -> None:
    units = [unit(values) for values in scores]
    found = calibrate(units, level)
    n = len(units)

    def holds(threshold: float) -> bool:
        return (n * outcome(units, threshold)[0] + 1) / (n + 1) <= level + 1e-9

    assert holds(found.threshold)
    higher = [t for t in np.linspace(0, 1, 101) if t > found.threshold]
    assert not any(holds(t) for t in higher)


@given(st.lists(PROBABILITIES, min_size=1, max_size=8))
def test_what_is_missed_only_grows_with_the_threshold(scores: list[list[float]]) -> None:
    missed = [point.missed for point in curve([unit(values) for values in scores])]
    assert missed == sorted(missed)


def test_a_hand_computed_case() -> None:
    # 9 units, level 0.2: the losses may sum to 0.2 · 10 - 1 = 1
    units = [unit([0.4, 1.0]), unit([0.6, 0.9]), unit([0.8])] + [unit([1.0])] * 5 + [unit([])]
    found = calibrate(units, 0.2)
    # t just above 0.4 misses 1/2, above 0.6 another 1/2, above 0.8 another 1: too much
    assert found.threshold == 0.8
    assert found.missed == pytest.approx(1 / 9)
    assert found.precision == 1.0


def test_precision_counts_what_was_taken_out_needlessly() -> None:
    units = [unit([0.9, 0.9], [0.95, 0.1])] * 4
    assert outcome(units, 0.5)[0] == 0.0
    assert outcome(units, 0.5)[1] == pytest.approx(8 / 12)
    assert outcome(units, 0.05)[1] == pytest.approx(8 / 16)


@pytest.mark.parametrize(("level", "needed"), [(0.01, 99), (0.05, 19), (0.03, 33), (0.5, 1)])
def test_too_few_units_are_refused_with_the_number_needed(level: float, needed: int) -> None:
    assert units_needed(level) == needed
    with pytest.raises(ConfigError, match=f"at least {needed}"):
        calibrate([unit([1.0])] * (needed - 1), level)
    assert calibrate([unit([1.0])] * needed, level).threshold == 1.0


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 2.0])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(ConfigError, match="between 0 and 1"):
        calibrate([unit([1.0])], level)


def test_few_units_for_a_level_are_called_tight() -> None:
    assert calibrate([unit([1.0])] * 100, 0.01).is_tight
    assert not calibrate([unit([1.0])] * 300, 0.01).is_tight


def test_the_promise_holds_on_average_over_draws() -> None:
    rng = np.random.default_rng(3)
    level, misses = 0.1, []
    for _ in range(400):
        units = [unit(list(rng.beta(3, 1, rng.integers(1, 9)))) for _ in range(40)]
        found = calibrate(units[:39], level)
        misses.append(outcome(units[39:], found.threshold)[0])
    standard_error = np.std(misses) / len(misses) ** 0.5
    assert np.mean(misses) <= level + 2 * standard_error
    assert np.mean(misses) >= level / 3  # and it is not kept by redacting everything
