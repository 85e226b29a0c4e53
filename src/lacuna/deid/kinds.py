"""What a label stands for, as far as replacing it is concerned: a person, a date, a phone number.

Labels differ from one annotated corpus to the next; the *kind* is what an action has to know. The
kinds of two well-known label sets come with lacuna; a policy's ``[kinds]`` adds others.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path

from lacuna.io.label_map import BUNDLED, bundled_categories

_TABLES = Path(__file__).parent / "label_kinds.toml"


class Kind(StrEnum):
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
def known_kinds() -> Mapping[str, Kind]:
    """Return label → kind of the label sets that come with lacuna."""
    tables = tomllib.loads(_TABLES.read_text("utf-8"))
    return {label: Kind(kind) for table in tables.values() for label, kind in table.items()}


@cache
def known_categories() -> Mapping[str, str]:
    """Return label → large category of the label sets that come with lacuna."""
    return {
        label: category for name in BUNDLED for label, category in bundled_categories(name).items()
    }
