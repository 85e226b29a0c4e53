"""A mention with gaps in tokens: its parts, and the two ways to read an ambiguous structure."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

Parts = tuple[tuple[int, int], ...]
"""Half-open token ranges of one mention, in order, with at least one token between them."""

#: Most mentions that are enumerated for one structure.
CAP = 256


class Heuristic(StrEnum):
    """How mentions are read off a structure that leaves it open which parts belong together."""

    ALL = "all"  #: every mention that the structure allows
    ENOUGH = "enough"  #: as few mentions as explain the structure


class Decoded(NamedTuple):
    """Mentions in order; `capped`: there are more than were looked for."""

    mentions: tuple[Parts, ...]
    capped: bool = False


def joined(ranges: Iterable[tuple[int, int]]) -> Parts:
    """Return ranges in order, touching ones made one: they are parts only if a token is between."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)
