"""ENOUGH for LI: of the sets of mentions that encode to some segments the simplest.

Simplest is, the first matter first: where there are heads, GAPPED segments do not go together but
each with heads; there are few mentions; a WHOLE segment takes the heads that touch it; few mentions
are of heads alone; gaps are small. (To ask for few mentions before all else reads enumerations
wrongly: of "a and b and c cells" it makes two mentions, one of them "a … b … cells".)

Found by branch and bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from lacuna.encoding.li import Kind, Segment
from lacuna.encoding.li_groups import Group, Groups, groups_of, parts_of, touch
from lacuna.encoding.parts import Parts

MOST_STEPS = 4000  #: of one search; past them the best set found so far is taken


class Cost(NamedTuple):
    """What is made small, the first matter first."""

    joined: int = 0  #: GAPPED segments beyond the first of a mention, where there are heads
    mentions: int = 0
    apart: int = 0  #: heads that touch a WHOLE segment but are not in its mention
    bare: int = 0  #: mentions of heads alone
    gap: int = 0  #: words in gaps

    def plus(self, other: Cost) -> Cost:
        """Return the cost of both."""
        return Cost(*(a + b for a, b in zip(self, other, strict=True)))


def simplest_set(segments: Sequence[Segment], parts: int) -> frozenset[Parts] | None:
    """Return the simplest set that encodes to `segments`; ``None`` where none was found."""
    options = _options(segments, groups_of(segments, parts))
    best: tuple[Cost, tuple[Group, ...]] | None = None
    stack: list[tuple[Cost, tuple[Group, ...]]] = [(Cost(), ())]
    for _ in range(MOST_STEPS):
        if not stack:
            break
        cost, chosen = stack.pop()
        wanting = _wanting(chosen, segments)
        if best is not None and cost.plus(Cost(mentions=int(wanting is not None))) >= best[0]:
            continue
        if wanting is None:
            best = cost, chosen
            continue
        taken = {i for group in chosen for i in group if segments[i].kind is not Kind.HEAD}
        stack += [
            (cost.plus(more), (*chosen, group))
            for more, group in options[wanting]
            if group not in chosen and not taken & set(group)
        ]
    return None if best is None else frozenset(parts_of(group, segments) for group in best[1])


def _options(segments: Sequence[Segment], groups: Groups) -> list[list[tuple[Cost, Group]]]:
    """Return for each segment the groups that may cover it, the cheapest last.

    Heads are looked at when all else is covered: they have groups of heads alone.
    """
    options: list[list[tuple[Cost, Group]]] = [[] for _ in segments]
    for group in (*groups.whole, *groups.gapped, *groups.bare):
        cost = _cost(group, segments)
        others = [i for i in group if segments[i].kind is not Kind.HEAD]
        for i in others or group:
            options[i].append((cost, group))
    return [sorted(found, reverse=True) for found in options]


def _cost(group: Group, segments: Sequence[Segment]) -> Cost:
    kinds = Counter(segments[i].kind for i in group)
    with_heads = any(segment.kind is Kind.HEAD for segment in segments)
    parts = parts_of(group, segments)
    return Cost(
        joined=max(kinds[Kind.GAPPED] - 1, 0) if with_heads else 0,
        mentions=1,
        apart=_heads_beside(group, segments) if kinds[Kind.WHOLE] else 0,
        bare=int(kinds[Kind.HEAD] == len(group)),
        gap=sum(right[0] - left[1] for left, right in pairwise(parts)),
    )


def _heads_beside(run: Group, segments: Sequence[Segment]) -> int:
    """Count the heads that touch a run of segments."""
    first, last = run[0], run[-1]
    left = first > 0 and touch(segments[first - 1], segments[first])
    right = last + 1 < len(segments) and touch(segments[last], segments[last + 1])
    return (left and segments[first - 1].kind is Kind.HEAD) + (
        right and segments[last + 1].kind is Kind.HEAD
    )


def _wanting(chosen: Sequence[Group], segments: Sequence[Segment]) -> int | None:
    """Return the first segment that the groups do not yet account for, heads last."""
    cover: list[list[int]] = [[] for _ in segments]
    for number, group in enumerate(chosen):
        for i in group:
            cover[i].append(number)
    others = (i for i, s in enumerate(segments) if s.kind is not Kind.HEAD and not cover[i])
    scarce = (i for i, s in enumerate(segments) if s.kind is Kind.HEAD and len(cover[i]) < 2)
    alike = (
        i
        for i, (left, right) in enumerate(pairwise(segments))
        if left.kind is right.kind is Kind.HEAD and touch(left, right) and cover[i] == cover[i + 1]
    )
    return next(chain(others, scarce, alike), None)
