"""What adapting the bundled model gains on notes of a source, and what it loses on other notes.

::

    python benchmarks/adapting.py DATA/corpus/w1.txt more.jsonl … [-n 50] [--folds 2] [--only TEXT]

Every file is a source: annotated notes in any format. The bundled model is adapted to up to n notes
of each, with its own settings and each idea against forgetting alone and without it. Recall is that
of words, by the model alone, at the precision that the old model has at threshold 0.5 in the same
text: the figures are changes of it in points, as written, in small letters and in capitals.
"Others" are the notes of --others, "own" held-out notes of the source, by folds; "labels" is the F1
of mentions with their labels there, before and after, in percent.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from bundled import LETTERS, rewritten

import lacuna
from lacuna.evaluation.counts import Counts
from lacuna.learning.folds import jackknife
from lacuna.models.base import Tagger
from lacuna.models.bundled import bundled_model
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.settings import Settings
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import TrainOptions
from lacuna.text.document import Document
from lacuna.types import BoolArray, FloatArray
from lacuna.web.teaching.lesson_plan import settings_of

OTHERS = Path(__file__).parents[1] / "examples" / "notes-dev.jsonl"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="annotated notes, a source each")
    parser.add_argument("-n", "--notes", type=int, default=50, help="notes of a source")
    parser.add_argument("--others", type=Path, default=OTHERS, help="notes of other sources")
    parser.add_argument("--folds", type=int, default=0, help="measure the gain by so many folds")
    parser.add_argument("--iterations", type=int, default=24)
    parser.add_argument("--only", default="", help="ways of adapting whose name has this text")
    options = parser.parse_args()
    old = lacuna.load(bundled_model())
    assert isinstance(old, CrfModel)
    others = [Yardstick(list(lacuna.read(options.others)), letters, old) for letters in LETTERS]
    few = list(lacuna.read(options.files[0]))[:4]
    train(few, replace(old.config, iterations=1), TrainOptions(start=old))  # compiles
    print("| adapting | source | others | own | labels | CPU seconds |\n|---|---|---|---|---|---|")
    for name, config in ways(old, options.iterations).items():
        if options.only not in name:
            continue
        for path in options.files:
            notes = list(lacuna.read(path))[: options.notes]
            began = time.process_time()
            model = adapted(notes, config, old)
            seconds = time.process_time() - began
            own = gain(notes, config, old, options.folds) if options.folds else "– | –"
            lost = points([one.change(model) for one in others])
            print(f"| {name} | {path.stem} | {lost} | {own} | {seconds:.1f} |", flush=True)


def ways(old: CrfModel, iterations: int) -> dict[str, Settings]:
    """Return settings by name: all of it, all but one part, one part alone, nothing, as before."""
    assert isinstance(old.config, Crf)
    config = replace(old.config, iterations=iterations)
    bare = replace(config, adapting_letters=False, adapting_replay=0, adapting_share=1.0)
    return {
        "default": config,
        "review page": settings_of(None, old),
        "default, all new features": replace(config, min_count=1, min_documents=1),
        "default, 8 iterations": replace(config, iterations=8),
        "without letters": replace(config, adapting_letters=False),
        "without replay": replace(config, adapting_replay=0),
        "without share": replace(config, adapting_share=1.0),
        "changes alone": bare,
        "changes and letters": replace(bare, adapting_letters=True),
        "changes and replay": replace(bare, adapting_replay=config.adapting_replay),
        "changes and share": replace(bare, adapting_share=config.adapting_share),
        "weights anew (0.1.0)": Crf(adapting="weights", caution=config.caution),
    }


def adapted(notes: Sequence[Document], config: Settings, old: CrfModel) -> Tagger:
    """Return the model adapted to some notes."""
    return train(notes, config, TrainOptions(start=old)).model


def gain(notes: Sequence[Document], config: Settings, old: CrfModel, folds: int) -> str:
    """Return both figures of notes of the source that the model was not adapted to."""
    found: list[list[float]] = []
    before, after = Counts(), Counts()
    for rest, part in jackknife(notes, folds, rng=np.random.default_rng(0)):
        model = adapted([notes[i] for i in rest], config, old)
        left = [notes[i] for i in part]
        found.append([Yardstick(left, letters, old).change(model) for letters in LETTERS])
        before += lacuna.evaluate(old, left).section("strict").micro
        after += lacuna.evaluate(model, left).section("strict").micro
    changes = points(np.mean(found, axis=0).tolist())
    return f"{changes} | {100 * before.f1:.1f} → {100 * after.f1:.1f}"


class Yardstick:
    """Notes in some letters, and how the old model does there."""

    def __init__(self, notes: Sequence[Document], letters: str, old: Tagger) -> None:
        self.notes = [rewritten(note, LETTERS[letters]) for note in notes]
        probability, is_identifier = self.words(old)
        found = probability >= 0.5
        hits = np.count_nonzero(found & is_identifier)
        self.precision = hits / np.count_nonzero(found)
        self.recall = hits / np.count_nonzero(is_identifier)

    def words(self, model: Tagger) -> tuple[FloatArray, BoolArray]:
        """Return the probability of every word, and whether it is an identifier."""
        plain = [Document(note.id, note.text, group=note.group) for note in self.notes]
        probability, is_identifier = [], []
        for note, seen in zip(self.notes, model.examine(plain), strict=True):
            inside = np.zeros(len(note.text) + 1, np.bool_)
            for span in (span for mention in note.mentions for span in mention.spans):
                inside[span.start : span.end] = True
            for start, end, p in zip(seen.start, seen.end, seen.probability, strict=True):
                if any(map(str.isalnum, note.text[start:end])):
                    probability.append(p)
                    is_identifier.append(inside[start:end].any())
        return np.array(probability), np.array(is_identifier)

    def change(self, model: Tagger) -> float:
        """Return the change of recall at the old precision, in points."""
        probability, is_identifier = self.words(model)
        hits = np.cumsum(is_identifier[np.argsort(-probability, kind="stable")])
        enough = np.flatnonzero(hits / np.arange(1, len(hits) + 1) >= self.precision)
        recall = hits[enough[-1]] / hits[-1] if len(enough) else 0.0
        return 100 * float(recall - self.recall)


def points(changes: Sequence[float]) -> str:
    """Return changes as text."""
    return " ".join(f"{change:+.1f}" for change in changes)


if __name__ == "__main__":
    main()
