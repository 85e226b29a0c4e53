"""The least flow, against all ways to cover a graph by paths."""

from __future__ import annotations

from itertools import combinations_with_replacement, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.encoding.hypergraph import SOURCE, Arc, minimum_flow

INNER = 5


@st.composite
def graphs(draw: st.DrawFn) -> list[Arc]:
    """Draw the arcs of a few paths from SOURCE to INNER, the sink."""
    inside = st.sets(st.integers(0, INNER - 1), min_size=1)
    paths = draw(st.lists(inside, min_size=1, max_size=5))
    arcs = set()
    for nodes in paths:
        path = [SOURCE, *sorted(nodes), INNER]
        arcs |= set(pairwise(path))
    return sorted(arcs)


def all_paths(arcs: list[Arc], node: int = SOURCE) -> list[frozenset[Arc]]:
    if node == INNER:
        return [frozenset()]
    return [
        rest | {(tail, head)}
        for tail, head in arcs
        if tail == node
        for rest in all_paths(arcs, head)
    ]


def fewest_paths(arcs: list[Arc]) -> int:
    """Return how many paths it takes to use every arc, by trying all sets of paths."""
    paths = all_paths(arcs)
    for count in range(1, len(arcs) + 1):
        for chosen in combinations_with_replacement(paths, count):
            if frozenset().union(*chosen) == set(arcs):
                return count
    raise AssertionError("every arc is on a path")


@settings(max_examples=200)
@given(graphs())
def test_it_is_the_least_flow_through_every_arc(arcs: list[Arc]) -> None:
    flow = dict(zip(arcs, minimum_flow(arcs, INNER), strict=True))
    assert min(flow.values()) >= 1
    for node in range(INNER):
        came = sum(amount for (_, head), amount in flow.items() if head == node)
        left = sum(amount for (tail, _), amount in flow.items() if tail == node)
        assert came == left
    total = sum(amount for (tail, _), amount in flow.items() if tail == SOURCE)
    assert total == fewest_paths(arcs)


def test_flow_is_led_round() -> None:
    """Two crossings, one after the other: what leaves each by two ways has come by two."""
    arcs = [(SOURCE, 0), (SOURCE, 1), (0, 2), (1, 2), (1, 3), (2, 4), (2, 5), (3, 4), (4, 5)]
    flow = dict(zip(arcs, minimum_flow(arcs, 5), strict=True))
    assert flow[SOURCE, 0] + flow[SOURCE, 1] == 3
    assert flow[2, 4] == flow[2, 5] == flow[3, 4] == 1
