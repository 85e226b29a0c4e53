"""How much the bundled model finds, in generated notes or in annotated notes of your own.

::

    python benchmarks/bundled.py -n 300 --seed 123
    python benchmarks/bundled.py examples/notes-dev.jsonl [more.jsonl …]

Generated notes are scored by tokens, with the model alone and with patterns. Files are scored by
words as ``lacuna deid`` treats them, second look included: as they are written, in small letters
and in capitals. "Masked" counts the words that are taken out of 1,000, right or wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from words import Words, count_words

import lacuna
from lacuna.deid.calibration_units import calibration_units
from lacuna.deid.detector import DEFAULT_THRESHOLD, Detector, Recognizers
from lacuna.deid.patterns import find_patterns
from lacuna.models.bundled import bundled_model
from lacuna.pipeline.detect_and_redact import Safe
from lacuna.synthetic import Split, generate
from lacuna.text.document import Document

LETTERS: dict[str, Callable[[str], str]] = {
    "as written": str,
    "small letters": str.lower,
    "capitals": str.upper,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", type=Path, nargs="*", help="annotated notes")
    parser.add_argument("-n", "--notes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=123)
    parser.add_argument("--threshold", type=float, default=DEFAULT_THRESHOLD)
    options = parser.parse_args()
    if options.files:
        score_files(options.files)
    else:
        score_generated(options.notes, options.seed, options.threshold)


def score_generated(count: int, seed: int, threshold: float) -> None:
    """Print recall and precision of tokens of generated notes."""
    notes = list(generate(count, seed=seed, split=Split.TEST))
    alone = Detector(lacuna.load(bundled_model()))
    with_patterns = replace(
        alone, recognizers=Recognizers(lambda document: find_patterns(document.text))
    )
    for name, detector in (("model alone", alone), ("model and patterns", with_patterns)):
        units = calibration_units(detector, notes)
        identifiers = np.concatenate([unit.identifiers for unit in units])
        others = np.concatenate([unit.others for unit in units])
        found = np.count_nonzero(identifiers >= threshold)
        wrong = np.count_nonzero(others >= threshold)
        recall, precision = found / len(identifiers), found / (found + wrong)
        print(f"{name:20} recall {recall:.4f}  precision {precision:.4f}")


def score_files(files: Sequence[Path]) -> None:
    """Print recall and precision of words of annotated notes, and how many are masked."""
    print("| notes | letters | words | identifiers | recall | precision | masked per 1,000 |")
    print("|---|---|---|---|---|---|---|")
    for path in files:
        notes = list(lacuna.read(path))
        for letters, change in LETTERS.items():
            words = score_notes([rewritten(note, change) for note in notes])
            print(
                f"| {path.name} | {letters} | {words.all:,} | {words.identifiers:,}"
                f" | {share(words.hits, words.identifiers)} | {share(words.hits, words.found)}"
                f" | {1000 * words.found / words.all:.1f} |"
            )


def share(part: int, whole: int) -> str:
    """Return a share as text; a dash if there is nothing to find."""
    return f"{part / whole:.4f}" if part else "–"


def score_notes(notes: Sequence[Document]) -> Words:
    """De-identify notes, with everything that is found masked, and count words."""
    outcomes = lacuna.Deidentifier(policy="mask").deidentify(notes)
    return count_words(notes, [one for one in outcomes if isinstance(one, Safe)])


def rewritten(note: Document, change: Callable[[str], str]) -> Document:
    """Return a note in other letters; a character that would become two stays as it is."""
    text = "".join(new if len(new := change(c)) == 1 else c for c in note.text)
    return replace(note, text=text, tokens=None)


if __name__ == "__main__":
    main()
