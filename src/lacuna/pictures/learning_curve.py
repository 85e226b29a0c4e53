"""A learning curve: the share of identifiers that a model misses, against what it learnt from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from lacuna.pictures import svg

WIDTH, HEIGHT = 560.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 24.0, 56.0, 48.0
TITLE = "Identifier tokens missed, against documents learnt from"
_AXIS: dict[str, object] = {"fill": svg.PALE, "font_size": 11}


class Point(NamedTuple):
    """A model: what it learnt from, and the missed share with its interval."""

    documents: int
    missed: float
    low: float
    high: float


def learning_curve(points: Sequence[Point], *, title: str = TITLE) -> str:
    """Draw points with their 95 % intervals and a line through them, in the order given."""
    most = max((point.documents for point in points), default=0) or 1
    top = _rounded(max((max(point.missed, point.high) for point in points), default=0.0) or 0.01)

    def place(documents: float, share: float) -> svg.Point:
        x = LEFT + (WIDTH - LEFT - RIGHT) * documents / most
        return svg.Point(x, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share / top)

    pieces = [
        f"<desc>{svg.clean(_described(points))}</desc>",
        svg.text(24, 30, title, font_size=15, font_weight=600),
        *(_level(place(0, top * step / 4), top * step / 4) for step in range(5)),
        *(
            svg.text(place(n, 0).x, HEIGHT - BOTTOM + 18, f"{n:,}", text_anchor="middle", **_AXIS)
            for n in (0, most)
        ),
        svg.text(WIDTH / 2, HEIGHT - 12, "documents learnt from", text_anchor="middle", **_AXIS),
    ]
    if points:
        line = "L".join(str(place(point.documents, point.missed)) for point in points)
        pieces.append(f'<path d="M{line}" fill="none" stroke="{svg.COLOURS[0]}" stroke-width="2"/>')
    else:
        pieces.append(
            svg.text(WIDTH / 2, HEIGHT / 2, "nothing was measured yet", text_anchor="middle")
        )
    for point in points:
        low, high = place(point.documents, point.low), place(point.documents, point.high)
        middle = place(point.documents, point.missed)
        pieces.append(
            f'<g class="point"><title>{svg.clean(_in_words(point))}</title>'
            f'<path d="M{low}L{high}" stroke="{svg.COLOURS[0]}" stroke-width="1.5"/>'
            f'<circle cx="{middle.x:.1f}" cy="{middle.y:.1f}" r="4" fill="{svg.COLOURS[0]}"/></g>'
        )
    return svg.picture("\n".join(pieces), width=WIDTH, height=HEIGHT, title=title)


def _level(place: svg.Point, share: float) -> str:
    return (
        f'<line x1="{LEFT:.1f}" y1="{place.y:.1f}" x2="{WIDTH - RIGHT:.1f}" y2="{place.y:.1f}"'
        ' stroke="#d0d0d0"/>'
    ) + svg.text(LEFT - 8, place.y + 4, f"{100 * share:.3g} %", text_anchor="end", **_AXIS)


def _rounded(share: float) -> float:
    """Return the next number with one digit, not above 1."""
    step = 10.0 ** math.floor(math.log10(share))
    return min(1.0, math.ceil(share / step - 1e-9) * step)


def _in_words(point: Point) -> str:
    interval = f"{point.low:.2%} to {point.high:.2%}"
    return f"{point.documents:,} documents: {point.missed:.2%} missed ({interval})"


def _described(points: Sequence[Point]) -> str:
    return "; ".join(map(_in_words, points)) or "nothing was measured yet"
