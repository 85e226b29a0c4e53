"""Which mentions of names are the same person: "John Smith", "Mr. Smith", "SMITH", "J. Smith".

Two forms *may be* one person if they do not contradict one another: the same family name; given
names that are equal, or one the initial or a short form (Bob, Robert) of the other, as far as both
have them; no "Mr." against "Mrs.", no "Jr." against none. A word alone may be anybody with that
word in the name.

A form is linked to a person if it may be that person and nobody else. If it may be several people,
it gets a person of its own: two people are never taken for one; one person may be taken for two.
Labels are kept apart: a PATIENT Smith and a DOCTOR Smith are two people. Only the same *full* name
under two labels of one category (John Smith, PATIENT and DOCTOR) is one person, with one label
being an error of the detector.

Within a document the fullest forms come first, so that "Mr. Smith" before "John Smith" and "Robert
Smith" is recognised as ambiguous. Later documents change nothing in earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter

from lacuna.deid.nicknames import other_forms
from lacuna.deid.person_names import FullName, NameForm

_CROWD = 50  # people who share a word of their names; with more, nothing is linked


@dataclass(slots=True, eq=False)
class Person:
    """A person, by the fullest form of the name: everything the forms seen so far say."""

    form: NameForm


@dataclass(slots=True)
class People:
    """The persons of one label within one scope.

    Parameters
    ----------
    namesakes
        Full name → the first person of that name, shared by all labels of a category.
    """

    _namesakes: dict[FullName, Person] = field(default_factory=dict)
    _by_word: dict[str, list[Person]] = field(default_factory=dict)
    _by_form: dict[NameForm, Person] = field(default_factory=dict)  # whole names
    _unclear: dict[NameForm, Person] = field(default_factory=dict)

    def link(self, forms: Iterable[NameForm]) -> dict[NameForm, Person]:
        """Return who is meant by each form of a document."""
        known = {form: self._by_form.get(form) for form in forms}
        linked = {form: person for form, person in known.items() if person is not None}
        new = [form for form in known if form not in linked]
        if len(new) > 1:
            new.sort(key=attrgetter("specificity"), reverse=True)
        for form in new:
            linked[form] = self._person(form)
        return linked

    def _person(self, form: NameForm) -> Person:
        near = self._near(form)
        if len(near) > _CROWD:
            return self._unclear.setdefault(form, Person(form))
        possible = [person for person in near if may_be_one(form, person.form)]
        if len(possible) > 1:
            return self._unclear.setdefault(form, Person(form))
        full = form.full
        if not possible and full is not None and full in self._namesakes:
            namesake = self._namesakes[full]
            possible = [namesake] if may_be_one(form, namesake.form) else []
        if possible:
            person = possible[0]
            person.form = _together(person.form, form)
        else:
            person = Person(form)
        if full is not None:
            self._namesakes.setdefault(full, person)
        if form.given:
            self._by_form[form] = person
        for word in _whole_words(form):
            same = self._by_word.setdefault(word, [])
            if person not in same:
                same.append(person)
        return person

    def _near(self, form: NameForm) -> list[Person]:
        """Return the people who share the family name, or the word alone or another form of it."""
        alone = form.alone
        near = self._by_word.get(alone or form.family.rpartition(" ")[2], [])
        if alone and (others := other_forms(alone)):
            also = [p for other in sorted(others) for p in self._by_word.get(other, ())]
            return list(dict.fromkeys((*near, *also)))
        return near


def _together(a: NameForm, b: NameForm) -> NameForm:
    """Return everything that two forms of one person's name say."""
    longer, shorter = (a.given, b.given) if len(a.given) >= len(b.given) else (b.given, a.given)
    pairs = zip(longer, shorter, strict=False)
    given = (*(x if len(x) >= len(y) else y for x, y in pairs), *longer[len(shorter) :])
    family = a.family or b.family
    return NameForm(
        given,
        family,
        "" if family else a.alone,
        a.gender or b.gender,
        a.generation or b.generation,
    )


def may_be_one(a: NameForm, b: NameForm) -> bool:
    """Whether two forms may name one person."""
    if a.gender and b.gender and a.gender != b.gender:
        return False
    if a.generation != b.generation and (a.given or a.generation) and (b.given or b.generation):
        return False
    if a.alone:
        return _has_word(b, a.alone)
    if b.alone:
        return _has_word(a, b.alone)
    if a.family != b.family:
        return False
    return all(_may_be_same(x, y) for x, y in zip(a.given, b.given, strict=False))


def _may_be_same(x: str, y: str) -> bool:
    """Whether two given names may be the same: equal, or one an initial or short form."""
    if x == y or (len(x) == 1 and y[0] == x) or (len(y) == 1 and x[0] == y):
        return True
    return y in other_forms(x)


def _has_word(form: NameForm, word: str) -> bool:
    """Whether a word, or another form of it as a given name, is in a name."""
    if word in _whole_words(form):
        return True
    others = other_forms(word)
    return bool(others) and not others.isdisjoint((*form.given, form.alone))


def _whole_words(form: NameForm) -> list[str]:
    given, family, alone, _, _ = form
    if " " in family or " " in alone:
        words = [*given, *family.split(), family, alone]
    else:
        words = [*given, family, alone]
    return [word for word in words if len(word) > 1]
