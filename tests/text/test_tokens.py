"""The tokenizer against its documented examples, a slow twin made of one pattern, and its laws."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.text import tokens
from lacuna.text.characters import (
    APOSTROPHE,
    DIGIT,
    FLAG,
    HIRAGANA,
    IDEOGRAPH,
    KATAKANA,
    LETTER,
    LINE,
    LOWER,
    MARK,
    UPPER,
    class_table,
    code_points,
)
from lacuna.text.document import Document, Tokens
from lacuna.text.tokens import tokenize, tokens_of

any_text = st.text(
    st.one_of(
        st.sampled_from(
            "abstmvelrSTDOXé'’'’ ..,-:/09\n\r\t\u0301\u200d\u00ad東あアกั👍🏽🇳❤️_@\ufeff"
        ),
        st.characters(categories=None),
    ),
    max_size=60,
)

EXAMPLES = [
    re.split(r"\s{2,}", line.strip())[:2]
    for line in (tokens.__doc__ or "").replace("→", " ").splitlines()
    if line.startswith("    ")
]


@pytest.mark.parametrize(("text", "tokens"), EXAMPLES)
def test_documented_examples(text: str, tokens: str) -> None:
    assert " ".join(tokenize(text).words(text)) == tokens


def test_the_documentation_has_examples() -> None:
    assert len(EXAMPLES) >= 12


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("https://x.org/a?b=1", "https : / / x . org / a ? b = 1"),
        ("MRN:00-12-34", "MRN : 00 - 12 - 34"),
        ("Edwards' 1990's", "Edwards ' 1990 's"),
        ("'tis 'quoted'", "' tis ' quoted '"),
        ("L'Oréal L'hôpital dell'Ospedale", "L'Oréal L' hôpital dell' Ospedale"),
        ("Sant'Anna", "Sant' Anna"),
        ("SMITH'S O'S", "SMITH 'S O 'S"),
        ("a's\u0301", "a' s\u0301"),
        ("she's're", "she 's 're"),
        ("O'", "O '"),
        ("e\u0301te\u0301 soft\u00adware", "e\u0301te\u0301 soft\u00adware"),
        ("\u0301 \u200d", "\u0301 \u200d"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\ufeffJohn\u200f (MRN)", "John ( MRN )"),
        ("1️⃣ ❤️‍🔥", "1️⃣ ❤️‍🔥"),
        ("a\x00b", "a b"),
        ("\ue000\ue001\u0378", "\ue000 \ue001 \u0378"),
        ("__ ___ ......", "_ _ ___ ......"),
        ("김철수는 العربية 12", "김철수는 العربية 12"),
    ],
)
def test_further_examples(text: str, tokens: str) -> None:
    assert " ".join(tokenize(text).words(text)) == tokens


# The slow twin: each character becomes one that represents its class, then one pattern.
_STANDS_FOR = {LETTER: "ж", DIGIT: "0", HIRAGANA: "あ", KATAKANA: "ア", FLAG: "🇦", IDEOGRAPH: "東"}
_CLITIC = r"'(?:[stdm]|ll|re|ve|[STDM]|L[Ll]|lL|R[Ee]|rE|V[Ee]|vE)(?![A-Za-zж~‿])"
_TOKEN = re.compile(
    rf"""
      (?<=[A-Za-zж0~‿]){_CLITIC}
    | [A-Z](?!{_CLITIC})'[A-Z][A-Za-zж~‿]*
    | [A-Za-zж~‿]+(?!{_CLITIC})'(?=[A-Za-zж])
    | [A-Za-zж~‿]+
    | 0[0~‿]* | あ[あ~‿]* | ア[ア~‿]* | 🇦[🇦~‿]* | 東[~‿]*(?:(?<=‿)[^A-Za-zж0あア🇦東~‿\ ][~‿]*)*
    | (?:([^\ ])\1{{2,}}|[^\ ])[~‿]*(?:(?<=‿)[^A-Za-zж0あア🇦東~‿\ ][~‿]*)*
    """,
    re.VERBOSE,
)


def _stand_in(character: str) -> str:
    kind = int(class_table()[ord(character)])
    if kind <= LINE:
        return " "
    if kind in (LOWER, UPPER):
        plain = character if character.isascii() else "x"
        return plain.upper() if kind == UPPER else plain
    if kind == MARK:
        return "‿" if character == "\u200d" else "~"
    if kind == APOSTROPHE:
        return "'"
    # Signs represent themselves, apart from the letters above.
    return _STANDS_FOR.get(kind, chr(0xF0000 + ord(character) % 0xFFFE))


def reference_tokens(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _TOKEN.finditer("".join(map(_stand_in, text)))]


def assert_equals_the_slow_twin(text: str) -> None:
    tokens = tokenize(text)
    borders = list(zip(tokens.start.tolist(), tokens.end.tolist(), strict=True))
    assert borders == reference_tokens(text)


@given(any_text)
def test_equals_the_slow_twin(text: str) -> None:
    # a run of mixed apostrophes is not one of the same sign
    assert_equals_the_slow_twin(re.sub("[’＇]", "'", text))


@given(st.text("aOsltreV'' 0.\u0301"))
def test_equals_the_slow_twin_around_apostrophes(text: str) -> None:
    assert_equals_the_slow_twin(text)


@given(st.text("a0..- \u0301\u200d東あア👍🏽🇳❤️"))
def test_equals_the_slow_twin_around_signs_and_joiners(text: str) -> None:
    assert_equals_the_slow_twin(text)


@given(any_text)
def test_every_character_is_white_space_or_in_one_token(text: str) -> None:
    tokens = tokenize(text)
    covered = np.zeros(len(text), np.int64)
    for start, end in zip(tokens.start, tokens.end, strict=True):
        covered[start:end] += 1
    assert np.array_equal(covered == 1, class_table()[code_points(text)] > LINE)
    assert covered.max(initial=0) <= 1


@given(any_text, any_text)
def test_a_blank_line_keeps_two_texts_apart(first: str, second: str) -> None:
    gap = "\n\n"
    a, b, both = tokenize(first), tokenize(second), tokenize(first + gap + second)
    shift = len(first) + len(gap)
    assert both.start.tolist() == a.start.tolist() + (b.start + shift).tolist()
    assert both.end.tolist() == a.end.tolist() + (b.end + shift).tolist()
    assert len(a) in both.sentences


@given(any_text)
def test_a_text_twice_has_its_sentences_twice(text: str) -> None:
    once, twice = tokenize(text), tokenize(text + "\n\n" + text)
    expected = once.sentences.tolist() + (once.sentences[1:] + len(once)).tolist()
    assert twice.sentences.tolist() == expected


@pytest.mark.parametrize("text", ["", " ", "\n\r\n\t\u3000", "\ufeff"])
def test_nothing_to_see(text: str) -> None:
    nothing = np.empty(0, np.int32)
    assert tokenize(text) == Tokens(nothing, nothing, np.zeros(1, np.int32))


def test_five_megabytes_in_one_line() -> None:
    piece = "word 12, "
    count = 5_000_000 // len(piece)
    tokens = tokenize(piece * count)
    assert len(tokens) == 3 * count
    assert tokens.sentences.tolist() == [0, 3 * count]
    assert tokens.end[-1] == len(piece) * count - 1


def test_all_code_points_at_once() -> None:
    text = "".join(map(chr, range(0x110000)))
    tokens = tokenize(text)
    lengths = tokens.end - tokens.start
    assert lengths.sum() == (class_table() > LINE).sum()


def test_own_tokens_come_first() -> None:
    start, end, sentences = (np.array(a, np.int32) for a in ([0], [9], [0, 1]))
    own = Tokens(start, end, sentences)
    assert tokens_of(Document("d", "Dr. Smith", tokens=own)) is own
    assert len(tokens_of(Document("d", "Dr. Smith"))) == 3
