"""Build the bundled English clinical model from generated notes.

    python recipes/en_clinical/build.py

writes ``src/lacuna/data/en-clinical.lacuna``; the same versions of lacuna, Faker, NumPy and Numba
give the same bytes. Nothing is downloaded. ``docs/bundled-model.md`` says how good it is.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from lists import Counts, thinned, word_lists, write_list

from lacuna.deid.vocabulary import LANGUAGE
from lacuna.features.extract import FeatureIndex
from lacuna.features.plan import make_plan
from lacuna.features.resources import Resources
from lacuna.io.label_map import LabelMap
from lacuna.models.answers import with_answers
from lacuna.models.base import Card
from lacuna.models.bundled import bundled_model
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.file import StoredModel, write_model
from lacuna.models.scoring import without_small
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from lacuna.synthetic import Noise, Split, generate
from lacuna.text.document import Document

TEMPLATES = Path(__file__).parent / "templates.txt"
NOTES, SEED = 3000, 1
#: Short notes besides, typed with less care: as many as this for each of the others.
JOTTINGS = 1.4
HASTE = Noise(careless=0.3, capitals=0.12, lower=0.15, wrapped=0.25)
#: How much of a list the model sees in training, in eighths: a list never has all names.
SEEN = {"common": 7}
SEEN_NAMES = 5
#: Weights nearer to zero are left out of the file.
SMALLEST_WEIGHT = 0.02
#: Makes the model prefer too much to too little; chosen on test notes of seeds 77, 4242, 9901.
CAUTION = 0.5
#: Labels that the tagger does not tell apart: patterns do, by a word before the number or its form.
MERGED = {
    **dict.fromkeys(("FAX", "URL", "IPADDR"), "PHONE"),
    **dict.fromkeys(("SSN", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE"), "IDNUM"),
    **{"BIOID": "IDNUM", "LOCATION-OTHER": "ORGANIZATION"},
}
LICENCE = "Apache-2.0; holds hashes of words of Faker (MIT) and of SCOWL (see recipes/en_clinical)"


def main() -> None:
    """Build the model and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("-o", "--output", type=Path, default=bundled_model())
    parser.add_argument("-n", "--notes", type=int, default=NOTES)
    options = parser.parse_args()
    began = time.perf_counter()
    options.output.parent.mkdir(exist_ok=True)
    digest = write_model(options.output, with_answers(in_english(build(options.notes).store())))
    size = options.output.stat().st_size / 1e6
    seconds = time.perf_counter() - began
    sys.stderr.write(f"\n{options.output}: {size:.1f} MB, {seconds:.0f} s, sha256 {digest}\n")


def build(notes: int) -> CrfModel:
    """Train on generated notes with thinned word lists; the model keeps the whole lists."""
    lists = word_lists()
    seen = {name: thinned(words, SEEN.get(name, SEEN_NAMES)) for name, words in lists.items()}
    with TemporaryDirectory() as folder:
        tagger = learn(notes, _written(seen, Path(folder) / "seen"))
        return finished(tagger, Resources.read(_written(lists, Path(folder) / "whole"), {}))


def learn(notes: int, lists: Mapping[str, str]) -> CrfModel:
    """Train the tagger with word lists: files by name."""
    labels = LabelMap(MERGED)
    config = Crf(
        features=str(TEMPLATES),
        word_lists=lists,
        lexicon=False,  # names of the generated notes are made up
        min_count=5,
        min_documents=6,
        l2=0.5,
        iterations=24,
        tolerance=0.0,
    )
    data = f"{notes} generated English notes and {int(JOTTINGS * notes)} jottings, seed {SEED}"
    card = Card(data=(data,), licence=LICENCE)
    documents = map(labels.apply, training_notes(notes))
    model = train(documents, config, TrainOptions(card=card, on_progress=_show)).model
    assert isinstance(model, CrfModel)
    return model


def training_notes(notes: int) -> Iterator[Document]:
    """Write so many notes of all kinds, then jottings about other patients."""
    yield from generate(notes, seed=SEED, split=Split.TRAIN)
    jottings = generate(
        int(JOTTINGS * notes), seed=SEED, split=Split.TRAIN, kinds=("jotting",), noise=HASTE
    )
    for note in jottings:
        yield replace(note, id=f"j{note.id}", group=f"j{note.group}")


def _written(lists: Mapping[str, Counts], folder: Path) -> dict[str, str]:
    folder.mkdir()
    for name, words in lists.items():
        write_list(folder / f"{name}.tsv", words)
    return {name: str(folder / f"{name}.tsv") for name in lists}


def finished(tagger: CrfModel, lists: Resources) -> CrfModel:
    """Give the tagger the whole lists and its caution, and drop small weights."""
    old = tagger.index
    plan = make_plan(old.plan.templates, resources=lists, key=old.plan.key)
    weights = tagger.weights.dense(len(tagger.tags))
    index, kept = without_small(FeatureIndex(plan, old.keys), weights, SMALLEST_WEIGHT)
    config = replace(tagger.config, caution=CAUTION)
    return replace(tagger, config=config, index=index, weights=kept)


def in_english(stored: StoredModel) -> StoredModel:
    """Return a model whose file names its language, so that other documents are noticed."""
    return replace(stored, header={**stored.header, LANGUAGE: "en"})


def _show(progress: Progress) -> None:
    sys.stderr.write(f"\riteration {progress.iteration} of {progress.iterations}")


if __name__ == "__main__":
    main()
