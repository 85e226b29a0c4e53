"""Differences between gold and prediction: missed, spurious, wrong label, wrong boundary."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

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
