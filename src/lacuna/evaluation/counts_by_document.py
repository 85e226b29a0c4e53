"""Counts of every document and label, as sparse rows that take little memory.

Totals, results by document and all resampling are sums over these rows.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lacuna.types import IntArray, LongArray


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
