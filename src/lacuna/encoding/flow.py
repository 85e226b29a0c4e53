"""The least flow that uses every arc of a small graph without cycles."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

Arc = tuple[int, int]
"""(tail, head): numbers of nodes."""

SOURCE = -1


class _Step(NamedTuple):
    """One arc of a route along which flow is taken away; backwards it is added."""

    arc: int
    change: int


def minimum_flow(arcs: Sequence[Arc], sink: int) -> list[int]:
    """Return for each arc a flow of at least 1, the least in all from SOURCE to `sink`.

    Arcs lead from lower to higher nodes; every node but the two ends has arcs in and out.
    """
    incoming: dict[int, list[int]] = {}
    outgoing: dict[int, list[int]] = {}
    for number, (tail, head) in enumerate(arcs):
        outgoing.setdefault(tail, []).append(number)
        incoming.setdefault(head, []).append(number)
    flow = _some_flow(incoming, outgoing, len(arcs))
    while max(flow, default=1) > 1 and (route := _route(arcs, flow, incoming, outgoing, sink)):
        amount = min(flow[arc] - 1 for arc, change in route if change < 0)
        for arc, change in route:
            flow[arc] += change * amount
    return flow


def _some_flow(
    incoming: dict[int, list[int]], outgoing: dict[int, list[int]], arcs: int
) -> list[int]:
    """Return a flow of at least 1 on every arc, not always the least."""
    flow = [1] * arcs
    inner = sorted(incoming.keys() & outgoing.keys())
    for node in reversed(inner):  # what leaves must come in
        lacking = sum(flow[a] for a in outgoing[node]) - sum(flow[a] for a in incoming[node])
        flow[incoming[node][0]] += max(lacking, 0)
    for node in inner:  # what comes in must leave
        lacking = sum(flow[a] for a in incoming[node]) - sum(flow[a] for a in outgoing[node])
        flow[outgoing[node][0]] += lacking
    return flow


def _route(
    arcs: Sequence[Arc],
    flow: Sequence[int],
    incoming: dict[int, list[int]],
    outgoing: dict[int, list[int]],
    sink: int,
) -> list[_Step]:
    """Return a shortest route from SOURCE to sink that has flow to spare; empty if there is none.

    It follows arcs with a flow above 1 and goes back over any arc.
    """
    came: dict[int, tuple[int, _Step]] = {}
    queue = deque([SOURCE])
    while queue and sink not in came:
        node = queue.popleft()
        ahead = [(arcs[a][1], _Step(a, -1)) for a in outgoing.get(node, ()) if flow[a] > 1]
        back = [(arcs[a][0], _Step(a, +1)) for a in incoming.get(node, ())]
        for other, step in ahead + back:
            if other not in came and other != SOURCE:
                came[other] = (node, step)
                queue.append(other)
    route: list[_Step] = []
    node = sink
    while node in came:
        node, step = came[node]
        route.append(step)
    return route
