"""Surrogates of single words of names: "SMITH" becomes "KELLER", "J" becomes "P".

A word keeps its group (male, female or family name) and its case; its first letter follows the
secret alphabet of the scope, which replaces initials too. Short forms of first names become short
forms: if *Robert* becomes *Kenneth*, *Bob* becomes *Ken*. A word in another script becomes a word
in that script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.nicknames import NameFamily, families_like, name_families
from lacuna.deid.surrogates.choices import Hint, Memory
from lacuna.deid.surrogates.codes import other_code
from lacuna.deid.surrogates.context import article_of
from lacuna.deid.surrogates.pools import SHORTEST, NameGroup, Pools
from lacuna.deid.surrogates.scripts import LATIN, ScriptNames, script_names, script_of

SPACE = "word"
PERSON = "person"  #: domain of the words of all persons, whatever the label
_FAMILIES = "families"
_LONGEST_ACRONYM = 5
_LISTED = 48  # attempts with names from the lists
_LETTERS = 26
_LAST = NameGroup.LAST
_GENDERS = {"m": NameGroup.MALE, "f": NameGroup.FEMALE}
_GENDER = {group: gender for gender, group in _GENDERS.items()}
_LONGEST_FAMILY_NAME = 2  # characters of a Chinese, Japanese or Korean one


def other_word(
    memory: Memory,
    pools: Pools,
    domain: str,
    own: str,
    word: str,
    names: Mapping[str, tuple[str, ...]] | None = None,
    *,
    is_loud: bool = False,
) -> str | None:
    """Return another word in the case and script of a given one; None if its script has no names.

    Parameters
    ----------
    memory, pools
        Of the scope and the locale.
    domain
        Equal words in different domains have different surrogates.
    own, word
        As written, and in plain spelling.
    names
        By first letter, if they do not depend on the word's group.
    is_loud
        Whether everything around is in capitals too, so that capitals do not make an acronym.
    """
    if not own.isascii() and (script := script_of(own)) != LATIN:
        listed = script_names(script, pools.locale) if domain == PERSON else None
        return None if listed is None else _like(own, _script_word(memory, listed, own, word))
    if len(word) == 1:
        return _like(own, memory.letter(word))
    if own.isupper() and word not in pools.groups and _is_acronym(word, is_loud):
        return _other_acronym(memory, domain, word).upper()
    if not own.isupper() and not own[1:].islower() and _are_initials(own, word):
        return "".join([_like(a, memory.letter(b)) for a, b in zip(own, word, strict=True)])
    return _like(own, word_for(memory, pools, domain, word, names))


def word_for(
    memory: Memory,
    pools: Pools,
    domain: str,
    word: str,
    names: Mapping[str, tuple[str, ...]] | None = None,
) -> str:
    """Return the surrogate of a plain word, as the lists spell it."""
    known = memory.known(SPACE, domain, word)
    if known is not None:
        return known
    hint = memory.hints.get(word)
    group = _group(memory, pools, word) if domain == PERSON else _LAST
    offered = _offered(memory, names or pools.names[group], word, hint)
    first: Sequence[str] = ()
    if domain == PERSON and group is not _LAST and pools.is_english and word in name_families():
        first = [name for name in _same_form(memory, word, _GENDER[group]) if _fits(name, hint)]
    choices = min(len(offered), _LISTED)
    start = memory.key.number("word", domain, word)

    def make(attempt: int) -> tuple[str, str]:
        if attempt < len(first):
            name = first[attempt]
        elif attempt < len(first) + choices:
            name = offered[(start + attempt - len(first)) % len(offered)]
        else:  # all taken: a double name
            more = pools.names[_LAST][memory.letter(chr(97 + (start + attempt) % 26))]
            name = offered[start % len(offered)] + more[(start >> 8) % len(more)].lower()
        return name, plain(name)

    return memory.choose(SPACE, domain, word, make) or _letters_for(memory, word)


def _letters_for(memory: Memory, word: str) -> str:
    """Return letters instead of a name: there are too many names within one scope."""
    return (other_code(memory, SPACE, word, grow=True) or "x").capitalize()


def _group(memory: Memory, pools: Pools, word: str) -> NameGroup:
    """Return what a word is used as: by the lists, or by the text if they do not know."""
    listed, hint = pools.groups.get(word), memory.hints.get(word)
    if hint is None or word in memory.usual or hint.given == hint.family == 0:
        return listed or _LAST
    if hint.family > hint.given:
        return _LAST
    if listed is not None and word not in pools.doubtful:
        return listed
    if hint.gender:
        return _GENDERS[hint.gender]
    if listed is None or listed is _LAST:
        return pools.endings.get(word[-2:], NameGroup.MALE)
    return listed


def _offered(
    memory: Memory, names: Mapping[str, tuple[str, ...]], word: str, hint: Hint | None
) -> tuple[str, ...]:
    """Return the names to choose from: of the word's secret letter, or the next that has some."""
    letter = memory.letter(word[0])
    if hint is None or not (hint.article or hint.ends_in_s):
        return names[letter]
    for _ in range(_LETTERS):
        fitting = tuple(name for name in names[letter] if _fits(name, hint))
        if fitting:
            return fitting
        letter = memory.letter(letter)
    every = tuple(name for offered in names.values() for name in offered if _fits(name, hint))
    return every or names[letter]


def _fits(name: str, hint: Hint | None) -> bool:
    """Whether a name goes with the article before and the apostrophe after it."""
    if hint is None:
        return True
    is_s_missing = hint.ends_in_s and name[-1] != "s"
    return not is_s_missing and (not hint.article or article_of(name) == hint.article)


def _same_form(memory: Memory, word: str, gender: str) -> Sequence[str]:
    """Return names that are to their full name what a word is to its own: Bob, Ken."""
    own, *others = name_families()[word]
    for family in others:  # Ted: Edward or Theodore?
        is_better = memory.is_expected(SPACE, family.full) or own.gender != gender
        if is_better and family.gender == gender and not memory.is_expected(SPACE, own.full):
            own = family
    other = _other_family(memory, own)
    if other is None:
        return ()
    full, *short = [name for name in other.names if len(name) >= SHORTEST - 1]
    place = own.plain_names.index(word)
    if place == 0 or not short:
        return (full,)
    return [short[(place - 1 + i) % len(short)] for i in range(len(short))]


def _other_family(memory: Memory, own: NameFamily) -> NameFamily | None:
    """Return the first name and its short forms that replace others; None if all are taken."""
    known = memory.known(_FAMILIES, "", own.full)
    if known is not None:
        return name_families()[known][0]
    large, small = families_like(own.gender, memory.letter(own.full[0]), min(len(own.names), 4))
    start = memory.key.number("family", own.full)

    def make(attempt: int) -> tuple[str, str] | None:
        if attempt >= len(large) + len(small):
            return None
        offered, i = (large, start) if attempt < len(large) else (small, start - len(large))
        full = offered[(i + attempt) % len(offered)].full
        return full, full if memory.is_free(SPACE, full) else own.full

    chosen = memory.choose(_FAMILIES, "", own.full, make)
    return None if chosen is None else name_families()[chosen][0]


def _script_word(memory: Memory, names: ScriptNames, own: str, word: str) -> str:
    known = memory.known(SPACE, PERSON, word)
    if known is not None:
        return known
    if len(word) == 1 and names.letters:
        return memory.letter(word, names.letters)
    group, before = names.groups.get(word), ""
    if group is None and names.is_family_first and len(own) > 1:
        before, group = _family_part(memory, names, own), NameGroup.MALE
    hint = memory.hints.get(word)
    if group is None:
        group = _GENDERS[hint.gender or "m"] if hint and hint.given > hint.family else _LAST
    offered = names.names[group]
    if names.has_endings:  # Петрова is a woman
        offered = tuple(n for n in offered if plain(n)[-1] == word[-1]) or offered
    if names.letters:
        letter = memory.letter(word[0], names.letters)
        offered = tuple(n for n in offered if plain(n)[0] == letter) or offered
    start = memory.key.number("word", PERSON, word)

    def make(attempt: int) -> tuple[str, str]:
        first = offered[(start + attempt) % len(offered)]
        more = names.names[group][(start >> 8) % len(names.names[group])]
        name = before + (first if attempt < len(offered) else first + more)
        return name, plain(name)

    made = memory.choose(SPACE, PERSON, word, make)
    return made or before + "".join(islice(offered, 3))


def _family_part(memory: Memory, names: ScriptNames, own: str) -> str:
    """Return another family name for the one that a name of one word begins with."""
    for size in range(_LONGEST_FAMILY_NAME, 0, -1):
        family = own[:size]
        if size < len(own) and names.groups.get(plain(family)) is _LAST:
            return _script_word(memory, names, family, plain(family))
    return _script_word(memory, names, own[:1], plain(own[:1]))


def _is_acronym(word: str, is_loud: bool) -> bool:
    """Whether capitals are an acronym: up to three letters, or more without a vowel."""
    if not set(word) & set("aeiouy"):
        return len(word) <= _LONGEST_ACRONYM
    return len(word) <= 3 and not is_loud


def _are_initials(own: str, word: str) -> bool:
    """Whether a word in capitals and small letters is made of initials: FMcA."""
    return len(own) == len(word) <= _LONGEST_ACRONYM and sum(map(str.isupper, own)) > 2


def _other_acronym(memory: Memory, domain: str, word: str) -> str:
    hint = memory.hints.get(word)

    def make(attempt: int) -> tuple[str, str]:
        letters = list(map(memory.letter, word))
        for i in range(attempt):  # taken: advance the last letters in the secret alphabet
            letters[-1 - i % len(letters)] = memory.letter(letters[-1 - i % len(letters)])
        if hint is not None and hint.article:
            for _ in range(_LETTERS):
                if article_of("".join(letters).upper()) == hint.article:
                    break
                letters[0] = memory.letter(letters[0])
        return (text := "".join(letters)), text

    return memory.choose(SPACE, domain, word, make) or "".join(map(memory.letter, word))


def _like(own: str, name: str) -> str:
    """Return a name in the case of `own`."""
    if own.isupper():
        return name.upper()
    return name.lower() if own.islower() else name[0].upper() + name[1:]
