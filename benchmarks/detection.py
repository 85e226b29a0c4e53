"""Tokens per second of patterns, word lists and known names on generated notes, on one core.

::

    lacuna generate -n 3000 --seed 5 -o notes.jsonl
    python benchmarks/detection.py notes.jsonl [--rounds 7]

Time is processor time, the best of the rounds; compiling is done before.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.patient_values import Known, KnownValues
from lacuna.deid.patterns import compile_user_pattern, find_patterns
from lacuna.deid.policy import UserPattern
from lacuna.deid.terms import Term, TermFinder
from lacuna.io.corpus import read_corpus
from lacuna.text.document import Document
from lacuna.text.tokens import tokenize

LIST_SIZE = 20_000


def methods(documents: list[Document]) -> dict[str, Callable[[str], list[Finding]]]:
    """Return what is timed. The list holds names of the notes and made-up ones."""
    texts = [document.text for document in documents]
    names = {
        document.text[span.start : span.end]
        for document in documents
        for mention in document.mentions
        for span in mention.spans
        if mention.label in ("PATIENT", "DOCTOR")
    }
    made_up = (f"{word.capitalize()}{i}" for i, word in enumerate(" ".join(texts).split()))
    terms = [
        Term(text, "PATIENT") for _, text in zip(range(LIST_SIZE), [*names, *made_up], strict=False)
    ]
    listed = TermFinder.of(terms, Origin.LIST)
    known = KnownValues({"p": (Known("name", "Jane Mary Whittaker"), Known("id", "1234567"))})
    own = compile_user_pattern("study", UserPattern(r"\bPX-\d{6}\b", "IDNUM"))
    return {
        "patterns": find_patterns,
        "patterns and one of the user": lambda text: [*find_patterns(text), *own(text)],
        f"list of {len(terms):,} terms": listed.find,
        "known names of one patient": known.finder("p").find,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("notes", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    documents = list(read_corpus([options.notes]))
    tokens = sum(len(tokenize(document.text).start) for document in documents)
    print(f"{len(documents):,} notes, {tokens:,} tokens")
    for name, find in methods(documents).items():
        found = sum(len(find(document.text)) for document in documents)
        seconds = []
        for _ in range(options.rounds):
            begin = time.process_time()
            for document in documents:
                find(document.text)
            seconds.append(time.process_time() - begin)
        print(f"{name:32}{found:10,} findings{tokens / min(seconds) / 1e6:8.2f} M tokens/s")


if __name__ == "__main__":
    main()
