"""The recall dial: how much to redact so that little is missed.

The whole pipeline is calibrated. With a threshold t it redacts

    redacted(t) = {tokens with P(identifier) ≥ t} ∪ what patterns, lists and known names found

so a token that only the model can find is missed if its probability is below t. The loss of a unit
(a patient; a document if there are no groups) is the share of its identifier tokens that
are missed, 0 if it has none. It can only grow with t. The risk R(t) is the expected loss of
another unit, drawn like the n units that are at hand, S(t) the sum of their losses. There
are two promises, each the highest t at which these losses are small enough:

**The mean promise** (conformal risk control; Angelopoulos et al. 2024):

    (S(t) + 1) / (n + 1) ≤ level.

Then the expected loss of another unit is at most `level`, over draws of all n + 1 units. It is a
promise about the average: one calibration set in three or four gives a threshold with a risk above
`level`.

**The promise with confidence** (risk-controlling prediction sets; Bates et al. 2021): the losses
are improbable if R(t) > level, so that such a t is promised with probability at most
δ = 1 − confidence, over draws of the n units. With losses l_i of independent units, bet on small
ones (Waudby-Smith and Ramdas 2024):

    K_c = Π_i (1 + c (level − l_i) / (1 − level)),    0 ≤ c ≤ 1,
    K = w K_1 + (1 − w) (K_0.9 + K_0.4) / 2  ≥  1/δ,    w = (1 − level)ⁿ / δ.

If R(t) ≥ level, every factor has an expectation of at most 1, so have the product and the mixture,
and P(K ≥ 1/δ) ≤ δ by Markov's inequality. The weights depend on n, level and δ alone. K_1 is
(1 − level)⁻ⁿ if nothing is missed, so w K_1 = 1/δ: then the promise is given as soon as
(1 − level)ⁿ ≤ δ, which cannot be improved. With more units the weight goes to K_0.9, which is
strong where patients lose a few tokens each, and K_0.4, where some lose all of few. The usual bound
of Hoeffding and Bentkus knows the sum of the losses only and has to allow for the second; on
losses of the first kind it costs half of the level (``docs/decisions.md``). No correction is needed
for trying many thresholds: K falls in every loss and losses grow with t, so t is too high only if
K ≥ 1/δ also just above the highest threshold with R ≤ level (fixed-sequence testing; R is
continuous from the left).

Both promises hold for a level chosen before the curve is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, exp, inf, log, log1p

import numpy as np

from lacuna.deid.calibration_units import Unit
from lacuna.deid.drift import Baseline, expected_left, rates
from lacuna.errors import ConfigError
from lacuna.types import FloatArray

#: Below this value of (n + 1) · level a single missed token decides the threshold.
COMFORTABLE = 3.0
CURVE_POINTS = 101
DEFAULT_CONFIDENCE = 0.95
BETS = (0.9, 0.4)  #: c of the bets that are mixed in, see above
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What a threshold does on the calibration set."""

    threshold: float
    missed: float  #: mean share of identifier tokens missed per unit
    precision: float  #: share of redacted tokens that are identifiers


@dataclass(frozen=True, slots=True)
class Calibration:
    """A threshold and the promise it keeps.

    Attributes
    ----------
    level
        Upper bound on the expected share of identifier tokens missed per unit.
    threshold
        Tokens with at least this probability are redacted.
    units
        How many units it is based on.
    missed, precision
        On the calibration set.
    confidence
        Probability, over draws of the calibration set, that the bound holds; ``None``: it holds
        on average over such draws.
    baseline
        The documents of the calibration set, to compare others with.
    """

    level: float
    threshold: float
    units: int
    missed: float
    precision: float
    confidence: float | None = None
    baseline: Baseline | None = None

    @property
    def is_tight(self) -> bool:
        """Whether there are so few units that more would allow a better threshold."""
        return (self.units + 1) * self.level < COMFORTABLE


def units_needed(level: float, confidence: float | None = None) -> int:
    """Return the least number of units for a promise: with fewer, even no miss is not enough."""
    if confidence is None:
        return ceil(round(1 / level, 9)) - 1
    return ceil(round(log1p(-confidence) / log1p(-level), 9))


def least_level(units: int, confidence: float | None = None) -> float:
    """Return the least level that so many units can promise, if none of them misses anything."""
    return 1 / (units + 1) if confidence is None else 1 - (1 - confidence) ** (1 / max(units, 1))


def calibrate(
    units: Sequence[Unit], level: float, confidence: float | None = None, *, most: float = 1.0
) -> Calibration:
    """Return the highest threshold, up to `most`, that keeps the promise.

    Raises
    ------
    ConfigError
        If the level or the confidence is not between 0 and 1, or there are too few units.
    """
    for what, share in (("share that may be missed", level), ("confidence", confidence)):
        if share is not None and not 0 < share < 1:
            raise ConfigError(f"the {what} must be between 0 and 1, got {share}")
    n = len(units)
    if n < units_needed(level, confidence):
        raise ConfigError(too_few(n, level, confidence))

    def holds(losses: FloatArray) -> bool:
        if confidence is None:
            return float(losses.sum()) + 1 <= level * (n + 1) + _ROUNDING
        return log_evidence(losses, level, 1 - confidence) >= -_ROUNDING

    threshold = min(_highest(units, holds), most)  # the loss can only fall
    if threshold < 0:
        raise ConfigError(
            f"{level:.3g} cannot be promised: terms that are never taken out, and what the policy"
            " leaves under a wrong label, miss more than that"
        )
    missed, precision = outcome(units, threshold)
    return Calibration(
        level, threshold, n, missed, precision, confidence, _baseline(units, threshold)
    )


def too_few(units: int, level: float, confidence: float | None) -> str:
    """Say how many units a promise needs, and what the units at hand can promise."""
    needed = units_needed(level, confidence)
    how = "on average" if confidence is None else f"with confidence {confidence:g}"
    sure = DEFAULT_CONFIDENCE if confidence is None else confidence
    lines = [
        f"{units} patients or documents are too few to promise {level:.3g} {how}:"
        f" at least {needed} are needed",
        f"needed without any miss   on average   with confidence {sure:g}",
    ]
    for share in sorted({0.01, 0.02, 0.05, 0.1, level}):
        mean, signed = units_needed(share), units_needed(share, sure)
        lines.append(f"  at most {share:<7.2%} missed   {mean:10,}   {signed:10,}")
    lines.append(
        f"{units} can promise {least_level(units):.1%} on average"
        f" and {least_level(units, sure):.1%} with confidence {sure:g}"
    )
    return "\n".join(lines)


def log_evidence(losses: FloatArray, level: float, delta: float) -> float:
    """Return log(δ K): at least 0 with probability of at most δ if the mean loss is above level."""
    log_weight = min(len(losses) * log1p(-level) - log(delta), 0.0)
    log_rest = log1p(-exp(log_weight)) - log(len(BETS)) if log_weight < 0 else -inf
    terms = [log_weight + _log_bet(losses, level, 1.0)]
    terms += [log_rest + _log_bet(losses, level, bet) for bet in BETS]
    return float(np.logaddexp.reduce(terms)) + log(delta)


def _log_bet(losses: FloatArray, level: float, bet: float) -> float:
    """Return log K_c; a loss of 1 ends a bet with c = 1."""
    with np.errstate(divide="ignore"):
        return float(np.log((1 - level + bet * (level - losses)) / (1 - level)).sum())


def _highest(units: Sequence[Unit], holds: Callable[[FloatArray], bool]) -> float:
    """Return the highest threshold at which `holds` is true of the losses of the units.

    It is true up to some threshold: losses only grow. They change just above the probabilities of
    identifier tokens, so these and 1 are the only candidates; at the lowest nothing is missed.
    """
    scores = np.concatenate([unit.identifiers for unit in units])
    sizes = np.array([len(unit.identifiers) for unit in units])
    owner = np.repeat(np.arange(len(units)), sizes)
    candidates = np.unique(np.append(scores, 1.0))
    low, high = 0, len(candidates)  # true of the first, false from the last on
    while high - low > 1:
        middle = (low + high) // 2
        missed = np.bincount(owner[scores < candidates[middle]], minlength=len(units))
        low, high = (middle, high) if holds(missed / np.maximum(sizes, 1)) else (low, middle)
    return float(candidates[low])


def outcome(units: Sequence[Unit], threshold: float) -> tuple[float, float]:
    """Return the mean share missed per unit, and the precision over all units."""
    losses = [_share_below(unit.identifiers, threshold) for unit in units]
    hits = sum(int((unit.identifiers >= threshold).sum()) for unit in units)
    wrong = sum(int((unit.others >= threshold).sum()) for unit in units)
    precision = hits / (hits + wrong) if hits + wrong else 1.0
    return float(np.mean(losses)) if losses else 0.0, precision


def _share_below(values: FloatArray, threshold: float) -> float:
    return float((values < threshold).mean()) if len(values) else 0.0


def curve(units: Sequence[Unit]) -> list[CurvePoint]:
    """Return what thresholds from 0 to 1 do, denser where few tokens are missed."""
    return [
        CurvePoint(float(t), *outcome(units, float(t)))
        for t in np.linspace(0.0, 1.0, CURVE_POINTS) ** 2
    ]


def _baseline(units: Sequence[Unit], threshold: float) -> Baseline:
    """Return the distribution of the documents at a threshold."""
    counts: dict[str, int] = {}
    every, missed, redacted = 0, 0.0, 0
    for document in (document for unit in units for document in unit.documents):
        is_found = document.found >= threshold
        left = float(document.probability.sum(where=~is_found))
        taken = int(np.count_nonzero(is_found))
        for name in rates(len(is_found), taken, left, document.words):
            counts[name] = counts.get(name, 0) + 1
        every, missed, redacted = every + 1, missed + left, redacted + taken
    return Baseline(every, len(units), counts, expected_left(missed, redacted))
