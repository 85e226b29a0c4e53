"""The one place that rewrites text, and the map between offsets before and after.

::

    original  Seen by Dr. Smith on 3/14.        [8, 17) → "[NAME-1]", [21, 25) → "■■■■"
    new       Seen by [NAME-1] on ■■■■.         all other characters stay

A position outside all replacements maps to exactly one position. A span that touches a replaced one
is widened to the whole of it, because positions inside a replacement have no counterpart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.errors import RedactionError
from lacuna.types import LongArray


class Replacement(NamedTuple):
    """Write `text` instead of the characters ``[start, end)``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class OffsetMap:
    """Where every character went. Each array has one entry per replacement, in text order.

    Attributes
    ----------
    original_start, original_end
        What was replaced.
    new_start, new_end
        What is there now; equal if something was dropped.
    """

    original_start: LongArray
    original_end: LongArray
    new_start: LongArray
    new_end: LongArray

    def to_new(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the new text that ``[start, end)`` became."""
        return (
            _begin(start, self.original_start, self.original_end, self.new_start, self.new_end),
            _finish(end, self.original_start, self.original_end, self.new_end),
        )

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that became ``[start, end)`` of the new text."""
        return (
            _begin(start, self.new_start, self.new_end, self.original_start, self.original_end),
            _finish(end, self.new_start, self.new_end, self.original_end),
        )


def _begin(
    place: int, start: LongArray, end: LongArray, to_start: LongArray, to_end: LongArray
) -> int:
    """Map the start of a span: inside a replaced stretch it moves to the start."""
    i = int(np.searchsorted(start, place, "right")) - 1  # the last stretch with start <= place
    if i < 0:
        return place
    if place < end[i]:
        return int(to_start[i])
    return int(to_end[i] + place - end[i])


def _finish(place: int, start: LongArray, end: LongArray, to_end: LongArray) -> int:
    """Map the end of a span: inside a replaced stretch it moves to the end."""
    i = int(np.searchsorted(start, place, "left")) - 1  # the last stretch with start < place
    if i < 0:
        return place
    if place <= end[i]:
        return int(to_end[i])
    return int(to_end[i] + place - end[i])


def rewrite(text: str, replacements: Iterable[tuple[int, int, str]]) -> str:
    """Return the text with spans replaced: start, end and new text of each.

    Raises
    ------
    RedactionError
        If the spans overlap, are out of order or outside the text.
    """
    pieces: list[str] = []
    done = 0
    for start, end, new in replacements:
        if not done <= start <= end <= len(text):
            raise RedactionError("replacements must be inside the text, in order and disjoint")
        pieces += (text[done:start], new)
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def offset_map(replacements: Sequence[tuple[int, int, str]]) -> OffsetMap:
    """Return where the characters go when a text is rewritten."""
    count = len(replacements)
    start = np.fromiter((start for start, _, _ in replacements), np.int64, count)
    end = np.fromiter((end for _, end, _ in replacements), np.int64, count)
    length = np.fromiter((len(new) for _, _, new in replacements), np.int64, count)
    # moved[i]: how far replacements up to i shift the text after them
    moved = np.cumsum(length - (end - start))
    new_end = end + moved
    return OffsetMap(start, end, new_end - length, new_end)
