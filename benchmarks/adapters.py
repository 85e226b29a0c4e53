"""What the adapters for spaCy and Presidio cost, against ``model.tag`` on the same notes.

::

    .venv-integrations/bin/python benchmarks/adapters.py [-n 300] [--rounds 5]

Processor time, rounds alternating, medians. spaCy: the component alone, on documents that are cut
into tokens already. Presidio: the batch analyzer with a blank engine, and the same analyzer without
lacuna, which is what Presidio itself takes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median

import presidio_analyzer
import spacy

import lacuna
from lacuna.presidio import BatchAnalyzer, LacunaRecognizer, blank_engine
from lacuna.synthetic import Split, generate
from lacuna.text.document import Document


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("-n", "--notes", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    texts = [note.text for note in generate(options.notes, seed=7, split=Split.TEST)]
    tasks = {**tagging(texts), **in_spacy(texts), **in_presidio(texts)}
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(options.rounds + 1):  # the first one compiles
        for name, task in tasks.items():
            began = time.process_time()
            task()
            seconds[name].append(time.process_time() - began)
    found = {name: median(rounds[1:]) for name, rounds in seconds.items()}
    for name, spent in found.items():
        print(f"{name:40} {spent:7.3f} s  {spent / found['model.tag']:5.2f} ×")


def tagging(texts: list[str]) -> dict[str, Callable[[], object]]:
    """Return model.tag, without and with probabilities."""
    model = lacuna.load("en-clinical")

    def tag(probabilities: bool) -> object:
        documents = (Document(str(number), text) for number, text in enumerate(texts))
        return list(model.tag(documents, probabilities=probabilities))

    return {
        "model.tag": lambda: tag(False),
        "model.tag with probabilities": lambda: tag(True),
    }


def in_spacy(texts: list[str]) -> dict[str, Callable[[], object]]:
    """Return spaCy's component, and its tokenizer."""
    blank = spacy.blank("en")
    component = spacy.blank("en").add_pipe("lacuna")

    def cut() -> list[spacy.tokens.Doc]:
        return list(map(blank.make_doc, texts))

    docs = cut()
    return {
        "spaCy's tokenizer": cut,
        "spaCy component, without tokenizer": lambda: list(component.pipe(docs)),
    }


def in_presidio(texts: list[str]) -> dict[str, Callable[[], object]]:
    """Return Presidio's batch analyzer with lacuna alone, and with nothing."""

    def analyzer(*recognizers: LacunaRecognizer) -> BatchAnalyzer:
        other = presidio_analyzer.PatternRecognizer("NOTHING", deny_list=["no such word"])
        registry = presidio_analyzer.RecognizerRegistry(recognizers=[other, *recognizers])
        engine = blank_engine("en")
        return BatchAnalyzer(presidio_analyzer.AnalyzerEngine(registry, engine))

    alone, ours = analyzer(), analyzer(LacunaRecognizer())
    return {
        "Presidio without lacuna": lambda: alone.analyze_iterator(texts, "en"),
        "Presidio batch with lacuna": lambda: ours.analyze_iterator(texts, "en"),
    }


if __name__ == "__main__":
    main()
