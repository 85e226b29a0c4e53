from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.evaluation.counts import Counts, Section, f_score, figures

small = st.integers(0, 30)
counts = st.builds(Counts, small, small, small)


def test_conlleval_arithmetic() -> None:
    """Three phrases in gold, four found, two of them right: 50.00 %, 66.67 %, FB1 57.14."""
    found = Counts(tp=2, fp=2, fn=1)
    assert (found.predicted, found.gold) == (4, 3)
    assert f"{100 * found.precision:.2f}" == "50.00"
    assert f"{100 * found.recall:.2f}" == "66.67"
    assert f"{100 * found.f1:.2f}" == "57.14"


def test_a_row_of_the_seed() -> None:
    """Seed 001, table 3, test4: 146 tokens, 119 marked, 89 of them right."""
    found = Counts(tp=89, fp=30, fn=57)
    percent = [100 * x for x in (found.recall, found.precision, found.f1, found.error_rate)]
    assert [f"{x:.2f}" for x in percent] == ["60.96", "74.79", "67.17", "20.55"]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Counts(0, 0, 0), (1.0, 1.0, 1.0, 0.0)),  # nothing to find, nothing found
        (Counts(0, 3, 0), (0.0, 0.0, 0.0, 1.0)),  # 0/0 recall, but something was predicted
        (Counts(0, 0, 3), (0.0, 0.0, 0.0, 0.0)),
        (Counts(0, 6, 3), (0.0, 0.0, 0.0, 2.0)),
        (Counts(4, 0, 0), (1.0, 1.0, 1.0, 0.0)),
    ],
)
def test_empty_sides(found: Counts, expected: tuple[float, ...]) -> None:
    assert (found.precision, found.recall, found.f1, found.error_rate) == expected


@given(counts, st.floats(0.1, 10))
def test_f_beta_is_the_weighted_harmonic_mean(found: Counts, beta: float) -> None:
    value = float(f_score(np.array([found.tp, found.fp, found.fn]), beta))
    precision, recall = found.precision, found.recall
    if precision and recall:
        weighted = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
        assert value == pytest.approx(weighted)
    else:
        assert value == 0


def test_f2_by_hand() -> None:
    # P = 1/2, R = 1/3: 5 · 1/6 / (4/2 + 1/3) = 5/14
    assert Counts(1, 1, 2).figures(beta=2)["f2"] == pytest.approx(5 / 14)
    assert list(Counts().figures(beta=0.5)) == ["precision", "recall", "f1", "f0.5"]
    assert list(Counts().figures()) == ["precision", "recall", "f1"]


@pytest.mark.parametrize("beta", [-1.0, math.inf, math.nan])
def test_beta_is_a_number_of_at_least_zero(beta: float) -> None:
    with pytest.raises(ValueError, match="beta"):
        Counts(1, 1, 1).figures(beta)


@given(st.lists(counts, min_size=1, max_size=4))
def test_arrays_and_single_counts_agree(rows: list[Counts]) -> None:
    table = figures(np.array([[c.tp, c.fp, c.fn] for c in rows]), beta=2.0)
    for i, row in enumerate(rows):
        assert {name: values[i] for name, values in table.items()} == row.figures(beta=2.0)


def test_micro_sums_and_macro_averages() -> None:
    section = Section({"A": Counts(1, 1, 0), "B": Counts(0, 0, 2)})
    assert section.micro == Counts(1, 1, 2)
    assert section.macro() == pytest.approx({"precision": 1 / 4, "recall": 1 / 2, "f1": 1 / 3})
    assert Section({}).micro == Counts()
    assert Section({}).macro() == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
