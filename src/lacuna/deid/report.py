"""What was done, for whoever has to answer for it: counts, hashes and doubts, never a text.

``report.json`` holds everything, ``report.html`` shows it. Both speak of documents by hashed ids.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from lacuna.deid.report_page import page
from lacuna.deid.tally import BINS, Tally
from lacuna.io.writing import whole_file

JSON, HTML = "report.json", "report.html"


class Failure(msgspec.Struct, frozen=True):
    """A document that failed.

    Attributes
    ----------
    file, files
        Which file of how many it is, or stands in.
    row
        Its row, in a table.
    document
        Its hashed id.
    reason
        Why, without quoting it.
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
    """How it was done.

    Attributes
    ----------
    lacuna
        Version.
    model, pipeline
        Name of the model file; hash of all that detects.
    policy, policy_sha256
        Name and content of the policy.
    settings
        All settings as hashes.
    threshold, promised
        How sure the model had to be, and the calibrated level it comes from, if any.
    files, taken_over, left_aside
        Input files; outputs of an earlier run among them; what was not read.
    """

    lacuna: str
    model: str
    pipeline: str
    policy: str
    policy_sha256: str
    settings: dict[str, str]
    threshold: float
    promised: float | None
    consistency: str
    locale: str
    files: int
    taken_over: int
    left_aside: dict[str, int]
    seconds: float


class Report(msgspec.Struct, frozen=True):
    """Everything a run has to tell."""

    run: Run
    tally: Tally
    failures: list[Failure]

    @property
    def tokens_per_second(self) -> float:
        """Speed, reading and writing included."""
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
            "expected_missed_tokens": tally.expected_missed,
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
            "tokens_per_second": self.tokens_per_second,
            **msgspec.to_builtins(self.run),
        }


def write_report(folder: Path, report: Report) -> None:
    """Write ``report.json`` and ``report.html``."""
    values = report.as_json()
    for name, content in (
        (JSON, msgspec.json.format(msgspec.json.encode(values), indent=2)),
        (HTML, page(values).encode()),
    ):
        with whole_file(folder / name) as stream:
            stream.write(content)
