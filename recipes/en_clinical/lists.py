"""Word lists of the bundled model: names, places and jobs from Faker, towns, common words.

The files ``common.txt.gz`` and ``proper.txt.gz`` are words of SCOWL 2020.12.07, sizes 10 to 70,
with the size they first stand in; its licence is in ``SCOWL.txt``. Towns are those of GeoNames
(CC BY 4.0, ``GEONAMES.txt``).
"""

from __future__ import annotations

import gzip
import pkgutil
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

import faker.providers.address
import faker.providers.job.en_US
import faker.providers.person

from lacuna.synthetic.people import without_accents

HERE = Path(__file__).parent
_WORD = re.compile(r"[A-Za-zÀ-ž][A-Za-zÀ-ž'-]+")
#: Count of a word by the size of the SCOWL list: bands 5 to 0.
_COUNTS = {10: 10**5, 20: 10**4, 35: 10**3, 40: 10**2, 50: 10**2, 55: 10, 60: 10, 70: 1}

SHORTEST_TOWN = 2  #: letters of words in names of towns that are left out

Counts = Mapping[str, int]


def word_lists() -> dict[str, Counts]:
    """Return word → count of every list; count 10 for names of several of Faker's locales."""
    jobs = [*_words(faker.providers.job.en_US.Provider.jobs), *_own_words("jobs")]
    return {
        "given": _from_faker(faker.providers.person, r"first_names.*"),
        "family": _from_faker(faker.providers.person, r"last_names.*"),
        "place": _from_faker(
            faker.providers.address,
            r"cit(y|ies).*|.*_cities|states|provinces|regions|departments|countries",
        )
        | _towns(),
        "eponym": dict.fromkeys(_own_words("eponyms"), 1),
        "job": {word: 1 for word in jobs if word.islower() or len(word) > 4},
        "common": dict.fromkeys(_own_words("medical"), _COUNTS[50]) | _from_scowl("common"),
        "proper": _from_scowl("proper"),
    }


def thinned(words: Counts, eighths: int) -> dict[str, int]:
    """Return so many eighths of a list; which words stay depends on the words alone."""
    return {word: n for word, n in words.items() if zlib.crc32(word.encode()) // 8 % 8 < eighths}


def write_list(path: Path, words: Counts) -> None:
    """Write ``word<TAB>count`` lines in a fixed order."""
    lines = (f"{word}\t{words[word]}\n" for word in sorted(words))
    path.write_text("".join(lines), encoding="utf-8")


def _from_scowl(name: str) -> dict[str, int]:
    content = gzip.decompress((HERE / f"{name}.txt.gz").read_bytes()).decode()
    pairs = (line.split("\t") for line in content.splitlines())
    return {word: _COUNTS[int(size)] for word, size in pairs}


def read_towns() -> list[tuple[str, str, int]]:
    """Return the towns of GeoNames: name, country, and size from 1 to 3."""
    lines = gzip.decompress((HERE / "towns.txt.gz").read_bytes()).decode().splitlines()
    rows = (line.split("\t") for line in lines)
    return [(name, country, int(size)) for name, country, size in rows]


def _towns() -> dict[str, int]:
    """Return the words of the names of towns; count 10 for those of larger ones."""
    words: dict[str, int] = {}
    for name, _, size in read_towns():
        for word in _words(name):
            if len(word) > SHORTEST_TOWN:
                words[word] = max(words.get(word, 0), 10 if size > 1 else 1)
    return words


def _own_words(name: str) -> list[str]:
    lines = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]


def _from_faker(package: ModuleType, names: str) -> dict[str, int]:
    """Collect the words of all lists so named, over all locales that use Latin letters."""
    locales: Counter[str] = Counter()
    for module in pkgutil.iter_modules(package.__path__):
        provider = import_module(f"{package.__name__}.{module.name}").Provider
        lists = (getattr(provider, name) for name in dir(provider) if re.fullmatch(names, name))
        found = {word for values in lists if not callable(values) for word in _words(values)}
        locales.update(found | {without_accents(word) for word in found})
    return {word: 10 if number > 1 else 1 for word, number in locales.items()}


def _words(values: object) -> Iterator[str]:
    """Yield the words of text, however deep in lists it stands."""
    if isinstance(values, str):
        yield from (w for w in re.findall(r"[^\W\d_][\w'-]*", values) if _WORD.fullmatch(w))
    elif isinstance(values, Iterable):
        for value in values:
            yield from _words(value)
