"""The recall dial: the threshold by brute force, both promises by simulation."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.calibration import (
    calibrate,
    curve,
    least_level,
    log_evidence,
    outcome,
    units_needed,
)
from lacuna.deid.calibration_units import Unit
from lacuna.errors import ConfigError
from lacuna.types import FloatArray

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


@pytest.mark.parametrize(
    ("level", "confidence", "needed"),
    [(0.01, 0.95, 299), (0.05, 0.95, 59), (0.02, 0.95, 149), (0.1, 0.9, 22), (0.05, 0.99, 90)],
)
def test_patients_needed_for_a_confidence(level: float, confidence: float, needed: int) -> None:
    assert units_needed(level, confidence) == needed
    assert (1 - level) ** needed <= 1 - confidence < (1 - level) ** (needed - 1)
    with pytest.raises(ConfigError, match=f"at least {needed} are needed"):
        calibrate([unit([1.0])] * (needed - 1), level, confidence)
    assert calibrate([unit([1.0])] * needed, level, confidence).threshold == 1.0


def test_what_few_patients_can_promise_is_in_the_message() -> None:
    assert least_level(26, 0.95) == pytest.approx(0.109, abs=0.001)
    assert least_level(19) == pytest.approx(0.05)
    with pytest.raises(ConfigError) as refused:
        calibrate([unit([1.0])] * 26, 0.01)
    message = str(refused.value)
    for number in ("99", "299", "19", "59", "3.7%", "10.9%"):
        assert number in message


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0])
def test_a_confidence_is_a_probability(confidence: float) -> None:
    with pytest.raises(ConfigError, match="confidence must be between 0 and 1"):
        calibrate([unit([1.0])] * 100, 0.1, confidence)


def evidence(losses: list[float], level: float, delta: float) -> float:
    """Return δ K by its definition."""

    def bet(c: float) -> float:
        return prod(1 + c * (level - loss) / (1 - level) for loss in losses)

    weight = min((1 - level) ** len(losses) / delta, 1)
    return delta * (weight * bet(1) + (1 - weight) * (bet(0.9) + bet(0.4)) / 2)


@given(
    st.lists(st.sampled_from([0.0, 0.0, 0.0, 0.1, 0.5, 1.0]), min_size=1, max_size=80),
    st.sampled_from([0.02, 0.1, 0.3]),
    st.sampled_from([0.05, 0.2]),
)
def test_the_evidence_is_that_of_its_formula(
    losses: list[float], level: float, delta: float
) -> None:
    found = np.exp(log_evidence(np.array(losses), level, delta))
    assert found == pytest.approx(evidence(losses, level, delta))


@given(st.lists(PROBABILITIES, min_size=20, max_size=40), st.sampled_from([0.2, 0.4, 0.7]))
def test_with_confidence_it_is_the_highest_threshold_with_enough_evidence(
    scores: list[list[float]], level: float
) -> None:
    units = [unit(values) for values in scores]
    found = calibrate(units, level, 0.9)
    assert found.confidence == 0.9
    assert found.threshold <= calibrate(units, level).threshold

    def holds(threshold: float) -> bool:
        losses = [sum(p < threshold for p in one) / max(len(one), 1) for one in scores]
        return evidence(losses, level, 0.1) >= 1 - 1e-9

    assert holds(found.threshold)
    assert not any(holds(t) for t in np.linspace(0, 1, 101) if t > found.threshold)


Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
#: Losses with a mean of 0.1: all or nothing, a few tokens each, a mixture, always the same.
LOSSES: dict[str, Draw] = {
    "all or nothing": lambda rng, size: (rng.random(size) < 0.1).astype(float),
    "a few each": lambda rng, size: rng.beta(2, 18, size),
    "few lose much": lambda rng, size: rng.beta(0.05, 0.45, size),
    "one token of ten": lambda rng, size: rng.binomial(10, 0.1, size) / 10,
    "the same": lambda rng, size: np.full(size, 0.1),
}


@pytest.mark.parametrize("draw", LOSSES.values(), ids=LOSSES.keys())
@pytest.mark.parametrize("units", [29, 60, 300])
def test_a_risk_at_the_level_is_seldom_taken_for_a_lower_one(draw: Draw, units: int) -> None:
    losses = draw(np.random.default_rng(units), (2000, units))
    wrong = sum(log_evidence(row, 0.1, 0.05) >= 0 for row in losses)
    assert wrong <= 2000 * 0.05 + 3 * (2000 * 0.05 * 0.95) ** 0.5


def population(rng: np.random.Generator) -> list[Unit]:
    """Return patients who differ: in how many tokens they have and how hard these are."""
    return [
        unit(list(rng.beta(rng.choice([2, 8]), 1, rng.integers(1, 30)).round(3)))
        for _ in range(500)
    ]


def risk_of(units: list[Unit]) -> Callable[[float], float]:
    """Return the mean share missed as a function of the threshold."""
    scores = np.concatenate([unit.identifiers for unit in units])
    shares = np.concatenate([np.full(len(u.identifiers), 1 / len(u.identifiers)) for u in units])
    order = np.argsort(scores)
    missed = np.append(0.0, np.cumsum(shares[order])) / len(units)
    return lambda threshold: float(missed[np.searchsorted(scores[order], threshold)])


@pytest.mark.parametrize(("level", "units"), [(0.05, 150), (0.1, 60)])
def test_both_promises_hold_over_draws(level: float, units: int) -> None:
    rng = np.random.default_rng(17)
    every = population(rng)
    risk = risk_of(every)
    assert risk(0.7) == pytest.approx(outcome(every, 0.7)[0])
    risks: dict[float | None, list[float]] = {None: [], 0.9: []}
    draws = 300
    for _ in range(draws):
        drawn = [every[i] for i in rng.integers(len(every), size=units)]
        for confidence, found in risks.items():
            found.append(risk(calibrate(drawn, level, confidence).threshold))
    mean, signed = np.array(risks[None]), np.array(risks[0.9])
    assert mean.mean() <= level + 2 * mean.std() / draws**0.5
    assert mean.mean() >= level / 2  # and it is not kept by redacting everything
    assert np.mean(mean > level) > 0.1  # which is why people want the other one
    assert np.mean(signed > level) <= 0.1 + 2 * (0.1 * 0.9 / draws) ** 0.5
    assert signed.mean() >= level / 4
