"""Accuracy of parts of speech, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from lacuna import Document, ScoringError, Tokens
from lacuna.evaluation.pos_accuracy import score_pos
from lacuna.types import BoolArray

TEXT = "a b c d"


def tagged(*tags: str) -> Document:
    start = np.arange(0, 2 * len(tags), 2, dtype=np.int32)
    sentences = np.array([0, len(tags)]) if tags else np.array([0])
    columns = {"pos": tags} if tags else {}
    return Document("d", TEXT, tokens=Tokens(start, start + 1, sentences, columns))


def knows_a_and_b(document: Document) -> BoolArray:
    assert document.tokens is not None
    return np.isin(document.tokens.words(document.text), ["a", "b"])


def test_by_hand() -> None:
    gold = [tagged("X", "Y", "X", "Y"), tagged("X"), tagged()]
    found = [tagged("X", "X", "X", "Y"), tagged("Y"), tagged()]
    scores = score_pos(zip(gold, found, strict=True), is_known=knows_a_and_b)
    assert (scores.known_right, scores.known_tokens) == (1, 3)
    assert (scores.unknown_right, scores.unknown_tokens) == (2, 2)
    assert scores.tokens == 5
    assert scores.accuracy == pytest.approx(3 / 5)
    assert scores.known == pytest.approx(1 / 3)
    assert scores.unknown == 1.0
    assert score_pos([], is_known=knows_a_and_b).accuracy == 1.0


def test_what_cannot_be_compared() -> None:
    with pytest.raises(ScoringError, match="d has no parts of speech"):
        score_pos([(Document("d", TEXT), tagged("X"))], is_known=knows_a_and_b)
    with pytest.raises(ScoringError, match="d: 1 tokens in gold, 2 found"):
        score_pos([(tagged("X"), tagged("X", "Y"))], is_known=knows_a_and_b)
