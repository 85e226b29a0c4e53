"""What every setting means, allows and is by default, as text.

The meaning is the entry of the setting under *Attributes* in the docstring of its class, so
``help(lacuna.Crf)`` and ``lacuna train --help-config`` say the same.
"""

from __future__ import annotations

import re
from dataclasses import fields
from functools import lru_cache
from inspect import cleandoc
from typing import NamedTuple

import msgspec

from lacuna.models.settings import Range, Settings, annotations_of, expected_value

ATTRIBUTES = "Attributes\n----------\n"
ENTRY = re.compile(r"^(?P<names>\S.*)\n(?P<text>(?: +\S.*(?:\n|$))+)", re.MULTILINE)


class SettingHelp(NamedTuple):
    """One setting: its name, its default as JSON, the values it allows, and its meaning."""

    name: str
    default: str
    allowed: str
    meaning: str


def describe_settings(record: type[Settings]) -> list[SettingHelp]:
    """Return the help of every setting of a kind of model, in their order."""
    defaults = msgspec.to_builtins(record())
    return [
        SettingHelp(
            field.name,
            msgspec.json.encode(defaults[field.name]).decode().strip('"'),
            _allowed(record, field.name),
            meaning_of(record, field.name),
        )
        for field in fields(record)
    ]


def meaning_of(record: type[Settings], name: str) -> str:
    """Return what a setting means; empty if its class does not say."""
    return next((all_[name] for c in record.__mro__ if name in (all_ := _documented(c))), "")


@lru_cache
def _documented(record: type) -> dict[str, str]:
    """Return the entries under Attributes in the docstring of a class, without mark-up."""
    _, _, attributes = cleandoc(record.__doc__ or "").partition(ATTRIBUTES)
    return {
        name: " ".join(entry["text"].replace("`", "").split())
        for entry in ENTRY.finditer(attributes)
        for name in entry["names"].split(", ")
    }


def _allowed(record: type[Settings], name: str) -> str:
    ranges = [str(extra) for extra in annotations_of(record, name) if isinstance(extra, Range)]
    return ", ".join([expected_value(record, name), *ranges])
