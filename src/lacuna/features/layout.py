"""Attributes of tokens by their position: lines, headers, dates, columns and meta data.

Which attributes there are is listed in `templates.py`; the kernels are in `layout_kernels.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from lacuna.features import layout_kernels
from lacuna.features.hashing import NONE, hash_numbers
from lacuna.features.layout_kernels import NO_DATE, date_parts, earlier_headers, runs
from lacuna.features.resources import JOINED, LEXICAL, NO_RESOURCES, Resources
from lacuna.features.token_table import TokenTable
from lacuna.text.characters import class_table, lower_table
from lacuna.text.word_types import WordTypes, hash_words
from lacuna.types import BoolArray, HashArray

_MISSING = ""

#: Months, in full and abbreviated, in English, Spanish, German, French and Dutch.
MONTHS = """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre
    diciembre ene abr ago set dic
    januar jänner februar märz mai juni juli oktober dezember okt dez
    janvier février mars avril juin juillet août septembre octobre novembre décembre
    janv févr avr juil déc
    januari februari maart mei augustus mrt
"""


def place_values(
    table: TokenTable, attributes: Sequence[str], resources: Resources = NO_RESOURCES
) -> HashArray:
    """Return values[a, t]: attribute a of token t as a 64-bit hash, 0 if it has none."""
    values = np.empty((len(attributes), len(table.start)), np.uint64)
    own = {name for name in attributes if "." not in name and name not in table.given}
    layout = _layout_values(table, own) if own - LEXICAL else {}
    if own & LEXICAL:
        assert resources.lexicon is not None
        layout |= resources.lexicon.place_values(table, gaps=JOINED in own)
    for a, name in enumerate(attributes):
        kind, _, rest = name.partition(".")
        if name in table.given:
            values[a] = table.given[name]
        elif kind == "column":
            values[a] = column_values(table, rest)
        elif kind == "meta":
            values[a] = meta_values(table, rest)
        else:
            values[a] = layout[name]
    return values


def _layout_values(table: TokenTable, names: set[str]) -> dict[str, HashArray]:
    """Return the values of those attributes in `names` that depend on lines and headers."""
    codes, start, end, documents = table.codes, table.start, table.end, table.documents
    gaps = layout_kernels.gaps(codes, start, end, documents, class_table())
    values = {}
    if "space" in names:
        values["space"] = hash_numbers(gaps)
    if "place" in names:
        values["place"] = layout_kernels.places(start, documents, table.texts, gaps)
    if "row" in names:
        values["row"] = layout_kernels.rows(codes, start, end, gaps, lower_table())
    if "letters" in names:
        written = layout_kernels.letters(codes, start, end, documents, gaps, class_table())
        values["letters"] = np.where(written == 0, NONE, hash_numbers(written))
    if "lead" in names:
        values["lead"] = layout_kernels.leads(codes, start, end, gaps, lower_table(), class_table())
    if "run" in names:
        values["run"] = runs(codes, start, end, gaps, class_table())
    if "date" in names:
        parts = date_parts(codes, start, end, gaps, are_months(table.hashes))
        values["date"] = np.where(parts == NO_DATE, NONE, hash_numbers(parts))
    if not names.isdisjoint(("header", "section", "earlier")):
        values["header"], values["section"] = layout_kernels.headings(
            codes, start, end, gaps, lower_table(), class_table()
        )
    if "earlier" in names:
        values["earlier"] = earlier_headers(
            codes, start, table.hashes, documents, values["header"], class_table()
        )
    return values


def column_values(table: TokenTable, name: str) -> HashArray:
    """Return a 64-bit hash of each token's value in column `name`, 0 if it has none."""
    values = np.zeros(len(table.start), np.uint64)
    numbers = {_MISSING: 0}
    for d, columns in enumerate(table.columns):
        if name in columns:
            ids = [numbers.setdefault(value, len(numbers)) for value in columns[name]]
            values[table.documents[d] : table.documents[d + 1]] = ids
    return value_hashes(list(numbers))[values]


def meta_values(table: TokenTable, name: str) -> HashArray:
    """Return for each token a 64-bit hash of its document's meta value `name`, 0 for none.

    Values that are not strings are converted to JSON: 3 and ``"3"`` are the same.
    """
    numbers = {_MISSING: 0}
    ids = [numbers.setdefault(_text(meta.get(name)), len(numbers)) for meta in table.metas]
    return np.repeat(value_hashes(list(numbers))[ids], np.diff(table.documents))


def _text(value: Any) -> str:
    if value is None:
        return _MISSING
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def value_hashes(texts: Sequence[str]) -> HashArray:
    """Return the value of each text; that of the first one, "missing", is 0."""
    hashes = hash_words(list(texts)) | np.uint64(1)
    hashes[0] = 0
    return hashes


def are_months(hashes: HashArray) -> BoolArray:
    """Return which words, given by their hashes, name a month: `may`, `May` or `MAY`."""
    found: BoolArray = _month_types().lookup(hashes) >= 0
    return found


@cache
def _month_types() -> WordTypes:
    names = MONTHS.split()
    forms = [form for name in names for form in (name, name.capitalize(), name.upper())]
    return WordTypes.build(hash_words(forms))
