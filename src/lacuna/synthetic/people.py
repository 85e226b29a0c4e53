"""Persons: names of many origins, and the forms in which a note writes them.

First and last names come from Faker's lists, so the same seed gives the same notes only with the
same version of Faker.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import accumulate
from random import Random

from lacuna.synthetic.language import Language, Role, Split, portion

_LATIN = re.compile(r"[A-Za-zÀ-ž][A-Za-zÀ-ž' -]{1,18}")
_OWN = "own"  # the origin whose names are word lists of the language pack
_MIXED = 0.25  # first and last name of different origins


@dataclass(frozen=True, slots=True)
class Person:
    """A person in a note; `number` makes user names distinct and constant."""

    first: str
    middle: str
    last: str
    nick: str
    is_male: bool
    number: int

    def fields(self) -> dict[str, str]:
        """Return the fields of name formats."""
        plain = {"first": self.first, "middle": self.middle, "last": self.last, "nick": self.nick}
        ascii_last = re.sub("[^a-z]", "", without_accents(self.last).lower())
        ascii_first = re.sub("[^a-z]", "", without_accents(self.first).lower())
        return (
            plain
            | {key.upper(): value.upper() for key, value in plain.items()}
            | {"f": self.first[0], "m": self.middle[0], "M": self.middle[0], "l": self.last[0]}
            | {"n": str(self.number)}
            | {"user_first": ascii_first, "user_last": ascii_last}
            | {"uf": ascii_first[:1], "um": self.middle[0].lower(), "ul": ascii_last[:1]}
        )


@dataclass(frozen=True, slots=True)
class Names:
    """First and last names of one origin."""

    male: tuple[str, ...]
    female: tuple[str, ...]
    last: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameBook:
    """All origins with cumulated weights, and nicknames of first names."""

    origins: tuple[Names, ...]
    cumulated: tuple[float, ...]
    nicknames: Mapping[str, str]

    def person(self, rng: Random, *, is_male: bool, last: str | None = None) -> Person:
        """Draw a person, with the last name `last` if it is given."""
        origin, other = rng.choices(self.origins, cum_weights=self.cumulated, k=2)
        first_names = origin.male if is_male else origin.female
        first, middle = rng.choice(first_names), rng.choice(first_names)
        last = last or rng.choice((other if rng.random() < _MIXED else origin).last)
        if rng.random() < 0.75:
            first, middle, last = map(without_accents, (first, middle, last))
        nick = self.nicknames.get(first, first)
        return Person(first, middle, last, nick, is_male, rng.randrange(1, 1000))

    def relative(self, rng: Random, role: Role, patient: Person) -> Person:
        """Draw the person with a role, such as a relative or the doctor of the patient."""
        is_male = rng.random() < 0.5
        if role.sex != "any":
            is_male = patient.is_male == (role.sex == "same")
        family = rng.random() < role.family
        return self.person(rng, is_male=is_male, last=patient.last if family else None)


def without_accents(text: str) -> str:
    """Return the text without accents: ``Müller`` gives ``Muller``."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def name_book(language: Language, split: Split) -> NameBook:
    """Return the names of all origins of a language pack."""
    weights = language.settings.origins
    origins = tuple(_names(language, origin, split) for origin in weights)
    return NameBook(origins, tuple(accumulate(weights.values())), language.settings.nicknames)


def _names(language: Language, origin: str, split: Split) -> Names:
    if origin == _OWN:
        lists = [language.words[name] for name in ("first.male", "first.female", "last")]
    else:
        provider = import_module(f"faker.providers.person.{origin}").Provider
        any_sex = getattr(provider, "first_names", ())
        lists = [
            getattr(provider, "first_names_male", None) or any_sex,
            getattr(provider, "first_names_female", None) or any_sex,
            provider.last_names,
        ]
    male, female, last = (portion(_usable(names), split) for names in lists)
    return Names(male, female, last)


def _usable(names: Iterable[str]) -> list[str]:
    """Return the names in Latin letters, sorted."""
    return sorted({name for name in names if _LATIN.fullmatch(name)})
