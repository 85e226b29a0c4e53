"""What a report counts: tallies of documents, which add up.

A run over a million documents keeps one tally, and a resumed run adds those of the documents that
were finished before. :mod:`lacuna.deid.tallying` counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import nlargest, nsmallest

import msgspec
from msgspec.structs import replace

from lacuna.deid.drift import expected_left

BINS = 20  #: of the histogram of P(identifier)
MOST_IN_NEED = 50  #: documents listed for review
MOST_FOREIGN = 50  #: documents in another language that are listed


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where a document is, in names that may be passed on.

    Attributes
    ----------
    document
        Its hashed id, which the crosswalk translates.
    output
        The name of the output file; empty if nothing is written.
    row, id
        Of a row of a table: the number of the row in the input, and its new id.
    """

    document: str
    output: str = ""
    row: int | None = None
    id: str = ""


class Review(msgspec.Struct, frozen=True, array_like=True):
    """A document, and how many identifier tokens it may still contain."""

    expected_missed: float
    place: Place
    tokens: int
    replaced: int


class Tally(msgspec.Struct):
    """Counts over documents.

    Attributes
    ----------
    documents, failed, characters, tokens
        Totals; documents that failed are in no other count.
    labels
        Replacements by label.
    fallbacks
        Replacements by the default action, because the label's own was not possible.
    placeholders
        Placeholders of the originals, such as ``[NAME-1]``, that have a number of their own now.
    replaced, left
        Histograms of P(identifier), by the tagger, of tokens that were replaced and that stay.
    expected_missed
        The expected number of identifier tokens among those that stay.
    review
        The documents most in need of review, sorted.
    reasons
        Why documents failed.
    protected
        Everyday words that are also names here, and how often they stay.
    rates
        Documents by rate and bin, see :mod:`lacuna.deid.drift`.
    foreign, foreign_documents
        How many documents are not in the model's language; the first of them, by hashed id.
    languages
        How many of them look like each other language we know.
    contradictory_dates, hidden_dates
        Documents of patients whose numeric dates are written day first and month first, and how
        many dates with two readings were hidden for that reason.
    dates_against_locale
        Documents whose numeric dates are written in another order than that of the locale.
    emptied_cells
        Cells of date columns that could not be read, or show an age over 89.
    long_findings
        Replacements of more than ``LONG`` characters.
    encodings
        Documents by encoding, where one other than UTF-8 was detected.
    known_hits
        How often known values were found, by their line in the file.
    """

    documents: int = 0
    failed: int = 0
    characters: int = 0
    tokens: int = 0
    labels: dict[str, int] = {}
    fallbacks: dict[str, int] = {}
    placeholders: int = 0
    replaced: list[int] = msgspec.field(default_factory=lambda: [0] * BINS)
    left: list[int] = msgspec.field(default_factory=lambda: [0] * BINS)
    expected_missed: float = 0.0
    review: list[Review] = []
    reasons: dict[str, int] = {}
    protected: dict[str, int] = {}
    rates: dict[str, int] = {}
    foreign: int = 0
    foreign_documents: list[Place] = []
    languages: dict[str, int] = {}
    contradictory_dates: int = 0
    hidden_dates: int = 0
    dates_against_locale: int = 0
    emptied_cells: int = 0
    long_findings: int = 0
    encodings: dict[str, int] = {}
    known_hits: dict[str, int] = {}

    @property
    def expected_left(self) -> float:
        """Share of the identifier tokens that the model expects to remain."""
        return expected_left(self.expected_missed, sum(self.replaced))

    def add(self, other: Tally) -> None:
        """Add another tally."""
        self.documents += other.documents
        self.failed += other.failed
        self.characters += other.characters
        self.tokens += other.tokens
        self.placeholders += other.placeholders
        self.expected_missed += other.expected_missed
        self.contradictory_dates += other.contradictory_dates
        self.hidden_dates += other.hidden_dates
        self.dates_against_locale += other.dates_against_locale
        self.emptied_cells += other.emptied_cells
        self.long_findings += other.long_findings
        for mine, its in (
            (self.labels, other.labels),
            (self.fallbacks, other.fallbacks),
            (self.reasons, other.reasons),
            (self.protected, other.protected),
            (self.rates, other.rates),
            (self.encodings, other.encodings),
            (self.known_hits, other.known_hits),
            (self.languages, other.languages),
        ):
            _add_counts(mine, its)
        self.replaced = _sums(self.replaced, other.replaced)
        self.left = _sums(self.left, other.left)
        self._add_review(other.review)
        self.foreign += other.foreign
        if other.foreign_documents:
            self.foreign_documents = listed([*self.foreign_documents, *other.foreign_documents])

    def _add_review(self, others: list[Review]) -> None:
        if len(self.review) == MOST_IN_NEED:
            least = _need(self.review[-1])
            others = [review for review in others if _need(review) > least]
        if others:
            self.review = most_in_need([*self.review, *others])

    def name_output(self, output: str) -> None:
        """Fill in the name of the output that all these documents are in."""
        self.review = [_within(output, review) for review in self.review]
        self.foreign_documents = [replace(place, output=output) for place in self.foreign_documents]

    def count_encoding(self, encoding: str) -> None:
        """Count a document that was read in another encoding than UTF-8, if it was."""
        if encoding:
            _add_counts(self.encodings, {encoding: 1})

    def add_failure(self, reason: str) -> None:
        """Count a document that failed."""
        self.failed += 1
        _add_counts(self.reasons, {reason: 1})


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of tallies."""
    whole = Tally()
    for tally in tallies:
        whole.add(tally)
    return whole


def most_in_need(reviews: Iterable[Review]) -> list[Review]:
    """Return the documents most in need of review, sorted."""
    return nlargest(MOST_IN_NEED, reviews, key=_need)


def listed(places: Iterable[Place]) -> list[Place]:
    """Return those of the documents in another language that are listed, sorted."""
    return nsmallest(MOST_FOREIGN, places, key=_document)


def _need(review: Review) -> tuple[float, str]:
    return review.expected_missed, review.place.document


def _document(place: Place) -> str:
    return place.document


def _within(output: str, review: Review) -> Review:
    return replace(review, place=replace(review.place, output=output))


def _add_counts(mine: dict[str, int], its: Mapping[str, int]) -> None:
    for name, count in its.items():
        mine[name] = mine.get(name, 0) + count


def _sums(mine: list[int], its: list[int]) -> list[int]:
    return [a + b for a, b in zip(mine, its, strict=True)]
