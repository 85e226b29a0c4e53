"""Bootstrap intervals: how much a score may vary on other documents of the same kind.

Units (groups, or documents that have no group) are drawn with replacement, as many as there are;
the figures are computed again from the summed counts; the interval is between percentiles of the
resampled figures (Efron 1979).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lacuna.errors import ScoringError
from lacuna.evaluation.counts import LabelTable, figures
from lacuna.evaluation.scores import Scores
from lacuna.types import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Random numbers held at once; more units mean fewer resamples per block.
BLOCK = 4_000_000


class Interval(NamedTuple):
    """All values from `low` to `high`, both included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SectionIntervals:
    """Intervals of one section, by the name of the figure."""

    micro: Mapping[str, Interval]
    labels: Mapping[str, Mapping[str, Interval]]


def intervals(
    scores: Scores,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    level: float = 0.95,
    beta: float = 1.0,
) -> dict[str, SectionIntervals]:
    """Return intervals of precision, recall and F-scores for every section.

    Parameters
    ----------
    scores
        The result.
    rng
        Source of randomness.
    resamples
        Number of corpora to draw.
    level
        Share of the resampled figures inside an interval.
    beta
        If not 1, F-beta is added.
    """
    matrices = {name: _unit_matrix(scores, table) for name, table in scores.tables.items()}
    blocks: dict[str, list[FloatArray]] = {name: [] for name in matrices}
    for weights in draws(len(scores.units), resamples, rng):
        for name, matrix in matrices.items():
            blocks[name].append(np.asarray(weights @ matrix))
    return {
        name: _section(np.concatenate(blocks[name]), scores.tables[name].labels, level, beta)
        for name in matrices
    }


def _unit_matrix(scores: Scores, table: LabelTable) -> csr_array[np.float64, tuple[int, int]]:
    """Return the sparse ``matrix[unit, 3 label + c]``: counts tp, fp, fn of a label in a unit."""
    from scipy.sparse import csr_array  # slow to import

    row = np.repeat(scores.unit[table.document], 3)
    column = (3 * table.label[:, None] + np.arange(3)).reshape(-1)
    values = table.values.reshape(-1).astype(np.float64)
    return csr_array((values, (row, column)), shape=(len(scores.units), 3 * len(table.labels)))


def _section(
    flat: FloatArray, labels: tuple[str, ...], level: float, beta: float
) -> SectionIntervals:
    """Return the intervals of ``flat[resample, 3 label + c]``."""
    totals = flat.reshape(len(flat), len(labels), 3)
    micro = {
        name: interval(values, level) for name, values in figures(totals.sum(axis=1), beta).items()
    }
    by_label = figures(totals, beta)
    return SectionIntervals(
        micro,
        {
            label: {name: interval(values[:, i], level) for name, values in by_label.items()}
            for i, label in enumerate(labels)
        },
    )


def interval(values: FloatArray, level: float) -> Interval:
    """Return the interval that holds the middle `level` of the values."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def draws(units: int, resamples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield blocks ``weights[resample, unit]``: how often a unit was drawn into a resample."""
    if not units:
        raise ScoringError("there are no documents to resample")
    for size in block_sizes(units, resamples):
        drawn = rng.integers(units, size=(size, units)) + units * np.arange(size)[:, None]
        yield (
            np.bincount(drawn.reshape(-1), minlength=size * units)
            .reshape(size, units)
            .astype(np.float64)
        )


def block_sizes(units: int, resamples: int) -> Iterator[int]:
    """Split `resamples` into blocks of up to :data:`BLOCK` numbers (at least one resample)."""
    size = max(1, BLOCK // units)
    for start in range(0, resamples, size):
        yield min(size, resamples - start)
