"""The report of a run: counts, hashes and documents to review, never a text.

``report.json`` contains everything, ``report.html`` shows it. Documents are named by hashed ids,
which the crosswalk translates. The reports are passed on with the outputs, so they contain no hash
with which a guess about an input, a patient or a list of names could be tested.

A :class:`Tally` counts what a report needs. Tallies add up: a run over a million documents keeps
one, and a resumed run adds those of the documents that were finished before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import nlargest, nsmallest
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lacuna.deid.audits import AUDITS, audits_in
from lacuna.deid.calibration import Calibration
from lacuna.deid.detector import Detected
from lacuna.deid.drift import doubts, expected_left, rates
from lacuna.deid.redact import Redacted
from lacuna.deid.run_report_page import page
from lacuna.deid.vocabulary import Vocabulary
from lacuna.io.writing import whole_file
from lacuna.kernels import kernel
from lacuna.types import BoolArray, FloatArray, LongArray

JSON, HTML = "report.json", "report.html"
BINS = 20  #: of the histogram of P(identifier)
MOST_IN_NEED = 50  #: documents listed for review
MOST_FOREIGN = 50  #: documents in another language that are listed


class Failure(msgspec.Struct, frozen=True):
    """A document that failed.

    Attributes
    ----------
    file, files
        The number of its file, and how many files there are.
    row
        Its row, if it is in a table.
    document
        Its hashed id.
    reason
        Why it failed, without quoting it.
    """

    file: int
    files: int
    row: int | None
    document: str
    reason: str

    def __str__(self) -> str:
        row = "" if self.row is None else f", row {self.row:,}"
        return f"file {self.file:,} of {self.files:,}{row} ({self.document}): {self.reason}"


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a run.

    Attributes
    ----------
    lacuna
        Version.
    model, model_sha256
        Name and hash of the model file.
    policy, policy_sha256
        Name and hash of the policy.
    threshold, promised, confidence
        The probability from which the model was believed, and the level and confidence it was
        calibrated for, if any.
    calibrated
        What the model expected to be missed in the calibration, and what was: shares.
    warnings
        Documents in another language, and why the promise may not hold for these documents.
    files, taken_over, left_aside
        Number of input files; of those an earlier run finished; what was skipped.
    """

    lacuna: str
    model: str
    model_sha256: str
    policy: str
    policy_sha256: str
    threshold: float
    promised: float | None
    confidence: float | None
    calibrated: tuple[float, float] | None
    warnings: list[str]
    consistency: str
    locale: str
    files: int
    taken_over: int
    left_aside: dict[str, int]
    seconds: float


class Report(msgspec.Struct, frozen=True):
    """The report of a run."""

    run: Run
    tally: Tally
    failures: list[Failure]

    @property
    def tokens_per_second(self) -> float:
        """Speed, including reading and writing."""
        return self.tally.tokens / self.run.seconds if self.run.seconds else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        tally = self.tally
        return {
            "documents": tally.documents,
            "failed": tally.failed,
            "tokens": tally.tokens,
            "characters": tally.characters,
            "replaced": dict(sorted(tally.labels.items())),
            "replaced_by_default_action": dict(sorted(tally.fallbacks.items())),
            "placeholders": tally.placeholders,
            "expected_missed_tokens": tally.expected_missed,
            "expected_missed_share": tally.expected_left,
            "foreign": tally.foreign,
            "foreign_documents": tally.foreign_documents,
            "remarks_on_dates": remarks_on_dates(tally),
            "documents_with_contradictory_dates": tally.contradictory_dates,
            "dates_hidden_as_ambiguous": tally.hidden_dates,
            "documents_with_dates_against_locale": tally.dates_against_locale,
            "emptied_date_cells": tally.emptied_cells,
            "probability_histogram": {
                "bins": [i / BINS for i in range(BINS + 1)],
                "replaced": tally.replaced,
                "left": tally.left,
            },
            "review": [
                {name: getattr(entry, name) for name in entry.__struct_fields__}
                for entry in tally.review
            ],
            "failures": msgspec.to_builtins(self.failures),
            "reasons": tally.reasons,
            "protected_words_left": sum(tally.protected.values()),
            "tokens_per_second": self.tokens_per_second,
            **msgspec.to_builtins(self.run),
        }


def write_report(folder: Path, report: Report) -> None:
    """Write ``report.json`` and ``report.html``; audits of an earlier report stay in it."""
    audits = msgspec.to_builtins(audits_in(folder / JSON))
    write_values(folder, report.as_json() | ({AUDITS: audits} if audits else {}))


def write_values(folder: Path, values: Mapping[str, Any]) -> None:
    """Write the values of a report as ``report.json`` and ``report.html``."""
    for name, content in (
        (JSON, msgspec.json.format(msgspec.json.encode(values), indent=2)),
        (HTML, page(values).encode()),
    ):
        with whole_file(folder / name) as stream:
            stream.write(content)


class Review(msgspec.Struct, frozen=True, array_like=True):
    """A document by its hashed id, and how many identifier tokens it may still contain."""

    expected_missed: float
    document: str
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
    contradictory_dates, hidden_dates
        Documents of patients whose numeric dates are written day first and month first, and how
        many dates with two readings were hidden for that reason.
    dates_against_locale
        Documents whose numeric dates are written in another order than that of the locale.
    emptied_cells
        Cells of date columns that could not be read, or show an age over 89.
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
    foreign_documents: list[str] = []
    contradictory_dates: int = 0
    hidden_dates: int = 0
    dates_against_locale: int = 0
    emptied_cells: int = 0

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
        for mine, its in (
            (self.labels, other.labels),
            (self.fallbacks, other.fallbacks),
            (self.reasons, other.reasons),
            (self.protected, other.protected),
            (self.rates, other.rates),
        ):
            _add_counts(mine, its)
        self.replaced = _sums(self.replaced, other.replaced)
        self.left = _sums(self.left, other.left)
        self._add_review(other.review)
        self.foreign += other.foreign
        if other.foreign_documents:
            every = [*self.foreign_documents, *other.foreign_documents]
            self.foreign_documents = nsmallest(MOST_FOREIGN, every)

    def _add_review(self, others: list[Review]) -> None:
        if len(self.review) == MOST_IN_NEED:
            least = _need(self.review[-1])
            others = [review for review in others if _need(review) > least]
        if others:
            self.review = nlargest(MOST_IN_NEED, [*self.review, *others], key=_need)

    def add_failure(self, reason: str) -> None:
        """Count a document that failed."""
        self.failed += 1
        _add_counts(self.reasons, {reason: 1})


def tally_of(
    hashed_id: str, detected: Detected, redacted: Redacted, vocabulary: Vocabulary | None = None
) -> Tally:
    """Return the tally of one document; with a vocabulary, its words are looked at as well."""
    missed = detected.expected_missed
    words = None if vocabulary is None else vocabulary.count(detected.document.text)
    is_foreign = words is not None and words.is_foreign
    tokens = len(detected.probability)
    left, replaced = histograms(detected.probability, detected.covered, BINS).tolist()
    return Tally(
        documents=1,
        characters=len(detected.document.text),
        tokens=tokens,
        labels=dict(redacted.counts),
        fallbacks=dict(redacted.fallbacks),
        placeholders=redacted.placeholders,
        replaced=replaced,
        left=left,
        expected_missed=missed,
        review=[Review(missed, hashed_id, tokens, len(redacted.plan))],
        protected=dict(Counter(detected.protected)),
        rates=rates(tokens, sum(replaced), missed, words),
        foreign=int(is_foreign),
        foreign_documents=[hashed_id] if is_foreign else [],
        contradictory_dates=redacted.orders.contradictory,
        hidden_dates=redacted.orders.hidden,
        dates_against_locale=redacted.orders.against_locale,
    )


def warnings_of(tally: Tally, promise: Calibration | None, language: str) -> list[str]:
    """Return what speaks against a run, in words.

    Parameters
    ----------
    tally
        Of all documents.
    promise
        The promise it was to keep, if any.
    language
        Name of the model's language, ``""`` if it is unknown.
    """
    found = []
    if tally.foreign:
        one = tally.foreign == 1
        found.append(
            f"{tally.foreign:,} document{'' if one else 's'} do{'es' if one else ''} not look like"
            f" {language} clinical notes"
        )
    if promise is not None:
        found += doubts(promise.level, promise.baseline, tally.rates, tally.expected_left)
    return found


def estimate_in_words(tally: Tally, calibrated: tuple[float, float] | None) -> str:
    """Return how many identifier tokens the model expects to remain, and how good it is at that."""
    words = (
        f"the model expects that {tally.expected_missed:,.1f} identifier tokens"
        f" ({tally.expected_left:.1%}) remain"
    )
    if calibrated is None:
        return words
    expected, missed = calibrated
    return f"{words}; in the calibration it expected {expected:.1%}, and {missed:.1%} were missed"


def remarks_on_dates(tally: Tally) -> list[str]:
    """Return one sentence for each thing a reader should know about dates."""
    remarks = []
    if tally.contradictory_dates:
        remarks.append(
            f"dates: {tally.contradictory_dates:,} documents belong to patients with dates written"
            f" day first and month first; {tally.hidden_dates:,} dates that can be read either way"
            " were hidden"
        )
    if tally.dates_against_locale:
        remarks.append(
            f"dates: {tally.dates_against_locale:,} documents write numeric dates in another order"
            " than the locale; they were read in the order of the patient's dates (see --locale)"
        )
    if tally.emptied_cells:
        remarks.append(
            f"date columns: {tally.emptied_cells:,} cells could not be read, or show an age over"
            " 89, and are empty in the output"
        )
    return remarks


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


@kernel
def histograms(probability: FloatArray, covered: BoolArray, bins: int) -> LongArray:
    """Return how many tokens are in each bin: row 0 of those that stay, row 1 of the covered."""
    counts = np.zeros((2, bins), np.int64)
    for t in range(probability.size):
        counts[int(covered[t]), min(int(probability[t] * bins), bins - 1)] += 1
    return counts
