"""A Presidio recognizer: what a model finds, with its probabilities as scores.

    from lacuna.presidio import LacunaRecognizer

    analyzer = AnalyzerEngine(nlp_engine=blank_engine("en"))  # or one with a model of spaCy
    analyzer.registry.add_recognizer(LacunaRecognizer(model="en-clinical"))
    analyzer.analyze("Seen by Dr. Okafor.", language="en")
    BatchAnalyzer(analyzer).analyze_iterator(texts, language="en")

The recognizer needs nothing of the NLP engine, so a blank one will do. In a YAML file of
recognizers it is the predefined recognizer ``LacunaRecognizer``, once this module is imported.
Labels become Presidio's entity types by :data:`ENTITY_TYPES`; others stay as they are. A mention
with a gap becomes one result for each part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from os import PathLike, fspath
from threading import local
from typing import Any

import spacy
from presidio_analyzer import (
    BatchAnalyzerEngine,
    EntityRecognizer,
    RecognizerResult,
)
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine, SpacyNlpEngine

from lacuna.models.base import Tagger
from lacuna.models.registry import load
from lacuna.text.document import Document, Mention

#: Presidio's name for labels of the bundled models.
ENTITY_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("PATIENT", "DOCTOR", "NAME", "USERNAME", "PERSON", "PER"), "PERSON"),
    **dict.fromkeys(
        ("STREET", "CITY", "STATE", "COUNTRY", "ZIP", "LOCATION-OTHER", "LOC", "ROOM"), "LOCATION"
    ),
    **dict.fromkeys(("HOSPITAL", "ORGANIZATION", "DEPARTMENT", "ORG"), "ORGANIZATION"),
    **dict.fromkeys(("PHONE", "FAX"), "PHONE_NUMBER"),
    "DATE": "DATE_TIME",
    "EMAIL": "EMAIL_ADDRESS",
    "SSN": "US_SSN",
    "IPADDR": "IP_ADDRESS",
    **dict.fromkeys(("IDNUM", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "DEVICE", "BIOID"), "ID"),
    "LICENSE": "MEDICAL_LICENSE",
}


class LacunaRecognizer(EntityRecognizer):  # type: ignore[misc]
    """Finds mentions with a model of lacuna.

    Parameters
    ----------
    model
        A model, its file, or the name of a bundled model.
    entity_types
        Entity type of each label; those of :data:`ENTITY_TYPES` by default.
    supported_language, name, supported_entities, version, context
        As in every recognizer of Presidio; `supported_entities` restricts what is returned.
    """

    def __init__(
        self,
        model: str | PathLike[str] | Tagger = "en-clinical",
        *,
        entity_types: Mapping[str, str] | None = None,
        supported_language: str = "en",
        name: str = "LacunaRecognizer",
        supported_entities: Sequence[str] | None = None,
        version: str = "0.0.1",
        context: list[str] | None = None,
        **_: Any,
    ) -> None:
        self.tagger = model if isinstance(model, Tagger) else load(fspath(model))
        self._prepared = local()  # what each thread has tagged already
        self._types = ENTITY_TYPES if entity_types is None else entity_types
        found = sorted({self._types.get(label, label) for label in self.tagger.labels})
        super().__init__(
            supported_entities=list(supported_entities or found),
            supported_language=supported_language,
            name=name,
            version=version,
            context=context,
        )

    def load(self) -> None:
        """Do nothing: the model is loaded already."""

    def analyze(
        self,
        text: str,
        entities: Sequence[str] | None,
        nlp_artifacts: NlpArtifacts | None = None,  # noqa: ARG002 - not needed
    ) -> list[RecognizerResult]:
        """Return what is found in a text."""
        mentions = getattr(self._prepared, "found", {}).get(text)
        if mentions is None:
            mentions = self.tagger.tag(Document("text", text), probabilities=True).mentions
        return list(self._results(mentions, entities))

    @contextmanager
    def prepared(self, texts: Iterable[str]) -> Iterator[None]:
        """Tag texts together, for :meth:`analyze` inside the block: twice as fast as one by one."""
        documents = [
            Document(str(number), text) for number, text in enumerate(dict.fromkeys(texts))
        ]
        found = self.tagger.tag(documents, probabilities=True)
        self._prepared.found = {one.text: one.mentions for one in found}
        try:
            yield
        finally:
            self._prepared.found = {}

    def _results(
        self, mentions: Iterable[Mention], entities: Sequence[str] | None
    ) -> Iterator[RecognizerResult]:
        wanted = set(entities or self.supported_entities) & set(self.supported_entities)
        for mention in mentions:
            kind = self._types.get(mention.label, mention.label)
            if kind not in wanted:
                continue
            for span in mention.spans:
                yield RecognizerResult(
                    kind,
                    span.start,
                    span.end,
                    mention.probability or 0.0,
                    recognition_metadata={
                        RecognizerResult.RECOGNIZER_NAME_KEY: self.name,
                        RecognizerResult.RECOGNIZER_IDENTIFIER_KEY: self.id,
                    },
                )


class BatchAnalyzer(BatchAnalyzerEngine):  # type: ignore[misc]
    """Presidio's batch analyzer, in which recognizers of lacuna tag many texts at a time."""

    def analyze_iterator(
        self, texts: Iterable[Any], language: str, batch_size: int = 100, **options: Any
    ) -> list[list[RecognizerResult]]:
        """Return what is found in each text."""
        results: list[list[RecognizerResult]] = []
        stream = iter(texts)
        while batch := list(islice(stream, batch_size)):
            with ExitStack() as stack:
                for recognizer in self.analyzer_engine.registry.recognizers:
                    if isinstance(recognizer, LacunaRecognizer):
                        stack.enter_context(recognizer.prepared(map(str, batch)))
                results += super().analyze_iterator(batch, language, batch_size, **options)
        return results


def blank_engine(*languages: str) -> NlpEngine:
    """Return an NLP engine that only cuts text into tokens: it loads no model."""
    engine = SpacyNlpEngine(models=[{"lang_code": one, "model_name": ""} for one in languages])
    engine.nlp = {language: spacy.blank(language) for language in languages}
    return engine
