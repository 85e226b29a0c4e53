"""Small notes with mentions that share words and have gaps."""

from __future__ import annotations

from itertools import product

from lacuna import Document, Mention

SIDES = ("left", "right", "upper", "lower")
PARTS = ("arm", "leg", "hand", "foot")


def note(number: int, side: str, part: str, other: str) -> Document:
    """Say: '<side> pain in <part> and <other>', two mentions that share the first words."""
    text = f"Has {side} pain in {part} and {other} today."
    start, first, second = 4, text.index(part), text.rindex(other)
    head = (start, start + len(side) + len(" pain in"))
    return Document(
        f"n{number}",
        text,
        (
            Mention.of("P", (start, first + len(part))),
            Mention.of("P", head, (second, second + len(other))),
        ),
    )


GAPPED_NOTES = [
    note(number, side, part, other)
    for number, (side, part, other) in enumerate(product(SIDES, PARTS, PARTS))
    if part != other
]
