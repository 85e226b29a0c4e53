"""Other tools that take identifiers out of text, run by a Python that has them.

::

    python -m venv others
    others/bin/pip install presidio-analyzer scrubadub spacy

Presidio runs its pattern recognizers with a blank spaCy model, scrubadub its default detectors:
neither recognises names by a statistical model, since those cannot be installed from PyPI.
"""

from __future__ import annotations

import json
import os
import subprocess

#: Code that defines ``redact(text)``, the new text and the number of findings, and ``spans(text)``.
PEERS = {
    "presidio": """
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine, SpacyNlpEngine
import spacy

class Blank(SpacyNlpEngine):
    def __init__(self):
        super().__init__()
        self.nlp = {"en": spacy.blank("en")}
    def load(self):
        pass

registry = RecognizerRegistry(supported_languages=["en"])
registry.load_predefined_recognizers(languages=["en"])
try:
    registry.remove_recognizer("SpacyRecognizer")
except Exception:
    pass
engine = AnalyzerEngine(registry=registry, nlp_engine=Blank(), supported_languages=["en"])

def redact(text):
    found = sorted(engine.analyze(text, language="en"), key=lambda r: r.start)
    out, done = [], 0
    for result in found:
        if result.start >= done:
            out += [text[done:result.start], "<" + result.entity_type + ">"]
            done = result.end
    return "".join(out) + text[done:], len(out) // 2

def spans(text):
    return [(r.start, r.end) for r in engine.analyze(text, language="en")]
""",
    "scrubadub": """
import scrubadub
scrubber = scrubadub.Scrubber()

def redact(text):
    clean = scrubber.clean(text)
    return clean, clean.count("{{") - text.count("{{")

def spans(text):
    return [(filth.beg, filth.end) for filth in scrubber.iter_filth(text)]
""",
}
FINDING = """
import json, sys
print(json.dumps([spans(text) for text in json.load(sys.stdin)]))
"""


def found_by(python: str, peer: str, texts: list[str]) -> list[list[tuple[int, int]]]:
    """Return the characters that a peer finds in each text."""
    run = subprocess.run(
        [python, "-c", PEERS[peer] + FINDING],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
        env=without_our_path(),
    )
    found: list[list[tuple[int, int]]] = json.loads(run.stdout.splitlines()[-1])
    return found


def without_our_path() -> dict[str, str]:
    """Return the environment for another Python."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
