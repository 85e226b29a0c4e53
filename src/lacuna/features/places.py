"""Attributes of tokens in their place: what stands before, headers, sections, lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lacuna.features import _places
from lacuna.features._dates import NO_DATE, date_parts
from lacuna.features._earlier import earlier_headers
from lacuna.features._hashing import NONE, hash_numbers
from lacuna.features._runs import runs
from lacuna.features.corpus_values import column_values, meta_values
from lacuna.features.lower import lower_table
from lacuna.features.months import are_months
from lacuna.features.token_table import TokenTable
from lacuna.text.characters import class_table
from lacuna.types import HashArray


def place_values(table: TokenTable, attributes: Sequence[str]) -> HashArray:
    """Return values[a, t]: attribute a of token t as a 64-bit hash, 0 where it has none."""
    values = np.empty((len(attributes), len(table.start)), np.uint64)
    if any("." not in name for name in attributes):
        laid_out = _laid_out(table, set(attributes))
    for a, name in enumerate(attributes):
        kind, _, rest = name.partition(".")
        if kind == "column":
            values[a] = column_values(table, rest)
        elif kind == "meta":
            values[a] = meta_values(table, rest)
        else:
            values[a] = laid_out[name]
    return values


def _laid_out(table: TokenTable, names: set[str]) -> dict[str, HashArray]:
    """Return the values of those attributes in `names` that are about lines and headers."""
    codes, start, end, documents = table.codes, table.start, table.end, table.documents
    gaps = _places.gaps(codes, start, end, documents, class_table())
    values = {}
    if "space" in names:
        values["space"] = hash_numbers(gaps)
    if "place" in names:
        values["place"] = _places.places(start, documents, table.texts, gaps)
    if "row" in names:
        values["row"] = _places.rows(codes, start, end, gaps, lower_table())
    if "run" in names:
        values["run"] = runs(codes, start, end, gaps, class_table())
    if "date" in names:
        parts = date_parts(codes, start, end, gaps, are_months(table.hashes))
        values["date"] = np.where(parts == NO_DATE, NONE, hash_numbers(parts))
    if not names.isdisjoint(("header", "section", "earlier")):
        values["header"], values["section"] = _places.headings(
            codes, start, end, gaps, lower_table(), class_table()
        )
    if "earlier" in names:
        values["earlier"] = earlier_headers(
            codes, start, table.hashes, documents, values["header"], class_table()
        )
    return values
