"""What is remembered within a scope: who has which number, which surrogates were chosen.

A scope is a document or, with a patient's documents together, a patient. The same key, scope and
values give the same surrogates in every run; numbers of tags count up in the order of the text.
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import StrEnum

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.keys import Key
from lacuna.deid.kinds import Kind
from lacuna.deid.linking import People, Person
from lacuna.deid.names import FullName
from lacuna.deid.surrogates.choices import Memory
from lacuna.deid.surrogates.codes import normal_code

_CODES = frozenset((Kind.PHONE, Kind.SSN, Kind.ID, Kind.ZIP, Kind.IP))


class Consistency(StrEnum):
    """Within what the same identifier is replaced by the same."""

    DOCUMENT = "document"
    PATIENT = "patient"
    NONE = "none"


class Scope:
    """State of one scope. Its repr shows nothing of it."""

    __slots__ = (
        "_counts",
        "_key",
        "_memory",
        "_name",
        "_namesakes",
        "_numbers",
        "_people",
        "replaced",
    )

    def __init__(self, key: Key, name: tuple[str, str]) -> None:
        self._key, self._name = key, name
        self._memory: Memory | None = None
        self.replaced: dict[tuple[str, str], str | None] = {}  # (label, surface) → surrogate
        self._people: dict[str, People] = {}
        self._namesakes: dict[str, dict[FullName, Person]] = {}  # by category
        self._numbers: dict[tuple[str, Hashable], int] = {}
        self._counts: dict[str, int] = {}

    def __repr__(self) -> str:
        return f"Scope({len(self._numbers)} numbers, {len(self.replaced)} surrogates)"

    @property
    def memory(self) -> Memory:
        """What surrogates are chosen by; its key is derived from the name of the scope."""
        if self._memory is None:
            self._memory = Memory(self._key.derive("scope", *self._name))
        return self._memory

    def people(self, label: str, category: str) -> People:
        """Return the persons of a label."""
        known = self._people.get(label)
        if known is None:
            namesakes = self._namesakes.setdefault(category, {})
            known = self._people[label] = People(namesakes)
        return known

    def number(self, tag: str, identity: Hashable) -> int:
        """Return the number of somebody or something among all with the same tag, from 1."""
        known = self._numbers.get((tag, identity))
        if known is None:
            known = self._counts[tag] = self._counts.get(tag, 0) + 1
            self._numbers[tag, identity] = known
        return known


def identity(kind: Kind, label: str, surface: str) -> Hashable:
    """Return what makes two mentions that are no names the same: label and normalised value."""
    if kind in _CODES:
        return label, normal_code(surface) or surface
    return label, " ".join(plain(surface).split())
