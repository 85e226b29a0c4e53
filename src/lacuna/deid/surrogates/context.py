"""What the text around a mention says about the surrogate that fits there.

==============================  ================================================================
``a carpenter``                 the surrogate must go with *a*, or with *an*
``James' wife``                 the surrogate must end in *s*: the apostrophe is not replaced
``Mrs. Okafor``, ``Okafor, A``  a family name
``Glenys Okafor``               a first name, then a family name
``his wife Glenys``             a first name, of a woman
==============================  ================================================================

A text never changes outside of what was found, so a surrogate has to fit what stands around it.
"""

from __future__ import annotations

import re

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.person_names import (
    PARTICLE,
    TITLE,
    NameWord,
    gender_of,
    is_particle,
    title_gender,
)
from lacuna.deid.surrogates.choices import Hint, Memory
from lacuna.deid.surrogates.pools import NameGroup, Pools

BEFORE, AFTER = 40, 2  #: characters that are looked at
_WOMEN = (
    *("wife", "mother", "mom", "mum", "mummy", "daughter", "sister", "aunt", "niece", "widow"),
    *("grandmother", "grandma", "granddaughter", "girlfriend", "stepmother", "fiancee"),
    *("esposa", "mujer", "madre", "hija", "hermana", "ehefrau", "mutter", "tochter", "schwester"),
    *("epouse", "femme", "mere", "fille", "soeur", "echtgenote", "moeder", "dochter", "zus"),
)
_MEN = (
    *("husband", "father", "dad", "daddy", "son", "brother", "uncle", "nephew", "widower"),
    *("grandfather", "grandpa", "grandson", "boyfriend", "stepfather", "fiance"),
    *("esposo", "marido", "padre", "hijo", "hermano", "ehemann", "vater", "sohn", "bruder"),
    *("mari", "pere", "fils", "frere", "echtgenoot", "vader", "zoon", "broer"),
)
_ANYONE = (
    *("partner", "spouse", "child", "sibling", "parent", "friend", "neighbor", "neighbour"),
    *("carer", "caregiver", "cousin", "twin", "baby", "roommate", "kid"),
)
_RELATIONS = {
    **dict.fromkeys(_WOMEN, "f"),
    **dict.fromkeys(_MEN, "m"),
    **dict.fromkeys(_ANYONE, ""),
}
_FILLERS = frozenset(("is", "was", "named", "called", "name", "s", "her", "his", "their", "the"))
#: Months that are first names too.
NAMED_MONTHS = frozenset(("april", "may", "june", "august", "jan", "julio", "abril", "avril"))
_BEFORE_MONTHS = frozenset(
    (
        *("in", "since", "until", "till", "by", "during", "of", "last", "next", "this", "early"),
        *("late", "mid", "from", "to", "through", "before", "after", "around", "for", "on", "and"),
        *("en", "de", "desde", "hasta", "im", "seit", "bis", "au", "depuis", "or", "between"),
    )
)
_WORDS = re.compile(r"[^\W\d_]+")
_STOPS = ".;!?\n\r"
_ARTICLE = re.compile(r"(?<![^\W_])(an?)[ \t\n]+\Z", re.IGNORECASE)
_VOWEL_LETTERS = "aefhilmnorsx"  # whose names begin with a vowel: an MRI
_LIKE_A = re.compile("eu|ewe|one|uni(?![mn])|use|usu|uro|util|ukr")  # a unit, an uninsured
_LIKE_AN = ("hour", "honest", "honor", "honour", "heir")


def article_before(before: str) -> str:
    """Return "a" or "an" if a text ends with one, otherwise ""."""
    if not before[-1:].isspace() or before[-2:-1] not in "aAnN":
        return ""
    match = _ARTICLE.search(before)
    return match[1].lower() if match else ""


def article_of(text: str) -> str:
    """Return the article that English puts before a word or phrase, by its spelling."""
    first = _WORDS.search(text)
    own = first[0] if first else ""
    word = plain(own)
    if not word:
        return "a"
    is_loud = " " in text and text.isupper()  # SET DESIGNER: no acronym
    if own.isupper() and ((len(own) <= 3 and not is_loud) or not set(word) & set("aeiouy")):
        return "an" if word[0] in _VOWEL_LETTERS else "a"
    if word[0] == "h":
        return "an" if word.startswith(_LIKE_AN) else "a"
    if word[0] not in "aeiou":
        return "a"
    return "a" if _LIKE_A.match(word) else "an"


def is_s_outside(surface: str, before: str, after: str) -> bool:
    """Whether an apostrophe after a word in *s* makes a possessive: ``James' wife``."""
    if after[:1] not in ("'", "’") or surface[-1:] not in ("s", "S") or after[1:2].isalnum():
        return False
    return before[-1:] not in ("'", "‘", "’")  # otherwise it is in quotation marks


def relation_before(before: str) -> str | None:
    """Return the gender that a word like *wife* before a name tells, or ""; None without it."""
    stop = max(map(before.rfind, _STOPS))
    words = _WORDS.findall(before, stop + 1)
    for word in reversed(words[-4:]):
        known = plain(word)
        if known in _RELATIONS:
            return _RELATIONS[known]
        if known not in _FILLERS:
            return None
    return None


def is_named_month(before: str, *, is_person: bool) -> bool:
    """Whether the name of a month alone is a person here: his wife June, Mrs. May.

    If `is_person`, there is a person of that name in the text; then it is one unless a word like
    *in* stands before it.
    """
    if relation_before(before) is not None or title_gender(before) is not None:
        return True
    words = _WORDS.findall(before)
    return is_person and not (words and plain(words[-1]) in _BEFORE_MONTHS)


def note_positions(
    memory: Memory, pools: Pools, surface: str, words: list[NameWord], before: str
) -> None:
    """Note which words of a name are first names and which are family names.

    Words that the lists know as family names only are left out: they may be middle names.
    """
    if len(words) < 2:
        for alone in words:
            _note_alone(memory, pools, alone.word, before)
        return
    if len(words) == 2:  # the usual cases, fast
        between = surface[words[0].end : words[1].start]
        first, last = (words[0], words[1]) if between == " " else (words[1], words[0])
        is_usual = between in (" ", ", ") and _is_usual(pools, first.word, last.word)
        if is_usual and (first.word not in pools.doubtful or not title_gender(before)):
            memory.usual.update((first.word, last.word))
            return
    given, family, gender = _positions(pools, surface, words, before)
    for word in given:
        if word in pools.doubtful or pools.groups.get(word) is not NameGroup.LAST:
            hint = memory.hints.setdefault(word, Hint())
            hint.given += 1
            hint.gender = hint.gender or gender
    for word in family:
        memory.hints.setdefault(word, Hint()).family += 1


def _note_alone(memory: Memory, pools: Pools, word: str, before: str) -> None:
    """Note what a title or a word like *wife* says about one word alone."""
    is_sure = word in pools.groups and word not in pools.doubtful
    if is_sure and pools.groups[word] is NameGroup.LAST:
        return
    if title_gender(before) is not None:
        memory.hints.setdefault(word, Hint()).family += 1
    elif not is_sure and (relation := relation_before(before)) is not None:
        hint = memory.hints.setdefault(word, Hint())
        hint.given += 1
        hint.gender = hint.gender or relation


def _is_usual(pools: Pools, first: str, last: str) -> bool:
    groups, family = pools.groups, NameGroup.LAST
    return groups.get(first, family) is not family and groups.get(last, family) is family


def _positions(
    pools: Pools, surface: str, words: list[NameWord], before: str
) -> tuple[list[str], list[str], str]:
    """Return the first names, the family names and the gender that a name and its title tell."""
    core = [word for word in words if word.role is not TITLE]
    gender, has_title = "", len(core) < len(words)
    if has_title:
        gender = next((g for w in words if w.role is TITLE and (g := gender_of(w.word))), "")
    units = _units(surface, core)
    if len(units) > 1:
        given, family = _given_and_family(surface, pools, units)
        if given and not gender:
            gender = title_gender(before) or _listed_gender(pools, given)
            gender = gender or relation_before(before) or ""
        return given, family, gender
    alone = units[0] if units else []
    if words[0].role is TITLE or title_gender(before) is not None:
        return [], alone, ""
    relation = relation_before(before)
    return ([], [], "") if relation is None else (alone, [], relation)


def _units(surface: str, words: list[NameWord]) -> list[list[str]]:
    """Return the words of a name; those joined by a hyphen or after a particle as one."""
    if "-" not in surface and all(word.role is not PARTICLE for word in words):
        return [[word.word] for word in words]
    units: list[list[str]] = []
    for i, word in enumerate(words):
        last = words[i - 1] if i else None
        is_joined = last is not None and (
            last.role is PARTICLE or surface[last.end : word.start] == "-"
        )
        if is_joined:
            units[-1].append(word.word)
        else:
            units.append([word.word])
    return units


def _given_and_family(
    surface: str, pools: Pools, units: list[list[str]]
) -> tuple[list[str], list[str]]:
    first, last = units[0], units[-1]
    if "," in surface:
        return [word for unit in units[1:] for word in unit], first
    is_plain = len(units) == 2 and len(first) == len(last) == 1
    if is_plain and _is_turned(pools, first[0], last[0]):  # Husbands Trevor
        return last, first
    if is_particle(first[0]):  # Van Buren
        return [], [word for unit in units for word in unit]
    return [word for unit in units[:-1] for word in unit], last


def _is_turned(pools: Pools, first: str, last: str) -> bool:
    groups, family = pools.groups, NameGroup.LAST
    if is_particle(first) or groups.get(first, family) is not family:
        return False
    return groups.get(last, family) is not family and (
        last not in pools.doubtful or (first in groups and first not in pools.doubtful)
    )


def _listed_gender(pools: Pools, given: list[str]) -> str:
    """Return the gender of names by the lists, of those that they are sure of if there are some."""
    told = ""
    for word in given:
        group = pools.groups.get(word, NameGroup.LAST)
        if group is not NameGroup.LAST:
            told = "m" if group is NameGroup.MALE else "f"
            if word not in pools.doubtful:
                return told
    return told
