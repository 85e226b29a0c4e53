"""The state of one note while it is written: who, when, and what was said before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import NamedTuple, TypeVar

from lacuna.synthetic.language import LanguageSettings
from lacuna.synthetic.people import NameBook, Person
from lacuna.synthetic.template import Scope

Weighted = tuple[tuple[str, ...], tuple[float, ...]]  # values, cumulated weights
Value = TypeVar("Value")


class Piece(NamedTuple):
    """A stretch of a note: its text, its label if it is an identifier, the findings it is in."""

    text: str
    label: str | None = None
    findings: tuple[int, ...] = ()


@dataclass(slots=True)
class Memory:
    """What stays the same for the length of a scope: facts by rule, people by role."""

    facts: dict[str, list[Piece]] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)


@dataclass(slots=True)
class Scene:
    """One note in the making.

    Attributes
    ----------
    days
        The dates that templates refer to, by anchor: admit, discharge, surgery, today, birth.
    date_format
        How this note likes to write a full date.
    item_format, item
        How this note marks the lines of a list, and the number of the current line.
    bound
        The roles that ``{person}`` stands for in rules with an argument, innermost last.
    used
        Templates already used, by rule, so that a note does not repeat itself.
    finding
        Number of the last template with findings; makes the keys of findings unique.
    """

    rng: Random
    settings: LanguageSettings
    book: NameBook
    memories: Mapping[Scope, Memory]
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
        """Return who plays a role; drawn on first use, then kept for the scope of the role."""
        if role == "person":
            role = self.bound[-1]
        people = self.memories[self.settings.roles[role].per or Scope.NOTE].people
        if role not in people:
            patient = self.memories[Scope.PATIENT].people["patient"]
            people[role] = self.book.relative(self.rng, self.settings.roles[role], patient)
        return people[role]

    def forget(self, role: str) -> None:
        """Let the next mention of a role without scope be somebody else."""
        if role != "person" and self.settings.roles[role].per is None:
            self.memories[Scope.NOTE].people.pop(role, None)


Part = Callable[[Scene, list[Piece]], None]
