"""Which kind of identifier gets which kind of surrogate."""

from __future__ import annotations

import re

from lacuna.deid.dates.words import plain
from lacuna.deid.kinds import Kind
from lacuna.deid.surrogates.addresses import other_email, other_ip, other_url, other_username
from lacuna.deid.surrogates.codes import other_code
from lacuna.deid.surrogates.memory import Memory
from lacuna.deid.surrogates.pools import Pools
from lacuna.deid.surrogates.words import expect_words, other_name, other_place

_BY_WORDS = frozenset(
    (Kind.PERSON, Kind.ORGANISATION, Kind.STREET, Kind.CITY, Kind.PLACE, Kind.STATE, Kind.COUNTRY)
)
_PREFIX = re.compile(r"\+\d{1,3}(?=[ .(-])|1(?=[ .(-])", re.ASCII)
_EXTENSION = re.compile(r"(\s*(?:x|ext\.?|extension)\s*)(\d{1,6})$", re.ASCII | re.IGNORECASE)


def expect(memory: Memory, kind: Kind, surface: str) -> None:
    """Say what is in the text, before anything is chosen, so that nobody gets somebody's name."""
    if kind in _BY_WORDS:
        expect_words(memory, surface)
    if kind in (Kind.STATE, Kind.COUNTRY, Kind.PROFESSION):
        memory.expect(kind.value, plain(surface))


def surrogate(memory: Memory, pools: Pools, kind: Kind, label: str, surface: str) -> str | None:
    """Return another value, never the same; None where that cannot be done."""
    new = _surrogate(memory, pools, kind, label, surface)
    return None if new == surface else new


def _surrogate(memory: Memory, pools: Pools, kind: Kind, label: str, surface: str) -> str | None:
    match kind:
        case Kind.PERSON:
            return other_name(memory, pools, label, surface) or other_code(memory, "id", surface)
        case Kind.ORGANISATION | Kind.PLACE:
            return other_place(memory, pools, kind.value, surface)
        case Kind.STREET:
            return other_place(memory, pools, kind.value, surface, named=True)
        case Kind.CITY:
            return other_place(memory, pools, kind.value, surface, cities=True)
        case Kind.STATE:
            is_short = len(surface) <= 3 and surface.isupper()
            listed = pools.short_regions if is_short else pools.regions
            return _listed(memory, kind, listed, surface)
        case Kind.COUNTRY:
            return _listed(memory, kind, pools.countries, surface)
        case Kind.PROFESSION:
            return _listed(memory, kind, pools.professions, surface)
        case Kind.EMAIL:
            return other_email(memory, pools, surface)
        case Kind.USERNAME:
            return other_username(memory, pools, surface)
        case Kind.URL:
            return other_url(memory, pools, surface)
        case Kind.IP:
            return other_ip(memory, surface)
        case Kind.SSN:
            return other_code(memory, "ssn", surface, first="9")  # such numbers are never given out
        case Kind.PHONE:
            return _other_phone(memory, surface)
    return other_code(memory, kind.value, surface)


def _other_phone(memory: Memory, surface: str) -> str | None:
    """Return another phone number; country code and the word before an extension stay."""
    prefix, extension = _PREFIX.match(surface), _EXTENSION.search(surface)
    start = prefix.end() if prefix else 0
    end = extension.start() if extension else len(surface)
    number = other_code(memory, "phone", surface[start:end])
    if number is None:
        return None
    if extension is None:
        return surface[:start] + number
    last = other_code(memory, "number", extension[2], grow=True) or "0"
    return surface[:start] + number + extension[1] + last


def _listed(memory: Memory, kind: Kind, choices: tuple[str, ...], surface: str) -> str | None:
    """Choose from a list that is not endless; None where all of it is taken."""
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
    return new.lower() if surface.islower() else new
