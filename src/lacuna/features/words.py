"""Attributes of words: from names to kernel codes, and what word lists and clusters say of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lacuna.features import _words
from lacuna.features.lexicon import WordForms
from lacuna.features.lower import lower_table
from lacuna.features.resources import NO_RESOURCES, Resources
from lacuna.text.characters import class_table
from lacuna.types import CodeArray, HashArray, IntArray

_CODES = {
    "word": _words.WORD,
    "lower": _words.LOWERED,
    "prefix": _words.PREFIX,
    "suffix": _words.SUFFIX,
    "shape": _words.SHAPE,
    "short": _words.SHORT,
    "kind": _words.KIND,
    "length": _words.LENGTH,
    "stem": _words.STEM,
}


def word_values(
    codes: CodeArray,
    start: IntArray,
    end: IntArray,
    attributes: Sequence[str],
    *,
    resources: Resources = NO_RESOURCES,
) -> HashArray:
    """Return values[i, a]: attribute a of word i as a 64-bit hash, 0 where it has none."""
    values = np.empty((len(start), len(attributes)), np.uint64)
    spelled = [a for a, name in enumerate(attributes) if "." not in name]
    values[:, spelled] = _spelled_values(codes, start, end, [attributes[a] for a in spelled])
    if len(spelled) < len(attributes):
        forms = WordForms.of(codes, start, end)
        for a, name in enumerate(attributes):
            if "." in name:
                values[:, a] = resources.values(forms, name)
    return values


def _spelled_values(
    codes: CodeArray, start: IntArray, end: IntArray, attributes: Sequence[str]
) -> HashArray:
    parsed = [_parse(name) for name in attributes]
    kinds = np.array([kind for kind, _ in parsed], np.int32)
    sizes = np.array([size for _, size in parsed], np.int32)
    return _words.word_attributes(codes, start, end, lower_table(), class_table(), kinds, sizes)


def _parse(attribute: str) -> tuple[int, int]:
    """Return the kernel's code of an attribute and its size: ``prefix3`` → PREFIX, 3."""
    name = attribute.rstrip("123456789")
    return _CODES[name], int(attribute[len(name) :] or 0)
