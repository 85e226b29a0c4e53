"""Renaming labels: ``OLD = "NEW"`` in a TOML file, ``""`` drops; ``[categories]`` groups them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from lacuna.errors import ConfigError
from lacuna.text.document import Document

CATEGORIES = "categories"
#: Label sets with bundled categories.
BUNDLED = ("i2b2-2014", "meddocan")
_FOLDER = Path(__file__).parent / "category_maps"


@dataclass(frozen=True, slots=True)
class LabelMap:
    """New names of labels, and the large category of each new name.

    Attributes
    ----------
    names
        Old label -> new label; ``""`` drops its mentions. Other labels stay.
    categories
        Label, after renaming -> large category.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, str] = field(default_factory=dict)

    def apply(self, document: Document) -> Document:
        """Return the document under new labels; mentions that become equal are kept once."""
        if not self.names:
            return document
        renamed = (
            replace(mention, label=self.names.get(mention.label, mention.label))
            for mention in document.mentions
            if self.names.get(mention.label) != ""
        )
        return replace(document, mentions=tuple(dict.fromkeys(renamed)))

    def category(self, label: str) -> str:
        """Return the large category of a label; its own name by default."""
        return self.categories.get(label, label)


def read_label_map(path: Path) -> LabelMap:
    """Read a label map from a TOML file."""
    try:
        table = tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    categories = table.pop(CATEGORIES, {})
    if not isinstance(categories, dict):
        raise ConfigError(f"{path}: {CATEGORIES} must be a table of label = category")
    for where, entries in (("", table), (f"{CATEGORIES}.", categories)):
        for key, value in entries.items():
            if not isinstance(value, str):
                raise ConfigError(f"{path}: {where}{key}: expected a string in quotes")
    for key, value in categories.items():
        if not value:
            raise ConfigError(f"{path}: {CATEGORIES}.{key}: a category needs a name")
    return LabelMap(table, categories)


def bundled_categories(name: str) -> Mapping[str, str]:
    """Return label → large category of a well-known label set, one of :data:`BUNDLED`."""
    return read_label_map(_FOLDER / f"{name}.toml").categories
