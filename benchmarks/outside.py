"""What the bundled models find in text that they were not trained on, with peers in the same run.

::

    python benchmarks/outside.py [DATA] [--others others/bin/python] [--json outside.json]

Each text is de-identified with everything that ``lacuna deid`` does, and scored by words: is a word
part of an identifier of any kind? As it is written, in small letters and in capitals. "Masked"
counts the words that are taken out of 1,000, right or wrong; in text without annotations nothing
else can be counted. "Missed" lists the labels of the missed words.

Texts of the project are always measured: those of :data:`OWN` and the dev families of ``corpus/``;
with ``--test``, also its test families, which no choice may depend on. With DATA, a folder of
outside corpora, also those in :data:`OUTSIDE` that are there. ``peers.py`` says how to install the
peers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from bundled import LETTERS, rewritten, share
from peers import PEERS, found_by

import lacuna
from lacuna.models.bundled import bundled_models
from lacuna.pipeline.detect_and_redact import Safe
from lacuna.text.document import Document
from lacuna.types import BoolArray, IntArray

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "corpus"))
#: Text from outside: its path in DATA, and the model that is meant for it.
OUTSIDE = {
    "clinical queries (ASQ-PHI)": ("deid/asq-dev.jsonl", "en-clinical"),
    "transcriptions, nearly without identifiers": ("deid/mtsamples-dev.jsonl", "en-clinical"),
    "court cases (TAB)": ("deid/tab-dev.jsonl", "en-general"),
    "Spanish notes (MEDDOCAN dev, also in training)": ("meddocan/dev", "es-clinical"),
    "a messy Spanish note": ("deid/notes-es-dev.jsonl", "es-clinical"),
}
#: The same in ``examples/``.
OWN = {
    "29 messy notes": ("notes-dev.jsonl", "en-clinical"),
    "10 messy Spanish notes": ("notes-es.txt", "es-clinical"),
    "8 letters and the like": ("letters.txt", "en-general"),
}
MOST_MISSED = 4  #: labels shown


class Text(NamedTuple):
    """Documents of one kind, and the model for them."""

    name: str
    model: str
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """What one tool found in one text."""

    text: str
    tool: str
    letters: str
    words: int
    identifiers: int
    found: int
    hits: int
    missed: dict[str, int]

    def __str__(self) -> str:
        """Return a row of a Markdown table."""
        most = Counter(self.missed).most_common(MOST_MISSED)
        cells = (
            *(self.text, self.tool, self.letters, f"{self.words:,}", f"{self.identifiers:,}"),
            *(share(self.hits, self.identifiers), share(self.hits, self.found)),
            f"{1000 * self.found / self.words:.1f}",
            ", ".join(f"{label} {count}" for label, count in most) or "–",
        )
        return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path, nargs="?", help="folder of outside corpora")
    parser.add_argument("--others", metavar="PYTHON", help="a Python that has the peers")
    parser.add_argument("--test", action="store_true", help="also the test families of corpus/")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    print("| text | tool | letters | words | identifiers | recall | precision | masked | missed |")
    print("|---|---|---|---|---|---|---|---|---|")
    rows = []
    for text in texts(options.data, options.test):
        for row in measured(text, options.others):
            print(row, flush=True)
            rows.append(asdict(row))
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1), "utf-8")


def texts(data: Path | None, with_test: bool) -> Iterator[Text]:
    """Yield all texts that are there, with a model that is there."""
    from families import families

    for split in ("dev", "test")[: 1 + with_test]:
        notes = tuple(note for family in families(split) for note in family.notes)
        yield Text(f"hand-written notes, {split} families", "en-clinical", notes)
    for folder, places in ((ROOT / "examples", OWN), (data, OUTSIDE)):
        for name, (place, model) in places.items():
            if folder is not None and (folder / place).exists() and model in bundled_models():
                yield Text(name, model, tuple(lacuna.read(folder / place)))


def measured(text: Text, others: str | None) -> Iterator[Row]:
    """Yield what the model finds in three kinds of letters, and what peers find as written."""
    for letters, change in LETTERS.items():  # what is known of a patient is of one casing
        pipeline = lacuna.Deidentifier(model=text.model, policy="mask")
        documents = [rewritten(one, change) for one in text.documents]
        safe = [one for one in pipeline.deidentify(documents) if isinstance(one, Safe)]
        if len(safe) < len(documents):
            raise SystemExit(f"{text.name}: {len(documents) - len(safe)} documents failed")
        words = [(one.detected.start, one.detected.end) for one in safe]
        found = [one.detected.covered for one in safe]
        yield counted(text.name, text.model, letters, documents, words, found)
        if letters == "as written" and others is not None and text.model.startswith("en"):
            for peer in PEERS:
                spans = found_by(others, peer, [one.text for one in documents])
                covered = [
                    overlapping(one.text, places, *borders)
                    for one, places, borders in zip(documents, spans, words, strict=True)
                ]
                yield counted(text.name, peer, letters, documents, words, covered)


def counted(
    text: str,
    tool: str,
    letters: str,
    documents: Sequence[Document],
    words: Sequence[tuple[IntArray, IntArray]],
    found: Sequence[BoolArray],
) -> Row:
    """Count words, identifiers, what was found, and what was missed."""
    counts = np.zeros(4, np.int64)
    missed: Counter[str] = Counter()
    for one, borders, covered in zip(documents, words, found, strict=True):
        places = [(span.start, span.end) for mention in one.mentions for span in mention.spans]
        true = overlapping(one.text, places, *borders)
        counts += [len(true), true.sum(), covered.sum(), (true & covered).sum()]
        for mention in one.mentions:
            places = [(span.start, span.end) for span in mention.spans]
            missed[mention.label] += int((overlapping(one.text, places, *borders) & ~covered).sum())
    all_, identifiers, hit, both = counts.tolist()
    return Row(text, tool, letters, all_, identifiers, hit, both, dict(+missed))


def overlapping(
    text: str, places: Sequence[tuple[int, int]], start: IntArray, end: IntArray
) -> BoolArray:
    """Return which words share a character with some of these places."""
    marked = np.zeros(len(text) + 1, np.int64)
    for a, b in places:
        marked[a:b] = 1
    before = np.concatenate(([0], np.cumsum(marked)))
    return np.asarray(before[end] > before[start])


if __name__ == "__main__":
    main()
