"""How many structures each encoding has for n words: the fewer, the more ambiguous it is.

Counted exactly, by the transfer-matrix method, for one label and up to K parts. A rate is the
number of bits that each word adds to a long sentence: log2 of the largest eigenvalue.

SHARED, SPLIT: the state is the set of nodes that the previous word reaches. SPLIT's slices are
independent: counts multiply, rates add.

LI: a sequence of tags is canonical if some set of mentions encodes to it. With h heads and k
segments of gapped mentions, and K ≥ 2, that is so exactly if

    h = 0    k = 0; or the k can be dealt into groups of 2 to K, touching ones apart: k = 2 and 3
             without touching ones, any k ≥ 4 (for K = 2 only even k)
    h = 1    some mention besides the bare head has it: k = 0 needs a touching WHOLE segment, and
             of the k those that touch the head need a partner: not k = 1 if it touches, not k = 2
             if both touch it, or if one does and they touch each other
    h = 2    not k = 1 if it touches both heads
    h ≥ 3    always
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import chain, combinations
from math import log2, prod
from typing import NamedTuple

import numpy as np

from lacuna.encoding.hypergraph import END, ON, STAY, Slice, split


def slice_counts(graph: Slice, length: int) -> list[int]:
    """Return the number of subgraphs over 1, 2, … `length` words."""
    moves = _moves(graph)
    counts: list[int] = []
    reached: Counter[int] = Counter({0: 1})  # set of nodes reached -> ways
    for _ in range(length):
        after: Counter[int] = Counter()
        for nodes, ways in reached.items():
            for following, more in moves[nodes].items():
                after[following] += ways * more
        reached = after
        counts.append(reached[0])  # no path continues after the last word
    return counts


def slice_rate(graph: Slice) -> float:
    """Return the bits per word of a long sentence."""
    moves = _moves(graph)
    table = np.array([[moves[a][b] for b in range(len(moves))] for a in range(len(moves))], float)
    return log2(max(abs(np.linalg.eigvals(table))))


def split_counts(parts: int, length: int) -> list[int]:
    """Return the number of subgraphs of all slices of SPLIT."""
    by_slice = [slice_counts(graph, length) for graph in split(parts)]
    return [prod(counts) for counts in zip(*by_slice, strict=True)]


def _moves(graph: Slice) -> list[Counter[int]]:
    """Return moves[a][b]: ways from the set a of reached nodes to the set b of the next word.

    T may start a mention or not, whether or not B0 is reached. Each active node takes children.
    """
    moves = []
    for led_to in range(1 << graph.nodes):
        ways: Counter[int] = Counter()
        for active in (led_to, led_to | 1):
            ways += _ways(graph, active)
        moves.append(ways)
    return moves


def _ways(graph: Slice, active: int) -> Counter[int]:
    """Count the choices of children of active nodes by the set of nodes they lead to."""
    ways = Counter({0: 1})
    for node in range(graph.nodes):
        if active >> node & 1:
            after: Counter[int] = Counter()
            for led_to, count in ways.items():
                for reached in _choices(graph, node):
                    after[led_to | reached] += count
            ways = after
    return ways


def _choices(graph: Slice, node: int) -> list[int]:
    """Return the sets of nodes that each non-empty choice of children leads to."""
    leads = {STAY: 1 << node, ON: 2 << node, END: 0}
    children = graph.children(node)
    sizes = range(1, len(children) + 1)
    chosen = chain.from_iterable(combinations(children, size) for size in sizes)
    return [sum(leads[child] for child in some) for some in chosen]


def li_counts(parts: int, length: int) -> list[int]:
    """Return the number of canonical sequences of tags; `parts` is at least 2."""
    counts: list[int] = []
    reached = Counter({_Prefix(): 1})
    for _ in range(length):
        after: Counter[_Prefix] = Counter()
        for prefix, ways in reached.items():
            for following in _following(prefix):
                after[following] += ways
        reached = after
        counts.append(sum(ways for prefix, ways in reached.items() if prefix.is_canonical(parts)))
    return counts


def li_rate() -> float:
    """Return the bits per word of a long sentence.

    With three heads everything is canonical, so the rate is that of tags which follow the rules of
    B and I: 4 tags may follow O, 5 any other.
    """
    return log2(max(abs(np.linalg.eigvals(np.array([[1.0, 3.0], [1.0, 4.0]])))))


class _Prefix(NamedTuple):
    """What matters of the tags so far: the last kind, and counts as far as they matter."""

    last: str = "O"
    heads: int = 0
    gapped: int = 0
    gapped_touch: bool = False  #: whether two segments of gapped mentions touch
    at_head: int = 0  #: times a segment of a gapped mention touches a head
    whole_touches: bool = False  #: whether a WHOLE segment touches a head

    def after(self, kind: str) -> _Prefix:
        """Return the prefix with a segment of this kind begun; O has no length."""
        pair = {self.last, kind}
        return _Prefix(
            kind,
            min(self.heads + (kind == "H"), 3),
            # above 4 only the parity matters, for K = 2
            self.gapped + 1 - 2 * (self.gapped == 5) if kind == "D" else self.gapped,
            self.gapped_touch or self.last == kind == "D",
            min(self.at_head + (pair == {"D", "H"}), 2),
            self.whole_touches or pair == {"C", "H"},
        )

    def is_canonical(self, parts: int) -> bool:
        """Whether some set of mentions of up to `parts` parts encodes to such tags."""
        k = self.gapped
        if self.heads == 0:
            return _can_be_dealt(k, parts) and not (k in (2, 3) and self.gapped_touch)
        if self.heads == 1:
            if k == 0:
                return self.whole_touches
            stuck = k == self.at_head or (k == 2 and self.at_head and self.gapped_touch)
            return not stuck
        return not (self.heads == 2 and k == 1 and self.at_head == 2)


def _can_be_dealt(count: int, parts: int) -> bool:
    """Whether `count` segments can be dealt into groups of 2 to `parts`."""
    return count == 0 or (count > 1 and (count % 2 == 0 or parts > 2))


@cache
def _following(prefix: _Prefix) -> tuple[_Prefix, ...]:
    """Return the prefix after each tag that may follow: O, three B*, the I* of its own kind."""
    begun = [prefix.after(kind) for kind in "OCDH"]
    return (*begun, prefix) if prefix.last != "O" else tuple(begun)
