"""Tokens per second of de-identification, compared with Presidio and scrubadub on the same text.

    python -m venv others
    others/bin/pip install presidio-analyzer scrubadub spacy
    python benchmarks/deid_throughput.py --others others/bin/python [-n 4000] [--workers 2]

Notes are generated, so no data are needed. lacuna is run as a user would run it: the command, from
a JSON-lines file to a folder, loading and writing included ("whole command"). "loaded" subtracts
the time that the same command takes for one note; this is what matters for an archive. Presidio
(its pattern recognizers with a blank spaCy model: no named entities) and scrubadub (its default
detectors, no named entities) are run on a part of the same notes by the other Python, one process
each, without loading. Tokens are always counted by our tokenizer. Runs alternate, and medians are
shown. Both wall-clock and processor seconds are printed: on a busy machine the latter are fairer.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from peers import PEERS, without_our_path

from lacuna.synthetic import Split, generate
from lacuna.text.document import Document
from lacuna.text.tokens import tokenize

TIMING = """
import json, sys, time
texts = json.load(sys.stdin)
redact(texts[0])
began = time.perf_counter(), time.process_time()
findings = sum(redact(text)[1] for text in texts)
seconds = [time.perf_counter() - began[0], time.process_time() - began[1]]
print(json.dumps({"findings": findings, "seconds": seconds}))
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


class Took(NamedTuple):
    """Seconds, number of tokens, and number of findings in them."""

    tokens: int
    findings: int
    seconds: Seconds


def main() -> None:
    """Run everything in turn and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path)
    parser.add_argument("-n", "--notes", type=int, default=4000)
    parser.add_argument("--others-notes", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--policy", default="safe-harbor")
    parser.add_argument("--others", default=sys.executable, help="Python with the other tools.")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    notes = list(generate(options.notes, seed=7, split=Split.TEST))
    sizes = [len(tokenize(note.text)) for note in notes]
    few = [note.text for note in notes[: options.others_notes]]
    print(
        f"{len(notes):,} generated notes, {sum(sizes):,} tokens ({len(few):,} and"
        f" {sum(sizes[: len(few)]):,} for the others); policy {options.policy},"
        f" {options.workers} workers; medians of {options.rounds} rounds"
    )
    rounds: dict[str, list[Took]] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_notes(place / "all.jsonl", notes)
        write_notes(place / "one.jsonl", notes[:1])
        run_lacuna(place / "one.jsonl", place / "safe", options)  # may compile
        for _ in range(options.rounds):
            one, _ = run_lacuna(place / "one.jsonl", place / "safe", options)
            whole, found = run_lacuna(place / "all.jsonl", place / "safe", options)
            for name, seconds in (("whole command", whole), ("loaded", whole.without(one))):
                rounds.setdefault(f"lacuna, {name}", []).append(Took(sum(sizes), found, seconds))
            for name, code in PEERS.items():
                took = run_other(options.others, code, few, sum(sizes[: len(few)]))
                if took is not None:
                    rounds.setdefault(name, []).append(took)
    show(rounds)
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def show(rounds: dict[str, list[Took]]) -> None:
    """Print medians, and how many times faster than each lacuna is, once it has been loaded."""
    rates = {
        name: [median(took.tokens / took.seconds[i] for took in all_) for i in range(2)]
        for name, all_ in rounds.items()
    }
    best = rates["lacuna, loaded"]
    print(
        f"{'':24s} {'findings/1000':>14s} {'tokens/s':>12s} {'ratio':>8s}"
        f" {'per core-s':>12s} {'ratio':>8s}"
    )
    for name, (clock, processor) in rates.items():
        found = 1000 * rounds[name][0].findings / rounds[name][0].tokens
        print(
            f"{name:24s} {found:14.1f} {clock:12,.0f} {best[0] / clock:8.1f}"
            f" {processor:12,.0f} {best[1] / processor:8.1f}"
        )


def write_notes(path: Path, notes: Iterable[Document]) -> None:
    """Write notes as JSON lines."""
    with path.open("w") as stream:
        for note in notes:
            line = {"id": note.id, "text": note.text, "group": note.group}
            stream.write(json.dumps(line) + "\n")


def run_lacuna(source: Path, output: Path, options: argparse.Namespace) -> tuple[Seconds, int]:
    """Return the seconds of the command, and how much it found."""
    model = [] if options.model is None else ["--model", str(options.model)]
    command = [sys.executable, "-m", "lacuna", "deid", str(source), "-o", str(output), "--json"]
    command += [*model, "--policy", options.policy, "--workers", str(options.workers)]
    for folder in (output, output.with_name(f"{output.name}.private")):
        shutil.rmtree(folder, ignore_errors=True)
    began = now()
    run = subprocess.run(command, check=True, capture_output=True)
    seconds = now().without(began)
    return seconds, sum(json.loads(run.stdout)["replaced"].values())


def now() -> Seconds:
    """Return the time by the clock, and of the processes that have ended."""
    used = os.times()
    return Seconds(time.perf_counter(), used.children_user + used.children_system)


def run_other(python: str, code: str, texts: list[str], tokens: int) -> Took | None:
    """Return how long another tool takes, None where it is not there."""
    run = subprocess.run(
        [python, "-c", code + TIMING],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=False,
        env=without_our_path(),
    )
    if run.returncode:
        reason = run.stderr.strip().splitlines() or ["?"]
        print(f"not run: {reason[-1][:150]}")
        return None
    result = json.loads(run.stdout.splitlines()[-1])
    return Took(tokens, result["findings"], Seconds(*result["seconds"]))


if __name__ == "__main__":
    main()
