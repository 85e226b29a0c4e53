"""Mentions with gaps to subgraphs and back: laws, the paper's examples, brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.encoding.gapped import Parts, joined
from lacuna.encoding.hypergraph import (
    END,
    ON,
    STAY,
    TOP,
    Edges,
    Slice,
    columns,
    decode_all,
    decode_enough,
    encode,
    path,
    shared,
    split,
)
from tests.encoding.gapped_cases import (
    CROSS_PRODUCT,
    FOUR_KINDS,
    ONE_HEAD,
    SHARED_WORD,
    SHORT_GAP,
    Case,
    Mentions,
    cases,
)

SLICES = st.sampled_from([*shared(3), *shared(2), *shared(1), *split(3)])


def subgraph(item: Case, graph: Slice) -> tuple[Edges, Mentions]:
    """Return the subgraph of the mentions that the graph holds, and these."""
    held = frozenset(filter(graph.holds, item.gold))
    return encode(held, item.length, graph), held


def everything(item: Case, graphs: tuple[Slice, ...]) -> tuple[Mentions, Mentions]:
    """Return what ALL and ENOUGH make of the subgraphs of some mentions."""
    edges = [subgraph(item, graph)[0] for graph in graphs]
    every = frozenset(mention for part in edges for mention in decode_all(part).mentions)
    enough = frozenset(mention for part in edges for mention in decode_enough(part).mentions)
    return every, enough


@pytest.mark.parametrize("graphs", [shared(3), split(3)], ids=["shared", "split"])
@pytest.mark.parametrize("item", [ONE_HEAD, SHARED_WORD, SHORT_GAP])
def test_examples_of_the_paper_come_back(item: Case, graphs: tuple[Slice, ...]) -> None:
    assert everything(item, graphs) == (item.gold, item.gold)


def test_shared_parts_can_be_paired_wrongly() -> None:
    every, enough = everything(FOUR_KINDS, shared(3))
    assert len(every) == 6
    assert every > FOUR_KINDS.gold == enough
    assert everything(FOUR_KINDS, split(3)) == (FOUR_KINDS.gold, FOUR_KINDS.gold)


def test_of_a_full_cross_product_enough_keeps_too_few() -> None:
    for graphs, most, least in ((shared(3), 8, 3), (split(3), 7, 4)):
        every, enough = everything(CROSS_PRODUCT, graphs)
        assert every > CROSS_PRODUCT.gold
        assert (len(every), len(enough)) == (most, least)


def test_the_subgraph_of_an_example() -> None:
    """A head alone and with each of two others, as in figure 3."""
    (graph,) = shared(3)
    edges, _ = subgraph(ONE_HEAD, graph)
    #  T, B0, O1, B1, O2, B2
    expected = [
        [1, ON | END, 0, 0, 0, 0],
        [0, 0, STAY | ON, 0, 0, 0],
        [0, 0, STAY, STAY, 0, 0],
        [0, 0, STAY, END, 0, 0],
        [0, 0, ON, 0, 0, 0],
        [0, 0, 0, END, 0, 0],
    ]
    np.testing.assert_array_equal(edges, expected)


def test_what_a_node_may_take() -> None:
    assert columns(Slice(2, ends_anywhere=True)) == [
        *[(TOP, STAY), (0, STAY), (0, ON), (0, END), (1, STAY), (1, ON), (2, STAY), (2, END)]
    ]
    assert columns(Slice(2, ends_anywhere=False)) == [
        *[(TOP, STAY), (0, STAY), (0, ON), (1, STAY), (1, ON), (2, STAY), (2, END)]
    ]


@given(cases(), SLICES)
def test_a_subgraph_has_only_what_its_nodes_may_take(item: Case, graph: Slice) -> None:
    edges, held = subgraph(item, graph)
    possible = {(node, child) for node, child in columns(graph)}
    for mention in held:
        for word, node, child in path(mention):
            assert (node, child) in possible
            assert edges[word, 1 + node] & child
    assert not edges[-1:, 1:].astype(int).sum() or set(edges[-1, 1:]) <= {0, END}
    assert edges.dtype == np.uint8


@given(cases(), SLICES)
def test_all_has_the_mentions_and_both_give_the_subgraph_again(item: Case, graph: Slice) -> None:
    edges, held = subgraph(item, graph)
    every, enough = decode_all(edges), decode_enough(edges)
    assert set(every.mentions) >= held
    assert set(every.mentions) >= set(enough.mentions)
    assert not every.capped
    for found in (every.mentions, enough.mentions):
        assert list(found) == sorted(set(found))
        np.testing.assert_array_equal(encode(found, item.length, graph), edges)


@settings(max_examples=60)
@given(cases(max_length=7), SLICES)
def test_no_smaller_set_is_enough(item: Case, graph: Slice) -> None:
    edges, _ = subgraph(item, graph)
    every, enough = decode_all(edges).mentions, decode_enough(edges).mentions
    for smaller in combinations(every[:12], max(len(enough) - 1, 0)):
        if enough:
            assert not np.array_equal(encode(smaller, item.length, graph), edges)


def test_past_the_cap_the_subgraph_still_comes_back() -> None:
    (graph,) = shared(3)
    gold = [((i, i + 1), (j, j + 1), (k, k + 1)) for i, j, k in ((0, 3, 6), (1, 4, 7), (2, 5, 8))]
    edges = encode([*gold, ((0, 1), (4, 5)), ((2, 3), (6, 7))], 9, graph)
    whole = decode_all(edges)
    some = decode_all(edges, cap=4)
    assert some.capped
    assert not whole.capped
    assert len(some.mentions) < len(whole.mentions)
    np.testing.assert_array_equal(encode(some.mentions, 9, graph), edges)


@pytest.mark.parametrize(
    ("graph", "mention"),
    [
        (Slice(2, ends_anywhere=True), ((0, 1), (2, 3), (4, 5))),
        (Slice(2, ends_anywhere=False), ((0, 1),)),
    ],
)
def test_mentions_without_a_path_are_refused(graph: Slice, mention: Parts) -> None:
    with pytest.raises(ValueError, match=f"{len(mention)} parts"):
        encode([mention], 5, graph)


def test_parts_have_a_word_between_them() -> None:
    assert joined([(3, 4), (0, 1), (1, 2), (6, 8), (7, 9)]) == ((0, 2), (3, 4), (6, 9))
