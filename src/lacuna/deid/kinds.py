"""Kinds of identifiers, such as person, date and phone number.

Labels differ between corpora; the *kind* is what an action has to know. The kinds of two well-known
label sets are bundled; a policy's ``[kinds]`` adds others.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path

from lacuna.io.label_map import BUNDLED, bundled_categories

_TABLES = Path(__file__).parent / "label_kinds.toml"


class IdentifierKind(StrEnum):
    """What an identifier is."""

    PERSON = "person"
    USERNAME = "username"
    PROFESSION = "profession"
    ORGANISATION = "organisation"
    STREET = "street"
    CITY = "city"
    STATE = "state"
    COUNTRY = "country"
    ZIP = "zip"
    PLACE = "place"
    AGE = "age"
    DATE = "date"
    PHONE = "phone"
    EMAIL = "email"
    URL = "url"
    IP = "ip"
    SSN = "ssn"
    ID = "id"
    OTHER = "other"


@cache
def known_kinds() -> Mapping[str, IdentifierKind]:
    """Return label → kind of the bundled label sets."""
    tables = tomllib.loads(_TABLES.read_text("utf-8"))
    return {
        label: IdentifierKind(kind) for table in tables.values() for label, kind in table.items()
    }


@cache
def known_categories() -> Mapping[str, str]:
    """Return label → category of the bundled label sets."""
    return {
        label: category for name in BUNDLED for label, category in bundled_categories(name).items()
    }
