"""What each part of the training notes is worth, measured on notes that models are chosen by.

    python recipes/en_clinical/ablations.py [DATA]

trains a small model for each mixture and prints a row: recall / precision of words as written, in
small letters and in capitals, of ``examples/notes-dev.jsonl`` and of the dev families of
``corpus/``; with DATA, a folder of outside corpora, also words masked per 1,000 of MTSamples.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from build import build
from mixture import COPIED, CORPUS, Mixture

import lacuna
from lacuna.models.crf import CrfModel
from lacuna.text.document import Document

ROOT = CORPUS.parent
sys.path.append(str(ROOT / "benchmarks"))
from bundled import LETTERS, rewritten  # noqa: E402
from words import Words, count_words  # noqa: E402

BASE = Mixture(generated=300, jottings=800, written=1, cased=0, refills=3)
NO_NOTES = replace(BASE, generated=0, jottings=0)
AS_TYPED = replace(COPIED, lower=0, capitals=0)
ROWS: Mapping[str, Mixture] = {
    "base": BASE,
    "generated notes only": replace(BASE, written=0, refills=0),
    "hand-written notes only": NO_NOTES,
    "no re-filling (4 copies as written)": replace(BASE, written=4, refills=0),
    "8 re-fillings": replace(BASE, refills=8),
    "no small letters, no capitals": replace(BASE, noise=AS_TYPED),
    "no sparse notes": replace(BASE, sparse=0),
    "sparse notes twice as often": replace(BASE, sparse=2),
    "7 families": replace(BASE, families=7),
    "14 families": replace(BASE, families=14),
}


def main() -> None:
    """Train and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path, nargs="?", help="folder of outside corpora")
    parser.add_argument("--rows", nargs="*", default=list(ROWS))
    options = parser.parse_args()
    texts = {"notes-dev": list(lacuna.read(ROOT / "examples" / "notes-dev.jsonl"))}
    texts["dev families"] = dev_families()
    if options.data:
        texts["MTSamples"] = list(lacuna.read(options.data / "deid" / "mtsamples-dev.jsonl"))
    sys.stdout.write(f"| training notes | {' | '.join(texts)} |\n|{'---|' * (1 + len(texts))}\n")
    for name in options.rows:
        model = build(ROWS[name])
        cells = [cell(model, notes) for notes in texts.values()]
        sys.stdout.write(f"| {name} | {' | '.join(cells)} |\n")
        sys.stdout.flush()


def dev_families() -> list[Document]:
    """Return the notes of the families that models are chosen by."""
    table = tomllib.loads((CORPUS / "families.toml").read_text(encoding="utf-8"))
    names = [name for name, family in table.items() if family["split"] == "dev"]
    return [note for name in names for note in lacuna.read(CORPUS / f"{name}.txt")]


def cell(model: CrfModel, notes: Sequence[Document]) -> str:
    """Return scores in all letters, or words masked per 1,000 if nothing is marked."""
    scores = [scored(model, [rewritten(n, change) for n in notes]) for change in LETTERS.values()]
    if not scores[0].identifiers:
        return f"{1000 * scores[0].found / scores[0].all:.1f}"
    return ", ".join(f"{words.recall:.3f} / {words.precision:.3f}" for words in scores)


def scored(model: CrfModel, notes: Sequence[Document]) -> Words:
    """De-identify notes and count words."""
    outcomes = lacuna.Deidentifier(model=model, policy="mask").deidentify(notes)
    return count_words(notes, [one for one in outcomes if isinstance(one, lacuna.Safe)])


if __name__ == "__main__":
    main()
