"""The slots of templates (``{…}``), and how they are filled.

======================================  =====================================================
``{rule}`` ``{rule:role}``              a rule, with ``person`` bound to the role
``{list}``                              a word of a list
``{role}`` ``{role.form}``              a person's name in a form of ``[names]``: ``{nurse.last}``
``{date}`` ``{date.style:anchor+3}``    a date in a style of ``[dates]``; anchors below
``{age}`` ``{age.words}`` ``{age.decade}``  the patient's age; ``{age:30-60}`` anybody's
``{number:5-9}`` ``{number:1.0-2.5}`` ``{number:00-59}``  a number, with as many digits as written
``{code:##-??}``                        # a digit, % a digit from 1 to 9, ? a letter
``{item}``                              the bullet or number of a line in a repeated rule
``{he}``                                a word of ``[agreement]``, by the patient's sex
``{son.child}``                         ``{word.role}``: the same, by the sex of a role's person
======================================  =====================================================

Anchors of dates are admit, discharge, surgery, today (when the note is written), birth, and the
random ones recent (weeks ago), past (years ago) and future (weeks ahead).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from itertools import accumulate
from string import ascii_uppercase

from lacuna.errors import CorpusFormatError
from lacuna.synthetic.language import LanguageSettings, Weights
from lacuna.synthetic.people import Person
from lacuna.synthetic.scene import Part, Piece, Scene, Weighted
from lacuna.synthetic.template import Slot

_RANGE = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")
_ANCHOR = re.compile(r"([a-z]+)(?:([+-]\d+))?")
_DRAWN = {"recent": (-45, -2), "past": (-6000, -60), "future": (3, 120)}
_FIXED = ("admit", "discharge", "surgery", "today", "birth")
_AGES = {"": "number", "words": "words", "decade": "decade"}


def built_in(slot: Slot, settings: LanguageSettings) -> Part | None:
    """Return the part that fills a slot other than a rule or word list."""
    name, _, form = slot.name.partition(".")
    if slot.name in settings.agreement:
        return _agreeing(slot.name, settings.agreement[slot.name])
    if name in settings.agreement and form in settings.roles:
        return _agreeing(name, settings.agreement[name], form)
    if name in settings.roles or name == "person":
        return _name(name, form or "full", settings)
    if slot.name == "item":
        return lambda scene, out: out.append(Piece(scene.item_format.format(n=scene.item)))
    maker = {"date": _date, "age": _age, "number": _number, "code": _code}.get(name)
    return maker(form, slot.argument, settings) if maker else None


def check_formats(settings: LanguageSettings, path: str) -> None:
    """Raise an error for the first name or date format with an unknown field."""
    person = Person("A", "B", "C", "D", is_male=True, number=1).fields()
    day = date_fields(date(2000, 1, 1), settings)
    for formats, fields in ((settings.names, person), (settings.dates, day)):
        for name, weights in formats.items():
            for text in weights:
                try:
                    text.format_map(fields)
                except (KeyError, ValueError) as error:
                    raise CorpusFormatError(path, f"a format of {name} is wrong: {text}") from error


def weighted(weights: Weights) -> Weighted:
    """Return values and cumulated weights, for drawing."""
    return tuple(weights), tuple(accumulate(weights.values()))


def _agreeing(male: str, female: str, role: str = "patient") -> Part:
    def fill(scene: Scene, out: list[Piece]) -> None:
        out.append(Piece(male if scene.person(role).is_male else female))

    return fill


def _name(role: str, form: str, settings: LanguageSettings) -> Part | None:
    if form not in settings.names:
        return None
    formats, cumulated = weighted(settings.names[form])
    label = settings.roles[role].label if role != "person" else None
    stable = form in settings.stable_names  # a user name is always written in the same way

    def fill(scene: Scene, out: list[Piece]) -> None:
        scene.forget(role)
        person = scene.person(role)
        if stable:
            chosen = formats[person.number % len(formats)]
            out.append(Piece(chosen.format_map(person.fields())))
        else:
            chosen = scene.rng.choices(formats, cum_weights=cumulated)[0]
            shown = label or scene.person_label
            out.append(Piece(chosen.format_map(person.fields()), shown))

    return fill


def date_fields(day: date, settings: LanguageSettings) -> dict[str, str | int]:
    """Return the fields of date formats."""
    return {
        "m": day.month,
        "mm": f"{day.month:02d}",
        "d": day.day,
        "dd": f"{day.day:02d}",
        "yy": f"{day.year % 100:02d}",
        "yyyy": day.year,
        "decade": day.year // 10 * 10,
        "month": settings.months[day.month - 1],
        "mon": settings.short_months[day.month - 1],
        "MON": settings.short_months[day.month - 1].upper(),
        "weekday": settings.weekdays[day.weekday()],
        "day": settings.short_weekdays[day.weekday()],
        "th": settings.ordinals[day.day - 1],
    }


def _date(style: str, argument: str, settings: LanguageSettings) -> Part | None:
    style = style or "full"
    found = _ANCHOR.fullmatch(argument or "today")
    if style not in settings.dates or not found:
        return None
    anchor, shift = found[1], int(found[2] or 0)
    if anchor not in _FIXED and anchor not in _DRAWN:
        return None
    formats, cumulated = weighted(settings.dates[style])
    earlier, later = _DRAWN.get(anchor, (0, 0))
    origin = "today" if anchor in _DRAWN else anchor

    def fill(scene: Scene, out: list[Piece]) -> None:
        rng = scene.rng
        days = shift + (rng.randint(earlier, later) if earlier else 0)
        day = scene.days[origin] + timedelta(days=days)
        if style == "full" and rng.random() < 0.75:
            chosen = scene.date_format
        else:
            chosen = rng.choices(formats, cum_weights=cumulated)[0]
        out.append(Piece(chosen.format_map(date_fields(day, settings)), "DATE"))

    return fill


def _age(form: str, argument: str, settings: LanguageSettings) -> Part | None:
    limits = _RANGE.fullmatch(argument) if argument else None
    if form not in _AGES or (argument and not limits):
        return None
    low, high = (int(limits[1]), int(limits[2])) if limits else (0, 0)

    def fill(scene: Scene, out: list[Piece]) -> None:
        years = scene.rng.randint(low, high) if high else scene.age
        if form == "words" and years < len(settings.numbers):
            text = settings.numbers[years]
        else:
            text = f"{years // 10 * 10}s" if form == "decade" else str(years)
        out.append(Piece(text, "AGE"))

    return fill


def _number(form: str, argument: str, _: LanguageSettings) -> Part | None:
    limits = _RANGE.fullmatch(argument)
    if form or not limits:
        return None
    decimals = len(limits[1].partition(".")[2])
    low, high = (round(float(value) * 10**decimals) for value in limits.groups())
    width = len(limits[1]) if limits[1].startswith("0") else 0

    def fill(scene: Scene, out: list[Piece]) -> None:
        value = scene.rng.randint(low, high)
        text = f"{value / 10**decimals:.{decimals}f}" if decimals else f"{value:0{width}d}"
        out.append(Piece(text))

    return fill


def _code(form: str, argument: str, _: LanguageSettings) -> Part | None:
    if form or not argument:
        return None
    pick: dict[str, Callable[[float], str]] = {
        "#": lambda u: str(int(u * 10)),
        "%": lambda u: str(1 + int(u * 9)),
        "?": lambda u: ascii_uppercase[int(u * 26)],
    }

    def fill(scene: Scene, out: list[Piece]) -> None:
        random = scene.rng.random
        text = "".join(pick[c](random()) if c in pick else c for c in argument)
        out.append(Piece(text))

    return fill
