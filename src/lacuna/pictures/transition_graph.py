"""A picture of a chain: which tags follow one another, with their probabilities.

Tags are placed on a circle; arrows are curved, so that both directions can be seen. The
probabilities do not depend on the text (:func:`move_probabilities`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from lacuna.inference.chain import Chain
from lacuna.pictures import svg
from lacuna.pictures.svg import Curve, Point, arrow, number_at, written
from lacuna.types import FloatArray

LEAST = 0.01  #: less likely moves are never drawn
LEAST_WRITTEN = 0.1  #: less likely ones have no number
SHORT = 60.0  #: shorter arrows have no number either: it would hide them
MOVES_PER_TAG = 3  #: average number drawn if there are many
FEW_TAGS = 12  #: up to this number, all moves are drawn and names are horizontal
NODE = 8.0  #: radius of a node
BEND = 0.3  #: angle between an arrow and the straight line, in radians
LONGEST_NAME = 28
LINE = 90  #: characters per line of the caption

PROBABILITIES = "Probability that a tag follows another within a sentence."
WEIGHTS = (
    "exp(weight) of each transition, normalised to sum to one for each tag: what the model prefers"
    " before it has seen a word."
)
SECOND_ORDER = (
    "The probability also depends on the tag before; this is the mean over sequences drawn from the"
    " model."
)


class Move(NamedTuple):
    """An arrow to draw."""

    source: int
    target: int
    probability: float


def transition_graph(
    tags: Sequence[str], probabilities: FloatArray, *, title: str = "Transitions", caption: str = ""
) -> str:
    """Draw the moves between tags as SVG.

    Parameters
    ----------
    tags
        Names of the nodes; tags of one label are drawn next to each other.
    probabilities
        ``probabilities[v, w]``: probability that tag w follows v.
    title, caption
        Text above and below the picture; the caption also says which moves are not drawn.
    """
    rank = {label: i for i, label in enumerate(dict.fromkeys(map(_label, tags)))}
    order = sorted(range(len(tags)), key=lambda k: rank[_label(tags[k])])
    tags, probabilities = [tags[k] for k in order], probabilities[np.ix_(order, order)]
    moves, cut = strongest_moves(probabilities)
    left_out = f" Transitions below {cut:.2g} are not drawn." if cut else ""
    lines = wrap(f"{caption}{left_out}".strip(), LINE)
    names = [svg.shortened(tag, LONGEST_NAME) for tag in tags]
    level = len(tags) <= FEW_TAGS
    radius = max(150.0, 27.0 * len(tags) / (2 * math.pi), 24.0 * min(len(tags), FEW_TAGS))
    angles = [2 * math.pi * k / len(tags) - math.pi / 2 for k in range(len(tags))]
    reach = _reach(names, angles, radius, level=level)
    centre = Point(max(reach.beside, LINE * 3.6), reach.above + 45.0)
    places = [centre.aside(angle, radius) for angle in angles]
    colours = _colours(tags)
    stays = {move.source: move.probability for move in moves if move.source == move.target}
    below = centre.y + reach.below + 10.0
    body = [
        svg.text(24, 34, title, font_size=17, font_weight=600),
        *(_arrow(move, places, centre, tags, colours) for move in reversed(moves)),
        *_move_labels(moves, places, centre),
        *(
            _node(names[k], places[k], centre, colours[k], stays.get(k), level=level)
            for k in range(len(tags))
        ),
        *(svg.text(24, below + 18 * i, line, fill=svg.PALE) for i, line in enumerate(lines)),
    ]
    height = below + 18 * len(lines)
    return svg.picture("\n".join(body), width=2 * centre.x, height=height, title=title)


@runtime_checkable
class HasChain(Protocol):
    """A model that is a chain of states."""

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of its states."""

    def chain(self) -> Chain:
        """Return its moves."""


def chain_graph(chain: Chain, names: Sequence[str], *, title: str) -> str:
    """Draw the moves of a chain whose states have these names."""
    found = move_probabilities(chain)
    caption = PROBABILITIES if found.are_probabilities else WEIGHTS
    second = len(chain.transition) > 1
    return transition_graph(
        names, found.table, title=title, caption=f"{caption} {SECOND_ORDER}" if second else caption
    )


def strongest_moves(probabilities: FloatArray) -> tuple[list[Move], float]:
    """Return the moves to draw, likeliest first, and the limit below which others are left out."""
    size = len(probabilities)
    most = size * size if size <= FEW_TAGS else MOVES_PER_TAG * size
    ranked = np.sort(probabilities, axis=None)[::-1]
    cut = LEAST if len(ranked) <= most else max(LEAST, float(ranked[most - 1]))
    found = [
        Move(v, w, float(probabilities[v, w]))
        for v, w in np.argwhere(probabilities >= cut).tolist()
    ]
    left_out = bool(((probabilities > 0) & (probabilities < cut)).any())
    return sorted(found, key=lambda move: -move.probability), cut if left_out else 0.0


class Reach(NamedTuple):
    """Extent of the circle with its loops, names and numbers, from its centre."""

    beside: float
    above: float
    below: float


def _reach(names: Sequence[str], angles: Sequence[float], radius: float, *, level: bool) -> Reach:
    sizes = [90.0 + svg.width_of(name) for name in names]
    if level:
        wide = [abs(math.cos(a)) * radius + size for a, size in zip(angles, sizes, strict=True)]
        return Reach(max(wide, default=0.0), radius + 50.0, radius + 50.0)
    far = [Point(0.0, 0.0).aside(a, radius + s) for a, s in zip(angles, sizes, strict=True)]
    return Reach(max(abs(p.x) for p in far), max(-p.y for p in far), max(p.y for p in far))


def _colours(tags: Sequence[str]) -> list[str]:
    """Return a colour for each tag, by its label; tags without a label are dark."""
    labels = [_label(tag) for tag in tags]
    number = {label: i for i, label in enumerate(dict.fromkeys(filter(None, labels)))}
    return [svg.COLOURS[number[x] % len(svg.COLOURS)] if x else svg.INK for x in labels]


def _label(tag: str) -> str:
    """Return the label of a tag; empty if it has none, as in ``O before X-Y``."""
    return tag.partition(" ")[0].partition("-")[2]


def _curve(move: Move, places: Sequence[Point], centre: Point) -> Curve:
    """Return the path of an arrow between two nodes, or of a loop at one."""
    begin, end = places[move.source], places[move.target]
    if move.source == move.target:
        outwards = centre.angle_to(begin)
        leaving, coming, reach = outwards - 0.75, outwards + 0.75, 3.9 * NODE
    else:
        straight, reach = begin.angle_to(end), math.dist(begin, end) / 3
        leaving, coming = straight + BEND, straight + math.pi - BEND
    return Curve(
        begin.aside(leaving, NODE + 1),
        begin.aside(leaving, reach),
        end.aside(coming, reach),
        end.aside(coming, NODE + 2),
    )


def _arrow(
    move: Move,
    places: Sequence[Point],
    centre: Point,
    tags: Sequence[str],
    colours: Sequence[str],
) -> str:
    curve = _curve(move, places, centre)
    name = f"{tags[move.source]} → {tags[move.target]} {move.probability:.3f}"
    return arrow(curve, move.probability, colour=colours[move.source], name=name)


def _move_labels(moves: Sequence[Move], places: Sequence[Point], centre: Point) -> list[str]:
    """Write probabilities on arrows, likeliest first, where there is room."""
    taken = list(places)
    labels = []
    for move in moves:
        way = math.dist(places[move.source], places[move.target])
        if way < SHORT or move.probability < LEAST_WRITTEN:
            continue
        curve = _curve(move, places, centre)
        spots = map(curve.at, (0.5, 0.36, 0.62, 0.24))
        free = (p for p in spots if all(abs(p.x - q.x) > 32 or abs(p.y - q.y) > 15 for q in taken))
        if (spot := next(free, None)) is None:
            continue
        taken.append(spot)
        labels.append(number_at(spot, move.probability))
    return labels


def _node(
    name: str, place: Point, centre: Point, colour: str, stays: float | None, *, level: bool
) -> str:
    """Draw a node; outside the circle its name and the probability to stay."""
    outwards = centre.angle_to(place)
    x, y = place.aside(outwards, NODE + (6.0 if stays is None else 26.0))
    to_the_left = math.cos(outwards) < -0.01
    attributes: dict[str, object] = {"text_anchor": "end" if to_the_left else "start"}
    if level and abs(math.cos(outwards)) < 0.3:
        attributes["text_anchor"] = "middle"
        y += 6.0 * math.copysign(1.0, math.sin(outwards))
    if not level:
        turn = math.degrees(outwards) + (180.0 if to_the_left else 0.0)
        attributes["transform"] = f"rotate({turn:.1f} {x:.1f} {y:.1f})"
    words = f"{name} ↻ {written(stays)}" if stays is not None else name
    return (
        f'<circle class="node" cx="{place.x:.1f}" cy="{place.y:.1f}" r="{NODE}" fill="{colour}"/>'
        + svg.text(x, y + 4, words, **attributes)
    )


STEPS = 200  #: length of the sequences that a second-order chain is followed for
CLOSE = 1e-4  #: tolerance: an impossible event, such as an empty sentence, may have a share


class MoveProbabilities(NamedTuple):
    """A first-order view of a chain.

    table[v, w]
        Probability that label w follows v, given that the sequence goes on; a row of zeros if
        nothing may follow.
    are_probabilities
        Whether the chain consists of probabilities, as in an HMM. If not, the exponentials of its
        weights were normalised.
    """

    table: FloatArray
    are_probabilities: bool


def move_probabilities(chain: Chain) -> MoveProbabilities:
    """Return how likely each label follows another.

    In a second-order chain the probability also depends on h, the label before v; then ::

        p(w | v) = Σ_h n(h, v) p(w | h, v) / Σ_h n(h, v)

    where n(h, v) is the expected number of h v in sequences drawn from the chain.
    """
    table = _rows_of_one(_scaled(chain.transition))
    flat = table[0] if len(table) == 1 else _over_histories(chain, table)
    return MoveProbabilities(flat, _sums_to_one(chain))


def _scaled(transition: FloatArray) -> FloatArray:
    """Return exp(transition), each row divided by its maximum."""
    greatest = transition.max(axis=2, keepdims=True)
    scaled: FloatArray = np.exp(transition - np.where(np.isfinite(greatest), greatest, 0.0))
    return scaled


def _rows_of_one(weights: FloatArray) -> FloatArray:
    """Divide each row by its sum; rows of zeros are kept."""
    totals = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(totals > 0, totals, 1.0)


def _over_histories(chain: Chain, table: FloatArray) -> FloatArray:
    size = chain.labels
    with np.errstate(over="ignore"):
        goes_on = np.exp(chain.transition).sum(axis=2)
        goes_on = goes_on / (goes_on + np.exp(chain.stop) + np.finfo(float).tiny)
    now = np.zeros((size + 1, size))  # now[h, v]: the last two labels are h v
    now[size] = np.exp(chain.start - chain.start.max())
    moves = np.zeros((size, size))
    for _ in range(STEPS):
        step = (now * goes_on)[:, :, None] * table
        pairs = step.sum(axis=0)
        moves += pairs
        now = np.vstack((pairs, np.zeros((1, size))))
    return _rows_of_one(moves)


def _sums_to_one(chain: Chain) -> bool:
    """Whether the moves from each label sum to one, with or without the stop."""
    with np.errstate(over="ignore"):
        onward, stop = np.exp(chain.transition).sum(axis=2), np.exp(chain.stop)
    used = onward > 0
    return any(bool((np.abs(total - 1) < CLOSE)[used].all()) for total in (onward, onward + stop))
