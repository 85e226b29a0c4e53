"""Names and places to choose surrogates from: Faker's lists of one locale, by first letter.

Letters with few names in a locale borrow from other locales, so that there is always a choice. The
same key gives the same surrogates only with the same version of Faker. Whether a name is a first
name, of a man or a woman, is known from the lists of all locales and a list of our own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from string import ascii_lowercase
from typing import Any

from lacuna.deid.dates.calendar_words import plain
from lacuna.errors import ConfigError

_LATIN = re.compile(r"[A-Za-zÀ-ž]{2,14}")
_SHORTEST_JOB = 5
_LONGEST_JOB = 3  # words
SHORTEST = 4  #: letters of a name; shorter ones would be read as initials
_LOCALES = {
    **{"en": "en_US", "es": "es_ES", "de": "de_DE", "fr": "fr_FR", "nl": "nl_NL", "it": "it_IT"},
    **{"pt": "pt_PT", "pl": "pl_PL", "sv": "sv_SE", "da": "da_DK", "ca": "es_CA", "tr": "tr_TR"},
}
_LENDERS = (
    *("en_US", "en_GB", "en_IE", "de_DE", "es_ES", "fr_FR", "nl_NL", "it_IT", "tr_TR", "cs_CZ"),
    *("pl_PL", "pt_BR", "sv_SE", "hu_HU", "es_MX", "id_ID", "zu_ZA"),
)
#: Locales that lend first, by language.
_NEIGHBOURS = {"es": ("es_MX", "es_AR", "es_CO", "es_CL")}
_ENOUGH = 12  # names per letter; with fewer, others are borrowed
_TOO_FEW = 4  # with fewer even then, names are made up
_MORE_NAMES = Path(__file__).parent / "given_names.txt"
_MORE_TOWNS = Path(__file__).parent / "towns.txt"
_REGIONS = ("states", "regions", "provinces", "counties")


class NameGroup(StrEnum):
    """What a name is used as."""

    MALE = "first_names_male"
    FEMALE = "first_names_female"
    LAST = "last_names"


_LAST = NameGroup.LAST
_FIRST_NAMES = (NameGroup.MALE, NameGroup.FEMALE)


@dataclass(frozen=True, slots=True)
class Pools:
    """What surrogates are chosen from.

    Attributes
    ----------
    names
        Names of a group by their first plain letter; every letter has some, no name is repeated.
    groups
        Plain name → its group; of names in several groups, the most usual.
    doubtful
        Plain names in several groups, or only in lists of other locales.
    endings
        Last two letters of a plain first name → the gender of most names that end like it.
    locale
        Its full name.
    cities
        Names of cities by their first plain letter.
    regions, short_regions, countries, professions
        In the order of the lists.
    """

    names: Mapping[NameGroup, Mapping[str, tuple[str, ...]]]
    groups: Mapping[str, NameGroup]
    doubtful: frozenset[str]
    endings: Mapping[str, NameGroup]
    locale: str
    cities: Mapping[str, tuple[str, ...]]
    regions: tuple[str, ...]
    short_regions: tuple[str, ...]
    countries: tuple[str, ...]
    professions: tuple[str, ...]

    @property
    def is_english(self) -> bool:
        """Whether the locale is one of English."""
        return self.locale.startswith("en")


def known_locale(locale: str) -> str:
    """Return the full name of a locale that Faker has: ``en`` gives ``en_US``.

    Raises
    ------
    ConfigError
        Naming the nearest known locale.
    """
    name, known = _LOCALES.get(locale, locale), _locales()
    if name not in known:
        near = get_close_matches(name, [*known, *_LOCALES], n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
        raise ConfigError(f"unknown locale {locale}; {hint}")
    return name


@cache
def load_pools(locale: str) -> Pools:
    """Return the lists of a locale."""
    own = known_locale(locale)
    near = _NEIGHBOURS.get(own[:2], ())
    sources = list(dict.fromkeys((own, *near, *_LENDERS)))
    lists = {group: [_latin_names(source, group) for source in sources] for group in NameGroup}
    is_english = own.startswith("en")
    groups, doubtful = _groups(sources)
    names = {
        group: _by_letter(
            # English borrows no accents
            [n for n in names if groups[plain(n)] == group and (n.isascii() or not is_english)]
            for names in lists[group]
        )
        for group in NameGroup
    }
    place, job = _provider("address", own), _provider("job", own)
    regions = next((r for name in _REGIONS if (r := _texts(place, name))), ())
    return Pools(
        names,
        groups,
        doubtful,
        _endings(groups),
        own,
        _cities(place, own[:2], names[NameGroup.LAST]),
        regions,
        _texts(place, "states_abbr"),
        _texts(place, "countries"),
        tuple(name for name in _texts(job, "jobs") if _is_job(name, is_english=is_english)),
    )


def faker_names(locale: str, group: NameGroup) -> list[str]:
    """Return the names of a locale, sorted, in any script."""
    provider = _provider("person", locale)
    names: Iterable[Any] = getattr(provider, group.value, ()) or ()
    if not names and group is not NameGroup.LAST:
        names = getattr(provider, "first_names", ())
    return sorted({name for name in names if isinstance(name, str)})


@cache
def _locales() -> list[str]:
    people = import_module("faker.providers.person")
    return sorted(module.name for module in iter_modules(people.__path__))


@cache
def _latin_names(locale: str, group: NameGroup) -> list[str]:
    return [name for name in faker_names(locale, group) if _LATIN.fullmatch(name)]


def _groups(sources: list[str]) -> tuple[dict[str, NameGroup], frozenset[str]]:
    """Return the group of every name in the lists, and which names the lists are not sure of.

    Those are the names in several groups, and names that only other sources have, or in another
    group.
    """
    others = [locale for locale in _locales() if locale not in sources]
    known, doubtful = _grouped([*_lists(sources), *_more_names()])
    elsewhere, _ = _grouped(_lists(others))
    differ = {name for name, group in elsewhere.items() if known.get(name) is not group}
    return elsewhere | known, doubtful | differ


def _lists(locales: list[str]) -> list[tuple[NameGroup, list[str]]]:
    return [(group, _latin_names(locale, group)) for locale in locales for group in NameGroup]


def _grouped(
    lists: list[tuple[NameGroup, list[str]]],
) -> tuple[dict[str, NameGroup], frozenset[str]]:
    """Return the group of each name: that of the first list with it; and names in several groups.

    First names come before family names: "Thomas" is one, though also a family name.
    """
    groups: dict[str, NameGroup] = {}
    doubtful: set[str] = set()
    for group, names in lists:
        for name in map(plain, names):
            if groups.setdefault(name, group) is not group:
                doubtful.add(name)
    return groups, frozenset(doubtful)


def _more_names() -> list[tuple[NameGroup, list[str]]]:
    found: list[tuple[NameGroup, list[str]]] = []
    for line in _MORE_NAMES.read_text("utf-8").splitlines():
        sign, *names = line.split()
        if sign in "m-":
            found.append((NameGroup.MALE, names))
        if sign in "f-":
            found.append((NameGroup.FEMALE, names))
    return found


def _endings(groups: Mapping[str, NameGroup]) -> dict[str, NameGroup]:
    count = Counter((name[-2:], group) for name, group in groups.items() if group is not _LAST)
    return {
        ending: max(_FIRST_NAMES, key=lambda group: count[ending, group]) for ending, _ in count
    }


def _by_letter(offers: Iterable[list[str]]) -> dict[str, tuple[str, ...]]:
    """Sort names by first letter; later offers count only for letters with few names so far."""
    table: dict[str, dict[str, str]] = {letter: {} for letter in ascii_lowercase}
    for offer in offers:
        few = {letter for letter in table if len(table[letter]) < _ENOUGH}
        for name in offer:
            word = plain(name)
            if word[0] in few and len(word) >= SHORTEST:
                table[word[0]].setdefault(word, name)
    everything = [name for names in table.values() for name in names.values()]
    for letter, names in table.items():
        if len(names) < _TOO_FEW:  # X: "Xilson" from "Wilson"
            for name in everything[:: max(len(everything) // 40, 1)]:
                changed = letter.upper() + name[1:]
                names.setdefault(plain(changed), changed)
    return {letter: tuple(names.values()) for letter, names in table.items()}


def _is_job(name: str, *, is_english: bool) -> bool:
    """Whether a name of Faker's is words alone, and not half of one: "Copy, advertising".

    Lists of other languages also have titles of statistics, of many words.
    """
    is_short = is_english or len(name.split()) <= _LONGEST_JOB
    return is_short and name.replace(" ", "").isalpha() and len(name.split()[-1]) >= _SHORTEST_JOB


def _cities(
    provider: Any, language: str, last_names: Mapping[str, tuple[str, ...]]
) -> Mapping[str, tuple[str, ...]]:
    offered = [ending.lower() for ending in _texts(provider, "city_suffixes")]
    own = _more_towns().get(language, [])  # beside them, surnames are towns
    usable = [ending for ending in offered if _LATIN.fullmatch(ending)]
    endings = [""] if own else usable or ["ville"]
    made = [
        name + endings[i % len(endings)]
        for names in last_names.values()
        for i, name in enumerate(names)
    ]
    listed = [city for city in _texts(provider, "cities") if _LATIN.fullmatch(city)]
    listed += own
    return _by_letter([sorted(set(listed)), made])


@cache
def _more_towns() -> Mapping[str, list[str]]:
    lines = map(str.split, _MORE_TOWNS.read_text("utf-8").splitlines())
    return {language: towns for language, *towns in lines}


def _provider(kind: str, locale: str) -> Any:
    try:
        return import_module(f"faker.providers.{kind}.{locale}").Provider
    except ModuleNotFoundError:
        return import_module(f"faker.providers.{kind}").Provider


def _texts(provider: Any, name: str) -> tuple[str, ...]:
    values = getattr(provider, name, None) or ()
    return tuple(dict.fromkeys(value for value in values if isinstance(value, str)))
