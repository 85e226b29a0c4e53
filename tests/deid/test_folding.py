"""Folding: what looks alike becomes alike, and every character knows where it comes from."""

from __future__ import annotations

import sys
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lacuna.deid.folding import (
    INVISIBLE,
    fold,
    fold_copies,
    fold_words,
    plain_copies,
    plain_surface,
)
from lacuna.text.characters import SYMBOL, class_table
from tests.strategies import texts

CHARACTERS = [chr(code) for code in range(sys.maxunicode + 1)]
HIDDEN = [chr(code) for first, last in INVISIBLE for code in range(first, last + 1)]
#: Characters that look like an ASCII one.
TWINS = {
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d",
    " ": "\u00a0\u2002\u2007\u2009\u202f\u205f\u3000",
    "\n": "\u0085\u2028\u2029",
    "/": "\uff0f\u2044\u2215",
    "_": "\uff3f\u203f",
    "@": "\uff20",
    "3": "\uff13\u0663\u06f3\u0969\U0001d7d1",
    "M": "\uff2d\U0001d40c",
    "x": "\uff58\U0001d465",
}


@pytest.mark.parametrize(("plain", "twins"), TWINS.items())
def test_look_alikes_become_ascii(plain: str, twins: str) -> None:
    for twin in twins:
        assert plain_surface(f"a{twin}b") == f"a{plain}b"


def test_every_digit_dash_and_space_of_unicode_is_plain() -> None:
    for character in CHARACTERS:
        category = unicodedata.category(character)
        if category == "Nd":
            assert plain_surface(character) == str(unicodedata.decimal(character))
        elif category == "Pd" and ord(character) < 0x10000:
            assert plain_surface(character) == "-"
        elif category == "Zs":
            assert plain_surface(character) == " "


def test_every_format_character_that_is_not_seen_is_left_out() -> None:
    for character in CHARACTERS[:0x13430]:  # before those that arrange hieroglyphs
        is_format = unicodedata.category(character) == "Cf"
        if is_format and class_table()[ord(character)] != SYMBOL:
            assert plain_surface(f"a{character}b") == "ab"
    for character in HIDDEN:
        assert plain_surface(f"a{character}b") == "ab"


@pytest.mark.parametrize(
    "kept", ["é", "ñ", "Ł", "ß", "²", "½", "№", "nº", "ª", "漢", "ア", "’", "€"]
)
def test_what_is_ordinary_stays(kept: str) -> None:
    assert plain_surface(kept) == kept
    assert list(plain_copies(kept)) == []


@given(st.text(st.characters(codec="ascii")))
def test_ascii_needs_no_copy(text: str) -> None:
    assert list(plain_copies(text)) == []


@example("\x00\x01 \u2011\ud800")
@given(
    texts | st.text(st.sampled_from([*"ab1 _\n\x00", *HIDDEN[:30], "\u2011", "\u00a0", "\ud800"]))
)
def test_copies_map_back_exactly(text: str) -> None:
    for copy in plain_copies(text):
        assert len(copy.text) == len(copy.place)
        assert all(a < b for a, b in pairwise(copy.place.tolist()))
        for i, place in enumerate(copy.place.tolist()):
            assert copy.original(i, i + 1) == (place, place + 1)
            assert copy.text[i] == plain_surface(text[place]) or text[place] in (*HIDDEN, *"\0\1")
        left_out = set(range(len(text))) - set(copy.place.tolist())
        assert all(text[place] in HIDDEN for place in left_out)


@st.composite
def disguised(draw: st.DrawFn, text: str) -> tuple[str, list[int]]:
    """Draw another way to write an ASCII text, and where its characters are then."""
    size = len(text)
    before = draw(st.lists(st.sampled_from(("", *HIDDEN[:40])), min_size=size, max_size=size))
    chosen = draw(st.lists(st.integers(0, 10), min_size=size, max_size=size))
    new, place = "", []
    for character, invisible, number in zip(text, before, chosen, strict=True):
        same = character + TWINS.get(character, "")
        place.append(len(new + invisible))
        new += invisible + same[number % len(same)]
    return new, place


@given(
    st.text(st.sampled_from("ab3M-/ _x\n@"), max_size=30).flatmap(
        lambda text: st.tuples(st.just(text), disguised(text))
    )
)
def test_a_disguised_text_folds_to_the_text(case: tuple[str, tuple[str, list[int]]]) -> None:
    text, (new, place) = case
    copy = next(plain_copies(new), None)
    assert (new if copy is None else copy.text) == text
    assert copy is None or copy.place.tolist() == place


def test_hidden_spaces_are_read_both_ways() -> None:
    text = "555\u200b0134 \u00ad"
    assert [copy.text for copy in plain_copies(text)] == ["5550134 ", "555 0134 "]
    assert [copy.text for copy in fold_copies("Ann\ufeffLee")] == [" annlee ", " ann lee "]
    assert [copy.text for copy in plain_copies("555\u00ad0134")] == ["5550134"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Smi\u00adth", "smith"),
        ("Jo\u200bhn S\u200dmi\u2060th", "john smith"),
        ("\uff33\uff4d\uff49\uff54\uff48", "smith"),
        ("John_Smith_1234567.doc", "john smith 1234567 doc"),
        ("\u0661\u0662", "12"),
        ("Bront\u00eb\u2011M\u00fcller\u00a0X", "bronte muller x"),
        ("\U0001d412mith", "smith"),
    ],
)
def test_words(text: str, words: str) -> None:
    assert fold_words(text) == words.split()


@given(texts)
def test_words_know_where_they_come_from(text: str) -> None:
    for folded in fold_copies(text):
        assert folded.place[0] == -1
        assert np.all(np.diff(folded.place) > 0)
        assert folded.text[0] == folded.text[-1] == " "
        assert "  " not in folded.text
    assert fold(text).text == next(fold_copies(text)).text
