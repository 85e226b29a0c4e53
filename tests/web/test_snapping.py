"""Tokens that selections snap to."""

from __future__ import annotations

import re
import time
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.text.document import Document
from lacuna.text.tokens import tokenize
from lacuna.web.snapping import delta_coded, snapping_tokens


def words(text: str) -> list[str]:
    pairs = zip(*snapping_tokens(Document("n", text)), strict=True)
    return [text[start:end] for start, end in pairs]


@pytest.mark.parametrize(
    "thing",
    [
        *("03/14/1998", "3/14", "2014-03-14", "14.03.98", "14-Mar-2014", "1.Jan.2020"),
        *("7:36", "07:36:12", "7:36a", "7:36PM", "98.6", "1,200", "12,345.67", "120/80"),
        *("555-123-4567", "(555)123-4567", "+1-555-123-4567", "+41.44.123.45.67", "10.0.1.22"),
        *("j_r@mail.org", "a.b+c@x-y.co.uk", "https://mail.org/a?b=1#c", "www.mail.org/x/"),
        *("mail.example.org", "clinic.com/ward-7"),
    ],
)
def test_one_thing_is_one_token(thing: str) -> None:
    assert words(thing) == [thing]
    assert words(f"😀 seen {thing}, then ({thing}).") == (
        ["😀", "seen", thing, ",", "then", "(", thing, ")", "."]
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12/3/45-12/9/45", ["12/3/45", "-", "12/9/45"]),
        ("stable.He left", ["stable", ".", "He", "left"]),
        ("Sato's O'Brien", ["Sato", "'s", "O'Brien"]),
        ("pain,nausea", ["pain", ",", "nausea"]),
        ("in 2014. 3 of", ["in", "2014", ".", "3", "of"]),
        ("03/ 14", ["03", "/", "14"]),
        ("Dr.Li@ward", ["Dr", ".", "Li", "@", "ward"]),
        ("", []),
    ],
)
def test_everything_else_is_as_the_tokenizer_has_it(text: str, expected: list[str]) -> None:
    assert words(text) == expected


pieces = st.sampled_from(
    [*"0127.,:/-@+() \n\r\taé😀", "www.", "http://", ".org", "Mar", "pm", "(555)", "03/14"]
)


@given(st.lists(pieces | st.text(max_size=3), max_size=12).map("".join))
def test_tokens_are_joined_and_never_cut(text: str) -> None:
    starts, ends = snapping_tokens(Document("n", text))
    tokens = tokenize(text)
    assert set(starts) <= set(tokens.start.tolist())
    assert set(ends) <= set(tokens.end.tolist())
    assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))
    inside = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    assert not any(re.search(r"\s", one) for one in inside)
    assert "".join(inside) == "".join(tokens.words(text))
    coded = delta_coded(starts, ends)
    assert list(accumulate(coded["starts"])) == starts
    sizes = zip(starts, coded["lengths"], strict=True)
    assert [start + length for start, length in sizes] == ends


@pytest.mark.parametrize("piece", ["a", "1", "1.", "a.", "1/", "www.", "a@", "1,", "+1-", "1,234"])
def test_the_time_is_linear(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    words("1")
    begin = time.perf_counter()
    words(text)
    assert time.perf_counter() - begin < 5
