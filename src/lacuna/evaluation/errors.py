"""Differences between gold and predicted mentions: missed, invented, wrong label, wrong border."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from lacuna.text.document import Document, Mention
from lacuna.text.overlap import share_characters


class ErrorKind(StrEnum):
    """What is wrong."""

    MISSED = "missed"
    INVENTED = "invented"
    LABEL = "wrong label"
    BORDER = "wrong border"


@dataclass(frozen=True, slots=True)
class Error:
    """A difference between gold and prediction; one of the two is None where nothing overlaps."""

    kind: ErrorKind
    document: Document
    gold: Mention | None
    predicted: Mention | None

    @property
    def shown(self) -> list[Mention]:
        """The mentions it is about, the right one first."""
        return [mention for mention in (self.gold, self.predicted) if mention is not None]

    @property
    def label(self) -> str:
        """The label it counts under: the right one where there is one."""
        return self.shown[0].label


def find_errors(gold: Document, predicted: Document) -> list[Error]:
    """Pair every mention that only one side has with an overlapping one of the other side."""
    right = Counter((m.label, m.spans) for m in gold.mentions)
    made = Counter((m.label, m.spans) for m in predicted.mentions)
    missed = [m for m in gold.mentions if not made[(m.label, m.spans)]]
    invented = [m for m in predicted.mentions if not right[(m.label, m.spans)]]
    errors: list[Error] = []
    paired: set[int] = set()
    for mention in missed:
        rival = next(
            (
                i
                for i, other in enumerate(invented)
                if i not in paired and share_characters(mention.spans, other.spans)
            ),
            None,
        )
        if rival is None:
            errors.append(Error(ErrorKind.MISSED, gold, mention, None))
        else:
            paired.add(rival)
            same_place = invented[rival].spans == mention.spans
            kind = ErrorKind.LABEL if same_place else ErrorKind.BORDER
            errors.append(Error(kind, gold, mention, invented[rival]))
    errors += [
        Error(ErrorKind.INVENTED, gold, None, mention)
        for i, mention in enumerate(invented)
        if i not in paired
    ]
    return sorted(errors, key=lambda error: error.shown[0].start)
