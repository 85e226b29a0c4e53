"""Short forms of first names: *Bob* is *Robert*, *Peggy* is *Margaret*.

The table has English names only. A short form may belong to several names: *Ted* is *Edward* or
*Theodore*.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lacuna.deid.dates.calendar_words import plain

_TABLE = Path(__file__).parent / "nicknames.txt"
_NONE: frozenset[str] = frozenset()


class NameFamily(NamedTuple):
    """A first name with its short forms, the full name first.

    Attributes
    ----------
    gender
        "m" or "f".
    names
        As they are written.
    """

    gender: str
    names: tuple[str, ...]


@cache
def name_families() -> Mapping[str, tuple[NameFamily, ...]]:
    """Return plain name → the families it belongs to."""
    found: dict[str, list[NameFamily]] = {}
    for line in _TABLE.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            gender, *names = line.split()
            for name in names:
                found.setdefault(plain(name), []).append(NameFamily(gender, tuple(names)))
    return {name: tuple(families) for name, families in found.items()}


@cache
def families_like(gender: str, letter: str) -> list[NameFamily]:
    """Return the families of a gender whose full name begins with a letter."""
    return [
        family
        for name, families in name_families().items()
        for family in families
        if name[0] == letter and family.gender == gender and plain(family.names[0]) == name
    ]


def other_forms(name: str) -> frozenset[str]:
    """Return the plain first names that may stand for a plain first name, itself included."""
    return _other_forms().get(name, _NONE)


@cache
def _other_forms() -> dict[str, frozenset[str]]:
    return {
        name: frozenset(plain(other) for family in families for other in family.names)
        for name, families in name_families().items()
    }
