"""Span algebra: which mentions overlap, nest or cross, and how to make a set flat."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from lacuna.text.document import Mention, Span, reading_order


def share_characters(a: Sequence[Span], b: Sequence[Span]) -> bool:
    """Whether two span sequences (each in order) have a character in common."""
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i].start < b[j].end and b[j].start < a[i].end:
            return True
        if a[i].end <= b[j].end:
            i += 1
        else:
            j += 1
    return False


def overlapping_pairs(mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """Return all index pairs (i < j) of mentions that share a character.

    Sweeps over mentions by start; a mention stays open until one starts at or after its end.
    """
    order = sorted(range(len(mentions)), key=lambda i: mentions[i].start)
    open_ones: list[int] = []
    pairs: list[tuple[int, int]] = []
    for j in order:
        open_ones = [i for i in open_ones if mentions[i].end > mentions[j].start]
        pairs += [
            (min(i, j), max(i, j))
            for i in open_ones
            if share_characters(mentions[i].spans, mentions[j].spans)
        ]
        open_ones.append(j)
    return sorted(pairs)


def overlapping(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Return the mentions that share a character with another one."""
    touched = {i for pair in overlapping_pairs(mentions) for i in pair}
    return tuple(mentions[i] for i in sorted(touched))


def flatten(mentions: Iterable[Mention]) -> tuple[tuple[Mention, ...], tuple[Mention, ...]]:
    """Choose contiguous, non-overlapping mentions; return (kept, left out).

    The longest is kept first, then the leftmost; mentions with gaps are left out.
    """
    ranked = sorted(mentions, key=lambda m: (-m.length, reading_order(m)))
    kept: list[Mention] = []
    left_out: list[Mention] = []
    taken: list[Span] = []  # spans of the kept mentions, in text order
    for mention in ranked:
        place = bisect_left(taken, mention.spans[0])
        neighbours = taken[max(place - 1, 0) : place + 1]
        if mention.is_discontiguous or share_characters(mention.spans, neighbours):
            left_out.append(mention)
        else:
            kept.append(mention)
            taken.insert(place, mention.spans[0])
    return tuple(sorted(kept, key=reading_order)), tuple(sorted(left_out, key=reading_order))


def merge_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the union of spans as disjoint, non-touching spans in order."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, end))
        else:
            merged.append(Span(start, end))
    return tuple(merged)
