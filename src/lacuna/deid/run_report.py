"""The report of a run: counts, settings and documents to review, never a text.

``report.json`` contains everything, ``report.html`` shows it. Documents are named by their outputs
and by hashed ids, which the crosswalk translates. The reports are passed on with the outputs, so
they contain no hash with which a guess about an input, a patient or a list of names could be
tested. What is counted is in :mod:`lacuna.deid.tally`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from lacuna.deid.audits import AUDITS, audits_in
from lacuna.deid.calibration import Calibration
from lacuna.deid.drift import doubts
from lacuna.deid.remarks import remarks_on
from lacuna.deid.run_report_page import page
from lacuna.deid.tally import BINS, Place, Tally
from lacuna.io.writing import whole_file
from lacuna.text.plurals import counted

JSON, HTML = "report.json", "report.html"


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
        return self._line(f"file {self.file:,} of {self.files:,}", f" ({self.document})")

    def named(self, path: str) -> str:
        """Return the failure with the path of its file, which is for the owner only."""
        return self._line(path)

    def _line(self, file: str, document: str = "") -> str:
        row = "" if self.row is None else f", row {self.row:,}"
        return f"{file}{row}{document}: {self.reason}"


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
    settings
        What else was chosen: what detected, what outputs are called …
    files, taken_over, left_aside
        Number of input files; of those an earlier run finished; what was skipped.
    has_groups
        Whether any document has a patient.
    known_values
        How many values were known.
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
    settings: dict[str, str | bool]
    files: int
    taken_over: int
    left_aside: dict[str, int]
    seconds: float
    has_groups: bool = False
    known_values: int = 0


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
            "languages_of_foreign": tally.languages,
            "foreign_documents": [_place(place) for place in tally.foreign_documents],
            "remarks": remarks_on(tally),
            "documents_with_contradictory_dates": tally.contradictory_dates,
            "dates_hidden_as_ambiguous": tally.hidden_dates,
            "documents_with_dates_against_locale": tally.dates_against_locale,
            "emptied_date_cells": tally.emptied_cells,
            "long_findings": tally.long_findings,
            "encodings": tally.encodings,
            "known_values_found": len(tally.known_hits),
            "probability_histogram": {
                "bins": [i / BINS for i in range(BINS + 1)],
                "replaced": tally.replaced,
                "left": tally.left,
            },
            "review": [
                {
                    **_place(entry.place),
                    "expected_missed": entry.expected_missed,
                    "tokens": entry.tokens,
                    "replaced": entry.replaced,
                }
                for entry in tally.review
            ],
            "failures": msgspec.to_builtins(self.failures),
            "reasons": tally.reasons,
            "protected_words_left": sum(tally.protected.values()),
            "tokens_per_second": self.tokens_per_second,
            **msgspec.to_builtins(self.run),
        }


def _place(place: Place) -> dict[str, Any]:
    return {name: getattr(place, name) for name in place.__struct_fields__}


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


#: The bundled model for a language of :data:`~lacuna.deid.vocabulary.NAMES`.
FOR_LANGUAGE: Mapping[str, str] = {"English": "en-clinical", "Spanish": "es-clinical"}


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
        many = counted(tally.foreign, "document does", "documents do")
        found.append(f"{many} not look like {language} text{_other_model(tally.languages)}")
    if promise is not None:
        found += doubts(promise.level, promise.baseline, tally.rates, tally.expected_left)
    return found


def _other_model(languages: Mapping[str, int]) -> str:
    """Say which bundled model suits documents that look like another language."""
    suitable = [(count, name) for name, count in languages.items() if name in FOR_LANGUAGE]
    if not suitable:
        return ""
    count, language = max(suitable)
    look = "looks" if count == 1 else "look"
    return f"; {count} {look} {language}, try --model {FOR_LANGUAGE[language]}"
