"""Mentions with gaps ↔ subgraphs: the encodings SHARED and SPLIT (Muis and Lu 2016).

The nodes of a word, in order m = 0, 1, 2, …, say what a mention does there:

    B0 (in part 0), O1 (in the gap before part 1), B1, O2, B2, …

A mention is a path: T starts it at B0; from node m of a word it continues to node m (STAY) or m + 1
(ON) of the next word; at a B it may END. A set of mentions is the union of their paths, and an
active node takes all children that some path takes:

    B_i^k → a non-empty subset of B_i^{k+1} (STAY), O_{i+1}^{k+1} (ON), X (END)
    O_i^k → a non-empty subset of O_i^{k+1} (STAY), B_i^{k+1} (ON)

SHARED is one such graph with ends anywhere. SPLIT is one for each number of parts j, where only
the last part ends: slice j has exactly the mentions of j parts. One label at a time.

A subgraph over n words is ``edges[word, 1 + m]``, the bits of the children that node m takes, 0
where it is not active; ``edges[word, 0]`` is 1 where T starts a mention.

Several sets of mentions can have the same union. It is decoded as all mentions whose paths it
contains, or as a smallest set of paths that covers it: a minimum flow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.encoding.gapped import CAP, Decoded, Parts
from lacuna.encoding.schemes import Heuristic

Edges = npt.NDArray[np.uint8]
TOP = -1  #: T as a parent: column ``1 + TOP`` of the edges
STAY, ON, END = 1, 2, 4  #: children of a node; T has the child STAY alone, B0 of its own word


@dataclass(frozen=True, slots=True)
class Slice:
    """One graph per label.

    Attributes
    ----------
    parts
        Most parts of a mention.
    ends_anywhere
        Whether a mention may have fewer.
    """

    parts: int
    ends_anywhere: bool

    @property
    def nodes(self) -> int:
        """How many nodes a word has: B0, O1, B1 and so on."""
        return 2 * self.parts - 1

    def holds(self, mention: Parts) -> bool:
        """Whether a mention has a path."""
        return len(mention) == self.parts or (self.ends_anywhere and len(mention) < self.parts)

    def children(self, node: int) -> tuple[int, ...]:
        """Return the possible children of a node: some of STAY, ON, END."""
        if node == TOP:
            return (STAY,)
        is_last = node == self.nodes - 1
        ends = node % 2 == 0 and (is_last or self.ends_anywhere)
        return (STAY, *(() if is_last else (ON,)), *((END,) if ends else ()))


def shared(parts: int) -> tuple[Slice, ...]:
    """Return the one graph of SHARED."""
    return (Slice(parts, ends_anywhere=True),)


def split(parts: int) -> tuple[Slice, ...]:
    """Return the graphs of SPLIT, by number of parts."""
    return tuple(Slice(count, ends_anywhere=False) for count in range(1, parts + 1))


def columns(graph: Slice) -> list[tuple[int, int]]:
    """Return every (parent node, child) in order, T first; a model scores each of these."""
    return [(node, child) for node in range(TOP, graph.nodes) for child in graph.children(node)]


def encode(mentions: Collection[Parts], length: int, graph: Slice) -> Edges:
    """Return the union of the paths of mentions, all of which the graph can hold."""
    edges = np.zeros((length, 1 + graph.nodes), np.uint8)
    for mention in mentions:
        if not graph.holds(mention):
            raise ValueError(f"a mention of {len(mention)} parts has no path in {graph}")
        for word, node, child in path(mention):
            edges[word, 1 + node] |= child
    return edges


def path(mention: Parts) -> Iterator[tuple[int, int, int]]:
    """Yield (word, parent node, child) from T to X."""
    yield mention[0][0], TOP, STAY
    for i, (start, end) in enumerate(mention):
        if i:
            before = mention[i - 1][1]
            yield from ((word, 2 * i - 1, STAY) for word in range(before, start - 1))
            yield start - 1, 2 * i - 1, ON
        yield from ((word, 2 * i, STAY) for word in range(start, end - 1))
        yield end - 1, 2 * i, ON if i < len(mention) - 1 else END


def decode(edges: Edges, heuristic: Heuristic) -> Decoded:
    """Return the mentions of a subgraph."""
    return decode_all(edges) if heuristic is Heuristic.ALL else decode_enough(edges)


def decode_all(edges: Edges, *, cap: int = CAP) -> Decoded:
    """Return every mention whose path is in a subgraph.

    There can be very many. Beyond `cap`, the result is the first `cap` and those of
    :func:`decode_enough`, so that encoding them always gives the subgraph again.
    """
    found: list[Parts] = []
    for mention in _paths(_active(edges)):
        if len(found) == cap:
            enough = decode_enough(edges).mentions
            return Decoded(tuple(sorted({*found, *enough})), capped=True)
        found.append(mention)
    return Decoded(tuple(sorted(found)))


def _active(edges: Edges) -> dict[int, list[int]]:
    """Return the rows of the words with an active node."""
    words = np.flatnonzero(edges.any(axis=1))
    return dict(zip(words.tolist(), edges[words].tolist(), strict=True))


def _paths(edges: dict[int, list[int]]) -> Iterator[Parts]:
    """Yield the mentions of all paths from T to X."""
    stack: list[tuple[int, int, Parts]]  # (word, node, the mention up to this word)
    stack = [(word, 0, ()) for word, row in reversed(edges.items()) if row[0]]
    while stack:
        word, node, before = stack.pop()
        parts = _with_word(before, word, node)
        taken = edges[word][1 + node]
        if taken & END:
            yield parts
        if taken & ON:
            stack.append((word + 1, node + 1, parts))
        if taken & STAY:
            stack.append((word + 1, node, parts))


def _with_word(parts: Parts, word: int, node: int) -> Parts:
    """Add a word to a mention that passes a node; at an O the word is in a gap."""
    if node % 2:
        return parts
    if node // 2 == len(parts):
        return (*parts, (word, word + 1))
    return (*parts[:-1], (parts[-1][0], word + 1))


def decode_enough(edges: Edges) -> Decoded:
    """Return a smallest set of mentions whose paths cover a subgraph.

    That is a minimum flow of at least 1 through every edge, cut into paths from left to right: at
    each node the mentions that began first leave first, by END, then to a B, then to an O.
    """
    if not (edges & (edges - 1)).any():  # one child each: one path from every start
        return Decoded(tuple(_paths(_active(edges))))
    length, nodes = edges.shape[0], edges.shape[1] - 1
    sink = length * nodes
    arcs = list(_arcs(_active(edges), nodes, sink))
    found: list[Parts] = []
    waiting: dict[int, list[Parts]] = {}
    for (tail, head), amount in zip(arcs, minimum_flow(arcs, sink), strict=True):
        for _ in range(amount):
            mention = () if tail == SOURCE else heappop(waiting[tail])
            if head == sink:
                found.append(mention)
            else:
                grown = _with_word(mention, *divmod(head, nodes))
                heappush(waiting.setdefault(head, []), grown)
    return Decoded(tuple(sorted(found)))


SOURCE = -1

Arc = tuple[int, int]
"""(tail, head): numbers of nodes."""


def _arcs(edges: dict[int, list[int]], nodes: int, sink: int) -> Iterator[Arc]:
    """Yield the edges of a subgraph node by node, in the order in which mentions leave a node.

    Node m of a word has the number ``word * nodes + m``.
    """
    for word, (starts, *taken) in edges.items():
        if starts:
            yield SOURCE, word * nodes
        for m, children in enumerate(taken):
            if children:
                node = word * nodes + m
                to = {END: sink, STAY: node + nodes, ON: node + nodes + 1}
                order = (END, STAY, ON) if m % 2 == 0 else (ON, STAY)
                yield from ((node, to[child]) for child in order if children & child)


def minimum_flow(arcs: Sequence[Arc], sink: int) -> list[int]:
    """Return for each arc a flow of at least 1, with the least total from SOURCE to `sink`.

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
    for node in reversed(inner):  # inflow must not be less than outflow
        lacking = sum(flow[a] for a in outgoing[node]) - sum(flow[a] for a in incoming[node])
        flow[incoming[node][0]] += max(lacking, 0)
    for node in inner:  # outflow must equal inflow
        lacking = sum(flow[a] for a in incoming[node]) - sum(flow[a] for a in outgoing[node])
        flow[outgoing[node][0]] += lacking
    return flow


class _Step(NamedTuple):
    """One arc of a route: flow is reduced along it, or added if the route goes backwards."""

    arc: int
    change: int


def _route(
    arcs: Sequence[Arc],
    flow: Sequence[int],
    incoming: dict[int, list[int]],
    outgoing: dict[int, list[int]],
    sink: int,
) -> list[_Step]:
    """Return a shortest route from SOURCE to sink with excess flow; empty if there is none.

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
