"""What the second look finds: names that stay although they were found elsewhere, and precision.

    lacuna generate -n 400 --seed 5150 --split test -o notes.jsonl
    python benchmarks/second_look.py notes.jsonl [more.jsonl …]

Notes are annotated. Each set is read twice: every note on its own, and with the patients of the
file. Recall and precision are of words, identifier or not. "Left" are notes in which a word of a
name that was replaced in the note (or in another one of the patient) is still there; words with
fewer than three letters are not counted. "Everyday" are those of them where all such words are
everyday words.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from words import count_words

from lacuna.deid.detection_options import DetectionOptions, with_policy
from lacuna.deid.folding import fold_words
from lacuna.deid.keys import Key
from lacuna.deid.kinds import IdentifierKind
from lacuna.deid.name_terms import everyday_words, name_parts
from lacuna.deid.policy import load_policy
from lacuna.deid.redact import Redactor
from lacuna.io.files import read
from lacuna.pipeline.detect_and_redact import DetectAndRedact, Safe
from lacuna.pipeline.detection import open_detection
from lacuna.text.document import Document

SHORTEST = 3
POLICY = load_policy("mask")  # nothing that is written can be taken for a name


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("notes", type=Path, nargs="+")
    detection = open_detection(with_policy(DetectionOptions(), POLICY))
    print("| notes | patients | second look | recall | precision | left | everyday |")
    print("|---|---|---|---|---|---|---|")
    for path in parser.parse_args().notes:
        for patients in (False, True):
            notes = [d if patients else Document(d.id, d.text, d.mentions) for d in read(path)]
            for again in (False, True):
                redactor = Redactor(POLICY, Key(bytes(32)))
                work = DetectAndRedact.of(detection.detector, redactor, second_look=again)
                safe = [one for one in work.deidentify(notes) if isinstance(one, Safe)]
                counted = count_words(notes, safe)
                words = [w for w in words_left(notes, safe) if w]
                everyday = sum(w <= everyday_words() for w in words)
                print(
                    f"| {path.name} | {'yes' if patients else 'no'} | {'yes' if again else 'no'}"
                    f" | {counted.recall:.4f} | {counted.precision:.4f} | {len(words)}"
                    f" | {everyday} |"
                )


def words_left(notes: Sequence[Document], safe: Sequence[Safe]) -> list[set[str]]:
    """Return the words of names in each note that were replaced elsewhere."""
    names: defaultdict[object, set[str]] = defaultdict(set)
    for place, (note, one) in enumerate(zip(notes, safe, strict=True)):
        for finding in one.redacted.plan:
            if POLICY.kind(finding.label) is IdentifierKind.PERSON:
                names[note.group or place].update(
                    word
                    for word in name_parts(note.text[finding.start : finding.end])
                    if len(word) >= SHORTEST and not word.isdigit()
                )
    return [
        set(fold_words(one.text)) & names[note.group or place]
        for place, (note, one) in enumerate(zip(notes, safe, strict=True))
    ]


if __name__ == "__main__":
    main()
