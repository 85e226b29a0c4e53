"""Word lists of the bundled model: names, places and jobs from Faker, towns, common words.

The files ``common.txt.gz`` and ``proper.txt.gz`` are words of SCOWL 2020.12.07, sizes 10 to 70,
with the size they first stand in; its licence is in ``SCOWL.txt``. Towns are those of GeoNames
(CC BY 4.0, ``GEONAMES.txt``).
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import faker.providers.job.en_US

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))

from common import Counts, from_faker, from_scowl, words_of  # noqa: E402

MEDICAL = 100  #: count of a medical word: that of a common one
SHORTEST_TOWN = 2  #: letters of words in names of towns that are left out


def word_lists() -> dict[str, Counts]:
    """Return word → count of every list; count 10 for names of several of Faker's locales."""
    jobs = [*words_of(faker.providers.job.en_US.Provider.jobs), *_own_words("jobs")]
    return {
        "given": from_faker("person", r"first_names.*"),
        "family": from_faker("person", r"last_names.*"),
        "place": from_faker(
            "address",
            r"cit(y|ies).*|.*_cities|states|provinces|regions|departments|countries",
        )
        | _towns(),
        "eponym": dict.fromkeys(_own_words("eponyms"), 1),
        "job": {word: 1 for word in jobs if word.islower() or len(word) > 4},
        "common": dict.fromkeys(_own_words("medical"), MEDICAL)
        | from_scowl(HERE / "common.txt.gz"),
        "proper": from_scowl(HERE / "proper.txt.gz"),
    }


def read_towns() -> list[tuple[str, str, int]]:
    """Return the towns of GeoNames: name, country, and size from 1 to 3."""
    lines = gzip.decompress((HERE / "towns.txt.gz").read_bytes()).decode().splitlines()
    rows = (line.split("\t") for line in lines)
    return [(name, country, int(size)) for name, country, size in rows]


def _towns() -> dict[str, int]:
    """Return the words of the names of towns; count 10 for those of larger ones."""
    words: dict[str, int] = {}
    for name, _, size in read_towns():
        for word in words_of(name):
            if len(word) > SHORTEST_TOWN:
                words[word] = max(words.get(word, 0), 10 if size > 1 else 1)
    return words


def _own_words(name: str) -> list[str]:
    lines = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]
