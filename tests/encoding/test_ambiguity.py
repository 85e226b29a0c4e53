"""Numbers of structures, as counted by hand, by enumeration and in the paper's theorem 4.1."""

from __future__ import annotations

from itertools import product
from math import log2

import pytest

from lacuna.encoding.ambiguity import li_counts, li_rate, slice_counts, slice_rate, split_counts
from lacuna.encoding.hypergraph import Slice, columns, encode, shared, split
from tests.encoding.gapped_cases import mention_sets


@pytest.mark.parametrize(
    ("graph", "counts"),
    [
        (shared(3)[0], [2, 8, 80, 3_584, 533_504, 371_425_280, 432_614_440_960]),
        (shared(2)[0], [2, 8, 80, 3_584, 266_752]),
        (split(3)[0], [2, 8, 40, 208, 1_088]),
        (split(3)[1], [1, 1, 2, 32, 1_088]),
        (split(3)[2], [1, 1, 1, 1, 2, 128]),
    ],
)
def test_numbers_of_subgraphs(graph: Slice, counts: list[int]) -> None:
    assert slice_counts(graph, len(counts)) == counts


def test_numbers_of_split_and_li() -> None:
    assert split_counts(3, 6) == [2, 8, 80, 6_656, 2_367_488, 29_700_128_768]
    assert li_counts(3, 6) == [2, 8, 41, 235, 1_349, 7_445]


@pytest.mark.parametrize("graph", [*shared(3), *shared(2), *split(2)])
def test_subgraphs_are_what_sets_of_mentions_encode_to(graph: Slice) -> None:
    for length in (1, 2, 3):
        held = {frozenset(filter(graph.holds, some)) for some in mention_sets(length)}
        found = {encode(some, length, graph).tobytes() for some in held}
        assert slice_counts(graph, length)[-1] == len(found)


def test_rates_of_growth() -> None:
    (one,) = shared(3)
    assert slice_rate(one) == pytest.approx(10.301, abs=5e-4)
    assert sum(map(slice_rate, split(3))) == pytest.approx(15.764, abs=5e-4)
    assert li_rate() < log2(7)


@pytest.mark.parametrize("graph", [*shared(3), *split(3)])
def test_the_rate_is_what_counts_grow_by(graph: Slice) -> None:
    counts = slice_counts(graph, 81)
    assert log2(counts[80] / counts[79]) == pytest.approx(slice_rate(graph), rel=1e-3)


def test_the_rate_of_tags_is_what_counts_grow_by() -> None:
    counts = li_counts(3, 81)
    assert log2(counts[80] / counts[79]) == pytest.approx(li_rate(), rel=1e-3)


def test_columns_and_subgraphs_agree_on_what_is_possible() -> None:
    """Every subset of columns of one word that is a subgraph is counted, and no other."""
    (graph,) = shared(2)
    possible = columns(graph)
    valid = 0
    for taken in product((0, 1), repeat=len(possible)):
        chosen = {pair for pair, is_taken in zip(possible, taken, strict=True) if is_taken}
        valid += chosen in (set(), {(-1, 1), (0, 4)})
    assert slice_counts(graph, 1) == [valid]
