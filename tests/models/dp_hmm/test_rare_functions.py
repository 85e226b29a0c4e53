"""Further functions of rare words: word lists, templates of numbers, informative phrases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lacuna import Document
from lacuna.features.lexicon import read_word_list
from lacuna.features.token_table import TokenTable, token_table
from lacuna.models.dp_hmm.rare_functions import RareFunctions, informative_phrases, phrases_near
from lacuna.models.dp_hmm.rare_words import rare_keys
from lacuna.text.document import Tokens
from lacuna.types import HashArray

TEMPLATES = RareFunctions(templates=True)


def table_of(*texts: str) -> TokenTable:
    """Return the table of documents whose words stand between spaces or bars; a bar is no text."""
    documents, tokens = [], []
    for number, text in enumerate(texts):
        pieces = text.replace(" ", " |").split("|")
        end = np.cumsum([len(piece) for piece in pieces]).astype(np.int32)
        start = (end - [len(piece) for piece in pieces]).astype(np.int32)
        end -= np.array([piece.endswith(" ") for piece in pieces], np.int32)
        documents.append(Document(f"d{number}", text.replace("|", "")))
        tokens.append(Tokens(start, end, np.array([0, len(start)])))
    return token_table(documents, tokens)


def outputs(functions: RareFunctions, *texts: str, token: int = 0) -> HashArray:
    """Return what functions say of the token with this number in each text."""
    table = table_of(*texts)
    return functions.outputs(table, (table.documents[:-1] + token).astype(np.int32))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("45", "7", (True, False)),  # ages
        ("45", "450", (False, False)),  # nobody is that old
        ("45|-year", "63|-year", (True, True)),
        ("45|-year", "63|kg", (True, False)),
        ("915|-|55|-|01", "600|-|12|-|34", (True, True)),  # phone numbers
        ("915|-|55|-|01", "915 55 01", (True, False)),
        ("ZA|4711", "QX|9000", (True, True)),  # numbers of documents
        ("ZA|4711", "QXA|9000", (True, False)),
        ("ZA|4711", "4711555", (False, False)),
    ],
)
def test_templates_are_of_the_whole_piece(one: str, other: str, same: tuple[bool, bool]) -> None:
    # the first token with a digit of each
    last = "ZA" in one
    a = outputs(TEMPLATES, one, token=int(last))[0]
    b = outputs(TEMPLATES, other, token=int(last and "|" in other))[0]
    assert tuple((a == b).tolist()) == same


def test_words_without_digits_and_unlikely_numbers_have_no_template() -> None:
    for text in ("house", "house 45", "450", "0"):
        assert not outputs(TEMPLATES, text).any()


def test_a_piece_ends_with_the_line_and_the_text() -> None:
    alone = outputs(TEMPLATES, "45")
    np.testing.assert_array_equal(outputs(TEMPLATES, "45 kg"), alone)
    np.testing.assert_array_equal(outputs(TEMPLATES, "45", "45"), np.repeat(alone, 2, axis=0))
    assert (outputs(TEMPLATES, "45 12") != alone).any()  # across a space between digits
    assert (outputs(TEMPLATES, "45|12") != alone).any()


def test_parts_of_one_number_differ_by_their_place() -> None:
    first, second = (outputs(TEMPLATES, "915|55", token=token)[0] for token in (0, 1))
    assert (first == second).tolist() == [True, False]


def test_a_word_is_in_a_list_by_its_band(tmp_path: Path) -> None:
    (tmp_path / "names.tsv").write_text("reading\t12\nanna\t9000\nboris\t7000\n")
    functions = RareFunctions({"names": read_word_list(tmp_path / "names.tsv")})
    said = outputs(functions, "Reading", "Anna", "Boris", "walking")[:, 0].tolist()
    assert said[1] == said[2] != said[0]
    assert said[3] == 0
    table = table_of("Anna Boris Clara")
    keys = rare_keys(table, np.arange(3, dtype=np.int32), functions)
    shared = (keys[0] == keys) & (keys != 0)
    assert shared[:, :4].tolist() == [[True] * 4, [True] * 4, [True, True, True, False]]
    assert not keys[2, 3]  # not in the list: nothing is added …
    assert keys[2, 4] == rare_keys(table, np.array([2], np.int32), RareFunctions())[0, 3]  # … here


def test_phrases_are_all_runs_of_words_within_three_tokens() -> None:
    table = table_of("a b c 5 d e f g")
    near = phrases_near(table, np.array([3], np.int32), only_numbers=True)[0]
    assert len(set(near.tolist())) == 12
    farther = phrases_near(table_of("x a b c 5 d e f"), np.array([4], np.int32), only_numbers=True)
    np.testing.assert_array_equal(near, farther[0])
    other = phrases_near(table_of("a b c 5 d e x g"), np.array([3], np.int32), only_numbers=True)
    assert int((near != other[0]).sum()) == 3  # those that reach the third word behind
    for token, found in ((0, 6), (1, 7), (7, 6)):
        some = phrases_near(table, np.array([token], np.int32), only_numbers=False)
        assert np.count_nonzero(some) == found  # none leaves the sentence
        assert not phrases_near(table, np.array([token], np.int32), only_numbers=True).any()


def test_informative_phrases_are_those_that_go_with_tags() -> None:
    near = np.array([[1, 2], [1, 2], [1, 3], [1, 3], [1, 4], [0, 0]], np.uint64)
    tags = np.array([0, 0, 1, 1, 1, 0], np.int32)
    found = informative_phrases(near, tags, count=10, least=2)
    assert found.hashes.tolist() == [2, 3]  # n(2, 0) ln(2·5 / 2·2) > n(3, 1) ln(2·5 / 2·3) > 0
    assert informative_phrases(near, tags, count=1, least=2).hashes.tolist() == [2]
    assert informative_phrases(near, tags, count=10, least=1).hashes.tolist() == [2, 3, 4]
    assert not len(informative_phrases(near, tags, count=10, least=6))
    assert not len(informative_phrases(np.zeros((2, 2), np.uint64), tags[:2], count=10, least=1))


def test_the_most_informative_phrase_near_by_is_what_counts() -> None:
    table = table_of("5 years of age", "5 pills a day", "5 pills of age")
    first = table.documents[:-1].astype(np.int32)
    near = phrases_near(table, first, only_numbers=True)
    tags = np.array([1, 0, 0], np.int32)
    phrases = informative_phrases(near, tags, count=100, least=1)
    said = RareFunctions(phrases=phrases).outputs(table, first)[:, 0]
    assert said[0] in near[0]
    assert said[0] not in near[1:]
