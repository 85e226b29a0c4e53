"""Accuracy of part-of-speech tags, on words seen in training and on others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from lacuna.errors import ScoringError
from lacuna.text.document import Document
from lacuna.text.reviewed import reviewed_tokens
from lacuna.types import BoolArray

COLUMN = "pos"


@dataclass(frozen=True, slots=True)
class PosScores:
    """Numbers of right tokens and of all tokens; shares are 1 if there are no tokens."""

    known_right: int
    known_tokens: int
    unknown_right: int
    unknown_tokens: int

    @property
    def tokens(self) -> int:
        """Number of tokens."""
        return self.known_tokens + self.unknown_tokens

    @property
    def accuracy(self) -> float:
        """Share of tokens that are right."""
        return _share(self.known_right + self.unknown_right, self.tokens)

    @property
    def known(self) -> float:
        """Share that is right among words seen in training."""
        return _share(self.known_right, self.known_tokens)

    @property
    def unknown(self) -> float:
        """Share that is right among other words."""
        return _share(self.unknown_right, self.unknown_tokens)


def score_pos(
    pairs: Iterable[tuple[Document, Document]], *, is_known: Callable[[Document], BoolArray]
) -> PosScores:
    """Compare the column ``pos`` of (gold, tagged) documents; only reviewed tokens count."""
    right, tokens = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for gold, found in pairs:
        wanted, given = _column(gold), _column(found)
        if len(wanted) != len(given):
            raise ScoringError(f"{gold.id}: {len(wanted)} tokens in gold, {len(given)} found")
        known = is_known(gold).astype(np.int64)
        same = np.fromiter(map(str.__eq__, wanted, given), np.bool_, len(wanted))
        assert gold.tokens is not None
        if (seen := reviewed_tokens(gold, gold.tokens)) is not None:
            known, same = known[seen], same[seen]
        tokens += np.bincount(known, minlength=2)
        right += np.bincount(known[same], minlength=2)
    return PosScores(int(right[1]), int(tokens[1]), int(right[0]), int(tokens[0]))


def _column(document: Document) -> tuple[str, ...]:
    if document.tokens is None or (len(document.tokens) and COLUMN not in document.tokens.columns):
        raise ScoringError(f"{document.id} has no parts of speech")
    return document.tokens.columns.get(COLUMN, ())


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
