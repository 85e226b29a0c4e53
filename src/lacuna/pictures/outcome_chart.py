"""A bar chart of outcomes by label.

Gold mentions are to the right of the axis, spurious mentions to the left; both as shares of the
number of gold mentions.
"""

from __future__ import annotations

from collections.abc import Sequence

from lacuna.evaluation.mention_errors import ALL, LabelOutcomes
from lacuna.pictures import svg

FULL = 420.0  #: width of a bar for all gold mentions
ROW, BAR, TOP = 26.0, 17.0, 96.0
LONGEST_NAME = 30
RIGHT, BORDER, LABEL, MISSED, SPURIOUS = "#0072b2", "#56b4e9", "#e0b400", "#d55e00", "#8c8c8c"
KEYS = (
    ("spurious", SPURIOUS),
    ("right", RIGHT),
    ("wrong boundary", BORDER),
    ("wrong label", LABEL),
    ("missed", MISSED),
)


def outcome_chart(rows: Sequence[LabelOutcomes], *, title: str = "Found, wrong and missed") -> str:
    """Draw one bar per row as SVG; the bar of spurious mentions ends at 100 %."""
    names = [svg.shortened(row.label, LONGEST_NAME) for row in rows]
    most = max((_left(row) for row in rows), default=0.0)
    numbers_at = 30.0 + max(map(svg.width_of, [*names, "label"])) + 42.0  # right edge
    zero = numbers_at + 44.0 + most * FULL
    width = max(zero + FULL + 70.0, 640.0)
    height = TOP + ROW * len(rows) + 30.0
    pieces = [
        svg.text(24, 34, title, font_size=17, font_weight=600),
        *_key(),
        svg.text(numbers_at, TOP - 8, "gold", fill=svg.PALE, text_anchor="end", font_size=11),
        *(
            svg.text(zero + FULL * share, TOP - 8, f"{share:.0%}", **_AXIS)
            for share in (0.0, 0.5, 1.0)
        ),
        *(_line(zero + FULL * share, height - 26.0) for share in (0.5, 1.0)),
    ]
    for i, (row, name) in enumerate(zip(rows, names, strict=True)):
        pieces.append(_row(row, name, TOP + ROW * i, zero, numbers_at))
    pieces.append(_line(zero, height - 26.0, colour=svg.INK))
    return svg.picture("\n".join(pieces), width=width, height=height, title=title)


_AXIS: dict[str, object] = {"fill": svg.PALE, "text_anchor": "middle", "font_size": 11}


def _left(row: LabelOutcomes) -> float:
    """Return the width of the bar of spurious mentions as a share of a full one."""
    return min(row.spurious / row.gold, 1.0) if row.gold else float(row.spurious > 0)


def _row(row: LabelOutcomes, name: str, y: float, zero: float, numbers_at: float) -> str:
    middle = y + BAR / 2 + 4.5
    spurious = _left(row) * FULL
    more = row.spurious > row.gold
    pieces = [
        svg.text(24, middle, name, font_weight=600 if row.label == ALL else 400),
        svg.text(numbers_at, middle, f"{row.gold:,}", fill=svg.PALE, text_anchor="end"),
        _bar(zero - spurious, y, spurious, SPURIOUS, f"{row.label}: {row.spurious:,} spurious"),
    ]
    if spurious:
        words = f"{row.spurious / row.gold:.0%}" if row.gold else f"{row.spurious:,}"
        shown = f"‹ {words}" if more else words
        inside = spurious > svg.width_of(shown, 11) + 14
        x = zero - spurious + 5 if inside else zero - spurious - 4
        anchor = "start" if inside else "end"
        fill = svg.PANEL if inside else svg.PALE
        pieces.append(svg.text(x, middle, shown, fill=fill, font_size=11, text_anchor=anchor))
    x = zero
    parts = (row.right, row.border, row.wrong_label, row.missed)
    for count, (what, colour) in zip(parts, KEYS[1:], strict=True):
        length = FULL * count / row.gold if row.gold else 0.0
        pieces.append(_bar(x, y, length, colour, f"{row.label}: {count:,} {what}"))
        x += length
    if row.gold:
        share = row.right / row.gold
        words = f"{share:.0%}" if share in (0.0, 1.0) else f"{share:.1%}"
        pieces.append(svg.text(zero + FULL + 8, middle, words))
    return "\n".join(filter(None, pieces))


def _bar(x: float, y: float, length: float, colour: str, name: str) -> str:
    if not length:
        return ""
    return (
        f'<rect class="share" x="{x:.1f}" y="{y:.1f}" width="{length:.1f}" height="{BAR}"'
        f' fill="{colour}"><title>{svg.clean(name)}</title></rect>'
    )


def _line(x: float, bottom: float, *, colour: str = "#d0d0d0") -> str:
    return (
        f'<line x1="{x:.1f}" y1="{TOP - 3:.1f}" x2="{x:.1f}" y2="{bottom:.1f}" stroke="{colour}"/>'
    )


def _key() -> list[str]:
    pieces, x = [], 24.0
    for what, colour in KEYS:
        pieces.append(f'<rect x="{x:.1f}" y="52" width="12" height="12" fill="{colour}"/>')
        pieces.append(svg.text(x + 18, 62.5, what))
        x += 42.0 + svg.width_of(what)
    return pieces
