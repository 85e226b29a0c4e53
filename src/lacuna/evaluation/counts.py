"""Counts of right, spurious and missed mentions or tokens, and the fractions made of them.

::

    precision  = tp / (tp + fp)
    recall     = tp / (tp + fn)
    F_b        = (1 + b²) tp / ((1 + b²) tp + b² fn + fp)
    error rate = fp / (tp + fn)

0/0 is 1 if gold and prediction are both empty, else 0. F_b is the weighted harmonic mean of
precision and recall, written so that it needs no special case when one of them is 0/0. The
error rate is e/N of "Token Identification Using HMM and PPM Models" (Wen, Witten and Wang 2003).

Counts of every document and label are sparse rows that take little memory; totals, results by
document and all resampling are sums over these rows.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lacuna.types import FloatArray, IntArray, LongArray

CountArray = npt.NDArray[np.int64] | npt.NDArray[np.float64]  # counts[..., 0:3] = tp, fp, fn


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of true positives, false positives and false negatives."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def gold(self) -> int:
        """Number in the gold standard."""
        return self.tp + self.fn

    @property
    def predicted(self) -> int:
        """Number in the prediction."""
        return self.tp + self.fp

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in gold and prediction, so that the figures mean nothing."""
        return not (self.tp or self.fp or self.fn)

    @property
    def precision(self) -> float:
        """Share of the prediction that is right."""
        return self.figures()["precision"]

    @property
    def recall(self) -> float:
        """Share of gold that was found."""
        return self.figures()["recall"]

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return self.figures()["f1"]

    @property
    def error_rate(self) -> float:
        """``fp / gold``, which may exceed 1; without gold 0 if nothing was predicted, else 1."""
        return self.fp / self.gold if self.gold else float(self.fp > 0)

    def figures(self, beta: float = 1.0) -> dict[str, float]:
        """Return precision, recall and f1, and F-beta unless `beta` is 1, by name."""
        counts = np.array([self.tp, self.fp, self.fn])
        return {name: float(value) for name, value in figures(counts, beta).items()}


@dataclass(frozen=True, slots=True)
class Section:
    """The counts of one section (strict, relaxed, token …), by label.

    Attributes
    ----------
    labels
        Counts of every label that occurs in gold or prediction, sorted by name.
    """

    labels: Mapping[str, Counts]

    @property
    def micro(self) -> Counts:
        """Counts over all labels."""
        return sum(self.labels.values(), Counts())

    def macro(self, beta: float = 1.0) -> dict[str, float]:
        """Return the unweighted mean of each figure over the labels (1 if there are none)."""
        tables = [counts.figures(beta) for counts in self.labels.values()] or [
            Counts().figures(beta)
        ]
        return {name: math.fsum(t[name] for t in tables) / len(tables) for name in tables[0]}


def mean_figures(many: Sequence[Counts], beta: float = 1.0) -> dict[str, float]:
    """Return the unweighted mean of each figure and of the error rate (0 if `many` is empty)."""
    tables = [{**counts.figures(beta), "error_rate": counts.error_rate} for counts in many]
    names = {**Counts().figures(beta), "error_rate": 0.0}
    return {name: math.fsum(t[name] for t in tables) / max(len(tables), 1) for name in names}


def figures(counts: CountArray, beta: float = 1.0) -> dict[str, FloatArray]:
    """Return precision, recall, f1 and F-beta of ``counts[..., 0:3]`` by name."""
    table = {
        "precision": _fraction(counts, 1, 0),
        "recall": _fraction(counts, 0, 1),
        "f1": f_score(counts),
    }
    if beta != 1.0:
        table[f"f{beta:g}"] = f_score(counts, beta)
    return table


def f_score(counts: CountArray, beta: float = 1.0) -> FloatArray:
    """Return F-beta of ``counts[..., 0:3]``; `beta` > 1 favours recall, < 1 precision."""
    if not 0 <= beta < math.inf:
        raise ValueError(f"beta must be finite and at least 0, got {beta}")
    # F_b = tp / (tp + fp / (1 + b²) + fn b² / (1 + b²))
    return _fraction(counts, 1 / (1 + beta**2), beta**2 / (1 + beta**2))


def _fraction(counts: CountArray, fp_weight: float, fn_weight: float) -> FloatArray:
    """Return tp / (tp + fp_weight fp + fn_weight fn), with 0/0 as above."""
    tp, fp, fn = counts[..., 0], counts[..., 1], counts[..., 2]
    whole = tp + fp_weight * fp + fn_weight * fn
    nothing = whole == 0
    return np.where(nothing, (fp + fn == 0) * 1.0, tp / np.where(nothing, 1.0, whole))


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """Sparse rows of a table ``[document, label, column]``.

    Attributes
    ----------
    labels
        Every label that has a row, sorted.
    document, label
        Row r belongs to document ``document[r]`` and label ``labels[label[r]]``; rows are in
        document order.
    values
        ``values[r, c]`` is column c of row r.
    """

    labels: tuple[str, ...]
    document: IntArray
    label: IntArray
    values: IntArray

    def label_totals(self) -> LongArray:
        """Return sums over documents: ``[label, column]``."""
        return _sums(self.label, self.values, len(self.labels))

    def unit_totals(self, unit: IntArray, units: int) -> LongArray:
        """Return sums over labels: ``[unit, column]``; document d belongs to ``unit[d]``."""
        return _sums(unit[self.document], self.values, units)


def _sums(place: IntArray, values: IntArray, places: int) -> LongArray:
    sums = np.zeros((places, values.shape[1]), dtype=np.int64)
    np.add.at(sums, place, values)
    return sums


class TableBuilder:
    """Collects rows, in document order, while a corpus is read."""

    def __init__(self, columns: int) -> None:
        self._width = columns + 2
        self._numbers = array("i")
        self._label_numbers: dict[str, int] = {}

    def add(self, document: int, label: str, values: Iterable[int]) -> None:
        """Append one row."""
        number = self._label_numbers.setdefault(label, len(self._label_numbers))
        self._numbers.extend((document, number, *values))

    def table(self) -> LabelTable:
        """Return the collected rows, with sorted labels."""
        rows = np.array(self._numbers, dtype=np.int32).reshape(-1, self._width)
        labels = tuple(sorted(self._label_numbers))
        rank = {label: place for place, label in enumerate(labels)}
        place = np.array([rank[label] for label in self._label_numbers], dtype=np.int32)
        return LabelTable(labels, rows[:, 0], place[rows[:, 1]], rows[:, 2:])
