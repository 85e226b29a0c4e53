"""Units: cut at spaces or around signs, paragraphs at empty lines, chosen by what fits."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.text.document import Document, Mention
from lacuna.text.tokens import tokenize
from lacuna.text.units import Units, choose_units, cut_units, spread, with_units


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        (Units.SPACE, "Smith,|J.-P.|(1992).|x_1|3.5mg|東京の"),
        (Units.WORD, "Smith|,|J|.|-|P|.|(|1992|)|.|x|_|1|3|.|5mg|東|京|の"),
    ],
)
def test_what_a_unit_is(units: Units, expected: str) -> None:
    text = "Smith, J.-P.\t(1992). x_1 3.5mg\n東京の"
    assert "|".join(cut_units(text, units).words(text)) == expected


def test_marks_cling_to_what_they_follow() -> None:
    text = "re\u0301sume\u0301 👍🏽!"
    assert cut_units(text, Units.WORD).words(text) == ["re\u0301sume\u0301", "👍🏽", "!"]


@given(st.text(alphabet="aB1.,- \t\n\r\u00a0", max_size=30))
def test_units_between_spaces_are_those_of_split(text: str) -> None:
    assert cut_units(text, Units.SPACE).words(text) == text.split()
    signs_alone = re.findall(r"\w+|[^\w\s]", text)
    assert cut_units(text, Units.WORD).words(text) == signs_alone


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_paragraphs_begin_after_an_empty_line(end: str) -> None:
    text = end.join(["", "", "one", "still one", "", "two", "  ", "", "three", "", ""])
    assert cut_units(text, Units.SPACE).sentences.tolist() == [0, 3, 4, 5]


def test_nothing_to_cut() -> None:
    assert cut_units(" \n\n ", Units.WORD).sentences.tolist() == [0]


def test_tokens_are_those_of_the_tokenizer() -> None:
    text = "Smith's knee. It hurts."
    assert cut_units(text, Units.TOKEN) == tokenize(text)


def test_a_document_keeps_tokens_of_its_own() -> None:
    own = Document("d", "a,b c", tokens=cut_units("a,b c", Units.WORD))
    assert with_units(own, Units.SPACE) is own
    assert with_units(Document("d", "a,b c"), Units.SPACE).tokens == cut_units("a,b c", Units.SPACE)


@pytest.mark.parametrize(("cut", "expected"), [(1, Units.SPACE), (2, Units.WORD)])
def test_units_are_chosen_by_whether_mentions_fit(cut: int, expected: Units) -> None:
    text = "Ana, 1992 " * 10
    ends = [3 if number < cut else 4 for number in range(10)]  # 3: the comma is cut off
    mentions = [Mention.of("PER", (10 * n, 10 * n + end)) for n, end in enumerate(ends)]
    assert choose_units([Document("d", text, tuple(mentions))]) is expected


@given(st.text(alphabet="aB1., \n", max_size=30), st.sampled_from(list(Units)), st.data())
def test_values_of_units_become_values_of_tokens(
    text: str, kind: Units, data: st.DataObject
) -> None:
    units, tokens = cut_units(text, kind), tokenize(text)
    values = np.array([data.draw(st.floats(0, 1)) for _ in range(len(units))])
    spans = list(zip(units.start, units.end, values, strict=True))
    expected = [
        max(value for start, end, value in spans if start < b and a < end)
        for a, b in zip(tokens.start, tokens.end, strict=True)
    ]
    np.testing.assert_array_equal(spread(values, units, tokens), expected)
