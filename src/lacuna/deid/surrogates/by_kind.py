"""Surrogates by the kind of identifier: names, numbers, addresses, or an entry of a list."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.kinds import IdentifierKind
from lacuna.deid.surrogates.addresses import other_email, other_ip, other_url, other_username
from lacuna.deid.surrogates.choices import Hint, Memory
from lacuna.deid.surrogates.codes import other_code
from lacuna.deid.surrogates.context import (
    article_before,
    article_of,
    is_s_outside,
    note_positions,
)
from lacuna.deid.surrogates.phrases import expect_words, other_name, other_place, words_of
from lacuna.deid.surrogates.pools import Pools
from lacuna.deid.surrogates.scripts import is_latin, script_of

_BY_WORDS = frozenset(
    (
        IdentifierKind.PERSON,
        IdentifierKind.ORGANISATION,
        IdentifierKind.STREET,
        IdentifierKind.CITY,
        IdentifierKind.PLACE,
        IdentifierKind.STATE,
        IdentifierKind.COUNTRY,
    )
)
_LISTED = frozenset((IdentifierKind.STATE, IdentifierKind.COUNTRY, IdentifierKind.PROFESSION))
_LATIN_ONLY = frozenset(
    (
        IdentifierKind.STATE,
        IdentifierKind.COUNTRY,
        IdentifierKind.EMAIL,
        IdentifierKind.USERNAME,
        IdentifierKind.URL,
    )
)
_PREFIX = re.compile(r"\+\d{1,3}(?=[ .(-])|1(?=[ .(-])", re.ASCII)
_SPANISH = re.compile(r"[6-9](?:[ .-]?\d){8}", re.ASCII)
_EXTENSION = re.compile(r"(\s*(?:x|ext\.?|extension)\s*)(\d{1,6})$", re.ASCII | re.IGNORECASE)


def expect(
    memory: Memory, pools: Pools, kind: IdentifierKind, surface: str, before: str, after: str
) -> None:
    """Note a mention before anything is chosen.

    Its words cannot be surrogates, and what stands before and after it may ask for a surrogate that
    fits; see :mod:`lacuna.deid.surrogates.context`.
    """
    is_person = kind is IdentifierKind.PERSON
    first = last = ""
    if kind in _BY_WORDS:
        words = words_of(memory, surface, is_person=is_person)
        expect_words(memory, surface, words)
        if is_person:
            note_positions(memory, pools, surface, words, before)
        if words:
            first, last = words[0].word, words[-1].word
    if kind in _LISTED:
        first = last = plain(surface)
        memory.expect(kind.value, first)
    if first and pools.is_english:
        if article := article_before(before):
            memory.hints.setdefault(first, Hint()).article = article
        if is_s_outside(surface, before, after):
            memory.hints.setdefault(last, Hint()).ends_in_s = True


def surrogate(memory: Memory, pools: Pools, kind: IdentifierKind, surface: str) -> str | None:
    """Return another value, never the same, or None if there is none."""
    choose = _CHOOSERS.get(kind)
    if choose is None:
        new = other_code(memory, kind.value, surface)
    elif kind in _LATIN_ONLY and not is_latin(surface):
        new = None
    else:
        new = choose(memory, pools, surface)
    return None if new == surface else new


def _other_phone(memory: Memory, pools: Pools, surface: str) -> str | None:
    """Return another phone number; the country code and the word before an extension stay.

    So does the first digit in Spain, which tells mobile from fixed.
    """
    prefix, extension = _PREFIX.match(surface), _EXTENSION.search(surface)
    start = prefix.end() if prefix else 0
    end = extension.start() if extension else len(surface)
    own = surface[start:end].lstrip(" .(-")
    first = own[:1] if pools.locale == "es_ES" and _SPANISH.fullmatch(own) else ""
    number = other_code(memory, "phone", surface[start:end], first=first)
    if number is None:
        return None
    if extension is None:
        return surface[:start] + number
    last = other_code(memory, "number", extension[2], grow=True) or "0"
    return surface[:start] + number + extension[1] + last


def _listed(
    memory: Memory, kind: IdentifierKind, choices: tuple[str, ...], surface: str
) -> str | None:
    """Choose from a short list; None if everything in it is taken."""
    if not choices:
        return None
    value = plain(surface)
    start = memory.key.number(kind.value, value)

    def make(attempt: int) -> tuple[str, str]:
        name = choices[(start + attempt) % len(choices)]
        return name, plain(name)

    new = memory.choose(kind.value, "", value, make)
    if new is None:
        return None
    if surface.isupper():
        return new.upper()
    if surface.islower():
        return new.lower()
    is_title = " " in surface and all(word[0].isupper() for word in surface.split())
    return " ".join(w[0].upper() + w[1:] for w in new.split()) if is_title else new


def _other_profession(memory: Memory, pools: Pools, surface: str) -> str | None:
    """Return another profession that goes with the same article: a carpenter, a florist."""
    article = ""
    if pools.is_english:
        hint = memory.hints.get(plain(surface))
        article = (hint.article if hint else "") or article_of(surface)
    choices = _professions(pools.professions, article, script_of(surface))
    return _listed(memory, IdentifierKind.PROFESSION, choices, surface)


@cache
def _professions(every: tuple[str, ...], article: str, script: str) -> tuple[str, ...]:
    return tuple(
        name
        for name in every
        if script_of(name) == script and (not article or article_of(name) == article)
    )


def _region(memory: Memory, pools: Pools, surface: str) -> str | None:
    is_short = len(surface) <= 3 and surface.isupper()
    return _listed(
        memory, IdentifierKind.STATE, pools.short_regions if is_short else pools.regions, surface
    )


#: (memory, lists, surface) → another value; all other kinds get numbers and codes.
_CHOOSERS: dict[IdentifierKind, Callable[[Memory, Pools, str], str | None]] = {
    IdentifierKind.PERSON: other_name,
    IdentifierKind.ORGANISATION: lambda m, p, s: other_place(m, p, "organisation", s),
    IdentifierKind.PLACE: lambda m, p, s: other_place(m, p, "place", s),
    IdentifierKind.STREET: lambda m, p, s: other_place(m, p, "street", s, named=True),
    IdentifierKind.CITY: lambda m, p, s: other_place(m, p, "city", s, cities=True),
    IdentifierKind.STATE: _region,
    IdentifierKind.COUNTRY: lambda m, p, s: _listed(m, IdentifierKind.COUNTRY, p.countries, s),
    IdentifierKind.PROFESSION: _other_profession,
    IdentifierKind.EMAIL: other_email,
    IdentifierKind.USERNAME: other_username,
    IdentifierKind.URL: other_url,
    IdentifierKind.IP: lambda m, _, s: other_ip(m, s),
    IdentifierKind.SSN: lambda m, _, s: other_code(m, "ssn", s, first="9"),  # never issued
    IdentifierKind.PHONE: _other_phone,
}
