"""Build the bundled Spanish clinical model from MEDDOCAN and short notes of our own.

    python recipes/es_clinical/build.py meddocan/train meddocan/dev

writes ``src/lacuna/data/es-clinical.lacuna``. The corpus is SPACCC_MEDDOCAN (CC BY 4.0), see
README.md; its folders contain the brat files. The same corpus and the same versions of lacuna,
Faker, NumPy and Numba give the same bytes.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))

from common import (  # noqa: E402
    NEAR,
    Counts,
    finished,
    from_faker,
    show,
    thinned,
    with_other_letters,
    words_of,
    write,
    written,
)
from es_clinical.jottings import LOCALES, jottings, own_words  # noqa: E402

import lacuna  # noqa: E402
from lacuna.features.resources import Resources  # noqa: E402
from lacuna.io.label_map import read_label_map  # noqa: E402
from lacuna.models.base import Card  # noqa: E402
from lacuna.models.bundled import bundled_model  # noqa: E402
from lacuna.models.crf import Crf, CrfModel  # noqa: E402
from lacuna.pipeline.training import train  # noqa: E402
from lacuna.pipeline.training_records import TrainOptions  # noqa: E402
from lacuna.synthetic.people import without_accents  # noqa: E402
from lacuna.text.document import Document  # noqa: E402
from lacuna.text.sequences import SequenceKind  # noqa: E402

JOTTINGS, SEED = 2500, 1
#: How much of a list the model sees in training, in eighths: a list never has all names.
SEEN = 5
SHORTEST = 2  #: letters of words in names of towns and people that are left out
CAUTION = 0.5
LICENCE = (
    "CC BY 4.0; adapted from SPACCC_MEDDOCAN, Copyright (c) 2019 Secretaría de Estado para el"
    " Avance Digital, CC BY 4.0, https://github.com/PlanTL-GOB-ES/SPACCC_MEDDOCAN; holds hashes of"
    " words of Faker (MIT)"
)


def main() -> None:
    """Build the model and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path, nargs="+", help="folders of MEDDOCAN: train dev")
    parser.add_argument("-o", "--output", type=Path, default=bundled_model("es-clinical"))
    parser.add_argument("-n", "--jottings", type=int, default=JOTTINGS)
    options = parser.parse_args()
    documents = [note for folder in options.corpus for note in lacuna.read(folder)]
    write(build(documents, options.jottings).store(), options.output, "es")


def build(documents: list[Document], count: int) -> CrfModel:
    """Train with thinned word lists; the model keeps the whole lists."""
    lists = word_lists()
    with TemporaryDirectory() as folder:
        seen = {name: thinned(words, SEEN) for name, words in lists.items()}
        config = Crf(
            features=str(HERE / "templates.txt"),
            word_lists=written(seen, Path(folder) / "seen"),
            lexicon=False,
            sequence=SequenceKind.LINE,
            min_count=4,
            min_documents=4,
            l2=0.3,
            iterations=30,
            tolerance=0.0,
        )
        options = TrainOptions(
            card=Card(licence=LICENCE), private=True, seed=SEED, on_progress=show
        )
        notes = [*training_notes(documents), *jottings(count, SEED)]
        model = train(notes, config, options).model
        assert isinstance(model, CrfModel)
        whole = Resources.read(written(lists, Path(folder) / "whole"), {})
        return finished(model, whole, CAUTION)


def training_notes(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the notes of the corpus with our labels, in three kinds of letters."""
    labels = read_label_map(HERE / "labels.toml")
    yield from with_other_letters(with_postcodes(labels.apply(note)) for note in documents)


def with_postcodes(note: Document) -> Document:
    """Return a note in which places of digits alone are postcodes."""
    mentions = tuple(
        replace(mention, label="ZIP")
        if mention.label == "CITY" and re.fullmatch(r"[\d -]+", mention.surface(note.text))
        else mention
        for mention in note.mentions
    )
    return replace(note, mentions=mentions)


def word_lists() -> dict[str, Counts]:
    """Return word → count of every list."""
    places = r"cit(y|ies).*|.*_cities|states|provinces|regions|departments|countries|municipalities"
    own = own_words()
    towns = words_of([own["ciudad"], own["provincia"]])
    return {
        "given": with_own(from_faker("person", r"first_names.*", LOCALES), own["apodo"]),
        "family": with_own(from_faker("person", r"last_names.*", LOCALES), own["apellido"]),
        "place": with_own(from_faker("address", places, LOCALES), towns),
        "job": dict.fromkeys(words_of(jobs()), 1),
        "common": dict.fromkeys(common_words(), 1),
    }


def with_own(counts: Counts, words: Iterable[str]) -> dict[str, int]:
    """Add words of our own, with and without accents, that count like those of Spanish locales."""
    found = [word for word in words_of(list(words)) if len(word) > SHORTEST]
    return {**counts, **dict.fromkeys([*found, *map(without_accents, found)], NEAR)}


def jobs() -> list[str]:
    """Return Spanish names of jobs."""
    from faker.providers.job.es_ES import Provider

    return [job for job in Provider.jobs if len(job) > 3]


def common_words() -> list[str]:
    """Return the thousand Spanish words of Faker's filler text that are no names."""
    from faker.providers.lorem.es_ES import Provider

    return [word for word in Provider.word_list if len(word) > 1 and word.islower()]


if __name__ == "__main__":
    main()
