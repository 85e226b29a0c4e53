"""A self-test of the bundled model: it must find the names in a few sentences before a run."""

from __future__ import annotations

from lacuna.deid.detector import Detector
from lacuna.errors import ModelFileError
from lacuna.models.base import Tagger
from lacuna.text.document import Document

#: Sentences, and the identifiers in them.
SENTENCES = (
    ("Seen by Dr. John Smith today.", ("John", "Smith")),
    ("Mrs. Mary Johnson was discharged to home.", ("Mary", "Johnson")),
    ("Patient Name: Robert Miller, seen on 03/14/2014.", ("Robert", "Miller", "03/14/2014")),
)


def check_finds_names(tagger: Tagger, source: str) -> None:
    """Raise ModelFileError unless a tagger alone finds the names in English sentences."""
    documents = [Document(f"s{n}", text) for n, (text, _) in enumerate(SENTENCES)]
    for (text, names), detected in zip(SENTENCES, Detector(tagger).detect(documents), strict=True):
        for name in names:
            start = text.index(name)
            if not any(
                finding.start <= start and start + len(name) <= finding.end
                for finding in detected.findings
            ):
                raise ModelFileError(
                    source,
                    "the bundled model fails its self-test: it does not find the names in a"
                    " built-in sentence; install lacuna again",
                )
