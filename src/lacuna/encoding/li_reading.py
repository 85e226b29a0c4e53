"""Reading mentions off LI tags: which segments belong together.

A set of mentions encodes to given segments if every WHOLE segment lies in exactly one mention
without a gap, every GAPPED segment in exactly one with a gap, every HEAD in at least two, and no
two touching segments in the same ones. There may be many such sets.

ALL is their union. If there is one set, any mention of heads alone may be added to it; so a mention
belongs to ALL if the GAPPED segments that it does not use can be distributed among other mentions.

ENOUGH is the simplest set, found by branch and bound. In this order, it prefers: each GAPPED
segment with heads rather than with other GAPPED segments, if there are heads; few mentions; a WHOLE
segment with the heads that touch it; few mentions of heads alone; small gaps. (Few mentions first
would read enumerations wrongly: of "a and b and c cells" it makes two mentions, one of them
"a … b … cells".)

Tags that no set encodes to, and sentences with too many segments to search, are read by rules:

1. A WHOLE segment, with the heads that touch it, is a mention.
2. If there are heads, each GAPPED segment goes with the nearest.
3. Otherwise GAPPED segments go in pairs from left to right; the last three are one mention if
   that many parts are allowed, and a single one is dropped.
4. A head in fewer than two mentions goes with the nearest other head, or is a mention of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

from lacuna.encoding.gapped import CAP, Decoded, Parts, joined
from lacuna.encoding.li import Cover, Segment
from lacuna.encoding.schemes import Heuristic

MOST_SEGMENTS = 12  #: HEAD and GAPPED segments; a sentence with more is not searched
MOST_STEPS = 4000  #: of one search; after them the best set found so far is used

Group = tuple[int, ...]
"""Numbers of the segments of one mention, in order."""


def decode(segments: Sequence[Segment], heuristic: Heuristic, parts: int) -> Decoded:
    """Return the mentions that segments encode."""
    read = decode_all if heuristic is Heuristic.ALL else decode_enough
    return read(segments, parts)


def decode_all(segments: Sequence[Segment], parts: int, *, cap: int = CAP) -> Decoded:
    """Return every mention of every set that encodes to these segments.

    Beyond `cap`, and in a sentence that is not searched, the result is the first `cap` and those
    of :func:`decode_enough`.
    """
    alone, rest = _without_heads(segments)
    enough = _enough(rest, parts)
    groups = [] if enough.capped else _all_groups(rest, parts)
    found = {parts_of(group, rest) for group in groups[:cap]} | enough.mentions
    return Decoded(tuple(sorted(alone | found)), enough.capped or len(groups) > cap)


def decode_enough(segments: Sequence[Segment], parts: int) -> Decoded:
    """Return the simplest set of mentions that encodes to these segments, else those by rules."""
    alone, rest = _without_heads(segments)
    enough = _enough(rest, parts)
    return Decoded(tuple(sorted(alone | enough.mentions)), enough.capped)


class _Enough(NamedTuple):
    mentions: frozenset[Parts]
    capped: bool


def _enough(segments: Sequence[Segment], parts: int) -> _Enough:
    if not segments:
        return _Enough(frozenset(), capped=False)
    many = sum(segment.kind is not Cover.WHOLE for segment in segments) > MOST_SEGMENTS
    found = None if many else simplest_set(segments, parts)
    return _Enough(by_rules(segments, parts) if found is None else found, capped=many)


def _without_heads(segments: Sequence[Segment]) -> tuple[frozenset[Parts], list[Segment]]:
    """Return the WHOLE segments that touch no head, each a mention, and all the others."""
    borders = {at for kind, *ends in segments if kind is Cover.HEAD for at in ends}
    alone = [s for s in segments if s.kind is Cover.WHOLE and not {s.start, s.end} & borders]
    rest = [segment for segment in segments if segment not in alone]
    return frozenset(((start, end),) for _, start, end in alone), rest


def _all_groups(segments: Sequence[Segment], parts: int) -> list[tuple[int, ...]]:
    """Return the groups of segments that ALL makes mentions; none if no set encodes to them."""
    groups = groups_of(segments, parts)
    gapped = frozenset(i for i, segment in enumerate(segments) if segment.kind is Cover.GAPPED)
    heads = frozenset(i for i, segment in enumerate(segments) if segment.kind is Cover.HEAD)
    cores = {(gapped & set(group), bool(heads & set(group))) for group in groups.gapped}

    @cache
    def can_share(left: frozenset[int], head_is_used: bool) -> bool:
        """Whether segments can be distributed among mentions, one of which uses the only head."""
        if not left:
            return head_is_used or len(heads) != 1
        first = min(left)
        return any(
            can_share(left - core, head_is_used or uses)
            for core, uses in cores
            if first in core and core <= left
        )

    def belongs(group: tuple[int, ...]) -> bool:
        beside = any(
            heads & set(other) and not set(other) & set(group) - heads for other in groups.whole
        )
        return can_share(gapped - set(group), beside or bool(heads & set(group)))

    found = [group for group in (*groups.whole, *groups.gapped) if belongs(group)]
    possible = can_share(gapped, any(heads & set(group) for group in groups.whole))
    return found + list(groups.bare) if possible else []


class Groups(NamedTuple):
    """Groups with a WHOLE segment, with a GAPPED one, and of heads alone."""

    whole: tuple[Group, ...]
    gapped: tuple[Group, ...]
    bare: tuple[Group, ...]


def groups_of(segments: Sequence[Segment], parts: int) -> Groups:
    """Return every group of up to `parts` parts."""
    pieces = list(_pieces(segments))
    kinds = [{segments[i].kind for i in piece} for piece in pieces]
    whole = [piece for piece, kind in zip(pieces, kinds, strict=True) if Cover.WHOLE in kind]
    other = [piece for piece, kind in zip(pieces, kinds, strict=True) if Cover.WHOLE not in kind]
    unions = list(_unions(other, segments, parts))
    has_gapped = [any(segments[i].kind is Cover.GAPPED for i in group) for group in unions]
    return Groups(
        tuple(whole),
        tuple(
            group
            for group, gapped in zip(unions, has_gapped, strict=True)
            if gapped and len(parts_of(group, segments)) > 1
        ),
        tuple(group for group, gapped in zip(unions, has_gapped, strict=True) if not gapped),
    )


def _pieces(segments: Sequence[Segment]) -> Iterator[Group]:
    """Yield every run of touching segments that can be one part of a mention.

    A part has no WHOLE segment together with a GAPPED one, and no two touching ones of either kind.
    """
    for first, segment in enumerate(segments):
        piece = [first]
        kinds = {segment.kind}
        yield (first,)
        for left, right in pairwise(segments[first:]):
            alike = left.kind is right.kind and left.kind is not Cover.HEAD
            kinds.add(right.kind)
            if not touch(left, right) or alike or {Cover.WHOLE, Cover.GAPPED} <= kinds:
                break
            piece.append(piece[-1] + 1)
            yield tuple(piece)


def _unions(pieces: Sequence[Group], segments: Sequence[Segment], parts: int) -> Iterator[Group]:
    """Yield every union of up to `parts` pieces with words between them."""
    stack: list[tuple[Group, int, int]] = [((), 0, 0)]  # (group, its parts, next piece)
    while stack:
        group, count, begin = stack.pop()
        if group:
            yield group
        if count == parts:
            continue
        end = segments[group[-1]].end if group else -1
        stack += [
            (group + pieces[number], count + 1, number + 1)
            for number in range(begin, len(pieces))
            if segments[pieces[number][0]].start > end
        ]


def parts_of(group: Group, segments: Sequence[Segment]) -> Parts:
    """Return the mention that consists of a group of segments."""
    return joined((segments[i].start, segments[i].end) for i in group)


def touch(left: Segment, right: Segment) -> bool:
    """Whether no word is between two segments, the left one first."""
    return left.end == right.start


class Cost(NamedTuple):
    """What is minimised, in this order."""

    joined: int = 0  #: GAPPED segments after the first of a mention, if there are heads
    mentions: int = 0
    apart: int = 0  #: heads that touch a WHOLE segment but are not in its mention
    bare: int = 0  #: mentions of heads alone
    gap: int = 0  #: words in gaps

    def plus(self, other: Cost) -> Cost:
        """Return the cost of both."""
        return Cost(*(a + b for a, b in zip(self, other, strict=True)))


def simplest_set(segments: Sequence[Segment], parts: int) -> frozenset[Parts] | None:
    """Return the simplest set that encodes to `segments`; ``None`` if none was found."""
    options = _options(segments, groups_of(segments, parts))
    best: tuple[Cost, tuple[Group, ...]] | None = None
    stack: list[tuple[Cost, tuple[Group, ...]]] = [(Cost(), ())]
    for _ in range(MOST_STEPS):
        if not stack:
            break
        cost, chosen = stack.pop()
        uncovered = _uncovered(chosen, segments)
        if best is not None and cost.plus(Cost(mentions=int(uncovered is not None))) >= best[0]:
            continue
        if uncovered is None:
            best = cost, chosen
            continue
        taken = {i for group in chosen for i in group if segments[i].kind is not Cover.HEAD}
        stack += [
            (cost.plus(more), (*chosen, group))
            for more, group in options[uncovered]
            if group not in chosen and not taken & set(group)
        ]
    return None if best is None else frozenset(parts_of(group, segments) for group in best[1])


def _options(segments: Sequence[Segment], groups: Groups) -> list[list[tuple[Cost, Group]]]:
    """Return for each segment the groups that may cover it, the cheapest last.

    Heads are covered last, by groups of heads alone.
    """
    options: list[list[tuple[Cost, Group]]] = [[] for _ in segments]
    for group in (*groups.whole, *groups.gapped, *groups.bare):
        cost = _cost(group, segments)
        others = [i for i in group if segments[i].kind is not Cover.HEAD]
        for i in others or group:
            options[i].append((cost, group))
    return [sorted(found, reverse=True) for found in options]


def _cost(group: Group, segments: Sequence[Segment]) -> Cost:
    kinds = Counter(segments[i].kind for i in group)
    with_heads = any(segment.kind is Cover.HEAD for segment in segments)
    parts = parts_of(group, segments)
    return Cost(
        joined=max(kinds[Cover.GAPPED] - 1, 0) if with_heads else 0,
        mentions=1,
        apart=_touching_heads(group, segments) if kinds[Cover.WHOLE] else 0,
        bare=int(kinds[Cover.HEAD] == len(group)),
        gap=sum(right[0] - left[1] for left, right in pairwise(parts)),
    )


def _touching_heads(run: Group, segments: Sequence[Segment]) -> int:
    """Count the heads that touch a run of segments."""
    first, last = run[0], run[-1]
    left = first > 0 and touch(segments[first - 1], segments[first])
    right = last + 1 < len(segments) and touch(segments[last], segments[last + 1])
    return (left and segments[first - 1].kind is Cover.HEAD) + (
        right and segments[last + 1].kind is Cover.HEAD
    )


def _uncovered(chosen: Sequence[Group], segments: Sequence[Segment]) -> int | None:
    """Return the first segment that the groups do not account for, heads last."""
    cover: list[list[int]] = [[] for _ in segments]
    for number, group in enumerate(chosen):
        for i in group:
            cover[i].append(number)
    others = (i for i, s in enumerate(segments) if s.kind is not Cover.HEAD and not cover[i])
    scarce = (i for i, s in enumerate(segments) if s.kind is Cover.HEAD and len(cover[i]) < 2)
    alike = (
        i
        for i, (left, right) in enumerate(pairwise(segments))
        if left.kind is right.kind is Cover.HEAD and touch(left, right) and cover[i] == cover[i + 1]
    )
    return next(chain(others, scarce, alike), None)


def by_rules(segments: Sequence[Segment], parts: int) -> frozenset[Parts]:
    """Return mentions of up to `parts` parts, by the rules above."""
    heads = [i for i, segment in enumerate(segments) if segment.kind is Cover.HEAD]
    gapped = [i for i, segment in enumerate(segments) if segment.kind is Cover.GAPPED]
    groups = [
        _with_heads(i, segments)
        for i, segment in enumerate(segments)
        if segment.kind is Cover.WHOLE
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
    """Return a WHOLE segment and the heads that touch it."""
    first = last = whole
    while first and _is_touching_head(segments[first - 1], segments[first - 1], segments[first]):
        first -= 1
    while last + 1 < len(segments) and _is_touching_head(
        segments[last + 1], segments[last], segments[last + 1]
    ):
        last += 1
    return tuple(range(first, last + 1))


def _is_touching_head(head: Segment, left: Segment, right: Segment) -> bool:
    return head.kind is Cover.HEAD and touch(left, right)


def _nearest(number: int, others: Iterable[int], segments: Sequence[Segment]) -> int | None:
    """Return the nearest other segment with a word between; of two, the left one."""
    gaps = {
        other: _gap(segments[min(number, other)], segments[max(number, other)])
        for other in others
        if other != number
    }
    return min((o for o in gaps if gaps[o] > 0), key=lambda o: gaps[o], default=None)


def _gap(left: Segment, right: Segment) -> int:
    return right.start - left.end


def _in_pairs(gapped: Sequence[int], parts: int) -> list[Group]:
    """Return pairs from left to right; the last is a triple if one would be left over."""
    if len(gapped) % 2 and len(gapped) >= 3 and parts >= 3:
        *pairs, a, b, c = gapped
        return [*_in_pairs(pairs, parts), (a, b, c)]
    return list(zip(gapped[::2], gapped[1::2], strict=False))


def _lonely_heads(
    groups: Sequence[Group], heads: Sequence[int], segments: Sequence[Segment]
) -> list[Group]:
    """Return groups for heads that are in fewer than two mentions."""
    uses = Counter(i for group in groups for i in group)
    found: list[Group] = []
    for head in heads:
        if uses[head] < 2:
            partner = _nearest(head, heads, segments)
            group = (head,) if partner is None else _pair(head, partner)
            uses.update(group)
            found.append(group)
    return found
