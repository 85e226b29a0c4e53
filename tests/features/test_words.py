"""Attributes of words against plain Python, over any Unicode; some by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.features.resources import LEX
from lacuna.features.templates import WORD_ATTRIBUTES
from lacuna.features.words import word_values
from lacuna.text.characters import code_points
from lacuna.types import HashArray
from tests.features.reference import assert_same, word_value

NAMES = [name for name in WORD_ATTRIBUTES if name.isalpha() and "N" not in name and name != LEX]
NAMES += [f"{kind}{size}" for kind in ("prefix", "suffix") for size in range(1, 10)]

letters = st.sampled_from("aAbBsSeEdDiInNgG01.-東あカéÉ\u0301ǅİßΣ") | st.characters(categories=None)
words = st.lists(st.text(letters, min_size=1, max_size=12), max_size=12)


def values_of(names: list[str], given_words: list[str]) -> HashArray:
    end = np.cumsum([len(word) for word in given_words], dtype=np.int32)
    start = end - np.array([len(word) for word in given_words], np.int32)
    return word_values(code_points("".join(given_words)), start, end, names)


@given(words)
def test_every_attribute_is_that_of_plain_python(given_words: list[str]) -> None:
    values = values_of(NAMES, given_words)
    for a, name in enumerate(NAMES):
        assert_same([word_value(name, word) for word in given_words], values[:, a])


@pytest.mark.parametrize(
    ("name", "same", "different"),
    [
        ("word", [], ["Smith", "smith", "SMITH"]),
        ("lower", ["Smith", "smith", "SMITH"], []),
        ("lower", [], ["İ", "i"]),  # its lower case has two code points: left as it is
        ("prefix3", ["Smith", "Smile"], []),
        ("suffix2", ["Smith", "teeth"], []),
        ("shape", ["Smith", "Jones", "Élise"], ["Smit", "SMITH", "smith"]),
        ("shape", ["12-34", "99-00"], ["12/34", "123-4"]),
        ("shape", ["Zoe\u0308", "Zoé"], []),  # composed or not
        ("short", ["Smith", "Al"], ["McAl", "AL"]),
        ("short", ["1-22", "333--4"], ["1/2"]),
        ("kind", ["Smith", "Jo"], ["SM", "sm", "A", "7", "77", "A7", "-", "x-"]),
        ("length", ["x" * 10, "x" * 12], ["x" * 9]),
        ("stem", ["walked", "walks", "Walking", "walk"], ["walker"]),
        ("stem", ["class", "CLASS"], ["clasing"]),
        ("stem", [], ["sing", "s"]),
    ],
)
def test_by_hand(name: str, same: list[str], different: list[str]) -> None:
    alike = values_of([name], same)[:, 0].tolist()
    others = values_of([name], different)[:, 0].tolist()
    assert len(set(alike)) <= 1
    assert len({*alike, *others}) == len(set(alike)) + len(different)


def test_words_too_short_for_an_affix_have_none() -> None:
    assert values_of(["prefix3", "suffix3"], ["ab", "abc"]).astype(bool).tolist() == [
        [False, False],
        [True, True],
    ]


def test_attributes_never_share_values() -> None:
    values = values_of(NAMES, ["x"] * 1)[0]
    present = values[values != 0]
    assert len(set(present.tolist())) == len(present)


def test_no_words_and_no_attributes() -> None:
    assert values_of(NAMES, []).shape == (0, len(NAMES))
    assert values_of([], ["x"]).shape == (1, 0)
