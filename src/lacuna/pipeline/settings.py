"""Settings from the command line: ``key=value`` with TOML values, checked against the record."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, TypeVar

import msgspec

from lacuna.errors import ConfigError

Config = TypeVar("Config")


def configure(config: type[Config], assignments: Iterable[str]) -> Config:
    """Return the settings record with some fields set by ``key=value``.

    Values are TOML; a bare word is taken as a string, so ``scheme=BILOU`` needs no quotes. A dot
    leads into a field that has names of its own: ``lists.first=names.tsv``.
    """
    known = [field.name for field in fields(config)]  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        name, *inner = (part.strip() for part in key.split("."))
        if not equals:
            raise ConfigError(f"--set {assignment}: expected key=value")
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            raise ConfigError(f"--set {name}: unknown setting; {hint}")
        _assign(values, [name, *inner], _value(text.strip()))
    try:
        return msgspec.convert(values, config)
    except msgspec.ValidationError as error:
        raise ConfigError(f"--set: {error}") from None


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


def describe_config(config: type[Config]) -> list[tuple[str, str]]:
    """Return every setting and its default, as text."""
    defaults = config()
    return [
        (field.name, msgspec.json.encode(getattr(defaults, field.name)).decode())
        for field in fields(config)  # type: ignore[arg-type]
    ]
