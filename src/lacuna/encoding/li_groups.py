"""Groups of LI segments that can be a mention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from lacuna.encoding.li import Kind, Segment
from lacuna.encoding.parts import Parts, joined

MOST_SEGMENTS = 12  #: heads and GAPPED segments; a sentence with more is not searched

Group = tuple[int, ...]
"""Numbers of the segments of one mention, in order."""


class Groups(NamedTuple):
    """Groups with a WHOLE segment, with a GAPPED one, and of heads alone."""

    whole: tuple[Group, ...]
    gapped: tuple[Group, ...]
    bare: tuple[Group, ...]


def parts_of(group: Group, segments: Sequence[Segment]) -> Parts:
    """Return the mention that a group is."""
    return joined((segments[i].start, segments[i].end) for i in group)


def groups_of(segments: Sequence[Segment], parts: int) -> Groups:
    """Return every group of at most so many parts."""
    pieces = list(_pieces(segments))
    kinds = [{segments[i].kind for i in piece} for piece in pieces]
    whole = [piece for piece, kind in zip(pieces, kinds, strict=True) if Kind.WHOLE in kind]
    other = [piece for piece, kind in zip(pieces, kinds, strict=True) if Kind.WHOLE not in kind]
    unions = list(_unions(other, segments, parts))
    has_gapped = [any(segments[i].kind is Kind.GAPPED for i in group) for group in unions]
    return Groups(
        tuple(whole),
        tuple(
            group
            for group, gapped in zip(unions, has_gapped, strict=True)
            if gapped and len(parts_of(group, segments)) > 1
        ),
        tuple(group for group, gapped in zip(unions, has_gapped, strict=True) if not gapped),
    )


def touch(left: Segment, right: Segment) -> bool:
    """Whether no word is between two segments, the left one first."""
    return left.end == right.start


def _pieces(segments: Sequence[Segment]) -> Iterator[Group]:
    """Yield every run of touching segments that can be one part of a mention.

    It has not both WHOLE and GAPPED segments, and no two of either that touch.
    """
    for first, segment in enumerate(segments):
        piece = [first]
        kinds = {segment.kind}
        yield (first,)
        for left, right in pairwise(segments[first:]):
            alike = left.kind is right.kind and left.kind is not Kind.HEAD
            kinds.add(right.kind)
            if not touch(left, right) or alike or {Kind.WHOLE, Kind.GAPPED} <= kinds:
                break
            piece.append(piece[-1] + 1)
            yield tuple(piece)


def _unions(pieces: Sequence[Group], segments: Sequence[Segment], parts: int) -> Iterator[Group]:
    """Yield every union of at most so many pieces with words between them."""
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
