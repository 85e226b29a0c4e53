"""Settings of models: dataclasses whose annotations say which values are allowed.

    @dataclass(frozen=True, slots=True)
    class Toy(Settings):
        states: Annotated[int, Range(1, 50)] = 5
        scheme: Annotated[Scheme, Choices(Scheme.IO, Scheme.BIO)] = Scheme.IO
        start: Literal["random", "position"] = "position"

Types, choices and ranges are checked whenever settings are made: in Python, by ``--set key=value``
(:func:`configure`) or from a model file (:func:`stored_settings`). Floats must be finite.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from enum import Enum
from functools import lru_cache
from os import PathLike, fspath
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from lacuna.errors import ConfigError

#: Former names of settings in model files, and their present names.
FORMER_NAMES: Mapping[str, str] = {"lists": "word_lists"}
#: Settings that were added later with another default than models had before.
FORMER_DEFAULTS: Mapping[str, Any] = {
    "lexicon": False,
    "sequence": "sentence",
    "gap_caution": 0.0,
    "outside_states": 0,
    "decoder": "max-path",
}
TYPE_NAMES: Mapping[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a name",
}
LONGEST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `least` to `most`; with `above`, `least` itself is not allowed."""

    least: float = -math.inf
    most: float = math.inf
    above: bool = False

    def __contains__(self, value: float) -> bool:
        high_enough = value > self.least if self.above else value >= self.least
        return high_enough and value <= self.most

    def __str__(self) -> str:
        if self.most < math.inf:
            return f"from {self.least:g} to {self.most:,g}"
        return f"above {self.least:g}" if self.above else f"at least {self.least:g}"


POSITIVE = Range(0, above=True)
NOT_NEGATIVE = Range(0)
AT_LEAST_ONE = Range(1)
SHARE = Range(0, 1)
CAUTION = Range(-50, 50)  #: added to scores, whose exponentials are 32-bit floats


class Choices:
    """Some members of an enumeration."""

    def __init__(self, *members: Enum) -> None:
        self.members = members


@dataclass(frozen=True, slots=True)
class Settings:
    """Base of the settings of all kinds of models."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = checked_value(type(self), field.name, getattr(self, field.name))
            object.__setattr__(self, field.name, value)
        self.check()

    def check(self) -> None:
        """Raise ConfigError if settings contradict one another."""


class Chosen(NamedTuple):
    """Settings of which the documents chose some; in words which and why, or nothing."""

    config: Settings
    remark: str = ""


AnySettings = TypeVar("AnySettings", bound=Settings)


@lru_cache
def _hints(record: Any) -> dict[str, Any]:
    return get_type_hints(record, include_extras=True)


def _hint(record: type[Settings], name: str) -> tuple[Any, tuple[Any, ...]]:
    """Return the type of a field and the other parts of its annotation."""
    hint = _hints(cast(Any, record))[name]
    if get_origin(hint) is not Annotated:
        return hint, ()
    bare, *extras = get_args(hint)
    return bare, tuple(extras)


def annotations_of(record: type[Settings], name: str) -> tuple[Any, ...]:
    """Return the ranges and choices in the annotation of a field."""
    return _hint(record, name)[1]


def choices_of(record: type[Settings], name: str) -> tuple[str, ...]:
    """Return the allowed values of a setting as text; empty if there is no fixed list."""
    hint, extras = _hint(record, name)
    for extra in extras:
        if isinstance(extra, Choices):
            return tuple(str(member.value) for member in extra.members)
    if get_origin(hint) is Literal:
        return tuple(map(str, get_args(hint)))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return tuple(str(member.value) for member in hint)
    return ()


def expected_value(record: type[Settings], name: str) -> str:
    """Return in words what the value of a setting must be, without its range."""
    if choices := choices_of(record, name):
        return f"one of {', '.join(choices)}"
    hint = _hint(record, name)[0]
    if get_origin(hint) in (dict, Mapping):
        return f"{name}.NAME={'FILE' if get_args(hint)[1] is str else 'NUMBER'}"
    return _in_words(hint)


def _in_words(hint: Any) -> str:
    """Return the name of a type for people: ``int`` is a whole number."""
    if hint in TYPE_NAMES:
        return TYPE_NAMES[hint]
    items = get_args(hint)
    if get_origin(hint) is Literal:
        return ", ".join(map(str, items))
    if get_origin(hint) is tuple:
        count = "" if items[-1] is ... else f"{len(items)} "
        return f"a list of {count}{_in_words(items[0]).removeprefix('a ')}s"
    return " or ".join(map(_in_words, items))


def checked_value(record: type[Settings], name: str, value: Any) -> Any:
    """Return a value as the type of its field, or raise ConfigError."""
    hint, extras = _hint(record, name)
    try:
        plain = msgspec.to_builtins(value, enc_hook=_as_builtin)
    except (TypeError, OverflowError):
        raise ConfigError(f"{name}: settings cannot have values of this type") from None
    choices = choices_of(record, name)
    if choices and str(plain) not in choices:
        expected = expected_value(record, name)
        raise ConfigError(f"{name}: expected {expected}, got {_short(plain)}")
    try:
        converted = msgspec.convert(plain, hint)
    except msgspec.ValidationError:
        expected = expected_value(record, name)
        raise ConfigError(f"{name}: expected {expected}, got {_short(plain)}") from None
    numbers = [x for x in _numbers(converted) if not isinstance(x, bool)]
    if not all(math.isfinite(x) for x in numbers if isinstance(x, float)):
        raise ConfigError(f"{name}: expected a finite number")
    for extra in extras:
        if isinstance(extra, Range) and not all(number in extra for number in numbers):
            raise ConfigError(f"{name}: must be {extra}, got {_short(plain)}")
    return converted


def _short(value: Any) -> str:
    """Return a value for a message: text in quotes, and not too much of it."""
    shown = repr(value)
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}…"


def _as_builtin(value: Any) -> Any:
    """Turn paths and numbers of NumPy into text and numbers of Python."""
    if isinstance(value, PathLike):
        return fspath(value)
    if hasattr(value, "item"):
        return value.item()
    raise TypeError


def _numbers(value: Any) -> list[float]:
    """Return the numbers in a value: the value itself, or the items of a list or mapping."""
    if isinstance(value, int | float):
        return [value]
    if isinstance(value, Mapping):
        value = tuple(value.values())
    return [x for x in value if isinstance(x, int | float)] if isinstance(value, tuple) else []


def configure(record: type[AnySettings], assignments: Iterable[str]) -> AnySettings:
    """Return settings with some fields set by ``key=value``.

    Values are TOML; a bare word is a string, so ``scheme=BILOU`` needs no quotes. A dot sets an
    entry of a mapping: ``word_lists.first=names.tsv``.
    """
    values: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        name, *inner = (part.strip() for part in key.split("."))
        if not equals:
            raise ConfigError(f"--set {assignment}: expected key=value")
        if unknown := why_unknown(record, name):
            raise ConfigError(f"--set {unknown}")
        _assign(values, [name, *inner], _value(text.strip()))
    try:
        for name, value in values.items():
            checked_value(record, name, value)
        return msgspec.convert(values, record)
    except (ConfigError, msgspec.ValidationError) as error:
        raise ConfigError(f"--set {error}") from None


def why_unknown(record: type[Settings], name: str) -> str:
    """Return an error message if there is no setting with this name, otherwise nothing."""
    known = [field.name for field in fields(record)]
    if name in known:
        return ""
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
    return f"{name}: unknown setting; {hint}"


def _assign(values: dict[str, Any], path: list[str], value: Any) -> None:
    """Set ``values[path[0]][path[1]]… = value``."""
    for part in path[:-1]:
        values = values.setdefault(part, {})
        if not isinstance(values, dict):
            raise ConfigError(f"--set {'.'.join(path)}: {part} was already given a value")
    values[path[-1]] = value


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def stored_settings(record: type[AnySettings], content: object) -> AnySettings:
    """Return settings from the header of a model file; the caller handles validation errors."""
    if isinstance(content, Mapping):
        known = {field.name for field in fields(record)}
        before = {name: value for name, value in FORMER_DEFAULTS.items() if name in known}
        content = before | {
            FORMER_NAMES[name] if name not in known and name in FORMER_NAMES else name: value
            for name, value in content.items()
        }
    return msgspec.convert(content, record)
