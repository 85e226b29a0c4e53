"""Whether the documents of a run are like those of the calibration.

A promise holds for documents drawn like those it was made with. Three rates of every document show
whether a run differs: unknown words among its words, redacted tokens among its tokens, and the
number of tokens that the model expects to be missed, per token. Calibration stores how many
documents fall into each of 64 bins of a rate; a run counts its own documents in the same bins, so
that counts of workers add up.

The two-sample Kolmogorov–Smirnov test compares them:

    D = max over bins |F_run − F_calibration|,    p ≈ 2 Σ_k (−1)^(k−1) exp(−2 k² λ²),
    λ = (√e + 0.12 + 0.11 / √e) D,                e = n m / (n + m).

Bins can only lower D, so the test errs on the quiet side. Documents of one patient resemble one
another: n and m count patients, those of the run being estimated by the number of documents per
patient in the calibration. A run differs if p ≤ 0.001 / 3 for one of the three rates (Bonferroni:
0.001 in all) and D ≥ 0.1, so that a large run is not reported for a tiny difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, sqrt
from typing import NamedTuple

import msgspec
import numpy as np

from lacuna.deid.vocabulary import WordCounts
from lacuna.types import FloatArray

LEVEL = 0.001  #: probability of reporting a difference where there is none
LEAST_DIFFERENCE = 0.1  #: D below which a difference is not worth reporting
BINS = 64
UNKNOWN, REDACTED, MISSED = "unknown words", "redacted tokens", "expected missed tokens"
#: A rate r is in bin ⌊64 rᵃ⌋: most rates of redacted and missed tokens are small.
POWERS: Mapping[str, float] = {UNKNOWN: 1.0, REDACTED: 0.5, MISSED: 0.25}
#: The model may expect so many times what it expected in the calibration.
TOLERATED = 1.5


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The documents of a calibration, at its threshold.

    Attributes
    ----------
    documents, units
        How many there are, and of how many patients.
    counts
        Documents by rate and bin.
    left
        Share of the identifier tokens that the model expected to be missed.
    """

    documents: int
    units: int
    counts: dict[str, int]
    left: float


class Difference(NamedTuple):
    """A rate whose distribution differs: D, and the probability of such a D by chance."""

    rate: str
    distance: float
    p: float


def rates(
    tokens: int, redacted: int, expected_missed: float, words: WordCounts | None
) -> dict[str, int]:
    """Return the bins of one document, each with the count 1."""
    found: dict[str, float] = {}
    if words is not None and words.words and words.unknown is not None:
        found[UNKNOWN] = words.unknown / words.words
    if tokens:
        found[REDACTED] = redacted / tokens
        found[MISSED] = expected_missed / tokens
    return {
        f"{name}:{min(int(BINS * rate ** POWERS[name]), BINS - 1)}": 1
        for name, rate in found.items()
    }


def expected_left(expected_missed: float, redacted: int) -> float:
    """Return the share of identifier tokens that the model expects to remain."""
    every = expected_missed + redacted
    return expected_missed / every if every else 0.0


def differences(baseline: Baseline, counts: Mapping[str, int]) -> list[Difference]:
    """Return the rates in which documents, counted by bins, differ from the calibration."""
    share = baseline.units / baseline.documents if baseline.documents else 1.0
    found = []
    for rate in POWERS:
        before, now = _histogram(baseline.counts, rate), _histogram(counts, rate)
        n, m = before.sum() * share, now.sum() * share
        if not n or not m:
            continue
        steps = np.cumsum(before) / before.sum() - np.cumsum(now) / now.sum()
        distance = float(np.abs(steps).max())
        p = chance(distance, float(n * m / (n + m)))
        if p <= LEVEL / len(POWERS) and distance >= LEAST_DIFFERENCE:
            found.append(Difference(rate, distance, p))
    return found


def chance(distance: float, effective: float) -> float:
    """Return the probability of such a distance between samples of one distribution."""
    root = sqrt(effective)
    scaled = (root + 0.12 + 0.11 / root) * distance
    if scaled < 0.3:  # the series converges slowly, and the sum is 1
        return 1.0
    total = 0.0
    for k in range(1, 101):
        total += (1 if k % 2 else -1) * exp(-2 * (k * scaled) ** 2)
    return min(max(2 * total, 0.0), 1.0)


def doubts(
    level: float,
    baseline: Baseline | None,
    counts: Mapping[str, int],
    left: float,
) -> list[str]:
    """Return why a promise may not hold for the documents of a run, in words.

    Parameters
    ----------
    level
        The share that may be missed.
    baseline
        The documents of the calibration.
    counts
        The documents of the run, by bins.
    left
        Share of the identifier tokens that the model expects to remain, see
        :func:`expected_left`.
    """
    reasons = []
    different = [] if baseline is None else differences(baseline, counts)
    if different:
        names = ", ".join(f"{one.rate} (D = {one.distance:.2f})" for one in different)
        reasons.append(
            f"the documents differ from those of the calibration in their rates of {names};"
            f" Kolmogorov–Smirnov test at level {LEVEL}"
        )
    usual = 0.0 if baseline is None else baseline.left
    if left > max(level, TOLERATED * usual):
        reasons.append(
            f"the model expects that {left:.1%} of the identifier tokens remain,"
            f" more than the promised {level:.1%}"
        )
    return reasons


def _histogram(counts: Mapping[str, int], rate: str) -> FloatArray:
    return np.array([counts.get(f"{rate}:{place}", 0) for place in range(BINS)], np.float64)
