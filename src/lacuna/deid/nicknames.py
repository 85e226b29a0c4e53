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
    plain_names
        In plain spelling.
    """

    gender: str
    names: tuple[str, ...]
    plain_names: tuple[str, ...]

    @property
    def full(self) -> str:
        """The full name in plain spelling."""
        return self.plain_names[0]


@cache
def name_families() -> Mapping[str, tuple[NameFamily, ...]]:
    """Return plain name → the families it belongs to."""
    found: dict[str, list[NameFamily]] = {}
    for line in _TABLE.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            gender, *names = line.split()
            family = NameFamily(gender, tuple(names), tuple(map(plain, names)))
            for name in family.plain_names:
                found.setdefault(name, []).append(family)
    # a full name belongs to its own family first: Sandra, also short for Alexandra
    return {name: tuple(sorted(f, key=lambda x: x.full != name)) for name, f in found.items()}


@cache
def short_forms() -> frozenset[str]:
    """Return the plain names that are only short forms."""
    table = name_families()
    return frozenset(name for name, families in table.items() if families[0].full != name)


@cache
def families_like(gender: str, letter: str, size: int) -> tuple[list[NameFamily], list[NameFamily]]:
    """Return the families of a gender whose full name begins with a letter.

    Those with at least `size` names, and the others.
    """
    every = [
        families[0]
        for name, families in name_families().items()
        if name[0] == letter and families[0].full == name and families[0].gender == gender
    ]
    large = [family for family in every if len(family.names) >= size]
    return large, [family for family in every if family not in large]


def other_forms(name: str) -> frozenset[str]:
    """Return the plain first names that may stand for a plain first name, itself included."""
    return _other_forms().get(name, _NONE)


@cache
def _other_forms() -> dict[str, frozenset[str]]:
    return {
        name: frozenset(other for family in families for other in family.plain_names)
        for name, families in name_families().items()
    }
