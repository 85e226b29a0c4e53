"""Sets of mentions with gaps: the structures of the paper's examples, and random ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from hypothesis import strategies as st

from lacuna.encoding.gapped import Parts, joined

Mentions = frozenset[Parts]


class Case(NamedTuple):
    """The number of words of a sentence and its mentions."""

    length: int
    gold: Mentions


def case(length: int, *gold: Parts) -> Case:
    return Case(length, frozenset(gold))


#: a head alone, and the head with each of two others
ONE_HEAD = case(6, ((0, 1),), ((0, 1), (2, 4)), ((0, 1), (5, 6)))
#: one flat, one with a gap, and two that share their last word, one of them with a gap
FOUR_KINDS = case(18, ((2, 4),), ((6, 7), (9, 10)), ((11, 14),), ((13, 14), (16, 17)))
#: two that share their first word
SHARED_WORD = case(4, ((0, 2),), ((0, 1), (3, 4)))
#: two that share their first word, and one with a gap of one word
SHORT_GAP = case(18, ((3, 7),), ((3, 4), (8, 11)), ((12, 13), (14, 15)))
#: each of three things with each of two
CROSS_PRODUCT = case(
    17,
    ((2, 3), (10, 11)),
    ((2, 3), (14, 16)),
    ((4, 5), (7, 8), (10, 11)),
    ((4, 5), (14, 16)),
    ((6, 8), (10, 11)),
    ((6, 8), (14, 16)),
)


@st.composite
def parts_in(draw: st.DrawFn, length: int, most: int = 3) -> Parts:
    """Draw the parts of one mention."""
    words = draw(st.lists(st.integers(0, length - 1), min_size=1, max_size=6))
    return joined((word, word + 1) for word in words)[:most]


@st.composite
def cases(draw: st.DrawFn, max_length: int = 9, max_mentions: int = 4, most: int = 3) -> Case:
    """Draw a sentence with mentions of up to `parts` parts, overlapping in any way."""
    length = draw(st.integers(1, max_length))
    gold = draw(st.frozensets(parts_in(length, most), max_size=max_mentions))
    return Case(length, gold)


def mention_sets(length: int, most: int = 3) -> Iterator[Mentions]:
    """Yield every set of mentions of up to `parts` parts."""
    words = range(length)
    mentions = [
        parts
        for size in range(1, length + 1)
        for chosen in combinations(words, size)
        if len(parts := joined((word, word + 1) for word in chosen)) <= most
    ]
    for size in range(len(mentions) + 1):
        yield from map(frozenset, combinations(mentions, size))
