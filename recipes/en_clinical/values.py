"""What identifiers are replaced by: names by origin, towns, firms, jobs, and the corpus's own.

Values of a note are taken from other notes of the corpus, from the language pack of
:mod:`lacuna.synthetic`, from Faker and from the towns of GeoNames (``towns.txt.gz``).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from lists import read_towns

from lacuna.synthetic.language import Split
from lacuna.synthetic.people import NameBook, without_accents
from lacuna.synthetic.writer import load_pack
from lacuna.text.document import Document

WORD = re.compile(r"[^\W\d_]+(?:['’ʻ][^\W\d_]+)*")
PERSONS = frozenset(("PATIENT", "DOCTOR", "NAME"))
#: Labels whose values may be taken from other notes as a whole.
SHARED = ("HOSPITAL", "ORGANIZATION", "LOCATION_OTHER", "PROFESSION", "CITY", "STATE", "COUNTRY")
#: A word of so many values is part of the kind, not of the name: hospital, street, ward.
GENERIC = 4
_ENGLISH = frozenset(("US", "GB", "CA", "AU", "NZ", "IE"))
#: Words of this count or more are no names, although some people have them: will, may, long.
_FREQUENT = 10**4
#: How often a town of another country is drawn, relative to one of an English-speaking country.
_ABROAD = 0.5


@dataclass(frozen=True, slots=True)
class Names:
    """Names of people, and what is known about a word in a name.

    Attributes
    ----------
    book
        Names by origin, to draw from.
    uses
        Plain word → its uses: origin and "m", "f" or "l".
    written
        First and last names as the corpus has them.
    wordy
        Family names that are common words, but none of the commonest.
    """

    book: NameBook
    uses: Mapping[str, tuple[tuple[int, str], ...]]
    written: tuple[tuple[str, ...], tuple[str, ...]]
    wordy: tuple[str, ...]

    def draw(self, rng: Random, use: str, origin: int | None = None) -> str:
        """Draw a name by its use; `origin` is a number in the book, or any."""
        chance = rng.random()
        if chance < 0.12:
            return rng.choice(self.written[use == "l"])
        if chance < 0.18 and use == "l":
            return rng.choice(self.wordy)
        book = self.book
        if origin is None or chance > 0.8:
            origin = rng.choices(range(len(book.origins)), cum_weights=book.cumulated)[0]
        names = book.origins[origin]
        name = rng.choice({"m": names.male, "f": names.female, "l": names.last}[use])
        return without_accents(name) if rng.random() < 0.75 else name


@dataclass(frozen=True, slots=True)
class Values:
    """Everything that slots are filled with."""

    names: Names
    towns: tuple[str, ...]
    town_weights: tuple[float, ...]
    shared: Mapping[str, Mapping[tuple[int, ...], tuple[str, ...]]]
    generic: Mapping[str, frozenset[str]]
    jobs: tuple[str, ...]
    streets: tuple[str, ...]

    @classmethod
    def of(cls, notes: Sequence[Document], common: Mapping[str, int]) -> Values:
        """Collect the values of notes, and those that need none."""
        pack = load_pack("en", Split.TRAIN)
        words = frozenset(common)
        by_label = surfaces(notes)
        towns = _towns()
        lists = pack.language.words
        return cls(
            _names(pack.book, by_label, common),
            tuple(name for name, _ in towns),
            tuple(accumulate(weight for _, weight in towns)),
            {label: _by_form(by_label[label]) for label in SHARED},
            {label: _generic(found, words) for label, found in by_label.items()},
            tuple(sorted({*lists["profession"], *by_label["PROFESSION"]})),
            lists["street.name"],
        )

    def town(self, rng: Random) -> str:
        """Draw a town."""
        return rng.choices(self.towns, cum_weights=self.town_weights)[0]

    def place_word(self, rng: Random) -> str:
        """Draw a word that a hospital, firm or street may be called by."""
        chance = rng.random()
        if chance < 0.5:
            words = [word for word in self.town(rng).split() if len(word) > 3]
            if words:
                return words[0]
        if chance < 0.7:
            return rng.choice(self.streets)
        return self.names.draw(rng, "l")

    def alike(self, rng: Random, label: str, surface: str) -> str | None:
        """Draw a value of the corpus that looks like a surface, or None if there is none."""
        found = self.shared[label].get(form(surface))
        return rng.choice(found) if found else None


def surfaces(notes: Iterable[Document]) -> dict[str, list[str]]:
    """Return the different surfaces of every label, sorted."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for note in notes:
        for mention in note.mentions:
            found[mention.label].add(mention.surface(note.text))
    return defaultdict(list, {label: sorted(values) for label, values in found.items()})


def _towns() -> list[tuple[str, float]]:
    """Return the towns of GeoNames with weights."""
    return [
        (name, size * (1.0 if country in _ENGLISH else _ABROAD))
        for name, country, size in read_towns()
    ]


def form(surface: str) -> tuple[int, ...]:
    """Return what values must share to stand in for one another: digits, capitals, words."""
    words = surface.split()
    is_acronym = surface.isupper() and len(surface) <= 5
    return any(c.isdigit() for c in surface), is_acronym, min(len(words), 3)


def _by_form(values: Sequence[str]) -> dict[tuple[int, ...], tuple[str, ...]]:
    """Sort values by their form; those in small letters or capitals alone are left out."""
    found: defaultdict[tuple[int, ...], list[str]] = defaultdict(list)
    for value in values:
        kind = form(value)
        if kind[1] or not value.isupper():
            found[kind].append(value)
    return {kind: tuple(values) for kind, values in found.items()}


def _generic(values: Sequence[str], common: frozenset[str]) -> frozenset[str]:
    """Return the common words that several values have: hospital, road, st."""
    count = Counter(word for value in values for word in {w.lower() for w in WORD.findall(value)})
    return frozenset(w for w, n in count.items() if n >= GENERIC and (w in common or len(w) < 4))


def _names(book: NameBook, by_label: Mapping[str, list[str]], common: Mapping[str, int]) -> Names:
    whole = load_pack("en", Split.ALL).book
    uses: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for number, origin in enumerate(whole.origins):
        for use, names in (("m", origin.male), ("f", origin.female), ("l", origin.last)):
            for word in sorted({plain(name) for name in names}):
                uses[word].append((number, use))
    full = [
        words
        for label in sorted(PERSONS)
        for value in by_label[label]
        if len(words := WORD.findall(value)) == 2 and not value.isupper() and "," not in value
    ]
    first = sorted({words[0] for words in full if words[0].istitle() and len(words[0]) > 2})
    last = sorted({words[1] for words in full if words[1][0].isupper() and len(words[1]) > 2})
    family = {name for origin in book.origins for name in origin.last}
    wordy = sorted(
        name for name in family if 0 < common.get(name.lower(), 0) < _FREQUENT and len(name) > 2
    )
    return Names(
        book, {w: tuple(u) for w, u in uses.items()}, (tuple(first), tuple(last)), tuple(wordy)
    )


def plain(word: str) -> str:
    """Return a word in small letters without accents."""
    return without_accents(word).lower()
