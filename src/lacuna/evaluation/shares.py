"""What became of the mentions of each label: right, wrong border, wrong label, missed, invented.

After Figures 2 and 3 of "Token Identification Using HMM and PPM Models" (Wen, Witten and Wang
2003): shares of the mentions that are there, for each class and for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lacuna.evaluation.errors import ErrorKind, find_errors
from lacuna.text.document import Document

ALL = "all labels"


class LabelShares(NamedTuple):
    """How many gold mentions of a label were found, and how; and how many were invented."""

    label: str
    right: int = 0
    border: int = 0
    wrong_label: int = 0
    missed: int = 0
    invented: int = 0

    @property
    def gold(self) -> int:
        """How many mentions there are."""
        return self.right + self.border + self.wrong_label + self.missed


class ShareCounter:
    """Counts while documents stream by."""

    def __init__(self) -> None:
        self._gold: Counter[str] = Counter()
        self._errors: Counter[tuple[str, ErrorKind]] = Counter()

    def add(self, gold: Document, predicted: Document) -> None:
        """Count one document and what was found in it."""
        self._gold.update(mention.label for mention in gold.mentions)
        self._errors.update((error.label, error.kind) for error in find_errors(gold, predicted))

    def counting(
        self, pairs: Iterable[tuple[Document, Document]]
    ) -> Iterator[tuple[Document, Document]]:
        """Count pairs of gold and prediction on their way to somebody else."""
        for gold, predicted in pairs:
            self.add(gold, predicted)
            yield gold, predicted

    def rows(self) -> list[LabelShares]:
        """Return a row for all labels, then one for each label, the most frequent first."""
        labels = {*self._gold, *(label for label, _ in self._errors)}
        ranked = sorted(labels, key=lambda label: (-self._gold[label], label))
        rows = [self._row(label) for label in ranked]
        totals = (sum(column) for column in zip(*(row[1:] for row in rows), strict=True))
        return [LabelShares(ALL, *totals), *rows]

    def _row(self, label: str) -> LabelShares:
        border, wrong, missed, invented = (
            self._errors[label, kind]
            for kind in (ErrorKind.BORDER, ErrorKind.LABEL, ErrorKind.MISSED, ErrorKind.INVENTED)
        )
        right = self._gold[label] - border - wrong - missed
        return LabelShares(label, right, border, wrong, missed, invented)
