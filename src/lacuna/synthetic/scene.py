"""The state of one note while it is written: people, dates, facts, and templates used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import NamedTuple, TypeVar

from lacuna.synthetic.language import LanguageSettings
from lacuna.synthetic.people import NameBook, Person
from lacuna.synthetic.template import FactScope

Weighted = tuple[tuple[str, ...], tuple[float, ...]]  # values, cumulated weights
Value = TypeVar("Value")


class Piece(NamedTuple):
    """A piece of a note: its text, its label if it is an identifier, its findings."""

    text: str
    label: str | None = None
    findings: tuple[int, ...] = ()


@dataclass(slots=True)
class Memory:
    """What stays the same within a scope: facts by rule, people by role."""

    facts: dict[str, list[Piece]] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)


@dataclass(slots=True)
class Scene:
    """The state of one note.

    Attributes
    ----------
    days
        The dates that templates refer to, by anchor: admit, discharge, surgery, today, birth.
    date_format
        Preferred format of full dates in this note.
    item_format, item
        Format of list items in this note, and the number of the current item.
    bound
        The roles that ``{person}`` means in rules with an argument, innermost last.
    used
        Templates already used, by rule, to avoid repetition.
    finding
        Number of the last template with findings; makes the keys of findings unique.
    """

    rng: Random
    settings: LanguageSettings
    book: NameBook
    memories: Mapping[FactScope, Memory]
    days: Mapping[str, date]
    date_format: str
    item_format: str
    bound: list[str]
    used: dict[str, set[int]] = field(default_factory=dict)
    item: int = 0
    finding: int = 0

    def pick(self, values: tuple[Value, ...]) -> Value:
        """Draw one value."""
        return values[int(self.rng.random() * len(values))]

    @property
    def age(self) -> int:
        """Years from birth to the day of the note."""
        today, birth = self.days["today"], self.days["birth"]
        return today.year - birth.year - ((today.month, today.day) < (birth.month, birth.day))

    @property
    def person_label(self) -> str:
        """Label of the person a rule was called with."""
        return self.settings.roles[self.bound[-1]].label

    def person(self, role: str) -> Person:
        """Return the person with a role; drawn on first use, then kept for its scope."""
        if role == "person":
            role = self.bound[-1]
        people = self.memories[self.settings.roles[role].per or FactScope.NOTE].people
        if role not in people:
            patient = self.memories[FactScope.PATIENT].people["patient"]
            people[role] = self.book.relative(self.rng, self.settings.roles[role], patient)
        return people[role]

    def forget(self, role: str) -> None:
        """Let the next mention of a role without scope be somebody else."""
        if role != "person" and self.settings.roles[role].per is None:
            self.memories[FactScope.NOTE].people.pop(role, None)


Part = Callable[[Scene, list[Piece]], None]
