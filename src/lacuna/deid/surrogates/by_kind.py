"""Surrogates by the kind of identifier: names, numbers, addresses, or an entry of a list."""

from __future__ import annotations

import re
from collections.abc import Callable

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.kinds import IdentifierKind
from lacuna.deid.surrogates.addresses import other_email, other_ip, other_url, other_username
from lacuna.deid.surrogates.choices import Memory
from lacuna.deid.surrogates.codes import other_code
from lacuna.deid.surrogates.name_words import expect_words, other_name, other_place
from lacuna.deid.surrogates.pools import Pools

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
_PREFIX = re.compile(r"\+\d{1,3}(?=[ .(-])|1(?=[ .(-])", re.ASCII)
_EXTENSION = re.compile(r"(\s*(?:x|ext\.?|extension)\s*)(\d{1,6})$", re.ASCII | re.IGNORECASE)


def expect(memory: Memory, kind: IdentifierKind, surface: str) -> None:
    """Exclude the words of the text from being surrogates, before anything is chosen."""
    if kind in _BY_WORDS:
        expect_words(memory, surface)
    if kind in _LISTED:
        memory.expect(kind.value, plain(surface))


def surrogate(
    memory: Memory, pools: Pools, kind: IdentifierKind, label: str, surface: str
) -> str | None:
    """Return another value, never the same, or None if there is none."""
    choose = _CHOOSERS.get(kind)
    if choose is None:
        new = other_code(memory, kind.value, surface)
    else:
        new = choose(memory, pools, label, surface)
    return None if new == surface else new


def _other_person(memory: Memory, pools: Pools, label: str, surface: str) -> str | None:
    return other_name(memory, pools, label, surface) or other_code(memory, "id", surface)


def _other_phone(memory: Memory, surface: str) -> str | None:
    """Return another phone number; the country code and the word before an extension stay."""
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
    return new.lower() if surface.islower() else new


def _region(memory: Memory, pools: Pools, surface: str) -> str | None:
    is_short = len(surface) <= 3 and surface.isupper()
    return _listed(
        memory, IdentifierKind.STATE, pools.short_regions if is_short else pools.regions, surface
    )


#: (memory, lists, label, surface) → another value; all other kinds get numbers and codes.
_CHOOSERS: dict[IdentifierKind, Callable[[Memory, Pools, str, str], str | None]] = {
    IdentifierKind.PERSON: _other_person,
    IdentifierKind.ORGANISATION: lambda m, p, _, s: other_place(m, p, "organisation", s),
    IdentifierKind.PLACE: lambda m, p, _, s: other_place(m, p, "place", s),
    IdentifierKind.STREET: lambda m, p, _, s: other_place(m, p, "street", s, named=True),
    IdentifierKind.CITY: lambda m, p, _, s: other_place(m, p, "city", s, cities=True),
    IdentifierKind.STATE: lambda m, p, _, s: _region(m, p, s),
    IdentifierKind.COUNTRY: lambda m, p, _, s: _listed(m, IdentifierKind.COUNTRY, p.countries, s),
    IdentifierKind.PROFESSION: lambda m, p, _, s: _listed(
        m, IdentifierKind.PROFESSION, p.professions, s
    ),
    IdentifierKind.EMAIL: lambda m, p, _, s: other_email(m, p, s),
    IdentifierKind.USERNAME: lambda m, p, _, s: other_username(m, p, s),
    IdentifierKind.URL: lambda m, p, _, s: other_url(m, p, s),
    IdentifierKind.IP: lambda m, _, __, s: other_ip(m, s),
    IdentifierKind.SSN: lambda m, _, __, s: other_code(m, "ssn", s, first="9"),  # never issued
    IdentifierKind.PHONE: lambda m, _, __, s: _other_phone(m, s),
}
