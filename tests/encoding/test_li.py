"""Mentions with gaps to seven tags and back: laws, the paper's examples, brute force."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.encoding.ambiguity import li_counts
from lacuna.encoding.li import LI_FOLLOWERS, PREFIXES, encode, read_segments, segments_of
from lacuna.encoding.li_reading import by_rules, decode_all, decode_enough
from lacuna.encoding.schemes import OUTSIDE
from tests.encoding.gapped_cases import (
    CROSS_PRODUCT,
    FOUR_KINDS,
    ONE_HEAD,
    SHARED_WORD,
    SHORT_GAP,
    Case,
    Mentions,
    cases,
    mention_sets,
)


def every(tags: Sequence[str], parts: int = 3) -> Mentions:
    return frozenset(decode_all(read_segments(tags), parts).mentions)


def enough(tags: Sequence[str], parts: int = 3) -> Mentions:
    return frozenset(decode_enough(read_segments(tags), parts).mentions)


def spelt(tags: str) -> list[str]:
    return tags.split()


@pytest.mark.parametrize(
    ("item", "tags", "most"),
    [
        (ONE_HEAD, "BH O BD ID O BD", 4),
        (FOUR_KINDS, "O O B I O O BD O O BD O B I BH O O BD O", 14),
        (SHARED_WORD, "BH B O BD", 4),
        (SHORT_GAP, "O O O BH B I I O BD ID ID O BD O BD O O O", 13),
    ],
)
def test_examples_of_the_paper(item: Case, tags: str, most: int) -> None:
    assert encode(item.gold, item.length) == tags.split()
    found = every(tags.split())
    assert found >= item.gold
    assert len(found) == most


def test_a_bare_head_is_not_seen() -> None:
    found = enough(encode(*ONE_HEAD[::-1]))
    assert found == ONE_HEAD.gold - {((0, 1),)}


def test_segments_that_share_a_head_are_kept_apart() -> None:
    """As in 'red and white and black cells': three mentions, though two could say the tags."""
    gold = frozenset({((0, 1), (5, 6)), ((2, 3), (5, 6)), ((4, 6),)})
    assert enough(encode(gold, 6)) == gold
    assert enough(spelt("BD O BD O BD O BH")) == {((i, i + 1), (6, 7)) for i in (0, 2, 4)}


def test_without_heads_segments_go_together() -> None:
    assert enough(spelt("BD O BD O B")) == {((0, 1), (2, 3)), ((4, 5),)}
    assert enough(spelt("BD O BD O BD")) == {((0, 1), (2, 3), (4, 5))}


@cache
def unions(length: int, parts: int) -> dict[tuple[str, ...], Mentions]:
    """Return for every canonical sequence of tags the union of all sets that encode to it."""
    found: dict[tuple[str, ...], Mentions] = {}
    for mentions in mention_sets(length, parts):
        tags = tuple(encode(mentions, length))
        found[tags] = found.get(tags, frozenset()) | mentions
    return found


@pytest.mark.parametrize(("length", "parts"), [(1, 3), (2, 3), (3, 3), (4, 3), (4, 2)])
def test_all_is_the_union_of_every_set(length: int, parts: int) -> None:
    expected = unions(length, parts)
    assert len(expected) == li_counts(parts, length)[-1]
    for tags, union in expected.items():
        assert every(tags, parts) == union
        assert encode(enough(tags, parts), length) == list(tags)


@given(cases(), st.sampled_from([2, 3]))
def test_all_has_the_mentions_and_enough_gives_the_tags_again(item: Case, parts: int) -> None:
    gold = frozenset(mention for mention in item.gold if len(mention) <= parts)
    segments = segments_of(gold)
    tags = encode(gold, item.length)
    assert read_segments(tags) == segments
    some, most = decode_enough(segments, parts), decode_all(segments, parts)
    assert all(len(mention) <= parts for mention in (*some.mentions, *most.mentions))
    assert set(most.mentions) >= set(some.mentions)
    assert encode(some.mentions, item.length) == tags
    if not most.capped:
        assert set(most.mentions) >= gold


@given(st.lists(st.sampled_from([OUTSIDE, *PREFIXES]), max_size=12))
def test_any_tags_can_be_read(tags: list[str]) -> None:
    for found in (every(tags), enough(tags), by_rules(read_segments(tags), 3)):
        for mention in found:
            assert len(mention) <= 3
            assert all(tags[word] != OUTSIDE for start, end in mention for word in (start, end - 1))


@settings(max_examples=50)
@given(cases())
def test_tags_follow_the_rules(item: Case) -> None:
    before = OUTSIDE
    for tag in encode(item.gold, item.length):
        assert tag in LI_FOLLOWERS[before] or tag.lower() in LI_FOLLOWERS[before]
        before = tag


def test_rules_read_what_nothing_encodes_to() -> None:
    assert enough(spelt("B I O BD")) == {((0, 2),)}  # a single part of a gapped mention
    assert enough(spelt("O BH O")) == {((1, 2),)}
    assert enough(spelt("BD BD O B")) == {((0, 2),), ((3, 4),)}


def test_rules_of_reading() -> None:
    segments = read_segments(spelt("BH B O O BD O BH O BD O BD"))
    assert by_rules(segments, 3) == {
        ((0, 2),),
        ((4, 5), (6, 7)),
        ((6, 7), (8, 9)),
        ((6, 7), (10, 11)),
        ((0, 1), (6, 7)),  # the first head was used but once
    }
    five = read_segments(spelt("BD O BD O BD O BD O BD"))
    assert by_rules(five, 3) == {((0, 1), (2, 3)), ((4, 5), (6, 7), (8, 9))}
    assert by_rules(five, 2) == {((0, 1), (2, 3)), ((4, 5), (6, 7))}


def test_too_many_segments_are_read_by_rules() -> None:
    tags = ["BD", "O"] * 20
    for found in (decode_all(read_segments(tags), 3), decode_enough(read_segments(tags), 3)):
        assert found.capped
        assert set(found.mentions) == by_rules(read_segments(tags), 3)


def test_past_the_cap_all_has_what_is_enough() -> None:
    segments = segments_of(CROSS_PRODUCT.gold)
    whole, some = decode_all(segments, 3), decode_all(segments, 3, cap=5)
    assert some.capped
    assert not whole.capped
    assert set(decode_enough(segments, 3).mentions) <= set(some.mentions) < set(whole.mentions)
    assert np.unique([len(found.mentions) for found in (some, whole)]).size == 2
