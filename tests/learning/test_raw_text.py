"""The weight of a token of raw text."""

from __future__ import annotations

import pytest

from lacuna import Document
from lacuna.encoding.flat import tag_document, untagged
from lacuna.learning.raw_weight import weight_of_raw

SIX = [tag_document(Document("a", "one two three four five six"))]


def raw(tokens: int) -> list[Document]:
    return [Document("r", "word " * tokens)]


def test_all_raw_text_together_counts_as_a_share_of_the_annotated_text() -> None:
    assert weight_of_raw(0.5, SIX, untagged(raw(30))) == pytest.approx(0.5 * 6 / 30)
    assert weight_of_raw(0.5, SIX, untagged(raw(30) * 10)) == pytest.approx(0.05 * 6 / 30)


def test_a_raw_token_never_counts_more_than_an_annotated_one() -> None:
    assert weight_of_raw(0.5, SIX, untagged(raw(2))) == 1.0


def test_no_raw_text_has_no_weight() -> None:
    assert weight_of_raw(0.5, SIX, []) == 0.0
    assert weight_of_raw(0.5, SIX, untagged([Document("r", "")])) == 0.0
