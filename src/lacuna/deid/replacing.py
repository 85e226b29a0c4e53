"""What is written instead of each identifier of a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lacuna.deid.actions import Action, Drop, Generalise, Keep, Mask, Shift, Surrogate, Tag
from lacuna.deid.dates.document import DocumentDates
from lacuna.deid.findings import Finding
from lacuna.deid.generalising import generalise_age, generalise_date, generalise_zip
from lacuna.deid.keys import Key
from lacuna.deid.kinds import Kind
from lacuna.deid.linking import Person
from lacuna.deid.names import NameForm, name_form
from lacuna.deid.policy import Policy
from lacuna.deid.rewriting import Replacement
from lacuna.deid.scope import Consistency, Scope, identity
from lacuna.deid.surrogates.choosing import expect, surrogate
from lacuna.deid.surrogates.pools import load_pools
from lacuna.errors import RedactionError
from lacuna.text.document import Document

_DEFAULT_SHIFT = Shift()


@dataclass(frozen=True, slots=True)
class Settings:
    """What is the same for all documents; see :class:`~lacuna.deid.redact.Redactor`."""

    policy: Policy
    key: Key
    consistency: Consistency
    locale: str
    rules: Rules


class Rules(dict[str, tuple[Action, Kind]]):
    """Label → what is done with it and what it stands for, looked up once."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def __missing__(self, label: str) -> tuple[Action, Kind]:
        self[label] = found = self._policy.action(label), self._policy.kind(label)
        return found


class Item(NamedTuple):
    """A planned span: its number in the document, what stands there and what is done with it."""

    place: int
    finding: Finding
    surface: str
    action: Action
    kind: Kind


class Replacing:
    """Chooses the replacements of one document."""

    def __init__(self, settings: Settings, document: Document, scope: Scope) -> None:
        self._settings = settings
        self._document = document
        self._scope = scope
        self._dates = DocumentDates(settings.key, document.unit, settings.locale)
        self._forms: dict[str, NameForm] = {}
        self._persons: dict[tuple[str, NameForm], Person] = {}
        self.fallbacks: Counter[str] = Counter()

    def replacements(self, plan: Iterable[Finding]) -> Iterator[Replacement]:
        """Yield a replacement for each planned span, in text order."""
        items = [self._item(place, finding) for place, finding in enumerate(plan)]
        self._look_ahead(items)
        default = self._settings.policy.default
        for item in items:
            new = self._new(item, item.action)
            if new is None:
                self.fallbacks[item.finding.label] += 1
                new = self._new(item, default)
            if new is None:
                raise RedactionError(f"nothing can be done with label {item.finding.label}")
            yield Replacement(item.finding.start, item.finding.end, new)

    def _item(self, place: int, finding: Finding) -> Item:
        surface = self._document.text[finding.start : finding.end]
        return Item(place, finding, surface, *self._settings.rules[finding.label])

    def _look_ahead(self, items: list[Item]) -> None:
        """Look at the whole document before anything is chosen: who is named, in which years."""
        forms: dict[str, list[NameForm]] = {}
        named: list[Item] = []
        is_linked = self._settings.consistency is not Consistency.NONE
        for item in items:
            action = item.action
            if item.kind is Kind.DATE:
                order = action.order if isinstance(action, Shift) else _DEFAULT_SHIFT.order
                self._dates.add(item.place, item.surface, order)
            elif isinstance(action, Surrogate):
                expect(self._scope.memory, item.kind, item.surface)
                if item.kind is Kind.PERSON and is_linked:
                    named.append(item)
            elif item.kind is Kind.PERSON and isinstance(action, Tag):
                forms.setdefault(item.finding.label, []).append(self._form(item.surface))
        for label, of_label in forms.items():
            linked = self._scope.people(label).link(of_label)
            self._persons.update(((label, form), person) for form, person in linked.items())
        for item in named:  # before addresses, which follow the names
            self._surrogate(item)

    def _new(self, item: Item, action: Action) -> str | None:
        """Return what is written, None where the action cannot do its work."""
        match action:
            case Mask():
                return _masked(item.surface, action)
            case Tag():
                return self._tag(item, action)
            case Drop():
                return ""
            case Surrogate() if item.kind is Kind.DATE:
                return self._dates.shifted(item.place, _DEFAULT_SHIFT)
            case Surrogate():
                return self._surrogate(item)
            case Shift():
                return self._dates.shifted(item.place, action)
            case Generalise():
                return self._general(item)
            case Keep():
                raise RedactionError("what is kept has no replacement")

    def _tag(self, item: Item, action: Tag) -> str:
        label = item.finding.label
        name = label if action.by == "label" else self._settings.policy.category(label)
        if not action.numbered:
            return f"[{name}]"
        return f"[{name}-{self._scope.number(name, self._identity(item))}]"

    def _identity(self, item: Item) -> Hashable:
        if self._settings.consistency is Consistency.NONE:
            return item.place
        label = item.finding.label
        if item.kind is Kind.PERSON:
            form = self._form(item.surface)
            return self._persons.get((label, form)) or self._scope.people(label).link([form])[form]
        return identity(item.kind, label, item.surface)

    def _form(self, surface: str) -> NameForm:
        form = self._forms.get(surface)
        if form is None:
            form = self._forms[surface] = name_form(surface)
        return form

    def _surrogate(self, item: Item) -> str | None:
        pools, label = load_pools(self._settings.locale), item.finding.label
        memory = self._scope.memory
        if self._settings.consistency is Consistency.NONE:
            memory = memory.forgetful("mention", self._document.id, str(item.place))
            return surrogate(memory, pools, item.kind, label, item.surface)
        place = (label, item.surface)
        if place not in self._scope.replaced:
            self._scope.replaced[place] = surrogate(memory, pools, item.kind, *place)
        return self._scope.replaced[place]

    def _general(self, item: Item) -> str | None:
        match item.kind:
            case Kind.DATE:
                return generalise_date(self._dates.reading(item.place))
            case Kind.AGE:
                return generalise_age(item.surface)
            case Kind.ZIP:
                return generalise_zip(item.surface)
        return None


def _masked(surface: str, action: Mask) -> str:
    if action.length is not None:
        return action.character * action.length
    if "\n" not in surface and "\r" not in surface:
        return action.character * len(surface)
    return "".join([c if c in "\r\n" else action.character for c in surface])
