"""Reading names of persons: which words are titles, initials, given and family names.

::

    Dr. John A. Smith Jr., MD    given (john, a), family smith, generation jr
    SMITH, JOHN                  given (john,), family smith
    Mrs. van der Berg            family "van der berg", a woman
    Smith                        one word alone: given or family name

Words are compared in lower case and without accents. Titles and letters after a name (MD, RN) do
not tell people apart; generations (Jr., III) do.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from typing import NamedTuple

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.nicknames import short_forms

APOSTROPHES = "'’‘ʼ"
# O'Brien is one word, John's is John and a clitic
_LETTER = "[^\\W\\d_ʼ]"
_WORD = re.compile(f"{_LETTER}++(?:[{APOSTROPHES}](?![sS](?![^\\W_])){_LETTER}++)?+")
_CLITIC = re.compile(f"{_LETTER}[{APOSTROPHES}][sS](?![^\\W_])")
_LONGEST_TITLE = 16  # with a period and spaces

# Only words that are rarely names: a title is not replaced.
_MEN = frozenset(("mr", "mister", "herr", "senor", "monsieur", "dhr", "meneer"))
_WOMEN = frozenset(
    (
        *("mrs", "ms", "miss", "frau", "senora", "sra", "srta", "senorita", "mme", "madame"),
        *("mlle", "mevr", "mevrouw", "mw", "dra", "doctora"),
    )
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
_SPECIAL = _TITLES | _AFTER | _GENERATIONS | _PARTICLES | _LOWER_PARTICLES


class WordRole(Enum):
    """What a word of a name is."""

    TITLE = "title"
    INITIAL = "initial"
    PARTICLE = "particle"
    NAME = "name"


TITLE, INITIAL, PARTICLE, NAME = WordRole  # four times as fast as WordRole.NAME


class NameWord(NamedTuple):
    """One word of a name: ``surface[start:end]``, in plain spelling `word`."""

    start: int
    end: int
    word: str
    role: WordRole


#: Given names, family name, generation.
FullName = tuple[tuple[str, ...], str, str]


class NameForm(NamedTuple):
    """What one mention of a name says about the person.

    Attributes
    ----------
    given
        Plain given names and initials, in order.
    family
        Plain family name with its particles; "" if the name is one word alone.
    alone
        That word, which may be a given or a family name; otherwise "".
    gender
        "m" or "f" if the title says so, otherwise "".
    generation
        "jr", "iii" … or "".
    """

    given: tuple[str, ...] = ()
    family: str = ""
    alone: str = ""
    gender: str = ""
    generation: str = ""

    @property
    def full(self) -> FullName | None:
        """The full name, if there is a family name and the first given name is no initial."""
        if not self.family or not self.given or len(self.given[0]) == 1:
            return None
        return self.given, self.family, self.generation

    @property
    def specificity(self) -> tuple[int, int]:
        """How much a form says: a whole name more than a short form or initials, then a word."""
        short = short_forms()
        said = [2 if len(name) == 1 else 3 if name in short else 4 for name in self.given]
        return sum(said), bool(self.family)


def word_spans(surface: str) -> list[tuple[int, int]]:
    """Return where the words are: letters with their marks, without the *s* of a possessive."""
    if surface.isascii() and "'" not in surface:
        return [match.span() for match in _WORD.finditer(surface)]
    seen = _marks_as_letters(surface)
    found = [match.span() for match in _WORD.finditer(seen)]
    return [(a, b) for a, b in found if not _CLITIC.fullmatch(seen, max(a - 2, 0), b)]


def has_apostrophe(text: str) -> bool:
    """Whether there is an apostrophe in a text."""
    return "'" in text or (not text.isascii() and not set(APOSTROPHES).isdisjoint(text))


def plain_words(surface: str) -> list[NameWord]:
    """Return the words of a text, all as names."""
    return [NameWord(a, b, plain_word(surface[a:b]), NAME) for a, b in word_spans(surface)]


def name_words(surface: str) -> list[NameWord]:
    """Return the words of a name with their roles; not all of them are titles."""
    found = word_spans(surface)
    words = [plain_word(surface[a:b]) for a, b in found]
    if _SPECIAL.isdisjoint(words):
        roles = [INITIAL if len(word) == 1 else NAME for word in words]
    else:
        roles = _roles([surface[a:b] for a, b in found], words)
    return [NameWord(a, b, words[i], roles[i]) for i, (a, b) in enumerate(found)]


def name_form(surface: str) -> NameForm:
    """Return who is named."""
    if not surface.isascii() or "," in surface or "'" in surface:
        return form_of(surface, name_words(surface))
    lower = surface.lower()
    words = lower.split() if lower.replace(" ", "").isalpha() else _WORD.findall(lower)
    if not _SPECIAL.isdisjoint(words):
        return form_of(surface, name_words(surface))
    if len(words) > 1:  # nothing but given names and a family name
        return NameForm(tuple(words[:-1]), words[-1])
    return NameForm(alone=words[0]) if words else NameForm()


def title_gender(before: str) -> str | None:
    """Return the gender that a title at the end of a text tells, "" if none; None without title."""
    words = before[-_LONGEST_TITLE:].split()
    title = plain(words[-1].strip("().,")) if words else ""
    return gender_of(title) if title in _TITLES else None


def gender_of(title: str) -> str:
    """Return "m" or "f" if a plain title tells, otherwise ""."""
    return "f" if title in _WOMEN else "m" if title in _MEN else ""


def is_particle(word: str) -> bool:
    """Whether a plain word is a particle of family names, also with a capital: van, de."""
    return word in _PARTICLES


def form_of(surface: str, words: list[NameWord]) -> NameForm:
    """Return who is named by words with roles."""
    core = [word for word in words if word.role is not TITLE]
    if not core:
        return NameForm()
    titles: list[str] = []
    gender = generation = ""
    if len(core) < len(words):
        titles = [word.word for word in words if word.role is TITLE]
        gender = "f" if not _WOMEN.isdisjoint(titles) else ""
        gender = "m" if not _MEN.isdisjoint(titles) else gender
        generation = next((t for t in titles if t in _GENERATIONS), "").replace("junior", "jr")
    comma = surface.find(",")
    if core[0].end <= comma < core[-1].start:
        given = [w.word for w in core if w.start > comma and w.role is not PARTICLE]
        family = " ".join([word.word for word in core if word.end <= comma])
        return NameForm(tuple(given), family, "", gender, generation)
    first = len(core) - 1  # first word of the family name
    while first > 0 and core[first - 1].role is PARTICLE:
        first -= 1
    given = [word.word for word in core[:first] if word.role is not PARTICLE]
    family = " ".join([word.word for word in core[first:]])
    if given or any(title not in _GENERATIONS and title not in _AFTER for title in titles):
        return NameForm(tuple(given), family, "", gender, generation)
    return NameForm((), "", family, gender, generation)


def _roles(owns: list[str], words: list[str]) -> list[WordRole]:
    """Return the roles of words, given as written and in plain spelling."""
    roles = [_role(owns, words, i) for i in range(len(words))]
    return roles if NAME in roles or INITIAL in roles else [NAME] * len(roles)


def _role(owns: list[str], words: list[str], i: int) -> WordRole:
    own, word, last = owns[i], words[i], len(words) - 1
    if word in _TITLES and i < last:
        return TITLE
    if i > 0 and (word in _GENERATIONS or (word == "sr" and i == last)):
        return TITLE
    if i > 0 and word in _AFTER and own.isupper():
        return TITLE
    if i < last and _is_particle(own, word):
        # the "Van" of "Van Morrison" may be a given name; "van der Berg" is clear
        if i > 0 or own[0].islower() or _is_particle(owns[i + 1], words[i + 1]):
            return PARTICLE
        return NAME
    return INITIAL if len(word) == 1 else NAME


def _is_particle(own: str, word: str) -> bool:
    return word in _PARTICLES or (word in _LOWER_PARTICLES and own.islower())


def plain_word(word: str) -> str:
    """Return a word in lower case, without accents and apostrophes."""
    if word.isascii():
        return word.lower().replace("'", "") if "'" in word else word.lower()
    return "".join([c for c in plain(word) if c not in APOSTROPHES]) or word


def _marks_as_letters(surface: str) -> str:
    """Return a text with a letter for each vowel sign and accent that follows a letter."""
    seen: list[str] = []
    for c in surface:
        is_mark = not c.isascii() and unicodedata.category(c)[0] == "M"
        seen.append("x" if is_mark and seen and seen[-1].isalpha() else c)
    return "".join(seen)
