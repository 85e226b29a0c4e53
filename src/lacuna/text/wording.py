"""Numbers in sentences: "1 document", "2,000 documents"."""

from __future__ import annotations


def number_of(count: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun, in the singular or the plural."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
