"""Columns and meta data against plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from lacuna.features.layout import place_values
from lacuna.text.document import Document, Tokens
from tests.features.reference import assert_same, table_of, token_values
from tests.features.strategies import corpora

NAMES = ["column.pos", "column.chunk", "column.absent", "meta.kind", "meta.ward", "meta.absent"]


@given(corpora)
def test_values_are_those_of_plain_python(documents: list[Document]) -> None:
    values = place_values(table_of(documents), NAMES)
    for a, name in enumerate(NAMES):
        assert_same([v for d in documents for v in token_values(name, d)], values[a])


def test_a_value_has_the_same_hash_in_every_corpus() -> None:
    def one(pos: str, kind: object) -> list[int]:
        tokens = Tokens(np.array([0]), np.array([1]), np.array([0, 1]), {"pos": (pos,)})
        document = Document("d", "x", meta={"kind": kind}, tokens=tokens)
        values = place_values(table_of([document]), ["column.pos", "meta.kind"])
        return [int(value) for value in values[:, 0]]

    assert one("NN", "letter") == one("NN", "letter")
    assert one("NN", "letter")[0] != one("VB", "letter")[0]
    assert one("NN", 3)[1] == one("NN", "3")[1] != 0
    assert one("NN", {"b": 1, "a": 2})[1] == one("NN", {"a": 2, "b": 1})[1]
    assert one("", None) == [0, 0]
