"""Choosing the replacements of one document.

For every span of the plan, :class:`Replacing` carries out the action of its label; if that is not
possible, the default action of the policy. It reads the whole document first: who is named, in
which years, and whether somebody is over 89. What names, dates and ages mean is cached, because
they repeat (:class:`Surfaces`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from lacuna.deid.actions import LENIENT, Action, Drop, Generalise, Keep, Mask, Shift, Surrogate, Tag
from lacuna.deid.dates.order import Order, OrderClues, locale_order, order_clues
from lacuna.deid.dates.reading import MAX_LENGTH, Reading, is_ambiguous, read_date
from lacuna.deid.dates.shifting import DocumentDates
from lacuna.deid.dates.years import (
    OLDEST,
    OldAge,
    full_years,
    is_birth,
    is_doubtful,
    this_year,
)
from lacuna.deid.findings import Finding
from lacuna.deid.folding import plain_surface
from lacuna.deid.generalising import generalise_age, generalise_date, generalise_zip
from lacuna.deid.keys import Key
from lacuna.deid.kinds import IdentifierKind
from lacuna.deid.linking import Person
from lacuna.deid.person_names import NameForm, name_form
from lacuna.deid.placeholders import PLACEHOLDER, placeholder_name
from lacuna.deid.policy import Policy
from lacuna.deid.scope import Consistency, Scope, identity
from lacuna.deid.surrogates.by_kind import expect, surrogate
from lacuna.deid.surrogates.context import AFTER, BEFORE, NAMED_MONTHS, is_named_month
from lacuna.deid.surrogates.pools import load_pools
from lacuna.errors import RedactionError
from lacuna.text.document import Document

_DEFAULT_SHIFT = Shift()
_NUMBERED = Tag()
_BLIND = (Mask, Drop)  # they do not depend on what they replace
_READ_DATES = (Shift, Surrogate, Generalise)
_PERSON, _DATE, _AGE, _ZIP = (
    IdentifierKind.PERSON,
    IdentifierKind.DATE,
    IdentifierKind.AGE,
    IdentifierKind.ZIP,
)
NO_YEAR = 10_000  #: later than any year
RECENT = 1 << 14  #: names, dates and ages that are cached, of each; only short ones


@dataclass(frozen=True, slots=True)
class ReplacingSettings:
    """What all documents share; see :class:`~lacuna.deid.redact.Redactor`."""

    policy: Policy
    key: Key
    consistency: Consistency
    locale: str
    rules: Rules
    surfaces: Surfaces


class Rules(dict[str, tuple[Action, IdentifierKind, str]]):
    """Label → action, kind and category, each looked up once.

    Attributes
    ----------
    kept, lenient
        Those of the labels looked up so far that are kept, and whose actions leave something
        visible.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.kept: set[str] = set()
        self.lenient: set[str] = set()

    def __missing__(self, label: str) -> tuple[Action, IdentifierKind, str]:
        policy = self._policy
        action = policy.action(label)
        if isinstance(action, Keep):
            self.kept.add(label)
        if isinstance(action, LENIENT):
            self.lenient.add(label)
        self[label] = found = action, policy.kind(label), policy.category(label)
        return found


class Item(msgspec.Struct, frozen=True, gc=False):
    """A span of the plan: its number in the document, its text, and what is done with it.

    `surface` is the text as it looks, without invisible characters and with ordinary dashes, spaces
    and digits; `written` is the text as it is.
    """

    place: int
    start: int
    label: str
    surface: str
    written: str
    action: Action
    kind: IdentifierKind
    category: str


class Replacing:
    """Chooses the replacements of one document."""

    def __init__(
        self, settings: ReplacingSettings, document: Document, scope: Scope, order: Order
    ) -> None:
        self._settings = settings
        self._document = document
        self._scope = scope
        self._order = order
        self._dates = DocumentDates(settings.key, document.unit)
        self._read: dict[int, DateSurface] = {}  # dates by place
        self._births: set[int] = set()  # places of dates of birth
        self._old_age: OldAge | None = None  # if any year can show an age over 89
        self.is_over_89 = False  #: whether the document states an age over 89
        self.hidden_dates = 0  #: ambiguous dates, if the evidence for their order is contradictory
        self._persons: dict[tuple[str, str], Person] = {}  # (label, surface) → who is meant
        self._is_linked = settings.consistency is not Consistency.NONE
        self.fallbacks: Counter[str] = Counter()

    def replacements(self, plan: Sequence[Finding]) -> list[str]:
        """Return the replacement of each span of the plan."""
        items = self._items(plan)
        months = [i for i in items if i.kind is _DATE and i.surface.lower() in NAMED_MONTHS]
        for month in (*months, *months):  # twice: one person found this way may tell the others
            items[month.place] = self._month_or_name(items[month.place], items)
        self._look_ahead(items)
        return [self._replacement(item) for item in items]

    def _items(self, plan: Sequence[Finding]) -> list[Item]:
        text, rules = self._document.text, self._settings.rules
        if text.isascii() and "[" not in text:  # as it is written, and without placeholders
            return [
                Item(place, start, label, text[start:end], text[start:end], *rules[label])
                for place, (start, end, label, _, _) in enumerate(plan)
            ]
        return [self._item(place, finding) for place, finding in enumerate(plan)]

    def _item(self, place: int, finding: Finding) -> Item:
        label, written = finding.label, self._document.text[finding.start : finding.end]
        if label == PLACEHOLDER:
            name = placeholder_name(written)
            return Item(
                place, finding.start, label, written, written, _NUMBERED, IdentifierKind.OTHER, name
            )
        surface = written if written.isascii() else plain_surface(written)
        return Item(place, finding.start, label, surface, written, *self._settings.rules[label])

    def _month_or_name(self, item: Item, items: list[Item]) -> Item:
        """Return a month that would be shifted as a person if it is one: his wife June."""
        if not isinstance(item.action, (Shift, Surrogate)):
            return item
        month, before = item.surface.lower(), self._document.text[: item.start][-BEFORE:]
        names = [other.surface for other in items if other.kind is _PERSON]
        is_person = any(month in name.lower().split() for name in names)
        if not is_named_month(before, is_person=is_person):
            return item
        action = self._settings.policy.actions.get(_PERSON)
        hiding = action if isinstance(action, Surrogate) else self._settings.policy.default
        return msgspec.structs.replace(item, action=hiding, kind=_PERSON)

    def _replacement(self, item: Item) -> str:
        new = _WRITERS[type(item.action)](self, item, item.action)
        if new is None:
            default = self._settings.policy.default
            self.fallbacks[item.label] += 1
            new = _WRITERS[type(default)](self, item, default)
        if new is None:
            raise RedactionError(f"no action is possible for label {item.label}")
        return new

    def _look_ahead(self, items: list[Item]) -> None:
        """Read the whole document before anything is chosen: who is named, when, and how old."""
        tagged: dict[str, dict[str, NameForm]] = {}
        named: list[Item] = []
        for item in items:
            action = item.action
            if isinstance(action, _BLIND):
                continue
            if item.kind is _DATE:
                if isinstance(action, _READ_DATES):
                    self._read_date(item)
            elif item.kind is _AGE:
                age = self._settings.surfaces.age(item.surface)
                self.is_over_89 = self.is_over_89 or (age is not None and "90+" in age)
            elif isinstance(action, Surrogate):
                if (item.kind, item.surface) not in self._scope.replaced:
                    self._expect(item)
                if item.kind is _PERSON and self._is_linked:
                    named.append(item)
            elif item.kind is _PERSON and isinstance(action, Tag):
                form = self._settings.surfaces.name(item.surface)
                tagged.setdefault(item.label, {})[item.surface] = form
        self._find_births(items)
        for label, forms in tagged.items():
            self._link(label, forms)
        for item in named:  # before e-mail addresses, which follow the names
            self._surrogate(item, item.action)

    def _expect(self, item: Item) -> None:
        """Note a mention and what stands around it, before surrogates are chosen."""
        text, start, end = self._document.text, item.start, item.start + len(item.written)
        before, after = text[max(start - BEFORE, 0) : start], text[end : end + AFTER]
        pools = load_pools(self._settings.locale)
        expect(self._scope.memory, pools, item.kind, item.surface, before, after)

    def _read_date(self, item: Item) -> None:
        """Read a date in the order of the document, or of its action; note its years."""
        given = item.action.order if isinstance(item.action, Shift) else "locale"
        order = self._order if given == "locale" else Order(given)
        date = self._settings.surfaces.date(item.surface, order is Order.MONTH_FIRST)
        if date is None:
            return
        self._read[item.place] = date
        if isinstance(item.action, Generalise):
            return
        if order is Order.CONTRADICTORY and is_ambiguous(date.reading):
            self.hidden_dates += 1
        elif not is_doubtful(date.reading):
            self._dates.add(item.place, date.reading)

    def _find_births(self, items: list[Item]) -> None:
        """Find the dates of birth, if any year of the document can show an age over 89."""
        if not self._read:
            return
        earliest = min([date.earliest for date in self._read.values()])
        if self.is_over_89 or earliest < this_year() - OLDEST:
            text = self._document.text
            starts = [(place, items[place].start) for place in self._read]
            self._births = {place for place, start in starts if is_birth(text, start)}
            others = [date.years for at, date in self._read.items() if at not in self._births]
            self._old_age = OldAge(tuple(chain(*others)), self.is_over_89)

    def _link(self, label: str, forms: dict[str, NameForm]) -> None:
        _, _, category = self._settings.rules[label]
        linked = self._scope.people(label, category).link(forms.values())
        for surface, form in forms.items():
            self._persons[label, surface] = linked[form]

    def _mask(self, item: Item, action: Mask) -> str:
        if action.length is not None:
            return action.character * action.length
        if "\n" not in item.written and "\r" not in item.written:
            return action.character * len(item.written)
        return "".join([c if c in "\r\n" else action.character for c in item.written])

    def _drop(self, _: Item, __: Drop) -> str:
        return ""

    def _tag(self, item: Item, action: Tag) -> str:
        name = action.name(item.label, item.category)
        if not action.numbered:
            return f"[{name}]"
        return f"[{name}-{self._scope.number(name, self._identity(item))}]"

    def _identity(self, item: Item) -> Hashable:
        if not self._is_linked:
            return item.place
        label, surface = item.label, item.surface
        if item.kind is not _PERSON:
            return identity(item.kind, label, surface)
        if (label, surface) not in self._persons:
            self._link(label, {surface: self._settings.surfaces.name(surface)})
        return self._persons[label, surface]

    def _surrogate(self, item: Item, _: Action) -> str | None:
        surface, kind = item.surface, item.kind
        if kind is _DATE:
            return self._shift(item, _DEFAULT_SHIFT)
        pools, scope = load_pools(self._settings.locale), self._scope
        if not self._is_linked:
            memory = scope.memory.forgetful("mention", self._document.id, str(item.place))
            return surrogate(memory, pools, kind, surface)
        if (kind, surface) not in scope.replaced:
            scope.replaced[kind, surface] = surrogate(scope.memory, pools, kind, surface)
        return scope.replaced[kind, surface]

    def _shift(self, item: Item, action: Shift) -> str | None:
        is_birth = item.place in self._births
        if is_birth and self._shows_old_age(item, is_birth=True, is_strict=False):
            return None
        return self._dates.shifted(item.place, action)

    def _shows_old_age(self, item: Item, *, is_birth: bool, is_strict: bool) -> bool:
        date, old_age = self._read.get(item.place), self._old_age
        if date is None or old_age is None:
            return False
        return old_age.shows(date.years, is_birth=is_birth, is_strict=is_strict)

    def _generalise(self, item: Item, _: Generalise) -> str | None:
        if item.kind is _DATE:
            is_birth = item.place in self._births
            if self._shows_old_age(item, is_birth=is_birth, is_strict=True):
                return None
            date = self._read.get(item.place)
            return None if date is None else date.generalised
        if item.kind is _AGE:
            return self._settings.surfaces.age(item.surface)
        return generalise_zip(item.surface) if item.kind is _ZIP else None


#: How each action is carried out; None if it is not possible. The plan has nothing that is kept.
_WRITERS: dict[type[Action], Callable[[Replacing, Item, Any], str | None]] = {
    Mask: Replacing._mask,
    Tag: Replacing._tag,
    Drop: Replacing._drop,
    Surrogate: Replacing._surrogate,
    Shift: Replacing._shift,
    Generalise: Replacing._generalise,
}


class DateSurface(NamedTuple):
    """What a date says.

    reading
        Its parts.
    years, earliest
        With all digits, and the first of them.
    generalised
        Its years as they may be shown, see :func:`~lacuna.deid.generalising.generalise_date`.
    """

    reading: Reading
    years: tuple[int, ...]
    earliest: int
    generalised: str | None


class Surfaces:
    """Reads names, dates and ages of a locale; its repr shows nothing of its cache."""

    __slots__ = ("_age", "_clues", "_date", "_name")

    def __init__(self, locale: str) -> None:
        def read(surface: str, month_first: bool) -> DateSurface | None:
            reading = read_date(surface, language=locale[:2], month_first=month_first)
            if reading is None:
                return None
            years = tuple(full_years(reading))
            return DateSurface(
                reading, years, min(years, default=NO_YEAR), generalise_date(reading, years)
            )

        def clues(surface: str) -> OrderClues | None:
            date = self.date(surface, is_month_first)
            return None if date is None else order_clues(date.reading)

        is_month_first = locale_order(locale) is Order.MONTH_FIRST

        self._name = lru_cache(RECENT)(name_form)
        self._date = lru_cache(RECENT)(read)
        self._clues = lru_cache(RECENT)(clues)
        self._age = lru_cache(RECENT)(generalise_age)

    def __repr__(self) -> str:
        return "Surfaces(…)"

    def name(self, surface: str) -> NameForm:
        """Return who is named."""
        return self._name(surface) if len(surface) <= MAX_LENGTH else name_form(surface)

    def date(self, surface: str, month_first: bool) -> DateSurface | None:
        """Return what a date says; see :func:`~lacuna.deid.dates.reading.read_date`."""
        return self._date(surface, month_first) if len(surface) <= MAX_LENGTH else None

    def clues(self, surface: str) -> OrderClues | None:
        """Return what a date says about the order of numeric dates."""
        return self._clues(surface) if len(surface) <= MAX_LENGTH else None

    def age(self, surface: str) -> str | None:
        """Return an age generalised; see :func:`~lacuna.deid.generalising.generalise_age`."""
        return self._age(surface) if len(surface) <= MAX_LENGTH else generalise_age(surface)
