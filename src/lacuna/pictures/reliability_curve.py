"""A picture of calibration: predicted probability against the share that was observed.

A point on the diagonal is right; above it the model is too careful, below it too sure. The size of
a point is the number of tokens behind it, on a logarithmic scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from typing import NamedTuple

from lacuna.pictures import svg

SIDE, LEFT, TOP = 340.0, 70.0, 64.0
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


class Bin(NamedTuple):
    """Tokens with similar probabilities.

    predicted
        Mean probability.
    observed
        Share that are identifiers.
    tokens
        How many there are.
    """

    predicted: float
    observed: float
    tokens: int


def reliability_curve(bins: Sequence[Bin], *, title: str, caption: str) -> str:
    """Draw a reliability curve as SVG; bins without tokens must be left out."""
    points = [(_x(one.predicted), _y(one.observed)) for one in bins]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    body = [
        svg.text(24, 34, title, font_size=17, font_weight=600),
        *_axes(),
        f'<polyline points="{line}" fill="none" stroke="{svg.COLOURS[0]}" stroke-width="1.5"/>',
    ]
    for one, (x, y) in zip(bins, points, strict=True):
        name = f"predicted {one.predicted:.3f}, observed {one.observed:.3f}, {one.tokens:,} tokens"
        radius = 2.5 + 1.5 * log10(one.tokens)
        body.append(
            f'<circle class="bin" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
            f' fill="{svg.COLOURS[0]}"><title>{name}</title></circle>'
        )
        body.append(svg.text(x, y - radius - 4, f"{one.tokens:,}", **_SMALL))
    body.append(svg.text(24, TOP + SIDE + 70, caption, fill=svg.PALE, font_size=12))
    width = max(LEFT + SIDE + 60, 48 + svg.width_of(caption, 12))
    return svg.picture("\n".join(body), width=width, height=TOP + SIDE + 90, title=title)


_SMALL: dict[str, object] = {"fill": svg.PALE, "text_anchor": "middle", "font_size": 11}


def _x(share: float) -> float:
    return LEFT + SIDE * share


def _y(share: float) -> float:
    return TOP + SIDE * (1 - share)


def _axes() -> list[str]:
    corners = f'x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}"'
    diagonal = f'x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"'
    middle = TOP + SIDE / 2
    turned = f"rotate(-90 24 {middle})"
    return [
        f'<rect {corners} fill="none" stroke="{svg.PALE}"/>',
        f'<line {diagonal} stroke="{svg.PALE}" stroke-dasharray="4 4"/>',
        *(svg.text(_x(share), TOP + SIDE + 18, f"{share:g}", **_SMALL) for share in SHARES),
        *(svg.text(LEFT - 18, _y(share) + 4, f"{share:g}", **_SMALL) for share in SHARES),
        svg.text(_x(0.5), TOP + SIDE + 40, "predicted probability of an identifier", **_SMALL),
        svg.text(24, middle, "observed share", transform=turned, **_SMALL),
    ]
