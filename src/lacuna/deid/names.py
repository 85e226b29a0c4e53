"""Names of persons: which words are titles, initials, given and family names.

::

    Dr. John A. Smith Jr., MD    given (john, a), family smith, generation jr
    SMITH, JOHN                  given (john,), family smith
    Mrs. van der Berg            family "van der berg", a woman
    Smith                        one word alone: given or family name, nobody knows

Words are compared in lower case and without accents. Titles and letters after a name (MD, RN) say
nothing about who it is; whether somebody is the elder or younger (Jr., III) does.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from lacuna.deid.dates.words import plain

# a letter with its marks; O'Brien is one word, John's is John and a clitic
_LETTER = "[^\\W\\d_][\u0300-\u036f]*"
_WORD = re.compile(f"(?:{_LETTER})+(?:['’](?![sS](?![^\\W_]))(?:{_LETTER})+)?")
_CLITIC = re.compile("[^\\W\\d_]['’][sS](?![^\\W_])")

# Only words that are hardly anybody's name: what is taken for a title is not replaced.
_MEN = ("mr", "mister", "herr", "senor", "monsieur", "dhr", "meneer")
_WOMEN = (
    *("mrs", "ms", "miss", "frau", "senora", "sra", "srta", "senorita", "mme", "madame", "mlle"),
    *("mevr", "mevrouw", "mw", "dra", "doctora"),
)
_ANYONE = ("dr", "drs", "doctor", "doktor", "docteur", "prof", "professor", "profesor", "rev", "sr")
_TITLES = frozenset((*_MEN, *_WOMEN, *_ANYONE))
_AFTER = frozenset(
    (
        *("md", "phd", "rn", "np", "dds", "dmd", "mph", "msw", "lcsw", "lpn", "cna", "crna"),
        *("fnp", "aprn", "bsn", "pharmd", "mbbs", "facp"),
    )
)
_GENERATIONS = frozenset(("jr", "junior", "ii", "iii", "iv"))
_PARTICLES = frozenset(
    (
        *("van", "von", "der", "den", "de", "del", "la", "las", "los", "ter", "zu", "ibn"),
        *("das", "dos", "af", "av"),
    )
)
_LOWER_PARTICLES = frozenset(  # with a capital they may be names: Al Smith, Le Nguyen
    ("le", "du", "do", "di", "da", "al", "el", "ten", "e", "y", "bin")
)


class Role(Enum):
    """What a word of a name is."""

    TITLE = "title"
    INITIAL = "initial"
    PARTICLE = "particle"
    NAME = "name"


class NameWord(NamedTuple):
    """One word of a name: ``surface[start:end]``, in plain spelling `word`."""

    start: int
    end: int
    word: str
    role: Role


class NameForm(NamedTuple):
    """Who is named, as far as one mention says.

    Attributes
    ----------
    given
        Plain given names and initials, in order.
    family
        Plain family name with its particles; "" where only one word stands alone.
    alone
        That word, of which nobody knows whether it is given or family name, else "".
    gender
        "m" or "f" where the title says so, else "".
    generation
        "jr", "iii" …, else "".
    """

    given: tuple[str, ...] = ()
    family: str = ""
    alone: str = ""
    gender: str = ""
    generation: str = ""

    @property
    def specificity(self) -> tuple[int, int]:
        """How much a form says; a whole name more than initials more than a word alone."""
        return sum(1 + (len(name) > 1) for name in self.given), bool(self.family)


def name_words(surface: str) -> list[NameWord]:
    """Return the words of a name with what they are. At least one is no title, if there is any."""
    found = [m.span() for m in _WORD.finditer(surface)]
    if _CLITIC.search(surface):
        found = [(a, b) for a, b in found if not _CLITIC.fullmatch(surface, max(a - 2, 0), b)]
    words = [NameWord(a, b, _plain(surface[a:b]), Role.NAME) for a, b in found]
    roles = [_role(surface, words, i) for i in range(len(words))]
    if not any(role in (Role.NAME, Role.INITIAL) for role in roles):
        roles = [Role.NAME] * len(words)
    return [word._replace(role=role) for word, role in zip(words, roles, strict=True)]


def name_form(surface: str) -> NameForm:
    """Return who is named."""
    words = name_words(surface)
    titles = [word.word for word in words if word.role == Role.TITLE]
    gender = (
        "m" if any(t in _MEN for t in titles) else "f" if any(t in _WOMEN for t in titles) else ""
    )
    generation = next((t for t in titles if t in _GENERATIONS), "").replace("junior", "jr")
    core = [word for word in words if word.role != Role.TITLE]
    comma = surface.find(",")
    before = [word for word in core if comma >= 0 and word.end <= comma]
    after = [word for word in core if comma >= 0 and word.start > comma]
    if before and after:
        given = tuple(word.word for word in after if word.role != Role.PARTICLE)
        return NameForm(given, " ".join(word.word for word in before), "", gender, generation)
    if not core:
        return NameForm()
    first = len(core) - 1  # first word of the family name
    while first > 0 and core[first - 1].role == Role.PARTICLE:
        first -= 1
    given = tuple(word.word for word in core[:first] if word.role != Role.PARTICLE)
    family = " ".join(word.word for word in core[first:])
    if given or any(title not in _GENERATIONS and title not in _AFTER for title in titles):
        return NameForm(given, family, "", gender, generation)
    return NameForm((), "", family, gender, generation)


def _role(surface: str, words: list[NameWord], i: int) -> Role:
    word, following, count = words[i], words[min(i + 1, len(words) - 1)], len(words)
    name = word.word
    is_last = i == count - 1
    if name in _TITLES and not (is_last and name == "sr" and i > 0) and i + 1 < count:
        return Role.TITLE
    if i > 0 and (name in _GENERATIONS or (name == "sr" and is_last)):
        return Role.TITLE
    if i > 0 and name in _AFTER and surface[word.start : word.end].isupper():
        return Role.TITLE
    if _is_particle(surface, word) and i + 1 < count:
        # "Van Morrison" may be called Van; "Oscar De La Hoya" and "van der Berg" are clear
        if i > 0 or surface[word.start].islower() or _is_particle(surface, following):
            return Role.PARTICLE
        return Role.NAME
    return Role.INITIAL if len(name) == 1 else Role.NAME


def _is_particle(surface: str, word: NameWord) -> bool:
    if word.word in _PARTICLES:
        return True
    return word.word in _LOWER_PARTICLES and surface[word.start : word.end].islower()


def _plain(word: str) -> str:
    return plain(word).replace("'", "").replace("’", "")
