"""Attributes in words: equal texts for equal hashes, and the other way round."""

from __future__ import annotations

import pytest
from hypothesis import given

from lacuna.features.words import spelled
from tests.features.reference import assert_same, word_value
from tests.features.test_words import NAMES, values_of, words


@given(words)
def test_texts_are_equal_where_hashes_are(given_words: list[str]) -> None:
    values = values_of(NAMES, given_words)
    for a, name in enumerate(NAMES):
        texts = [
            None if word_value(name, word) is None else spelled(name, word) for word in given_words
        ]
        assert_same(texts, values[:, a])


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        ("word", "McBride-7s"),
        ("lower", "mcbride-7s"),
        ("prefix3", "McB"),
        ("suffix2", "7s"),
        ("shape", "XxXxxxx-dx"),
        ("short", "XxXx-dx"),
        ("kind", "capital first, capital later, digits, letters, signs"),
        ("length", "10"),
        ("stem", "mcbride-7"),
        ("list.first", None),
        ("cluster.brown.4", None),
    ],
)
def test_by_hand(attribute: str, text: str | None) -> None:
    assert spelled(attribute, "McBride-7s") == text
