"""A picture of the sub-tags before, inside and after one label of a dp-hmm.

There are three columns of boxes, one box per sub-tag, the most frequent ones only, with their most
typical words. The width of an arrow is the probability of the transition; inside the label, arrows
down pass on the right and arrows up on the left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import NamedTuple

import numpy as np

from lacuna.models.dp_hmm.cues import Cue, Side, SubTags
from lacuna.pictures import svg
from lacuna.pictures.svg import Curve, Point, arrow, number_at, written
from lacuna.types import FloatArray, LongArray

MOST = 7  #: most boxes in a column
LEAST_FLOW = 0.02  #: arrows with a smaller share of a column's transitions are not drawn
LEAST_WRITTEN = 0.1  #: smaller probabilities are not written
WIDTH, GAP, MARGIN = 250.0, 170.0, 24.0  #: of a box, between columns, around the picture
TOP = 84.0  #: y of the first box
LINE = 17.0
CHARACTERS = 34  #: per line of a box
TITLE = 28  #: characters
LONGEST_WORD = 14
WORDS = 6  #: shown in a box of the label
WORD_LINES = 2
CAPTION = (
    "Arrows: probability that the next token has that sub-tag; ↻: the same sub-tag. Boxes: expected"
    " number of tokens in the training text, and most typical words. Dark borders: at least three"
    " times as frequent next to the label as words outside usually are."
)


class Box(NamedTuple):
    """A sub-tag to draw: its state, the text of its box, and its place."""

    state: int
    title: str
    words: list[str]
    notes: list[str]
    telling: bool
    column: int
    y: float = 0.0

    @property
    def height(self) -> float:
        """Height of the box."""
        return 14.0 + LINE * (1 + len(self.words) + len(self.notes))

    @property
    def x(self) -> float:
        """Left edge of the box."""
        return MARGIN + self.column * (WIDTH + GAP)


class Link(NamedTuple):
    """An arrow to draw."""

    source: Box
    target: Box
    probability: float


def subtag_graph(subtags: SubTags, label: str, *, title: str) -> str:
    """Draw the sub-tags around a label as SVG.

    Raises
    ------
    ConfigError
        There is no such label.
    """
    inside = subtags.of_label(label)
    others = np.setdiff1d(np.arange(len(subtags.names)), inside)
    tokens = subtags.flow.sum(axis=1)
    some = np.maximum(tokens, np.finfo(float).tiny)
    moves, entered = subtags.flow / some[:, None], subtags.flow[others].sum(axis=0) / some
    entering, leaving = subtags.flow[:, inside].sum(axis=1), subtags.flow[inside].sum(axis=0)
    columns = [
        _stacked([_beside(subtags, i, label, "before") for i in _most(entering, others)]),
        _stacked([_inside(subtags, i) for i in _in_order(_most(tokens, inside), entered, moves)]),
        _stacked([_beside(subtags, i, label, "after") for i in _most(leaving, others)]),
    ]
    height = max((box.y + box.height for column in columns for box in column), default=TOP)
    columns = [_centred(column, height) for column in columns]
    before, middle, after = columns
    links = [
        *_links(before, middle, subtags.flow, moves),
        *_links(middle, middle, subtags.flow, moves),
        *_links(middle, after, subtags.flow, moves),
    ]
    headings = (f"before {label}", label, f"after {label}")
    lines = wrap(CAPTION, 125)
    body = [
        svg.text(MARGIN, 34, title, font_size=17, font_weight=600),
        *(
            svg.text(MARGIN + k * (WIDTH + GAP), TOP - 16, svg.shortened(words, 32), fill=svg.PALE)
            for k, words in enumerate(headings)
        ),
        *_drawn(links),
        *(_box(box) for column in columns for box in column),
        *(
            svg.text(MARGIN, height + 36 + 18 * i, line, fill=svg.PALE)
            for i, line in enumerate(lines)
        ),
    ]
    width = 2 * MARGIN + 3 * WIDTH + 2 * GAP
    return svg.picture(
        "\n".join(body), width=width, height=height + 36 + 18 * len(lines), title=title
    )


def _most(times: FloatArray, among: LongArray) -> list[int]:
    """Return the states that are expected most often."""
    ranked = among[np.argsort(-times[among], kind="stable")]
    often = times[ranked] >= max(LEAST_FLOW * times[among].sum(), np.finfo(float).tiny)
    found: list[int] = ranked[often][:MOST].tolist()
    return found


def _in_order(states: Sequence[int], entered: FloatArray, moves: FloatArray) -> list[int]:
    """Order states: the usual first one, then always the likeliest next one, if likely."""
    waiting = sorted(states, key=lambda i: -entered[i])
    placed: list[int] = []
    while waiting:
        following = max(waiting, key=lambda j: moves[placed[-1], j]) if placed else waiting[0]
        likely = placed and moves[placed[-1], following] >= LEAST_WRITTEN
        placed.append(following if likely else waiting[0])
        waiting.remove(placed[-1])
    return placed


def _beside(subtags: SubTags, state: int, label: str, side: Side) -> Box:
    cue = subtags.cue(state, label, side)
    if state == subtags.border:
        title = "sentence begins" if side == "before" else "sentence ends"
        return Box(state, title, [], [_often(cue)], cue.is_telling, 0 if side == "before" else 2)
    far = [_short(word.name) for other in cue.beyond[:1] for word in other.words]
    where = "after" if side == "before" else "before"
    notes = [_often(cue), *([f"{where} {' · '.join(far)}"] if far else [])]
    return Box(
        state,
        f"{cue.state}, {cue.tokens:,.0f} tokens",
        _word_lines(word.name for word in cue.words),
        [svg.shortened(note, CHARACTERS) for note in notes],
        cue.is_telling,
        0 if side == "before" else 2,
    )


def _often(cue: Cue) -> str:
    where = "lead to it" if cue.side == "before" else "follow it"
    return f"{cue.share:.1%} {where}, ×{cue.lift:.1f}"


def _inside(subtags: SubTags, state: int) -> Box:
    tokens = float(subtags.flow[state].sum())
    stays = float(subtags.flow[state, state]) / tokens
    note = f"{tokens:,.0f} tokens" + (f", ↻ {written(stays)}" if stays >= LEAST_FLOW else "")
    words = _word_lines(word.name for word in subtags.words(state, WORDS))
    return Box(state, subtags.names[state], words, [note], True, 1)


def _word_lines(words: Iterable[str]) -> list[str]:
    """Wrap words into lines without breaking a word."""
    lines: list[str] = []
    for word in map(_short, words):
        if lines and len(lines[-1]) + len(word) + 3 <= CHARACTERS:
            lines[-1] += f" · {word}"
        else:
            lines.append(word)
    return lines[:WORD_LINES]


def _short(word: str) -> str:
    return svg.shortened(word, LONGEST_WORD)


def _stacked(boxes: Sequence[Box]) -> list[Box]:
    """Place boxes below one another."""
    placed, y = [], TOP
    for box in boxes:
        placed.append(box._replace(y=y))
        y += box.height + 22.0
    return placed


def _centred(boxes: Sequence[Box], height: float) -> list[Box]:
    """Centre a column vertically."""
    if not boxes:
        return []
    shift = (height - boxes[-1].y - boxes[-1].height) / 2
    return [box._replace(y=box.y + shift) for box in boxes]


def _links(
    sources: Sequence[Box], targets: Sequence[Box], flow: FloatArray, moves: FloatArray
) -> list[Link]:
    """Return the frequent transitions, and at least one for each box outside the label."""
    pairs = [(a, b) for a in sources for b in targets if a.state != b.state]
    total = sum(flow[a.state, b.state] for a, b in pairs)
    best: dict[int, float] = {}  # for each box outside the label
    for a, b in pairs:
        for outer in (box for box in (a, b) if box.column != 1):
            best[outer.state] = max(best.get(outer.state, 0.0), flow[a.state, b.state])
    return [
        Link(a, b, float(moves[a.state, b.state]))
        for a, b in pairs
        if (times := flow[a.state, b.state]) > 0
        and (times >= LEAST_FLOW * total or times in (best.get(a.state), best.get(b.state)))
    ]


def _drawn(links: Sequence[Link]) -> list[str]:
    """Draw arrows, strongest on top, and write probabilities where there is room."""
    ranked = sorted(links, key=lambda link: link.probability)
    curves = [_curve(link, links) for link in ranked]
    arrows = [
        arrow(
            curve,
            link.probability,
            colour=svg.INK,
            name=f"{link.source.title} → {link.target.title} {link.probability:.3f}",
        )
        for link, curve in zip(ranked, curves, strict=True)
    ]
    taken: list[Point] = []
    for link, curve in zip(reversed(ranked), reversed(curves), strict=True):
        if link.probability < LEAST_WRITTEN:
            break
        spots = map(curve.at, (0.5, 0.4, 0.6, 0.3, 0.7))
        free = (p for p in spots if all(abs(p.x - q.x) > 28 or abs(p.y - q.y) > 13 for q in taken))
        if (spot := next(free, None)) is not None:
            taken.append(spot)
            arrows.append(number_at(spot, link.probability))
    return arrows


def _curve(link: Link, links: Sequence[Link]) -> Curve:
    """Return the path of an arrow from the right of one box to the left of another.

    Within a column it starts and ends on the same side.
    """
    source, target, _ = link
    if source.column == target.column:
        down = target.y > source.y
        side = 1.0 if down else -1.0
        x = source.x + (WIDTH if down else 0.0)
        begin = Point(x + side, source.y + source.height * (0.75 if down else 0.25))
        end = Point(x + side * 3, target.y + target.height * (0.25 if down else 0.75))
        bend = side * min(44.0 + abs(end.y - begin.y) / 8, GAP * 0.5)
        return Curve(begin, Point(x + bend, begin.y), Point(x + bend, end.y), end)
    out = sorted(
        k.target.y for k in links if k.source == source and k.target.column > source.column
    )
    into = sorted(
        k.source.y for k in links if k.target == target and k.source.column < target.column
    )
    begin = Point(source.x + WIDTH + 1, source.y + _port(source, out, target.y))
    end = Point(target.x - 3, target.y + _port(target, into, source.y))
    return Curve(begin, Point(begin.x + GAP / 2, begin.y), Point(end.x - GAP / 2, end.y), end)


def _port(box: Box, others: Sequence[float], other: float) -> float:
    """Return the y of an arrow; arrows are spread over the side of a box, sorted by target."""
    return box.height * (others.index(other) + 1) / (len(others) + 1)


def _box(box: Box) -> str:
    border = svg.INK if box.telling else "#c3c8cf"
    fill = "#eaf3fa" if box.column == 1 else "#fafbfc"
    rows = [
        svg.text(box.x + 12, box.y + 20, svg.shortened(box.title, TITLE), font_weight=600),
        *(
            svg.text(box.x + 12, box.y + 20 + LINE * (1 + k), words)
            for k, words in enumerate(box.words)
        ),
        *(
            svg.text(
                box.x + 12,
                box.y + 20 + LINE * (1 + len(box.words) + k),
                note,
                fill=svg.PALE,
                font_size=12,
            )
            for k, note in enumerate(box.notes)
        ),
    ]
    return (
        f'<g class="box"><rect x="{box.x:.1f}" y="{box.y:.1f}" width="{WIDTH}"'
        f' height="{box.height:.1f}" rx="6" fill="{fill}" stroke="{border}"/>'
        + "".join(rows)
        + "</g>"
    )
