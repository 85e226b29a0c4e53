"""A learning curve: the share of identifiers that a model misses, against what it learnt from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lacuna.pictures import svg

WIDTH, HEIGHT = 560.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 24.0, 56.0, 48.0
TITLE = "Identifier tokens missed, against documents learnt from"
LEARNT_FROM = "documents learnt from"
BESIDE = 4.0  #: between the intervals of two curves at the same place
_AXIS: dict[str, object] = {"fill": svg.PALE, "font_size": 11}


class Point(NamedTuple):
    """A model: what it learnt from, and the missed share with its interval."""

    documents: int
    missed: float
    low: float
    high: float


def learning_curve(points: Sequence[Point], *, title: str = TITLE) -> str:
    """Draw points with their intervals and a line through them, in the order given."""
    return learning_curves({"": points}, title=title)


def learning_curves(
    series: Mapping[str, Sequence[Point]], *, title: str = TITLE, below: str = LEARNT_FROM
) -> str:
    """Draw several curves by their names, in colours of their own; `below` names the axis."""
    every = [point for points in series.values() for point in points]
    most = max((point.documents for point in every), default=0) or 1
    top = _rounded(max((max(point.missed, point.high) for point in every), default=0.0) or 0.01)

    def place(documents: float, share: float) -> svg.Point:
        x = LEFT + (WIDTH - LEFT - RIGHT) * documents / most
        return svg.Point(x, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share / top)

    described = "; ".join(
        f"{name}: {_described(points)}" if name else _described(points)
        for name, points in series.items()
    )
    pieces = [
        f"<desc>{svg.clean(described)}</desc>",
        svg.text(24, 30, title, font_size=15, font_weight=600),
        *(_level(place(0, top * step / 4), top * step / 4) for step in range(5)),
        *(
            svg.text(place(n, 0).x, HEIGHT - BOTTOM + 18, f"{n:,}", text_anchor="middle", **_AXIS)
            for n in (0, most)
        ),
        svg.text(WIDTH / 2, HEIGHT - 12, below, text_anchor="middle", **_AXIS),
    ]
    for number, points in enumerate(series.values()):
        aside = BESIDE * (number - (len(series) - 1) / 2)
        places = [
            [
                svg.Point(x + aside, y)
                for x, y in (place(point.documents, share) for share in point[1:])
            ]
            for point in points
        ]
        pieces += _drawn(points, places, svg.COLOURS[number % len(svg.COLOURS)])
    if not every:
        pieces.append(
            svg.text(WIDTH / 2, HEIGHT / 2, "nothing was measured yet", text_anchor="middle")
        )
    pieces += _legend([name for name in series if name])
    return svg.picture("\n".join(pieces), width=WIDTH, height=HEIGHT, title=title)


def _drawn(
    points: Sequence[Point], places: Sequence[Sequence[svg.Point]], colour: str
) -> Iterator[str]:
    """Yield one curve; of each point the places of the share and of the ends of its interval."""
    if points:
        line = "L".join(str(middle) for middle, _, _ in places)
        yield f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for point, (middle, low, high) in zip(points, places, strict=True):
        yield (
            f'<g class="point"><title>{svg.clean(_in_words(point))}</title>'
            f'<path d="M{low}L{high}" stroke="{colour}" stroke-width="1.5"/>'
            f'<circle cx="{middle.x:.1f}" cy="{middle.y:.1f}" r="4" fill="{colour}"/></g>'
        )


def _legend(names: Sequence[str]) -> Iterator[str]:
    """Yield the names of the curves, below one another at the right."""
    left = WIDTH - RIGHT - 16 - max((svg.width_of(name) for name in names), default=0.0)
    for number, name in enumerate(names):
        y, colour = TOP + 14 + 20 * number, svg.COLOURS[number % len(svg.COLOURS)]
        yield f'<circle cx="{left:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
        yield svg.text(left + 12, y + 4.5, name)


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
