"""Reading mentions off any LI tags by rules: nothing is searched, nothing need be consistent.

1. A WHOLE segment, with the heads that touch it, is a mention.
2. Where there are heads, each GAPPED segment goes with the nearest.
3. Elsewhere GAPPED segments go in pairs from left to right; three that are left are one mention,
   where that many parts are allowed, and a single one is dropped.
4. A head in fewer than two mentions goes with the nearest other head, or is one by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lacuna.encoding.li import Kind, Segment
from lacuna.encoding.li_groups import Group, parts_of, touch
from lacuna.encoding.parts import Parts


def by_rules(segments: Sequence[Segment], parts: int) -> frozenset[Parts]:
    """Return mentions of at most so many parts."""
    heads = [i for i, segment in enumerate(segments) if segment.kind is Kind.HEAD]
    gapped = [i for i, segment in enumerate(segments) if segment.kind is Kind.GAPPED]
    groups = [
        _with_heads(i, segments) for i, segment in enumerate(segments) if segment.kind is Kind.WHOLE
    ]
    for i in gapped if heads else ():
        partner = _nearest(i, heads, segments)
        groups += [] if partner is None else [_pair(i, partner)]
    groups += [] if heads else _in_pairs(gapped, parts)
    groups += _lonely_heads(groups, heads, segments)
    return frozenset(parts_of(group, segments) for group in groups)


def _pair(one: int, other: int) -> Group:
    return (min(one, other), max(one, other))


def _with_heads(whole: int, segments: Sequence[Segment]) -> Group:
    first = last = whole
    while first and _is_touching_head(segments[first - 1], segments[first - 1], segments[first]):
        first -= 1
    while last + 1 < len(segments) and _is_touching_head(
        segments[last + 1], segments[last], segments[last + 1]
    ):
        last += 1
    return tuple(range(first, last + 1))


def _is_touching_head(head: Segment, left: Segment, right: Segment) -> bool:
    return head.kind is Kind.HEAD and touch(left, right)


def _nearest(number: int, others: Iterable[int], segments: Sequence[Segment]) -> int | None:
    """Return the nearest other segment with a word between, the left one of two."""
    gaps = {
        other: _gap(segments[min(number, other)], segments[max(number, other)])
        for other in others
        if other != number
    }
    return min((o for o in gaps if gaps[o] > 0), key=lambda o: gaps[o], default=None)


def _gap(left: Segment, right: Segment) -> int:
    return right.start - left.end


def _in_pairs(gapped: Sequence[int], parts: int) -> list[Group]:
    """Return pairs from left to right; the last is a triple where one would be left over."""
    if len(gapped) % 2 and len(gapped) >= 3 and parts >= 3:
        *pairs, a, b, c = gapped
        return [*_in_pairs(pairs, parts), (a, b, c)]
    return list(zip(gapped[::2], gapped[1::2], strict=False))


def _lonely_heads(
    groups: Sequence[Group], heads: Sequence[int], segments: Sequence[Segment]
) -> list[Group]:
    uses = Counter(i for group in groups for i in group)
    found: list[Group] = []
    for head in heads:
        if uses[head] < 2:
            partner = _nearest(head, heads, segments)
            group = (head,) if partner is None else _pair(head, partner)
            uses.update(group)
            found.append(group)
    return found
