"""Build the bundled English clinical model from the notes of ``corpus/`` and generated notes.

    python recipes/en_clinical/build.py

writes ``src/lacuna/data/en-clinical.lacuna``; the same versions of lacuna, Faker, NumPy and Numba
give the same bytes. Nothing is downloaded. ``docs/bundled-model.md`` says how good it is.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from lists import Counts, thinned, word_lists, write_list
from mixture import Mixture, training_notes

from lacuna.deid.vocabulary import LANGUAGE
from lacuna.features.extract import FeatureIndex
from lacuna.features.plan import make_plan
from lacuna.features.resources import Resources
from lacuna.io.label_map import LabelMap
from lacuna.models.answers import with_answers
from lacuna.models.base import Card
from lacuna.models.bundled import bundled_model
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.file import (
    PackedStrings,
    StoredModel,
    packed_words,
    unpack_strings,
    write_model,
)
from lacuna.models.scoring import in_few_bytes, without_small
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from lacuna.text.sequences import SequenceKind

TEMPLATES = Path(__file__).parent / "templates.txt"
SEED = 1
SMALL = Mixture(generated=20, jottings=20, written=1, cased=0, refills=0, families=1)
#: How much of a list the model sees in training, in eighths: a list never has all names.
SEEN = {"common": 7, "eponym": 7}
SEEN_NAMES = 5
#: Weights nearer to zero are left out of the file.
SMALLEST_WEIGHT = 0.05
#: Makes the model prefer too much to too little; chosen on notes-dev and the dev families.
CAUTION = 0.9
#: Labels that the tagger does not tell apart: patterns do, by a word before the number or its form.
MERGED = {
    **dict.fromkeys(("FAX", "URL", "IPADDR"), "PHONE"),
    **dict.fromkeys(("SSN", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE"), "IDNUM"),
    **{"BIOID": "IDNUM", "LOCATION-OTHER": "ORGANIZATION", "DEPARTMENT": "HOSPITAL"},
}
LICENCE = (
    "Apache-2.0; holds hashes of words of Faker (MIT), of SCOWL and of towns of GeoNames"
    " (CC BY 4.0), see recipes/en_clinical"
)


def main() -> None:
    """Build the model and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("-o", "--output", type=Path, default=bundled_model())
    parser.add_argument("--small", action="store_true", help="few notes, to try the recipe")
    options = parser.parse_args()
    mixture = SMALL if options.small else Mixture()
    began = time.perf_counter()
    options.output.parent.mkdir(exist_ok=True)
    stored = in_few_bytes(in_english(build(mixture).store()))
    digest = write_model(options.output, with_answers(stored))
    size = options.output.stat().st_size / 1e6
    seconds = time.perf_counter() - began
    sys.stderr.write(f"\n{options.output}: {size:.1f} MB, {seconds:.0f} s, sha256 {digest}\n")


def build(mixture: Mixture) -> CrfModel:
    """Train with thinned word lists; the model keeps the whole lists."""
    lists = word_lists()
    seen = {name: thinned(words, SEEN.get(name, SEEN_NAMES)) for name, words in lists.items()}
    with TemporaryDirectory() as folder:
        tagger = learn(mixture, seen, Path(folder) / "seen")
        return finished(tagger, Resources.read(_written(lists, Path(folder) / "whole"), {}))


def learn(mixture: Mixture, lists: Mapping[str, Counts], folder: Path) -> CrfModel:
    """Train the tagger with word lists, which are written to a folder."""
    labels = LabelMap(MERGED)
    config = Crf(
        features=str(TEMPLATES),
        word_lists=_written(lists, folder),
        sequence=SequenceKind.SENTENCE,
        lexicon=False,  # names of the training notes are made up
        min_count=5,
        min_documents=5,
        l2=0.15,
        iterations=24,
        tolerance=0.0,
    )
    card = Card(data=(mixture.described(SEED),), licence=LICENCE)
    documents = map(labels.apply, training_notes(mixture, lists["common"], SEED))
    model = train(documents, config, TrainOptions(card=card, on_progress=_show)).model
    assert isinstance(model, CrfModel)
    return model


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
    return replace(tagger, config=config, index=index, weights=kept, words=small(tagger.words))


def small(words: PackedStrings) -> PackedStrings:
    """Return words without those that are also there in small letters."""
    every = set(unpack_strings(words))
    return packed_words(word for word in every if word.islower() or word.lower() not in every)


def in_english(stored: StoredModel) -> StoredModel:
    """Return a model whose file names its language, so that other documents are noticed."""
    return replace(stored, header={**stored.header, LANGUAGE: "en"})


def _show(progress: Progress) -> None:
    sys.stderr.write(f"\riteration {progress.iteration} of {progress.iterations}")


if __name__ == "__main__":
    main()
