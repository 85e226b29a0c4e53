"""Plain SVG: no style sheet, no script; a white panel, to be readable on any background.

Arrows between states are drawn here too: the more likely the transition, the wider and darker.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

INK, PALE, PANEL = "#24292f", "#6b7280", "#ffffff"
#: Safe for colour-blind readers (after Okabe and Ito 2008, without yellow).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0508c", "#a6761d", "#3d9bd1", "#c08a00", "#5e4fa2")


def picture(body: str, *, width: float, height: float, title: str) -> str:
    """Return a whole SVG file; `title` is read out by screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}" role="img"'
        ' font-family="system-ui, Helvetica, Arial, sans-serif" font-size="13">\n'
        f"<title>{clean(title)}</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{PANEL}"/>\n{body}\n</svg>\n'
    )


def text(x: float, y: float, words: str, **attributes: object) -> str:
    """Return one line of text; underscores in attribute names become dashes."""
    given = {"fill": INK} | attributes
    listed = "".join(
        f" {name.replace('_', '-')}={quoteattr(str(value))}" for name, value in given.items()
    )
    return f'<text x="{x:.1f}" y="{y:.1f}"{listed}>{clean(words)}</text>'


def clean(words: str) -> str:
    """Escape text; characters that XML does not allow become U+FFFD."""
    return escape("".join(c if _in_xml(c) else "\ufffd" for c in words))


def _in_xml(character: str) -> bool:
    code = ord(character)
    return code >= 32 and not 0xD800 <= code <= 0xDFFF and code not in (0xFFFE, 0xFFFF)


def width_of(words: str, size: float = 13) -> float:
    """Estimate the width of a text; characters of wide scripts count as squares."""
    return sum(size * (0.62 if ord(c) < 0x1100 else 1.0) for c in words)


def shortened(words: str, most: int) -> str:
    """Return the text cut to at most `most` characters."""
    return words if len(words) <= most else words[: most - 1] + "…"


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
        f' opacity="{0.3 + 0.7 * probability:.2f}"><title>{clean(name)}</title>'
        f'<path d="M{curve.begin}C{curve.first} {curve.last} {foot}"'
        f' stroke-width="{width:.1f}"/>'
        f'<path d="M{"L".join(map(str, corners))}Z" fill="{colour}" stroke="none"/></g>'
    )


def number_at(place: Point, probability: float) -> str:
    """Write a probability on an arrow."""
    return text(
        place.x,
        place.y + 4,
        written(probability),
        font_size=11,
        text_anchor="middle",
        stroke=PANEL,  # a light border around the digits
        stroke_width=4,
        stroke_linejoin="round",
        paint_order="stroke",
    )


def written(probability: float) -> str:
    """Return a probability with two decimals, without the leading zero."""
    return f"{probability:.2f}".removeprefix("0")
