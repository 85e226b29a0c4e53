"""A self-test of the bundled models: they must find the names in a few sentences before a run."""

from __future__ import annotations

from lacuna.deid.detector import Detector
from lacuna.deid.vocabulary import LANGUAGE
from lacuna.errors import ModelFileError
from lacuna.models.base import Tagger
from lacuna.models.file import StoredModel
from lacuna.text.document import Document

#: Sentences and the identifiers in them, by the language of the model.
SENTENCES = {
    "en": (
        ("Seen by Dr. John Smith today.", ("John", "Smith")),
        ("Mrs. Mary Johnson was discharged to home.", ("Mary", "Johnson")),
        ("Patient Name: Robert Miller, seen on 03/14/2014.", ("Robert", "Miller", "03/14/2014")),
    ),
    "es": (
        ("Lo ha visto hoy la Dra. Carmen Navarro.", ("Carmen", "Navarro")),
        ("Paciente: Antonio García López, ingresa el 14/03/2014.", ("Antonio", "López", "14/03")),
        ("Vive en Sevilla con su hija Lucía.", ("Sevilla", "Lucía")),
    ),
}


def check_finds_names(tagger: Tagger, stored: StoredModel) -> None:
    """Raise ModelFileError unless a tagger alone finds the names in sentences of its language."""
    sentences = SENTENCES[str(stored.header.get(LANGUAGE, "en"))]
    documents = [Document(f"s{n}", text) for n, (text, _) in enumerate(sentences)]
    for (text, names), detected in zip(sentences, Detector(tagger).detect(documents), strict=True):
        for name in names:
            start = text.index(name)
            if not any(
                finding.start <= start and start + len(name) <= finding.end
                for finding in detected.findings
            ):
                raise ModelFileError(
                    stored.source,
                    "the bundled model fails its self-test: it does not find the names in a"
                    " built-in sentence; install lacuna again",
                )
