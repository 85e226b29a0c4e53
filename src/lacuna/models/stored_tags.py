"""Checking the labels and tags of model files: labels are shown to people and written to texts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from lacuna.encoding.schemes import OUTSIDE, Scheme, tag_set
from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.file import StoredModel

#: Control characters, which a terminal would obey, half characters, and breaks of lines.
FORBIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})


def check_labels(labels: Iterable[str]) -> None:
    """Raise ConfigError if a label is empty or contains control characters."""
    for label in labels:
        if not label or any(unicodedata.category(character) in FORBIDDEN for character in label):
            raise ConfigError(f"{label!r:.60} cannot be a label: use printable characters")


def check_stored_labels(stored: StoredModel, labels: Iterable[str]) -> None:
    """Refuse a file in which a label is empty or contains control characters."""
    try:
        check_labels(labels)
    except ConfigError as error:
        raise ModelFileError(stored.source, str(error)) from None


def check_tags(stored: StoredModel, tags: tuple[str, ...], scheme: Scheme) -> None:
    """Refuse a file whose tags are not ``O`` and all tags of some labels, each once."""
    labels = dict.fromkeys(tag.partition("-")[2] for tag in tags[1:])
    if tags[:1] != (OUTSIDE,) or "" in labels or tags != tag_set(labels, scheme):
        raise ModelFileError(stored.source, "its tags are damaged")
