"""The label set of the i2b2 2014 de-identification task and the category of each label."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lacuna.io.label_map import bundled_categories

#: Label → category.
CATEGORIES: Mapping[str, str] = MappingProxyType(dict(bundled_categories("i2b2-2014")))

#: Every identifier label, in the order of the guidelines.
LABELS: tuple[str, ...] = tuple(CATEGORIES)

#: The optional second layer: clinical findings, some of them with gaps.
FINDING = "FINDING"
