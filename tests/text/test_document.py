"""Records refuse what cannot be, and keep what they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna import Document, Mention, Span, Tokens
from tests.strategies import documents


@pytest.mark.parametrize(("start", "end"), [(5, 5), (5, 4), (-1, 2)])
def test_span_must_be_non_empty_and_forward(start: int, end: int) -> None:
    with pytest.raises(ValueError, match=r"0 <= start < end"):
        Span(start, end)


@pytest.mark.parametrize(
    ("label", "spans", "probability"),
    [
        ("", (Span(0, 1),), None),
        ("PER", (), None),
        ("PER", (Span(3, 5), Span(0, 1)), None),
        ("PER", (Span(0, 3), Span(2, 5)), None),
        ("PER", (Span(0, 3),), 1.5),
        ("PER", (Span(0, 3),), float("nan")),
    ],
)
def test_mention_refuses(label: str, spans: tuple[Span, ...], probability: float | None) -> None:
    with pytest.raises(ValueError, match=r"mention|spans|probability"):
        Mention(label, spans, probability)


def test_mention_in_one_line_sorts_its_parts() -> None:
    mention = Mention.of("ADR", (11, 14), (0, 4))
    assert mention.spans == (Span(0, 4), Span(11, 14))
    assert (mention.start, mention.end, mention.length) == (0, 14, 7)
    assert mention.is_discontiguous
    assert mention.surface("pain in my leg") == "pain … leg"


def test_mention_may_not_reach_beyond_the_text() -> None:
    with pytest.raises(ValueError, match="ends at 4"):
        Document("d", "abc", (Mention.of("PER", (0, 4)),))


@given(documents(), st.randoms())
def test_order_of_mentions_does_not_matter(document: Document, random: Any) -> None:
    shuffled = list(document.mentions)
    random.shuffle(shuffled)
    assert Document(document.id, document.text, tuple(shuffled)) == document


def test_a_document_without_group_is_its_own_unit() -> None:
    assert Document("7", "").unit != Document("8", "").unit
    assert Document("7", "", group="p").unit == Document("8", "", group="p").unit
    assert Document("p", "").unit != Document("8", "", group="p").unit


def test_repr_shows_no_text() -> None:
    assert "Whittaker" not in repr(Document("d", "Dr. Whittaker"))


def tokens(start: list[int], end: list[int], sentences: list[int], **columns: Any) -> Tokens:
    return Tokens(np.array(start), np.array(end), np.array(sentences), columns)


@pytest.mark.parametrize(
    ("start", "end", "sentences", "columns"),
    [
        ([0, 2], [1], [0, 2], {}),
        ([0, 2], [3, 4], [0, 2], {}),
        ([0, 2], [0, 4], [0, 2], {}),
        ([0, 2], [1, 4], [0, 1], {}),
        ([0, 2], [1, 4], [0, 1, 1, 2], {}),
        ([0, 2], [1, 4], [], {}),
        ([0, 2], [1, 4], [0, 2], {"pos": ("NN",)}),
    ],
)
def test_tokens_refuse(
    start: list[int], end: list[int], sentences: list[int], columns: dict[str, tuple[str, ...]]
) -> None:
    with pytest.raises(ValueError, match=r"token|sentences|column"):
        tokens(start, end, sentences, **columns)


def test_tokens_compare_by_value_and_are_read_only() -> None:
    some = tokens([0, 2], [1, 4], [0, 2], pos=("A", "B"))
    assert some == tokens([0, 2], [1, 4], [0, 2], pos=("A", "B"))
    assert some != tokens([0, 2], [1, 4], [0, 1, 2], pos=("A", "B"))
    assert some != tokens([0, 2], [1, 4], [0, 2])
    assert some.words("a bc") == ["a", "bc"]
    with pytest.raises(ValueError, match="read-only"):
        some.start[0] = 1


def test_tokens_may_not_reach_beyond_the_text() -> None:
    with pytest.raises(ValueError, match="beyond"):
        Document("d", "abc", tokens=tokens([0], [4], [0, 1]))


def test_no_tokens_no_sentences() -> None:
    assert len(tokens([], [], [0])) == 0
