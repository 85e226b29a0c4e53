"""The bound of an audit: by enumeration, by simulation, and in the limit."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lacuna.evaluation.audit_bound import most_leaking

CONFIDENCES = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


@st.composite
def samples(draw: st.DrawFn) -> tuple[int, int]:
    documents = draw(st.integers(1, 14))
    return documents, draw(st.integers(1, documents))


@given(samples(), CONFIDENCES)
def test_it_holds_with_its_confidence_and_no_smaller_bound_does(
    sample: tuple[int, int], confidence: float
) -> None:
    """For every true number, over all samples; and one less would be too few for some."""
    documents, drawn = sample
    bounds = [most_leaking(documents, drawn, seen, confidence) for seen in range(drawn + 1)]
    assert bounds == sorted(bounds)
    for leaking in range(documents + 1):
        assert coverage(documents, drawn, leaking, bounds) >= confidence - 1e-12
    for seen, bound in enumerate(bounds):
        if bound > seen:  # the bound itself is among the numbers that are not ruled out
            tail = stats.hypergeom(documents, bound, drawn).cdf(seen)
            assert tail > 1 - confidence - 1e-12
            above = stats.hypergeom(documents, min(bound + 1, documents), drawn).cdf(seen)
            assert bound == documents - (drawn - seen) or above <= 1 - confidence + 1e-12


def coverage(documents: int, drawn: int, leaking: int, bounds: list[int]) -> float:
    chance = stats.hypergeom(documents, leaking, drawn)
    return sum(chance.pmf(seen) for seen in range(drawn + 1) if leaking <= bounds[seen])


def test_by_enumeration_of_all_samples() -> None:
    """6 documents, 3 drawn, none with a leak: all samples without one are counted."""
    ways = {
        leaking: sum(not {*chosen} & {*range(leaking)} for chosen in combinations(range(6), 3))
        for leaking in range(7)
    }
    assert ways == {0: 20, 1: 10, 2: 4, 3: 1, 4: 0, 5: 0, 6: 0}
    assert most_leaking(6, 3, 0, 0.9) == 2  # 4/20 > 0.1, 1/20 is not
    assert most_leaking(6, 3, 0, 0.96) == 3
    assert most_leaking(6, 3, 0, 0.5) == 0  # 10/20 is not above 0.5


def test_fifty_of_very_many() -> None:
    """The issue's figure: 0 of 50 gives 5.8 %."""
    share = most_leaking(1_000_000, 50, 0, 0.95) / 1_000_000
    assert share == pytest.approx(1 - 0.05 ** (1 / 50), abs=1e-4)
    assert f"{share:.1%}" == "5.8%"


@pytest.mark.parametrize("seen", [0, 1, 3, 10])
def test_the_limit_is_clopper_and_pearson(seen: int) -> None:
    share = most_leaking(200_000, 60, seen, 0.95) / 200_000
    assert share == pytest.approx(stats.beta.ppf(0.95, seen + 1, 60 - seen), abs=5e-4)


@pytest.mark.parametrize("seen", [0, 2, 50])
def test_where_all_were_read_nothing_is_left_to_chance(seen: int) -> None:
    assert most_leaking(50, 50, seen, 0.99) == seen


def test_simulated() -> None:
    """40 of 300 documents leak; the bound of 20 drawn ones is too low in at most 10 % of draws."""
    rng = np.random.default_rng(4)
    bounds = [most_leaking(300, 20, seen, 0.9) for seen in range(21)]
    seen = rng.hypergeometric(40, 260, 20, size=20_000)
    too_low = np.mean(np.array(bounds)[seen] < 40)
    assert 0.01 < too_low <= 0.105


@pytest.mark.parametrize(
    "arguments", [(10, 0, 0, 0.9), (10, 11, 0, 0.9), (10, 5, 6, 0.9), (10, 5, 0, 1.0)]
)
def test_what_makes_no_sense_is_refused(arguments: tuple[int, int, int, float]) -> None:
    with pytest.raises(ValueError, match=r"cannot see|confidence"):
        most_leaking(*arguments)


def test_counts_of_samples() -> None:
    assert comb(50, 50) == 1
    assert most_leaking(1, 1, 0, 0.95) == 0
