"""Do the documents of a run differ from those of the calibration? Level and power by simulation."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.drift import (
    BINS,
    LEVEL,
    MISSED,
    REDACTED,
    UNKNOWN,
    Baseline,
    chance,
    differences,
    doubts,
    expected_left,
    rates,
)
from lacuna.deid.vocabulary import WordCounts


def counted(unknown: list[int], words: int = 100) -> dict[str, int]:
    """Return the counts of documents with so many unknown words of a hundred."""
    total: Counter[str] = Counter()
    for number in unknown:
        total.update(rates(100, 10, 1.0, WordCounts(words, number)))
    return dict(total)


def baseline(unknown: list[int], units: int | None = None, left: float = 0.0) -> Baseline:
    return Baseline(len(unknown), units or len(unknown), counted(unknown), left)


@given(st.integers(1, 500), st.integers(0, 500), st.floats(0, 500), st.integers(0, 50))
def test_every_rate_has_a_bin(tokens: int, redacted: int, missed: float, unknown: int) -> None:
    found = rates(tokens, min(redacted, tokens), min(missed, tokens), WordCounts(50, unknown))
    bins = {name: int(place) for name, place in (key.split(":") for key in found)}
    assert bins.keys() == {UNKNOWN, REDACTED, MISSED}
    assert all(0 <= place < BINS for place in bins.values())
    assert bins[UNKNOWN] == min(int(BINS * unknown / 50), BINS - 1)


def test_what_is_not_known_is_left_out() -> None:
    assert rates(0, 0, 0.0, None) == {}
    assert {key.split(":")[0] for key in rates(5, 1, 0.5, None)} == {REDACTED, MISSED}
    assert {key.split(":")[0] for key in rates(5, 1, 0.5, WordCounts())} == {REDACTED, MISSED}
    without = Baseline(50, 50, {f"{REDACTED}:3": 50}, 0.0)
    assert [one.rate for one in differences(without, counted([90] * 50))] == [REDACTED]


def test_the_chance_is_that_of_the_tables() -> None:
    # the 5 % and 1 % points of Kolmogorov's distribution
    assert chance(1.3581 / 1000, 1e6) == pytest.approx(0.05, abs=2e-4)
    assert chance(1.6276 / 1000, 1e6) == pytest.approx(0.01, abs=1e-4)
    assert chance(0.0, 50) == 1.0
    assert chance(1.0, 50) < 1e-12


def test_documents_drawn_alike_are_hardly_ever_reported() -> None:
    rng = np.random.default_rng(4)
    reported = 0
    for _ in range(400):
        before, now = rng.binomial(100, 0.2, 120), rng.binomial(100, 0.2, 300)
        reported += bool(differences(baseline(before.tolist()), counted(now.tolist())))
    assert reported <= 400 * LEVEL + 3


@pytest.mark.parametrize("documents", [60, 3000])
def test_other_documents_are_reported(documents: int) -> None:
    rng = np.random.default_rng(5)
    before = baseline(rng.binomial(100, 0.2, 120).tolist())
    (found,) = differences(before, counted(rng.binomial(100, 0.35, documents).tolist()))
    assert found.rate == UNKNOWN
    assert found.distance > 0.5
    assert found.p <= LEVEL / 3


def test_a_small_difference_is_not_reported_however_large_the_run() -> None:
    before = baseline([20] * 9500 + [40] * 500)
    assert not differences(before, counted([20] * 9000 + [40] * 1000))
    assert differences(before, counted([20] * 8000 + [40] * 2000))


def test_documents_of_the_same_patients_count_as_one() -> None:
    unknown, others = [20] * 60, [30] * 24 + [20] * 36
    assert differences(baseline(unknown), counted(others))
    assert not differences(baseline(unknown, units=12), counted(others))


def test_more_expected_misses_than_promised_are_reported() -> None:
    assert expected_left(5.0, 95) == pytest.approx(0.05)
    assert expected_left(0.0, 0) == 0.0
    before = baseline([20] * 50)
    assert doubts(0.05, before, counted([20] * 50), 0.05) == []
    (doubt,) = doubts(0.01, before, counted([20] * 50), 0.034)
    assert "expects that 3.4% of the identifier tokens remain" in doubt
    assert "promised 1.0%" in doubt
    (doubt,) = doubts(0.01, None, {}, 0.034)
    # a model that expected as much in the calibration, where the promise held
    assert doubts(0.01, baseline([20] * 50, left=0.03), {}, 0.034) == []
