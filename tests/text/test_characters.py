"""Character classes: sampled by hand, and against unicodedata for every code point."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.text import characters
from lacuna.text.characters import (
    APOSTROPHE,
    CLOSE,
    DIGIT,
    FLAG,
    HIRAGANA,
    IDEOGRAPH,
    KATAKANA,
    LETTER,
    LINE,
    LOWER,
    MARK,
    OPEN,
    PAUSE,
    QUOTE,
    SPACE,
    STOP,
    SYMBOL,
    UPPER,
    WIDE_STOP,
    class_table,
    code_points,
)

SAMPLES = {
    SPACE: " \t\x00\x1f\x7f\u00a0\u2003\u200b\u200f\u202e\u2066\u3000\ufeff",
    LINE: "\n\r\v\f\x85\u2028\u2029",
    LOWER: "azßéжωµ",
    UPPER: "AZÉЖΩǅ",
    LETTER: "ªºאبक한ʼᎠ"[:-1],
    DIGIT: "09٣½²Ⅳ①",
    HIRAGANA: "あんゝ",
    KATAKANA: "アンーｱ",
    FLAG: "🇳🇱",
    IDEOGRAPH: "東京々〇𠀀กขລខမ",
    MARK: "\u0301\u200d\u200c\u00ad\ufe0f\u0e31🏽\U000e0067",
    APOSTROPHE: "'’",
    STOP: ".!?…؟।",
    WIDE_STOP: "。！？",
    PAUSE: ",;:、，",
    OPEN: "([{„‘",
    CLOSE: ")]}",
    QUOTE: '"“”«»',
    SYMBOL: "-_/@#€°•😀❤\ue000\U0010ffff\u0378\ud800\udfff\u0600`",
}


@pytest.mark.parametrize("character_class", SAMPLES)
def test_samples_have_their_class(character_class: int) -> None:
    codes = code_points(SAMPLES[character_class])
    assert class_table()[codes].tolist() == [character_class] * len(codes)


def test_there_is_a_sample_of_every_class() -> None:
    assert sorted(SAMPLES) == sorted(set(class_table().tolist()))


def test_the_table_agrees_with_unicodedata() -> None:
    letters_without_case = {LETTER, HIRAGANA, KATAKANA, IDEOGRAPH}
    allowed = {
        "Lu": {UPPER},
        "Lt": {UPPER},
        "Ll": {LOWER},
        "Lm": letters_without_case,
        "Lo": letters_without_case,
        "Nd": {DIGIT},
        "Nl": {DIGIT, IDEOGRAPH},  # 〇 and cuneiform numbers
        "No": {DIGIT},
        "Cc": {SPACE, LINE},
        "Zs": {SPACE},
        "Zl": {LINE},
        "Zp": {LINE},
        "Ps": {OPEN},
        "Pe": {CLOSE},
        "So": {SYMBOL, FLAG},
        "Sc": {SYMBOL},
        "Sm": {SYMBOL},
        "Pc": {SYMBOL},
        "Pd": {SYMBOL},
        "Cs": {SYMBOL},
        "Co": {SYMBOL},
    }
    table = class_table().tolist()
    wrong = [
        hex(code)
        for code in range(0x110000)
        if table[code] not in allowed.get(unicodedata.category(chr(code)), {table[code]})
    ]
    assert wrong == []


def test_everything_python_calls_a_space_is_white_space() -> None:
    table = class_table()
    assert [hex(c) for c in range(0x110000) if chr(c).isspace() and table[c] > LINE] == []


def test_no_letter_or_digit_is_white_space() -> None:
    white = np.flatnonzero(class_table() <= LINE).tolist()
    assert {unicodedata.category(chr(c))[0] for c in white} == {"Z", "C"}


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        class_table()[65] = SPACE


@given(st.text(st.characters(categories=None)))
def test_code_points_are_those_of_the_text(text: str) -> None:
    assert code_points(text).tolist() == [ord(c) for c in text]


def test_lone_surrogates_are_code_points() -> None:
    assert code_points("\ud800a\udfff").tolist() == [0xD800, 0x61, 0xDFFF]


def test_character_lists_do_not_contradict_each_other() -> None:
    listed = "".join(characters._SINGLE.values())
    assert len(set(listed)) == len(listed)
