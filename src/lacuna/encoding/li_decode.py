"""Reading mentions off LI tags: which segments belong together.

A set of mentions encodes to given segments if every WHOLE segment lies in exactly one mention
without a gap, every GAPPED segment in exactly one with a gap, every HEAD in at least two, and no
two touching segments in the same ones.

ALL is the union of all such sets. Where there is one, any mention of heads alone may be added to
it; so a mention belongs to ALL if the GAPPED segments that it leaves over can be shared out.

ENOUGH is the simplest such set (`li_enough.py`). Tags that no set encodes to, and sentences with
too many segments to search, are read by rules (`li_rules.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from lacuna.encoding.li import Kind, Segment
from lacuna.encoding.li_enough import simplest_set
from lacuna.encoding.li_groups import MOST_SEGMENTS, groups_of, parts_of
from lacuna.encoding.li_rules import by_rules
from lacuna.encoding.parts import CAP, Decoded, Heuristic, Parts


def decode(segments: Sequence[Segment], heuristic: Heuristic, parts: int) -> Decoded:
    """Return the mentions that segments stand for."""
    read = decode_all if heuristic is Heuristic.ALL else decode_enough
    return read(segments, parts)


def decode_all(segments: Sequence[Segment], parts: int, *, cap: int = CAP) -> Decoded:
    """Return every mention of every set that encodes to these segments.

    Past `cap`, and in a sentence that is not searched, it is the first `cap` and those of
    :func:`decode_enough`.
    """
    alone, rest = _set_aside(segments)
    enough = _enough(rest, parts)
    groups = [] if enough.capped else _all_groups(rest, parts)
    found = {parts_of(group, rest) for group in groups[:cap]} | enough.mentions
    return Decoded(tuple(sorted(alone | found)), enough.capped or len(groups) > cap)


def decode_enough(segments: Sequence[Segment], parts: int) -> Decoded:
    """Return the simplest set of mentions that encodes to these segments, or what rules say."""
    alone, rest = _set_aside(segments)
    enough = _enough(rest, parts)
    return Decoded(tuple(sorted(alone | enough.mentions)), enough.capped)


class _Enough(NamedTuple):
    mentions: frozenset[Parts]
    capped: bool


def _enough(segments: Sequence[Segment], parts: int) -> _Enough:
    if not segments:
        return _Enough(frozenset(), capped=False)
    many = sum(segment.kind is not Kind.WHOLE for segment in segments) > MOST_SEGMENTS
    found = None if many else simplest_set(segments, parts)
    return _Enough(by_rules(segments, parts) if found is None else found, capped=many)


def _set_aside(segments: Sequence[Segment]) -> tuple[frozenset[Parts], list[Segment]]:
    """Return the WHOLE segments that touch no head, each a mention, and all the others."""
    borders = {at for kind, *ends in segments if kind is Kind.HEAD for at in ends}
    alone = [s for s in segments if s.kind is Kind.WHOLE and not {s.start, s.end} & borders]
    rest = [segment for segment in segments if segment not in alone]
    return frozenset(((start, end),) for _, start, end in alone), rest


def _all_groups(segments: Sequence[Segment], parts: int) -> list[tuple[int, ...]]:
    """Return the groups of segments that ALL makes mentions; none if no set encodes to them."""
    groups = groups_of(segments, parts)
    gapped = frozenset(i for i, segment in enumerate(segments) if segment.kind is Kind.GAPPED)
    heads = frozenset(i for i, segment in enumerate(segments) if segment.kind is Kind.HEAD)
    cores = {(gapped & set(group), bool(heads & set(group))) for group in groups.gapped}

    @cache
    def can_share(left: frozenset[int], head_is_used: bool) -> bool:
        """Whether segments can be shared out among mentions, one of which uses the only head."""
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
