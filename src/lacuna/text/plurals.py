"""Counts in words: *1 document*, *2 documents*."""

from __future__ import annotations


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun; the plural ends in *s* unless it is given."""
    noun = singular if count == 1 else plural or f"{singular}s"
    return f"{count:,} {noun}"
