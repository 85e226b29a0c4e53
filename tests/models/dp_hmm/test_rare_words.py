"""Items of a vocabulary: frequent words are items, others belong to a class by their looks."""

from __future__ import annotations

import numpy as np
import pytest

from lacuna import Document, Tokens
from lacuna.features.token_table import TokenTable, token_table
from lacuna.models.dp_hmm.rare_functions import RareFunctions
from lacuna.models.dp_hmm.rare_words import (
    ALPHABETIC,
    DATE,
    MIXED,
    NUMBER,
    PHONE,
    PUNCTUATION,
    RareWords,
    fit_rare_words,
    rare_keys,
    word_sort,
)
from lacuna.text.characters import class_table, code_points


def table_of(words: list[str]) -> TokenTable:
    text = " ".join(words)
    start = np.cumsum([0] + [len(word) + 1 for word in words[:-1]]).astype(np.int32)
    end = (start + [len(word) for word in words]).astype(np.int32)
    tokens = Tokens(start, end, np.array([0, len(words)]))
    return token_table([Document("d", text, tokens=tokens)])


def keys_of(*words: str) -> np.ndarray:
    table = table_of(list(words))
    return rare_keys(table, np.arange(len(words), dtype=np.int32), RareFunctions())


def depth_shared(one: str, other: str) -> int:
    """Return how many classes two words share, from the coarsest on."""
    a, b = keys_of(one, other)
    same = (a == b) & (a != 0)
    return int(np.argmin(np.append(same, False)))


@pytest.mark.parametrize(
    ("word", "sort"),
    [
        ("house", ALPHABETIC),
        ("O'Neil", ALPHABETIC),
        ("--", PUNCTUATION),
        ("12", NUMBER),
        ("3.5", NUMBER),
        ("1996-08-22", DATE),
        ("2/7", DATE),
        ("555-123-4567", PHONE),
        ("+34915550123", PHONE),
        ("37947241ZGJ", MIXED),
        ("Ιωάννης", ALPHABETIC),
    ],
)
def test_sorts_of_words(word: str, sort: int) -> None:
    codes = code_points(word)
    assert word_sort(codes, 0, len(codes), class_table()) == sort


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("walking", "12", 1),  # all words
        ("walking", "Walking", 2),  # and both alphabetic
        ("walking", "house", 3),  # and without capitals
        ("walking", "song", 5),  # and the last two characters
        ("walking", "jumping", 7),  # and the last three, and the length
        ("walking", "waking", 8),  # and the first two
        ("1987", "2001", 5),  # digits, separators, years
        ("1987", "3500", 4),  # no year
        ("45", "99", 5),  # ages
        ("12", "1.2", 3),  # another separator
    ],
)
def test_words_share_classes_as_far_as_they_look_alike(one: str, other: str, shared: int) -> None:
    assert depth_shared(one, other) == shared


def test_rare_words_are_items_of_their_deepest_class() -> None:
    words = ["the"] * 5 + ["walking", "jumping", "singing", "House"]
    table = table_of(words)
    found = fit_rare_words(table, RareFunctions(), rare=5, class_count=3)
    items = found.items(table).tolist()
    assert len(found.words) == 1
    assert set(items[:5]) == {0}
    assert len(set(items[5:8])) == 1
    assert items[8] not in items[:8]
    new = table_of(["turning", "Mouse", "the", "77"])
    ring, mouse, the, number = found.items(new).tolist()
    assert (ring == items[5], mouse == items[8], the) == (True, True, 0)
    assert number == len(found.words)  # the class of all words


def test_without_rare_words_there_is_still_a_class() -> None:
    table = table_of(["a", "a"])
    found: RareWords = fit_rare_words(table, RareFunctions(), rare=2, class_count=1)
    assert len(found) == 2
    assert found.items(table_of(["zzz"])).tolist() == [1]


def test_with_templates_a_word_has_the_class_of_what_stands_around_it() -> None:
    words = ["45", "kg", "45", "12", "63", "kg"]
    table = table_of(words)
    found = fit_rare_words(table, RareFunctions(templates=True), rare=5, class_count=1)
    items = found.items(table).tolist()
    assert items[0] != items[2]  # the same word, but the second is a part of 45 12 63
    assert items[1] == items[5]
