"""Outcomes by label: mentions right, with a wrong boundary or label, missed, spurious.

After Figures 2 and 3 of "Token Identification Using HMM and PPM Models" (Wen, Witten and Wang
2003): shares of the gold mentions, for each label and for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lacuna.evaluation.mention_errors import ErrorKind, find_errors
from lacuna.text.document import Document

ALL = "all labels"


class LabelOutcomes(NamedTuple):
    """How many gold mentions of a label had each outcome, and how many were spurious."""

    label: str
    right: int = 0
    border: int = 0
    wrong_label: int = 0
    missed: int = 0
    spurious: int = 0

    @property
    def gold(self) -> int:
        """Number of gold mentions."""
        return self.right + self.border + self.wrong_label + self.missed


class OutcomeCounter:
    """Counts outcomes while documents are read."""

    def __init__(self) -> None:
        self._gold: Counter[str] = Counter()
        self._errors: Counter[tuple[str, ErrorKind]] = Counter()

    def add(self, gold: Document, predicted: Document) -> None:
        """Count one document, given what was predicted for it."""
        self._gold.update(mention.label for mention in gold.mentions)
        self._errors.update((error.label, error.kind) for error in find_errors(gold, predicted))

    def counting(
        self, pairs: Iterable[tuple[Document, Document]]
    ) -> Iterator[tuple[Document, Document]]:
        """Count (gold, predicted) documents and pass them on."""
        for gold, predicted in pairs:
            self.add(gold, predicted)
            yield gold, predicted

    def rows(self) -> list[LabelOutcomes]:
        """Return a row for all labels, then one per label, most frequent first."""
        labels = {*self._gold, *(label for label, _ in self._errors)}
        ranked = sorted(labels, key=lambda label: (-self._gold[label], label))
        rows = [self._row(label) for label in ranked]
        totals = (sum(column) for column in zip(*(row[1:] for row in rows), strict=True))
        return [LabelOutcomes(ALL, *totals), *rows]

    def _row(self, label: str) -> LabelOutcomes:
        border, wrong, missed, spurious = (
            self._errors[label, kind]
            for kind in (ErrorKind.BORDER, ErrorKind.LABEL, ErrorKind.MISSED, ErrorKind.SPURIOUS)
        )
        right = self._gold[label] - border - wrong - missed
        return LabelOutcomes(label, right, border, wrong, missed, spurious)
