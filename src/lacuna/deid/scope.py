"""What is remembered within a scope: numbers in tags, and surrogates.

A scope is a document, or all documents of a patient. The same key, scope and values give the same
surrogates in every run; numbers in tags count up in text order.
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import StrEnum

from lacuna.deid.dates.calendar_words import plain
from lacuna.deid.keys import Key
from lacuna.deid.kinds import IdentifierKind
from lacuna.deid.linking import People, Person
from lacuna.deid.person_names import FullName
from lacuna.deid.surrogates.choices import Memory
from lacuna.deid.surrogates.codes import normal_code

_CODES = frozenset(
    (
        IdentifierKind.PHONE,
        IdentifierKind.SSN,
        IdentifierKind.ID,
        IdentifierKind.ZIP,
        IdentifierKind.IP,
    )
)


class Consistency(StrEnum):
    """Where equal identifiers get equal replacements."""

    DOCUMENT = "document"
    PATIENT = "patient"
    NONE = "none"


class Scope:
    """State of one scope; its repr shows only counts."""

    __slots__ = (
        "_counts",
        "_key",
        "_memory",
        "_name",
        "_namesakes",
        "_numbers",
        "_people",
        "_reserved",
        "replaced",
    )

    def __init__(self, key: Key, name: tuple[str, str]) -> None:
        self._key, self._name = key, name
        self._memory: Memory | None = None
        self.replaced: dict[tuple[IdentifierKind, str], str | None] = {}  # surfaces' surrogates
        self._people: dict[str, People] = {}
        self._namesakes: dict[str, dict[FullName, Person]] = {}  # by category
        self._numbers: dict[tuple[str, Hashable], int] = {}
        self._counts: dict[str, int] = {}
        self._reserved: set[tuple[str, int]] = set()  # tags that stand in a text already

    def __repr__(self) -> str:
        return f"Scope({len(self._numbers)} numbers, {len(self.replaced)} surrogates)"

    @property
    def memory(self) -> Memory:
        """The surrogates chosen so far; its key is derived from the name of the scope."""
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
        """Return the number of a person or value among all with the same tag, from 1."""
        known = self._numbers.get((tag, identity))
        if known is None:
            known = self._counts.get(tag, 0) + 1
            while (tag, known) in self._reserved:
                known += 1
            self._counts[tag] = self._numbers[tag, identity] = known
        return known

    def has_tag(self, tag: str) -> bool:
        """Whether a tag was numbered here."""
        return tag in self._counts

    def reserve(self, tag: str, number: int) -> None:
        """Give this number to nothing, because the text has it already."""
        self._reserved.add((tag, number))


def identity(kind: IdentifierKind, label: str, surface: str) -> Hashable:
    """Return what two equal mentions other than names share: label and normalised value."""
    if kind in _CODES:
        return label, normal_code(surface) or surface
    return label, " ".join(plain(surface).split())
