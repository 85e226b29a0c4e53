"""The Presidio recognizer, against the real package with a blank engine and without a network."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import lacuna
from lacuna.synthetic import Split, generate
from lacuna.text.document import Document, Mention
from tests.integrations.needed import needed

presidio = needed("presidio_analyzer")

from lacuna.presidio import ENTITY_TYPES, BatchAnalyzer, LacunaRecognizer, blank_engine  # noqa: E402

NOTES = [note.text for note in generate(20, seed=11, split=Split.TEST)]
Result = tuple[str, int, int, float]


def gapped(document: Document, *, probabilities: bool) -> Document:
    mention = Mention.of("FINDING", (0, 12), (21, 24), probability=0.75)
    return Document(document.id, document.text, (mention,))


@pytest.fixture(scope="module")
def analyzer() -> Any:
    registry = presidio.RecognizerRegistry(recognizers=[LacunaRecognizer()])
    return presidio.AnalyzerEngine(registry=registry, nlp_engine=blank_engine("en"))


def found(results: list[Any]) -> list[Result]:
    return sorted((r.entity_type, r.start, r.end, r.score) for r in results)


def expected(text: str) -> list[Result]:
    document = lacuna.load("en-clinical").tag(text, probabilities=True)
    return sorted(
        (ENTITY_TYPES.get(m.label, m.label), span.start, span.end, m.probability or 0.0)
        for m in document.mentions
        for span in m.spans
    )


def test_scores_are_the_probabilities_of_the_model(analyzer: Any) -> None:
    for text in NOTES[:8]:
        results = analyzer.analyze(text, language="en")
        assert {(r[1], r[2]) for r in found(results)} <= {(e[1], e[2]) for e in expected(text)}
        assert {*found(results)} <= {*expected(text)}
        assert len(results) > len(expected(text)) / 2  # Presidio drops what lies inside another
    assert all(r.recognition_metadata["recognizer_name"] == "LacunaRecognizer" for r in results)


def test_entities_are_chosen_and_named(analyzer: Any) -> None:
    only = analyzer.analyze(NOTES[0], language="en", entities=["DATE_TIME"])
    assert {result.entity_type for result in only} == {"DATE_TIME"}
    renamed = LacunaRecognizer(entity_types={"DOCTOR": "STAFF"})
    results = renamed.analyze("Seen by Dr. Okafor on 03/18/2024.", None)
    assert {result.entity_type for result in results} == {"STAFF", "DATE"}
    assert "STAFF" in renamed.supported_entities


def test_each_part_of_a_gapped_mention_is_a_result() -> None:
    recognizer = LacunaRecognizer(supported_entities=["FINDING"])
    recognizer.tagger = SimpleNamespace(tag=gapped)  # type: ignore[assignment]
    results = recognizer.analyze("pain in left arm and leg", None)
    assert found(results) == [("FINDING", 0, 12, 0.75), ("FINDING", 21, 24, 0.75)]


def test_a_batch_is_tagged_at_once_with_the_same_results(analyzer: Any) -> None:
    recognizer = analyzer.registry.recognizers[0]
    model, calls = recognizer.tagger, []

    def tag(items: Any, **options: Any) -> Any:
        calls.append(items)
        return model.tag(items, **options)

    alone = [found(analyzer.analyze(text, language="en")) for text in NOTES]
    recognizer.tagger = SimpleNamespace(tag=tag)
    try:
        together = list(BatchAnalyzer(analyzer).analyze_iterator(NOTES, language="en"))
    finally:
        recognizer.tagger = model
    assert len(calls) == 1
    assert list(map(found, together)) == alone


def test_registered_in_yaml(tmp_path: Path) -> None:
    path = tmp_path / "recognizers.yaml"
    path.write_text(
        """
supported_languages: [en]
recognizers:
  - name: LacunaRecognizer
    class_name: LacunaRecognizer
    type: predefined
    supported_languages: [en]
"""
    )
    from presidio_analyzer.recognizer_registry import RecognizerRegistryProvider

    registry = RecognizerRegistryProvider(conf_file=path).create_recognizer_registry()
    engine = presidio.AnalyzerEngine(registry=registry, nlp_engine=blank_engine("en"))
    results = engine.analyze("Seen by Dr. Okafor on 03/18/2024.", language="en")
    assert {result.entity_type for result in results} == {"PERSON", "DATE_TIME"}
