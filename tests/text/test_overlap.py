"""Span algebra against sets of characters."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lacuna import Mention, Span
from lacuna.text.overlap import (
    flatten,
    merge_spans,
    overlapping,
    overlapping_pairs,
    share_characters,
)
from tests.strategies import mentions_in, spans_in

mention_lists = st.lists(mentions_in(12), max_size=8)


def covered(mention: Mention) -> set[int]:
    return {i for span in mention.spans for i in range(span.start, span.end)}


@given(spans_in(12), spans_in(12))
def test_share_characters(a: tuple[Span, ...], b: tuple[Span, ...]) -> None:
    expected = covered(Mention("X", a)) & covered(Mention("X", b))
    assert share_characters(a, b) == bool(expected)


@given(mention_lists)
def test_overlapping_pairs(mentions: list[Mention]) -> None:
    n = len(mentions)
    expected = [
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if covered(mentions[i]) & covered(mentions[j])
    ]
    assert overlapping_pairs(mentions) == expected
    assert len(overlapping(mentions)) == len({i for pair in expected for i in pair})


@given(mention_lists)
def test_flatten_keeps_a_maximal_flat_set_and_loses_nothing(mentions: list[Mention]) -> None:
    kept, left_out = flatten(mentions)
    assert sorted(map(id, kept + left_out)) == sorted(map(id, mentions))
    assert not overlapping_pairs(kept)
    assert not any(mention.is_discontiguous for mention in kept)
    for mention in left_out:
        rivals = [k for k in kept if covered(k) & covered(mention)]
        assert mention.is_discontiguous or max(k.length for k in rivals) >= mention.length


def test_flatten_prefers_the_longest_then_the_leftmost() -> None:
    long, left, right = Mention.of("A", (2, 6)), Mention.of("B", (0, 3)), Mention.of("C", (5, 8))
    assert flatten([left, long, right])[0] == (long,)
    first, second = Mention.of("A", (0, 3)), Mention.of("B", (2, 5))
    assert flatten([second, first])[0] == (first,)


@given(st.lists(spans_in(12), max_size=4))
def test_merge_spans_is_the_union(parts: list[tuple[Span, ...]]) -> None:
    spans = [span for part in parts for span in part]
    merged = merge_spans(spans)
    assert {i for s in merged for i in range(*s)} == {i for s in spans for i in range(*s)}
    assert all(a.end < b.start for a, b in pairwise(merged))
