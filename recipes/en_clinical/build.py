"""Build the bundled English clinical model from the notes of ``corpus/`` and generated notes.

    python recipes/en_clinical/build.py

writes ``src/lacuna/data/en-clinical.lacuna``; the same versions of lacuna, Faker, NumPy and Numba
give the same bytes. Nothing is downloaded. ``docs/bundled-model.md`` says how good it is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))

from common import Counts, finished, show, thinned, write, written  # noqa: E402
from lists import word_lists  # noqa: E402
from mixture import Mixture, training_notes  # noqa: E402

from lacuna.features.resources import Resources  # noqa: E402
from lacuna.io.label_map import LabelMap  # noqa: E402
from lacuna.models.base import Card  # noqa: E402
from lacuna.models.bundled import bundled_model  # noqa: E402
from lacuna.models.crf import Crf, CrfModel  # noqa: E402
from lacuna.models.file import PackedStrings, packed_words, unpack_strings  # noqa: E402
from lacuna.models.scoring import in_few_bytes  # noqa: E402
from lacuna.pipeline.training import train  # noqa: E402
from lacuna.pipeline.training_records import TrainOptions  # noqa: E402
from lacuna.text.sequences import SequenceKind  # noqa: E402

TEMPLATES = HERE / "templates.txt"
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
    write(in_few_bytes(build(mixture).store()), options.output, "en")


def build(mixture: Mixture) -> CrfModel:
    """Train with thinned word lists; the model keeps the whole lists."""
    lists = word_lists()
    seen = {name: thinned(words, SEEN.get(name, SEEN_NAMES)) for name, words in lists.items()}
    with TemporaryDirectory() as folder:
        tagger = learn(mixture, seen, Path(folder) / "seen")
        whole = Resources.read(written(lists, Path(folder) / "whole"), {})
    tagger = finished(tagger, whole, CAUTION, SMALLEST_WEIGHT)
    return replace(tagger, words=small(tagger.words))


def learn(mixture: Mixture, lists: Mapping[str, Counts], folder: Path) -> CrfModel:
    """Train the tagger with word lists, which are written to a folder."""
    labels = LabelMap(MERGED)
    config = Crf(
        features=str(TEMPLATES),
        word_lists=written(lists, folder),
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
    model = train(documents, config, TrainOptions(card=card, on_progress=show)).model
    assert isinstance(model, CrfModel)
    return model


def small(words: PackedStrings) -> PackedStrings:
    """Return words without those that are also there in small letters."""
    every = set(unpack_strings(words))
    return packed_words(word for word in every if word.islower() or word.lower() not in every)


if __name__ == "__main__":
    main()
