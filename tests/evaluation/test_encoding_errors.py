"""Errors of decoding gold structures, counted by hand."""

from __future__ import annotations

import pytest

from lacuna import Document, Mention
from lacuna.encoding.schemes import Heuristic
from lacuna.evaluation.encoding_errors import Encoding, ReadBackErrors, structure_errors

TEXT = "Cramps at night or waking . Pain ."
#: "Cramps", "Cramps … night", "Cramps … waking" and a flat one
GOLD = Document(
    "d",
    TEXT,
    (
        *[Mention.of("A", (0, 6)), Mention.of("A", (0, 6), (10, 15))],
        *[Mention.of("A", (0, 6), (19, 25)), Mention.of("B", (28, 32))],
    ),
)


def test_an_example_of_the_paper() -> None:
    """LI ALL has 4 mentions for the 3, LI ENOUGH 2; SHARED and SPLIT have them exactly."""
    found = structure_errors([GOLD])
    assert (found.discontiguous.sentences, found.discontiguous.mentions) == (1, 3)
    assert (found.everything.sentences, found.everything.mentions) == (2, 4)
    assert found.discontiguous.errors == {
        (Encoding.LI, Heuristic.ALL): ReadBackErrors(3, 1, 0),
        (Encoding.LI, Heuristic.ENOUGH): ReadBackErrors(2, 0, 1),
        (Encoding.SHARED, Heuristic.ALL): ReadBackErrors(3, 0, 0),
        (Encoding.SHARED, Heuristic.ENOUGH): ReadBackErrors(3, 0, 0),
        (Encoding.SPLIT, Heuristic.ALL): ReadBackErrors(3, 0, 0),
        (Encoding.SPLIT, Heuristic.ENOUGH): ReadBackErrors(3, 0, 0),
    }
    assert found.everything.errors[Encoding.LI, Heuristic.ALL] == ReadBackErrors(4, 1, 0)
    assert not found.left_out


def test_shares() -> None:
    errors = ReadBackErrors(right=6, wrong=2, lost=4)
    assert errors.precision_error == pytest.approx(0.25)
    assert errors.recall_error == pytest.approx(0.4)
    assert ReadBackErrors().precision_error == ReadBackErrors().recall_error == 0


def test_mentions_of_too_many_parts_are_counted_apart() -> None:
    found = structure_errors([GOLD], parts=1)
    assert found.left_out == {"of more than 1 parts": 2}
    assert found.everything.mentions == 2
    assert found.discontiguous.sentences == 0
