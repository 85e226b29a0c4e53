"""Word classes: what words look like, and what their suffixes say about tags."""

from __future__ import annotations

import numpy as np
import pytest

from lacuna import Document, Tokens
from lacuna.features.token_table import TokenTable, token_table
from lacuna.io.conll import join, places
from lacuna.models.trigram_hmm import word_classes as kinds
from lacuna.models.trigram_hmm.word_classes import fit_word_classes, token_classes
from lacuna.text.characters import class_table, code_points
from lacuna.types import HashArray

LOOKS = {
    "42": kinds.TWO_DIGITS,
    "٤٢": kinds.TWO_DIGITS,
    "1998": kinds.FOUR_DIGITS,
    "7": kinds.OTHER_NUMBER,
    "123456": kinds.OTHER_NUMBER,
    "50%": kinds.OTHER_NUMBER,
    "B52": kinds.DIGITS_AND_LETTERS,
    "9-18": kinds.DIGITS_AND_DASH,
    "1/2-3": kinds.DIGITS_AND_DASH,
    "11/9/89": kinds.DIGITS_AND_SLASH,
    "1,000/2": kinds.DIGITS_AND_SLASH,
    "23,000.00": kinds.DIGITS_AND_COMMA,
    "1.00": kinds.DIGITS_AND_PERIOD,
    "NATO": kinds.ALL_CAPS,
    "ÄÖ": kinds.ALL_CAPS,
    "M.": kinds.CAP_AND_PERIOD,
    "A": kinds.INITIAL_CAP,
    "Sally": kinds.INITIAL_CAP,
    "McDonald": kinds.INITIAL_CAP,
    "Anglo-Dutch": kinds.DASHED_CAP,
    "can": kinds.LOWER_CASE,
    "don't": kinds.LOWER_CASE,
    "well-known": kinds.DASHED_LOWER,
    "iPod": kinds.OTHER,
    ",": kinds.OTHER,
    "東京": kinds.OTHER,
}


@pytest.mark.parametrize("word", LOOKS)
def test_what_a_word_looks_like(word: str) -> None:
    found = kinds.word_class(code_points(word), 0, len(word), class_table(), False)
    assert found == LOOKS[word]
    first = kinds.word_class(code_points(word), 0, len(word), class_table(), True)
    capital = {kinds.INITIAL_CAP, kinds.DASHED_CAP}
    assert first == (kinds.FIRST_WORD if LOOKS[word] in capital else LOOKS[word])


def table_of(words: list[str]) -> TokenTable:
    tokens = Tokens(*places(words), np.array([0, len(words)]) if words else np.array([0]))
    return token_table([Document("d", join(words, [0, len(words)]), tokens=tokens)])


def keys_of(words: list[str], longest: int) -> HashArray:
    tokens = np.arange(len(words), dtype=np.int32)
    return token_classes(table_of(words), tokens, np.zeros(len(words), bool), longest)


def test_keys_agree_as_far_as_words_do() -> None:
    keys = keys_of(["walking", "TALKING", "talkinG", "king", "ng"], 3)
    walking, upper, mixed, king, short = keys
    assert (walking == king).all()  # the same last three characters
    assert walking[0] == upper[0]
    assert not (walking[1:] == upper[1:]).any()  # other class, so other suffix classes
    assert mixed[1] != walking[1]
    assert (short[3:] == 0).all()  # a suffix is shorter than its word
    assert short[2] == walking[2]


def test_tags_of_classes_by_hand() -> None:
    words = ["walking", "talking", "thing"]
    tags = np.array([0, 0, 1], np.int32)
    prior = np.array([0.25, 0.75])
    classes = fit_word_classes(
        keys_of(words, 4), tags, np.ones(len(words)), prior, min_count=2, parent_weight=2.0
    )
    rows = classes.tags[classes.finest(keys_of([*words, "zebra", "Zebra"], 4))]
    # every class on the way to -ing has the counts 2, 1; -king has 2, 0
    mean = prior
    for _ in range(5):  # all, lower case, -g, -ng, -ing
        mean = (np.array([2.0, 1.0]) + 2 * mean) / 5
    np.testing.assert_allclose(rows[2], mean, rtol=1e-6)
    np.testing.assert_allclose(rows[0], (np.array([2.0, 0.0]) + 2 * mean) / 4, rtol=1e-6)
    # no word ends in -a: lower case; no word begins high: all words
    root = (np.array([2.0, 1.0]) + 2 * prior) / 5
    np.testing.assert_allclose(rows[3], (np.array([2.0, 1.0]) + 2 * root) / 5, rtol=1e-6)
    np.testing.assert_allclose(rows[4], root, rtol=1e-6)
    np.testing.assert_allclose(classes.tags.sum(axis=1), 1.0, rtol=1e-6)
    assert classes.tags.min() > 0


def test_without_rare_words_there_is_the_prior() -> None:
    prior = np.array([0.5, 0.5])
    classes = fit_word_classes(
        keys_of([], 4), np.zeros(0, np.int32), np.zeros(0), prior, min_count=1, parent_weight=1.0
    )
    assert classes.finest(keys_of(["any", "9"], 4)).tolist() == [0, 0]
    np.testing.assert_allclose(classes.tags, [prior])
