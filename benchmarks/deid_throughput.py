"""Text in, redacted text out: tokens per second, beside Presidio and scrubadub on the same text.

    python benchmarks/deid_throughput.py --model m.lacuna [-n 4000] [--workers 2]
        [--others PYTHON]

Notes are generated, so everything can be run anywhere. lacuna is run as a user would: the command,
from a JSON-lines file to a folder, loading and writing included; and without loading, which is what
counts for an archive. Presidio (its pattern recognizers, with a blank spaCy model: no named
entities) and scrubadub (its default detectors, no named entities) are run on a part of the same
notes by another Python that has them, one process each, loading not counted; a token is one of ours
everywhere. Seconds of the processors are counted beside seconds of the clock: on a machine that has
other work to do, they are the fairer measure.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from lacuna.synthetic import Split, generate
from lacuna.text.tokenizer import tokenize

OTHERS = {
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
    return "".join(out) + text[done:]
""",
    "scrubadub": """
import scrubadub
scrubber = scrubadub.Scrubber()

def redact(text):
    return scrubber.clean(text)
""",
}
TIMING = """
import json, sys, time
texts = json.load(sys.stdin)
redact(texts[0])
began = time.perf_counter(), time.process_time()
for text in texts:
    redact(text)
print(json.dumps([time.perf_counter() - began[0], time.process_time() - began[1]]))
"""


class Seconds(NamedTuple):
    """How long something took by the clock, and of all processors together."""

    clock: float
    processor: float

    def without(self, other: Seconds) -> Seconds:
        """Return what is left when something else is taken off."""
        return Seconds(
            max(self.clock - other.clock, 1e-9), max(self.processor - other.processor, 1e-9)
        )


def main() -> None:
    """Run everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path)
    parser.add_argument("-n", "--notes", type=int, default=4000)
    parser.add_argument("--others-notes", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--policy", default="safe-harbor")
    parser.add_argument("--others", default=sys.executable, help="Python with the other tools.")
    options = parser.parse_args()
    notes = list(generate(options.notes, seed=7, split=Split.TEST))
    sizes = [len(tokenize(note.text)) for note in notes]
    few = [note.text for note in notes[: options.others_notes]]
    few_tokens = sum(sizes[: options.others_notes])
    print(f"{len(notes):,} generated notes, {sum(sizes):,} tokens; {options.workers} workers")
    with tempfile.TemporaryDirectory() as folder:
        whole, loaded = run_lacuna(notes, options, Path(folder))
    rows = [("lacuna, whole command", sum(sizes), whole), ("lacuna, loaded", sum(sizes), loaded)]
    for name, code in OTHERS.items():
        seconds = run_other(options.others, code, few)
        if seconds is not None:
            rows.append((name, few_tokens, seconds))
    best = sum(sizes) / loaded.clock, sum(sizes) / loaded.processor
    print(f"{'':24s} {'tokens/s':>12s} {'ratio':>8s} {'per core-s':>14s} {'ratio':>8s}")
    for name, tokens, seconds in rows:
        clock, processor = tokens / seconds.clock, tokens / seconds.processor
        print(
            f"{name:24s} {clock:12,.0f} {best[0] / clock:8.1f}"
            f" {processor:14,.0f} {best[1] / processor:8.1f}"
        )
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def run_lacuna(
    notes: list[Any], options: argparse.Namespace, folder: Path
) -> tuple[Seconds, Seconds]:
    """Return the seconds of the command, and without those of the same command on one note."""
    model = [] if options.model is None else ["--model", str(options.model)]
    seconds = []
    for name, part in (("one", notes[:1]), ("first", notes[:1]), ("all", notes)):
        source = folder / f"{name}.jsonl"
        with source.open("w") as stream:
            for note in part:
                line = {"id": note.id, "text": note.text, "group": note.group}
                stream.write(json.dumps(line) + "\n")
        command = [sys.executable, "-m", "lacuna", "deid", str(source), "-o", str(folder / name)]
        command += [*model, "--policy", options.policy, "--workers", str(options.workers)]
        began = now()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(now().without(began))
    _, first, whole = seconds  # the very first run may compile
    return whole, whole.without(first)


def now() -> Seconds:
    """Return the time by the clock, and of the processes that have ended."""
    used = os.times()
    return Seconds(time.perf_counter(), used.children_user + used.children_system)


def run_other(python: str, code: str, texts: list[str]) -> Seconds | None:
    """Return the seconds another tool takes, None where it is not there."""
    run = subprocess.run(
        [python, "-c", code + TIMING],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=False,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )
    if run.returncode:
        reason = run.stderr.strip().splitlines() or ["?"]
        print(f"not run: {reason[-1][:150]}")
        return None
    return Seconds(*json.loads(run.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main()
