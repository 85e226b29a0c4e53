"""A language pack: the contents of the folder ``synthetic/<language>/``, checked and split.

======================  =========================================================
``language.toml``       :class:`LanguageSettings`: months, date and name formats, roles, kinds
``*.words.txt``         word lists
``*.rules.txt``         rules, see :mod:`lacuna.synthetic.template`
======================  =========================================================

A rule ``note.<kind>`` writes a whole note of that kind. To add a language, add a folder.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from importlib import resources

import msgspec

from lacuna.errors import ConfigError, CorpusFormatError
from lacuna.synthetic.template import Body, FactScope, Rule, Template, parse_rules, parse_words

#: Lists with at least this many values are divided between the splits; shorter ones are shared.
SMALLEST_DIVIDED = 24

Weights = dict[str, float]


class Split(StrEnum):
    """Which templates and values are used; TRAIN and TEST share no template."""

    TRAIN = "train"
    TEST = "test"
    ALL = "all"


class NoteKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of note: how frequent it is and when in a stay it is written."""

    weight: float
    date: str = "stay"


class Role(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person in the notes.

    `sex` is ``any``, or ``same`` or ``other`` compared with the patient; `family` is the
    probability of the patient's last name; without `per` every mention is another person.
    """

    label: str
    per: FactScope | None = None
    sex: str = "any"
    family: float = 0.0


class LanguageSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of ``language.toml``.

    Weighted formats use Python's format fields: ``{m} {mm} {d} {dd} {yy} {yyyy} {month} {mon}
    {weekday} {day} {th}`` for dates and ``{first} {middle} {last} {nick} {f} {m} {l} {n}`` for
    names, where upper-case fields (``{LAST}``) are in capitals.
    """

    months: tuple[str, ...]
    short_months: tuple[str, ...]
    weekdays: tuple[str, ...]
    short_weekdays: tuple[str, ...]
    ordinals: tuple[str, ...]
    numbers: tuple[str, ...]
    eras: tuple[tuple[date, date], ...]
    items: tuple[str, ...]
    stable_names: tuple[str, ...]
    agreement: dict[str, str]
    dates: dict[str, Weights]
    names: dict[str, Weights]
    origins: Weights
    nicknames: dict[str, str]
    roles: dict[str, Role]
    kinds: dict[str, NoteKind]


@dataclass(frozen=True, slots=True)
class Language:
    """A language pack as on disk, with both splits."""

    code: str
    settings: LanguageSettings
    rules: Mapping[str, Rule]
    words: Mapping[str, tuple[str, ...]]

    @property
    def templates(self) -> list[Template]:
        """All templates that belong to one split."""
        return [t for rule in self.rules.values() if not rule.shared for t in rule.templates]


def languages() -> list[str]:
    """Return the codes of all languages."""
    root = resources.files(__package__)
    return sorted(entry.name for entry in root.iterdir() if (entry / "language.toml").is_file())


@cache
def load_language(code: str) -> Language:
    """Read and check a language pack."""
    if code not in languages():
        raise ConfigError(
            f"no synthetic notes in language {code!r}; known are {', '.join(languages())}"
        )
    folder = resources.files(__package__) / code
    toml = (folder / "language.toml").read_text("utf-8")
    settings = msgspec.toml.decode(toml, type=LanguageSettings)
    rules: dict[str, Rule] = {}
    words: dict[str, tuple[str, ...]] = {}
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = f"{code}/{file.name}"
        if file.name.endswith(".rules.txt"):
            for rule in parse_rules(file.read_text("utf-8"), path):
                _check_rule(rule, rules, path)
                rules[rule.name] = rule
        elif file.name.endswith(".words.txt"):
            words |= parse_words(file.read_text("utf-8"), path)
    return Language(code, settings, rules, words)


def _check_rule(rule: Rule, known: Mapping[str, Rule], path: str) -> None:
    line = rule.templates[0].line
    if rule.name in known:
        raise CorpusFormatError(path, f"rule {rule.name} is defined twice", line=line)
    splits = {template.held_out for template in rule.templates}
    if not rule.shared and len(splits) < 2:
        reason = f"rule {rule.name} needs templates for both splits, or the option shared"
        raise CorpusFormatError(path, reason, line=line)
    if rule.shared and True in splits:
        raise CorpusFormatError(path, f"rule {rule.name} is shared, so ~ is not allowed", line=line)


def bodies(rule: Rule, split: Split) -> tuple[Body, ...]:
    """Return the templates of a rule that belong to a split."""
    return tuple(
        template.body
        for template in rule.templates
        if rule.shared or split is Split.ALL or template.held_out == (split is Split.TEST)
    )


def portion(values: Iterable[str], split: Split) -> tuple[str, ...]:
    """Return the part of a list that a split may use.

    One value in eight is never used in training; test notes draw half of their values from these
    and half from the others. Which values these are depends on the value alone.
    """
    everything = tuple(values)
    if split is Split.ALL or len(everything) < SMALLEST_DIVIDED:
        return everything
    chosen = (0, 1) if split is Split.TEST else range(1, 8)
    return tuple(v for v in everything if zlib.crc32(v.encode()) % 8 in chosen) or everything
