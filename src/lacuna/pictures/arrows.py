"""Arrows between states: the more likely the transition, the wider and darker the arrow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from lacuna.pictures import svg


class Point(NamedTuple):
    """A point of the picture."""

    x: float
    y: float

    def aside(self, angle: float, distance: float) -> Point:
        """Return the point at a distance in the direction of `angle`."""
        return Point(self.x + distance * math.cos(angle), self.y + distance * math.sin(angle))

    def angle_to(self, other: Point) -> float:
        """Return the direction of another point."""
        return math.atan2(other.y - self.y, other.x - self.x)

    def __str__(self) -> str:
        return f"{self.x:.1f} {self.y:.1f}"


class Curve(NamedTuple):
    """A cubic Bézier curve from `begin` to `end`, with control points `first` and `last`."""

    begin: Point
    first: Point
    last: Point
    end: Point

    def at(self, share: float) -> Point:
        """Return the point at a share of the way, from 0 to 1."""
        points: Sequence[Point] = self
        while len(points) > 1:
            points = [
                Point(a.x + share * (b.x - a.x), a.y + share * (b.y - a.y))
                for a, b in pairwise(points)
            ]
        return points[0]


def arrow(curve: Curve, probability: float, *, colour: str, name: str) -> str:
    """Draw an arrow; `name` is its tooltip."""
    width = 0.8 + 4.2 * probability
    back = curve.end.angle_to(curve.last)
    head = 5.0 + 1.4 * width
    foot = curve.end.aside(back, head * 0.8)
    corners = (curve.end, curve.end.aside(back - 0.42, head), curve.end.aside(back + 0.42, head))
    return (
        f'<g class="move" fill="none" stroke="{colour}"'
        f' opacity="{0.3 + 0.7 * probability:.2f}"><title>{svg.clean(name)}</title>'
        f'<path d="M{curve.begin}C{curve.first} {curve.last} {foot}"'
        f' stroke-width="{width:.1f}"/>'
        f'<path d="M{"L".join(map(str, corners))}Z" fill="{colour}" stroke="none"/></g>'
    )


def number_at(place: Point, probability: float) -> str:
    """Write a probability on an arrow."""
    return svg.text(
        place.x,
        place.y + 4,
        written(probability),
        font_size=11,
        text_anchor="middle",
        stroke=svg.PANEL,  # a light border around the digits
        stroke_width=4,
        stroke_linejoin="round",
        paint_order="stroke",
    )


def written(probability: float) -> str:
    """Return a probability with two decimals, without the leading zero."""
    return f"{probability:.2f}".removeprefix("0")
