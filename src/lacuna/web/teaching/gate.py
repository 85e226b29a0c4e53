"""The gate: whether a model that was just taught may suggest in place of the present one.

Both models read the documents of the gate; patients (units) are what is drawn again. With counts of
each patient, and b resamples of the patients, the same for both models::

    difference   missed share now - before, and strict F1 before - now: greater is worse
    error        standard deviation of the difference over the resamples
    clearly worse   difference > 1.28 · error, in one of the two

1.28 is a one-sided test at 10 %. A single patient never refuses a model: if only one of n patients
differs, the difference is at most √(n / (n - 1)) errors, which is less than 1.28 from three
patients on. Refusing is cheap (the present model stays, and the next try may pass), so the test is
far from strict; with a few dozen patients, a 5 % test would let most harm through.

A model that learnt longer replaces the one that went live early if it is better in the sum of both
figures, and clearly worse in none. All of this looks at the gate again and again: its scores are a
little too good, and promise nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec
import numpy as np

from lacuna.errors import ScoringError
from lacuna.evaluation.bootstrap import draws
from lacuna.evaluation.counts import f_score
from lacuna.evaluation.scores import Scores
from lacuna.types import FloatArray, LongArray

LEAST_DOCUMENTS, LEAST_PATIENTS = 5, 3  #: with fewer, nothing is compared
ERRORS = 1.28  #: standard errors by which a model may be worse
RESAMPLES = 1000
SEED = 17


class Verdict(StrEnum):
    """What the gate says."""

    LIVE = "live"  #: not clearly worse: it may suggest
    WORSE = "worse"  #: clearly worse: the present model stays
    NO_GATE = "no-gate"  #: too few documents to tell: it suggests, unchecked


class Measures(msgspec.Struct, frozen=True):
    """Scores with 95 % bootstrap intervals over patients; ``None`` if there is nothing to measure.

    Attributes
    ----------
    missed
        Share of the identifier tokens that no suggestion touches.
    f1
        Strict F1 of mentions: borders and label.
    """

    missed: float | None = None
    missed_low: float | None = None
    missed_high: float | None = None
    f1: float | None = None
    f1_low: float | None = None
    f1_high: float | None = None


class LabelScores(msgspec.Struct, frozen=True):
    """Strict F1 of a label, `now` with its interval; `gold` and `examples` count mentions.

    Of the gate, and of the documents that were learnt from.
    """

    label: str
    before: float
    now: float
    low: float
    high: float
    gold: int
    examples: int


class Compared(msgspec.Struct, frozen=True):
    """Two models on the gate."""

    verdict: Verdict
    why: str
    documents: int
    patients: int
    before: Measures = Measures()
    now: Measures = Measures()
    labels: tuple[LabelScores, ...] = ()


def compare(before: Scores, now: Scores, examples: Mapping[str, int] | None = None) -> Compared:
    """Compare the present model with a new one on the same documents.

    `examples` are the mentions that the new one learnt from, by label.

    Raises :class:`ScoringError` if the documents are not the same.
    """
    documents, patients = len(now.ids), len(now.units)
    if (before.ids, before.units) != (now.ids, now.units):
        raise ScoringError("the two models did not read the same documents")
    if not documents:
        return Compared(Verdict.NO_GATE, _unchecked(0, 0), 0, 0)
    weights = _weights(patients)
    was, is_now = _measures(before, weights), _measures(now, weights)
    labels = _labels(before, now, weights, examples or {})
    if documents < LEAST_DOCUMENTS or patients < LEAST_PATIENTS:
        verdict, why = Verdict.NO_GATE, _unchecked(documents, patients)
    else:
        worse, better = _clearly(before, now, weights), _clearly(now, before, weights)
        verdict = Verdict.WORSE if any(worse) else Verdict.LIVE
        why = _why(worse, better, documents)
    return Compared(verdict, why, documents, patients, was, is_now, labels)


def is_better(earlier: Scores, later: Scores) -> bool:
    """Whether a model that learnt longer replaces itself; without a gate, it does."""
    documents, patients = len(later.ids), len(later.units)
    if documents < LEAST_DOCUMENTS or patients < LEAST_PATIENTS:
        return True
    if any(_clearly(earlier, later, _weights(patients))):
        return False
    missed, f1 = _differences(earlier, later, np.ones((1, patients)))
    return bool(missed[0] + f1[0] < 0)


# --- figures


def _weights(patients: int) -> FloatArray:
    """Return weights[resample, patient], always the same."""
    return np.concatenate(list(draws(patients, RESAMPLES, np.random.default_rng(SEED))))


def _missed(scores: Scores, weights: FloatArray) -> FloatArray:
    """Return the missed share of each resample."""
    tp, _, fn = (weights @ scores.by_unit("binary")).T
    gold = tp + fn
    share: FloatArray = np.where(gold == 0, 0.0, fn / np.where(gold == 0, 1.0, gold))
    return share


def _f1(counts: LongArray, weights: FloatArray) -> FloatArray:
    return f_score(weights @ counts)


def _differences(before: Scores, now: Scores, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return by how much the new model is worse in each resample: missed share, F1."""
    return (
        _missed(now, weights) - _missed(before, weights),
        _f1(before.by_unit("strict"), weights) - _f1(now.by_unit("strict"), weights),
    )


def _clearly(before: Scores, now: Scores, weights: FloatArray) -> list[bool]:
    """Say in which figure `now` is worse by more than chance explains: missed share, F1."""
    whole = np.ones((1, weights.shape[1]))
    found = zip(_differences(before, now, whole), _differences(before, now, weights), strict=True)
    return [bool(one[0] > ERRORS * resampled.std()) for one, resampled in found]


def _measures(scores: Scores, weights: FloatArray) -> Measures:
    whole = np.ones((1, weights.shape[1]))
    strict = scores.by_unit("strict")
    values: list[float | None] = []
    has_gold = scores.section("binary").micro.gold > 0
    for is_known, point, resampled in (
        (has_gold, _missed(scores, whole), _missed(scores, weights)),
        (bool(strict.any()), _f1(strict, whole), _f1(strict, weights)),
    ):
        low, high = np.quantile(resampled, [0.025, 0.975])
        values += [float(point[0]), float(low), float(high)] if is_known else [None] * 3
    return Measures(*values)


def _labels(
    before: Scores, now: Scores, weights: FloatArray, examples: Mapping[str, int]
) -> tuple[LabelScores, ...]:
    """Return the labels that the gate has, the most frequent first."""
    old = before.section("strict").labels
    rows = []
    for label, counts in now.section("strict").labels.items():
        if not counts.gold:
            continue
        resampled = _f1(_of_label(now, label), weights)
        low, high = np.quantile(resampled, [0.025, 0.975])
        was = old[label].f1 if label in old else 0.0
        rows.append(
            LabelScores(
                label, was, counts.f1, float(low), float(high), counts.gold, examples.get(label, 0)
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.gold, row.label)))


def _of_label(scores: Scores, label: str) -> LongArray:
    """Return ``[patient, (tp, fp, fn)]`` of one label."""
    table = scores.tables["strict"]
    rows = table.label == table.labels.index(label)
    sums = np.zeros((len(scores.units), 3), np.int64)
    np.add.at(sums, scores.unit[table.document[rows]], table.values[rows])
    return sums


# --- words


def _unchecked(documents: int, patients: int) -> str:
    return (
        f"Nothing checks it: the gate has {documents} finished documents of {patients} patients;"
        f" it needs {LEAST_DOCUMENTS} of {LEAST_PATIENTS}."
    )


def _why(worse: list[bool], better: list[bool], documents: int) -> str:
    """Return a sentence about the figures: missed share and F1."""
    changed = worse if any(worse) else better
    words = ("misses more", "has a lower F1") if any(worse) else ("misses less", "has a higher F1")
    named = [name for name, is_so in zip(words, changed, strict=True) if is_so]
    verdict = f"It {' and '.join(named)} than before" if named else "About as good as before"
    return f"{verdict} on {documents} documents that it did not learn from."
