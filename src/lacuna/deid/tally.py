"""What is counted while documents are made safe: everything a report needs, and no text.

Tallies add up, so that a run over a million documents keeps one, and a continued run takes over
those of the documents that were finished before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import nlargest

import msgspec

from lacuna.deid._cover import histograms
from lacuna.deid.detector import Detected
from lacuna.deid.redact import Redacted

BINS = 20  #: of the histogram of P(identifier)
MOST_IN_NEED = 50  #: documents that are listed for review


class Review(msgspec.Struct, frozen=True, array_like=True):
    """A document by its hashed id, and how many identifier tokens may be left in it."""

    expected_missed: float
    document: str
    tokens: int
    replaced: int


class Tally(msgspec.Struct):
    """Counts over documents.

    Attributes
    ----------
    documents, failed, characters, tokens
        How many; documents that failed are in none of the other counts.
    labels
        Replacements by label.
    fallbacks
        Those of them that the label's own action could not do.
    replaced, left
        Histograms of P(identifier), by the tagger, over tokens that were replaced and that stay.
    expected_missed
        How many identifier tokens the tagger expects among those that stay.
    review
        The documents most in need of review, the neediest first.
    reasons
        Why documents failed.
    """

    documents: int = 0
    failed: int = 0
    characters: int = 0
    tokens: int = 0
    labels: dict[str, int] = {}
    fallbacks: dict[str, int] = {}
    replaced: list[int] = msgspec.field(default_factory=lambda: [0] * BINS)
    left: list[int] = msgspec.field(default_factory=lambda: [0] * BINS)
    expected_missed: float = 0.0
    review: list[Review] = []
    reasons: dict[str, int] = {}

    def add(self, other: Tally) -> None:
        """Take in another tally."""
        self.documents += other.documents
        self.failed += other.failed
        self.characters += other.characters
        self.tokens += other.tokens
        self.expected_missed += other.expected_missed
        for mine, its in (
            (self.labels, other.labels),
            (self.fallbacks, other.fallbacks),
            (self.reasons, other.reasons),
        ):
            _add_counts(mine, its)
        self.replaced = _sums(self.replaced, other.replaced)
        self.left = _sums(self.left, other.left)
        self._add_review(other.review)

    def _add_review(self, others: list[Review]) -> None:
        if len(self.review) == MOST_IN_NEED:
            least = _need(self.review[-1])
            others = [review for review in others if _need(review) > least]
        if others:
            self.review = nlargest(MOST_IN_NEED, [*self.review, *others], key=_need)

    def add_failure(self, reason: str) -> None:
        """Count a document that could not be made safe."""
        self.failed += 1
        _add_counts(self.reasons, {reason: 1})


def tally_of(hashed_id: str, detected: Detected, redacted: Redacted) -> Tally:
    """Return the tally of one document."""
    missed = detected.expected_missed
    tokens = len(detected.probability)
    left, replaced = histograms(detected.probability, detected.covered, BINS).tolist()
    return Tally(
        documents=1,
        characters=len(detected.document.text),
        tokens=tokens,
        labels=dict(redacted.counts),
        fallbacks=dict(redacted.fallbacks),
        replaced=replaced,
        left=left,
        expected_missed=missed,
        review=[Review(missed, hashed_id, tokens, len(redacted.plan))],
    )


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of tallies."""
    whole = Tally()
    for tally in tallies:
        whole.add(tally)
    return whole


def _need(review: Review) -> tuple[float, str]:
    return review.expected_missed, review.document


def _add_counts(mine: dict[str, int], its: Mapping[str, int]) -> None:
    for name, count in its.items():
        mine[name] = mine.get(name, 0) + count


def _sums(mine: list[int], its: list[int]) -> list[int]:
    return [a + b for a, b in zip(mine, its, strict=True)]
