"""Is one system better than another? A paired test on the same documents.

Approximate randomisation (Noreen 1989; Yeh 2000): if the two systems did not differ, the counts
of each unit could just as well have come from the other system. Swap them at random; the difference
in F-score is at least as large as the observed one in k trials::

    p = (k + 1) / (trials + 1)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lacuna.errors import ScoringError
from lacuna.evaluation.bootstrap import Interval, block_sizes, draws, interval
from lacuna.evaluation.counts import f_score
from lacuna.evaluation.scores import Scores
from lacuna.types import FloatArray, LongArray

#: Tolerance: sums of the same counts may be rounded differently.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same gold.

    Attributes
    ----------
    section, figure
        The micro F-score compared (``"f1"``, ``"f2"``), and its section.
    first, second, difference
        The two scores, and first - second.
    interval
        95 % paired bootstrap interval of the difference.
    p_value
        Probability of a difference this large if the systems do not differ.
    units
        Number of groups or documents that could be swapped.
    """

    section: str
    figure: str
    first: float
    second: float
    difference: float
    interval: Interval
    p_value: float
    units: int


def compare_systems(
    first: Scores,
    second: Scores,
    *,
    rng: np.random.Generator,
    section: str = "strict",
    beta: float = 1.0,
    trials: int = 10_000,
    resamples: int = 1000,
) -> Comparison:
    """Compare two systems scored against the same gold documents.

    Raises
    ------
    ScoringError
        The systems were not scored on the same gold documents, or there are none.
    """
    one, other = _aligned(first, second, section)
    f_one, f_other = (float(f_score(c.sum(axis=0), beta)) for c in (one, other))
    resampled = np.concatenate(
        [
            f_score(weights @ one, beta) - f_score(weights @ other, beta)
            for weights in draws(len(one), resamples, rng)
        ]
    )
    swapped = _swapped_differences(one, other, beta, trials, rng)
    as_large = int((np.abs(swapped) >= abs(f_one - f_other) - ROUNDING).sum())
    return Comparison(
        section=section,
        figure=f"f{beta:g}",
        first=f_one,
        second=f_other,
        difference=f_one - f_other,
        interval=interval(resampled, 0.95),
        p_value=(as_large + 1) / (trials + 1),
        units=len(one),
    )


def _aligned(first: Scores, second: Scores, section: str) -> tuple[LongArray, LongArray]:
    """Return both systems' ``[unit, (tp, fp, fn)]`` with units in the same order."""
    place = {unit: number for number, unit in enumerate(second.units)}
    if set(first.units) != set(second.units) or sorted(first.ids) != sorted(second.ids):
        raise ScoringError("the two systems were not scored on the same documents")
    one = first.by_unit(section)
    other = second.by_unit(section)[[place[unit] for unit in first.units]]
    for unit, gold_one, gold_other in zip(
        first.units, one[:, [0, 2]].sum(axis=1), other[:, [0, 2]].sum(axis=1), strict=True
    ):
        if gold_one != gold_other:
            kind, name = unit
            raise ScoringError(f"{kind} {name}: the two systems were scored against different gold")
    return one, other


def _swapped_differences(
    one: LongArray, other: LongArray, beta: float, trials: int, rng: np.random.Generator
) -> FloatArray:
    """Return differences in F-score after each unit was swapped with probability 1/2."""
    change = other - one
    differences = []
    for size in block_sizes(len(one), trials):
        swap = rng.integers(2, size=(size, len(one))).astype(np.float64)
        moved = swap @ change
        differences.append(
            f_score(one.sum(axis=0) + moved, beta) - f_score(other.sum(axis=0) - moved, beta)
        )
    return np.concatenate(differences)
