"""Build the bundled model for English text that is not clinical: letters, e-mails, court cases.

    python recipes/en_general/build.py tab-train.jsonl

writes ``src/lacuna/data/en-general.lacuna``. The argument is the training part of the text
anonymization benchmark (TAB, MIT), see README.md. The same cases and the same versions of lacuna,
Faker, NumPy and Numba give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from faker.providers.job.en_US import Provider as Jobs

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
SCOWL = HERE.parent / "en_clinical"
LONGEST_SHORT = 4  # letters

from common import (  # noqa: E402
    Counts,
    finished,
    from_faker,
    from_scowl,
    refilled,
    show,
    thinned,
    with_other_letters,
    words_of,
    write,
    written,
)
from en_general.letters import NATIONS, NUMERALS, letters  # noqa: E402

import lacuna  # noqa: E402
from lacuna.deid.policy import load_policy  # noqa: E402
from lacuna.features.resources import Resources  # noqa: E402
from lacuna.io.label_map import read_label_map  # noqa: E402
from lacuna.models.base import Card  # noqa: E402
from lacuna.models.bundled import bundled_model  # noqa: E402
from lacuna.models.crf import Crf, CrfModel  # noqa: E402
from lacuna.pipeline.training import train  # noqa: E402
from lacuna.pipeline.training_records import TrainOptions  # noqa: E402
from lacuna.text.document import Document  # noqa: E402

SEED = 1
#: How much of a list the model sees in training, in eighths: a list never has all names.
SEEN, SEEN_COMMON, WHOLE = 5, 7, 8
#: Makes the model prefer too much to too little; chosen on TAB dev.
CAUTION = 1.2
LICENCE = (
    "Apache-2.0; learnt from the text anonymization benchmark (TAB; Pilán, Lison, Øvrelid,"
    " Papadopoulou, Sánchez and Batet, 2022; MIT); holds hashes of words of Faker (MIT) and of"
    " SCOWL (see recipes/en_clinical)"
)


@dataclass(frozen=True, slots=True)
class Mixture:
    """How many texts of each sort.

    Attributes
    ----------
    refills
        How often each case comes with other names.
    letters
        Letters of our own.
    """

    refills: int = 3
    letters: int = 1500


SMALL = Mixture(refills=1, letters=20)


def main() -> None:
    """Build the model and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cases", type=Path, help="tab-train.jsonl")
    parser.add_argument("-o", "--output", type=Path, default=bundled_model("en-general"))
    parser.add_argument("--small", action="store_true", help="few texts, to try the recipe")
    options = parser.parse_args()
    mixture = SMALL if options.small else Mixture()
    write(build(list(lacuna.read(options.cases)), mixture).store(), options.output, "en")


def build(cases: list[Document], mixture: Mixture) -> CrfModel:
    """Train with thinned word lists; the model keeps the whole lists."""
    lists = all_lists()
    with TemporaryDirectory() as folder:
        seen = {name: thinned(words, shown(name)) for name, words in lists.items()}
        config = Crf(
            features=str(HERE / "templates.txt"),
            word_lists=written(seen, Path(folder) / "seen"),
            lexicon=False,
            min_count=3,
            min_documents=3,
            l2=0.5,
            iterations=30,
            tolerance=0.0,
        )
        options = TrainOptions(
            card=Card(licence=LICENCE),
            private=True,
            seed=SEED,
            on_progress=show,
        )
        model = train(list(training_texts(cases, mixture)), config, options).model
        assert isinstance(model, CrfModel)
        return finished(model, Resources.read(written(lists, Path(folder) / "whole"), {}), CAUTION)


def training_texts(cases: list[Document], mixture: Mixture) -> Iterator[Document]:
    """Yield the cases in several versions, then letters."""
    labels = read_label_map(HERE / "labels.toml")
    policy = load_policy(HERE / "refill.toml")
    own = [labels.apply(replace(case, group=case.id)) for case in cases]
    yield from with_other_letters(own)
    for number in range(mixture.refills):
        yield from refilled(own, policy, number, "en_GB")
    yield from letters(mixture.letters, SEED)


def all_lists() -> dict[str, Counts]:
    """Return names, places and jobs of Faker, words of SCOWL, and words of numbers and nations."""
    places = r"cit(y|ies).*|.*_cities|states|provinces|regions|departments|countries"
    return {
        "given": from_faker("person", r"first_names.*"),
        "family": from_faker("person", r"last_names.*"),
        "place": from_faker("address", places),
        "job": dict.fromkeys(filter(is_job_word, words_of(Jobs.jobs)), 1),
        "common": from_scowl(SCOWL / "common.txt.gz"),
        "proper": from_scowl(SCOWL / "proper.txt.gz"),
        "number": dict.fromkeys(NUMERALS, 1),
        "nation": dict.fromkeys(NATIONS, 1),
    }


def is_job_word(word: str) -> bool:
    """Whether a word of the name of a job tells one: no abbreviation."""
    return word.islower() or len(word) > LONGEST_SHORT


def shown(name: str) -> int:
    """Return how many eighths of a list the model sees in training."""
    return {"common": SEEN_COMMON, "number": WHOLE}.get(name, SEEN)


if __name__ == "__main__":
    main()
