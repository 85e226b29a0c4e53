"""Attributes that come with the corpus: token columns and the meta data of documents."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from lacuna.features.token_table import TokenTable
from lacuna.text.word_types import hash_words
from lacuna.types import HashArray

_MISSING = ""


def column_values(table: TokenTable, name: str) -> HashArray:
    """Return a 64-bit hash of each token's value in column `name`, 0 where it has none."""
    values = np.zeros(len(table.start), np.uint64)
    numbers = {_MISSING: 0}
    for d, columns in enumerate(table.columns):
        if name in columns:
            ids = [numbers.setdefault(value, len(numbers)) for value in columns[name]]
            values[table.documents[d] : table.documents[d + 1]] = ids
    return _hashes(numbers)[values]


def meta_values(table: TokenTable, name: str) -> HashArray:
    """Return for each token a 64-bit hash of its document's meta value `name`, 0 for none.

    Values that are not text are taken as JSON: 3 and ``"3"`` are the same.
    """
    numbers = {_MISSING: 0}
    ids = [numbers.setdefault(_text(meta.get(name)), len(numbers)) for meta in table.metas]
    return np.repeat(_hashes(numbers)[ids], np.diff(table.documents))


def _text(value: Any) -> str:
    if value is None:
        return _MISSING
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _hashes(numbers: dict[str, int]) -> HashArray:
    """Return the hash of each numbered text; the first one is "missing" and has 0."""
    hashes = hash_words(list(numbers)) | np.uint64(1)
    hashes[0] = 0
    return hashes
