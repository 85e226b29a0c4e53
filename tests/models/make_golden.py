"""Write the golden model files: ``python -m tests.models.make_golden FOLDER``.

The files in ``golden/`` were written once, by the version in their cards, and are never written
again: ``test_golden.py`` checks that later versions read them and find the same. A new kind of
model, or a new part of the format, gets a new file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from lacuna.models.answers import with_answers
from lacuna.models.base import Card, Tagger
from lacuna.models.crf import Crf
from lacuna.models.crf.li import Li
from lacuna.models.file import write_model
from lacuna.models.hypergraph import Shared
from lacuna.models.registry import load
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import TrainOptions
from tests.models.examples import corpus

GOLDEN = Path(__file__).parent / "golden"
TEXTS = (
    "",
    "Sato",
    "Seen by Dr. Zola Wexler in Arden today.",
    "Ana Vogel was moved to Xylo.\nNo fever and no pain were reported.\n",
    "Call Emre about it , then QUIST in Qwert - (Fossa) - 12/3 東京 \U0001f600",
)
FEATURES = str(GOLDEN / "small.features")
LISTS = {"towns": str(GOLDEN / "towns.tsv")}
CLUSTERS = {"names": str(GOLDEN / "names.clusters")}
MODELS: dict[str, tuple[Crf | Li | Shared, bool]] = {
    "crf": (Crf(FEATURES, iterations=15), False),
    "private": (Crf(FEATURES, iterations=15), True),
    "lists": (Crf(FEATURES, word_lists=LISTS, clusters=CLUSTERS, iterations=15), False),
    "two-pass": (Crf(FEATURES, iterations=10, two_pass=True), False),
    "li": (Li(FEATURES, iterations=15), False),
    "format-2": (Crf(FEATURES, iterations=15), False),  # the files above are of format 1
    "shared": (Shared(FEATURES, iterations=15), False),
}


def found(model: Tagger) -> list[list[Any]]:
    """Return [label, start, end, probability] of the mentions that a model finds in each text."""
    documents = (model.tag(text, probabilities=True) for text in TEXTS)
    return [
        [[m.label, m.start, m.end, round(m.probability or 0, 6)] for m in d.mentions]
        for d in documents
    ]


def main(folder: Path) -> None:
    """Train the models and write them, and what they find."""
    folder.mkdir(parents=True, exist_ok=True)
    expected = {}
    card = Card(data=("invented",), licence="CC0-1.0")
    for name, (config, private) in MODELS.items():
        model = train(corpus(16), config, TrainOptions(private=private, card=card)).model
        write_model(folder / f"{name}.lacuna", with_answers(model.store()))
        expected[name] = found(load(folder / f"{name}.lacuna"))
    (folder / "found.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
