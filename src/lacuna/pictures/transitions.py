"""A picture of a chain: which tags follow one another, and how likely.

Tags stand on a circle, a move is an arrow bent to one side, so that both directions are seen.
Width and strength of an arrow grow with its probability.

How likely each label follows another when the text says nothing: chains for people.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from lacuna.inference.chain import Chain
from lacuna.pictures import svg
from lacuna.pictures.arrows import Curve, Point, arrow, number_at, written
from lacuna.types import FloatArray

LEAST = 0.01  #: moves of lower probability are never drawn
LEAST_WRITTEN = 0.1  #: those of lower probability have no number
SHORT = 60.0  #: nor have arrows between nodes so near: it would hide them
MOVES_PER_TAG = 3  #: how many are drawn, on the average, where there are many
FEW_TAGS = 12  #: so many may have every move drawn, and their names level
NODE = 8.0  #: radius
BEND = 0.3  #: between an arrow and the straight way, in radians
LONGEST_NAME = 28
LINE = 90  #: characters of the caption

PROBABILITIES = "How likely each tag follows another within a sentence."
WEIGHTS = (
    "exp(weight) of each move, made to sum to one for each tag: what the model leans to before it"
    " has seen a word."
)
SECOND_ORDER = (
    "It also depends on the tag before; this is the mean over what the model itself would write."
)


class Move(NamedTuple):
    """An arrow to draw."""

    source: int
    target: int
    probability: float


def transition_graph(
    tags: Sequence[str], probabilities: FloatArray, *, title: str = "Moves", caption: str = ""
) -> str:
    """Draw the moves between tags as SVG.

    Parameters
    ----------
    tags
        Names of the nodes; those of one label are drawn side by side.
    probabilities
        ``probabilities[v, w]``: tag w stands after v.
    title, caption
        What stands above and below the picture; below which probability moves are not drawn is
        added.
    """
    rank = {label: i for i, label in enumerate(dict.fromkeys(map(_label, tags)))}
    order = sorted(range(len(tags)), key=lambda k: rank[_label(tags[k])])
    tags, probabilities = [tags[k] for k in order], probabilities[np.ix_(order, order)]
    moves, cut = strongest_moves(probabilities)
    left_out = f" Not drawn: moves below {cut:.2g}." if cut else ""
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
    """Draw the moves of a chain between states of these names."""
    pass

    found = move_probabilities(chain)
    caption = PROBABILITIES if found.are_probabilities else WEIGHTS
    second = len(chain.transition) > 1
    return transition_graph(
        names, found.table, title=title, caption=f"{caption} {SECOND_ORDER}" if second else caption
    )


def strongest_moves(probabilities: FloatArray) -> tuple[list[Move], float]:
    """Return the moves to draw, strongest first, and below which probability some were left out."""
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
    """How far from its centre the circle with loops, names and numbers reaches."""

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
    """Return a colour for each tag, the same for all tags of a label; tags without one are ink."""
    labels = [_label(tag) for tag in tags]
    number = {label: i for i, label in enumerate(dict.fromkeys(filter(None, labels)))}
    return [svg.COLOURS[number[x] % len(svg.COLOURS)] if x else svg.INK for x in labels]


def _label(tag: str) -> str:
    """Return the label of a tag; empty where there is none, also in ``O before X-Y``."""
    return tag.partition(" ")[0].partition("-")[2]


def _curve(move: Move, places: Sequence[Point], centre: Point) -> Curve:
    """Return the way of an arrow between two nodes, or out and around one, border to border."""
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
    """Write probabilities on arrows, strongest first, wherever there is room."""
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
    """Draw a node, its name outside the circle and behind it the probability to stay."""
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


STEPS = 200  #: how far a second-order chain is followed
CLOSE = 1e-4  #: what never happens, such as an empty sentence, may have a share


class MoveProbabilities(NamedTuple):
    """A first-order view of a chain.

    table[v, w]
        Probability that label w stands next after v, in a sequence that goes on; a row of zeros
        where nothing may follow.
    are_probabilities
        Whether the weights of the chain were probabilities to begin with, as in an HMM; else the
        exponentials of its weights were made to sum to one.
    """

    table: FloatArray
    are_probabilities: bool


def move_probabilities(chain: Chain) -> MoveProbabilities:
    """Return how likely each label follows another.

    In a second-order chain the probability also depends on h, the label before; then ::

        p(w | v) = Σ_h n(h, v) p(w | h, v) / Σ_h n(h, v)

    where n(h, v) is how often h v is expected in sequences drawn from the chain alone.
    """
    table = _rows_of_one(_scaled(chain.transition))
    flat = table[0] if len(table) == 1 else _over_histories(chain, table)
    return MoveProbabilities(flat, _sums_to_one(chain))


def _scaled(transition: FloatArray) -> FloatArray:
    """Return exp(transition), each row divided by its greatest value."""
    greatest = transition.max(axis=2, keepdims=True)
    scaled: FloatArray = np.exp(transition - np.where(np.isfinite(greatest), greatest, 0.0))
    return scaled


def _rows_of_one(weights: FloatArray) -> FloatArray:
    """Divide each row by its sum; rows of zeros stay."""
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
    """Whether the moves from each label sum to one, with or without the end of the sequence."""
    with np.errstate(over="ignore"):
        onward, stop = np.exp(chain.transition).sum(axis=2), np.exp(chain.stop)
    used = onward > 0
    return any(bool((np.abs(total - 1) < CLOSE)[used].all()) for total in (onward, onward + stop))
