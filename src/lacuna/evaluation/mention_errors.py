"""Differences between gold and prediction: missed, spurious, wrong label, wrong boundary.

:class:`OutcomeCounter` counts them by label, as shares of the gold mentions, after Figures 2 and 3
of "Token Identification Using HMM and PPM Models" (Wen, Witten and Wang 2003).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from lacuna.evaluation.seen_part import seen
from lacuna.text.document import Document, Mention
from lacuna.text.overlap import share_characters


class ErrorKind(StrEnum):
    """What is wrong."""

    MISSED = "missed"
    SPURIOUS = "spurious"
    LABEL = "wrong label"
    BORDER = "wrong boundary"


@dataclass(frozen=True, slots=True)
class MentionError:
    """A difference between gold and prediction; the side that has no mention is ``None``."""

    kind: ErrorKind
    document: Document
    gold: Mention | None
    predicted: Mention | None

    @property
    def shown(self) -> list[Mention]:
        """The gold mention, the predicted one, or both in this order."""
        return [mention for mention in (self.gold, self.predicted) if mention is not None]

    @property
    def label(self) -> str:
        """The gold label; for a spurious mention, the predicted one."""
        return self.shown[0].label


def find_errors(gold: Document, predicted: Document) -> list[MentionError]:
    """Return the mentions that only one side has, overlapping ones paired, in text order."""
    right = Counter((m.label, m.spans) for m in gold.mentions)
    made = Counter((m.label, m.spans) for m in predicted.mentions)
    missed = [m for m in gold.mentions if not made[(m.label, m.spans)]]
    spurious = [m for m in predicted.mentions if not right[(m.label, m.spans)]]
    errors: list[MentionError] = []
    paired: set[int] = set()
    for mention in missed:
        rival = next(
            (
                i
                for i, other in enumerate(spurious)
                if i not in paired and share_characters(mention.spans, other.spans)
            ),
            None,
        )
        if rival is None:
            errors.append(MentionError(ErrorKind.MISSED, gold, mention, None))
        else:
            paired.add(rival)
            same_place = spurious[rival].spans == mention.spans
            kind = ErrorKind.LABEL if same_place else ErrorKind.BORDER
            errors.append(MentionError(kind, gold, mention, spurious[rival]))
    errors += [
        MentionError(ErrorKind.SPURIOUS, gold, None, mention)
        for i, mention in enumerate(spurious)
        if i not in paired
    ]
    return sorted(errors, key=lambda error: error.shown[0].start)


class ErrorCollector:
    """Collects the errors of many documents, and counts which labels were found for which.

    Attributes
    ----------
    errors
        In the order of documents and texts.
    confusion
        How many mentions have a gold label and a predicted label, boundaries ignored; ``None``
        instead of a label: missed or spurious.
    """

    def __init__(self) -> None:
        self.errors: list[MentionError] = []
        self.confusion: Counter[tuple[str | None, str | None]] = Counter()

    def add(self, gold: Document, predicted: Document) -> None:
        """Add a document, given what was predicted for it."""
        gold, predicted = seen(gold, predicted)
        errors = find_errors(gold, predicted)
        self.errors += errors
        self.count(gold, errors)

    def count(self, gold: Document, errors: Iterable[MentionError]) -> None:
        """Count the labels of a document without listing its errors."""
        right = Counter(mention.label for mention in gold.mentions)
        for error in errors:
            found = None if error.predicted is None else error.predicted.label
            self.confusion[None if error.gold is None else error.gold.label, found] += 1
            if error.gold is not None:
                right[error.gold.label] -= 1
        self.confusion.update({(label, label): n for label, n in right.items() if n})


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
        gold, predicted = seen(gold, predicted)
        self._gold.update(mention.label for mention in gold.mentions)
        self._errors.update((error.label, error.kind) for error in find_errors(gold, predicted))

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
