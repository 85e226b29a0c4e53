"""The two pictures: well-formed, complete, and safe with any label."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.evaluation.mention_errors import ALL, LabelOutcomes, OutcomeCounter
from lacuna.evaluation.scores import score
from lacuna.inference.chain import first_order
from lacuna.pictures.outcome_chart import FULL, outcome_chart
from lacuna.pictures.transition_graph import chain_graph, strongest_moves, transition_graph
from lacuna.text.document import Document, Mention
from tests.evaluation.cases import Pair, corpora, fewer
from tests.strategies import LABELS, ODD_LABELS

SVG = "{http://www.w3.org/2000/svg}"


def of_class(picture: Xml.Element, name: str) -> list[Xml.Element]:
    return [element for element in picture.iter() if element.get("class") == name]


def words(picture: Xml.Element) -> list[str]:
    return [element.text or "" for element in picture.iter(f"{SVG}text")]


def names(elements: list[Xml.Element]) -> list[str]:
    return [element.findtext(f"{SVG}title") or "" for element in elements]


def test_graph_has_a_node_for_each_tag_and_an_arrow_for_each_move() -> None:
    table = np.array([[0.8, 0.2, 0.0], [0.3, 0.0, 0.7], [0.995, 0.005, 0.0]])
    picture = Xml.fromstring(transition_graph(["O", "B-X", "I-X"], table, caption="What it is."))
    assert len(of_class(picture, "node")) == 3
    assert sorted(names(of_class(picture, "move"))) == [
        "B-X → I-X 0.700",
        "B-X → O 0.300",
        "I-X → O 0.995",
        "O → B-X 0.200",
        "O → O 0.800",
    ]
    assert {"O ↻ .80", "B-X", "I-X", ".70", ".30", ".20"} <= set(words(picture))
    assert words(picture)[-1] == "What it is. Transitions below 0.01 are not drawn."


def test_graph_of_many_tags_says_where_it_stops() -> None:
    rng = np.random.default_rng(0)
    table = rng.dirichlet(np.ones(40), size=40)
    moves, cut = strongest_moves(table)
    assert len(moves) == 120
    assert min(move.probability for move in moves) == cut
    assert table[table < cut].size == 1600 - 120
    picture = Xml.fromstring(transition_graph([f"B-L{i}" for i in range(40)], table))
    assert len(of_class(picture, "move")) == 120
    assert f"Transitions below {cut:.2g} are not drawn." in words(picture)


def test_tags_of_a_label_stand_side_by_side_in_its_colour() -> None:
    tags = ["O before A-B", "B-A", "B-B", "O", "I-A"]
    table = np.zeros((5, 5))
    table[1, 4] = table[4, 3] = 1.0
    picture = Xml.fromstring(transition_graph(tags, table))
    assert words(picture)[1:] == ["1.00", "1.00", "O before A-B", "O", "B-A", "I-A", "B-B"]
    fills = [node.get("fill") for node in of_class(picture, "node")]
    assert fills[0] == fills[1] != fills[2] == fills[3] != fills[4] != fills[0]
    assert sorted(names(of_class(picture, "move"))) == ["B-A → I-A 1.000", "I-A → O 1.000"]


def test_stronger_moves_are_wider_and_darker() -> None:
    picture = Xml.fromstring(transition_graph(["a", "b"], np.array([[0.1, 0.9], [0.4, 0.6]])))
    drawn = sorted(of_class(picture, "move"), key=lambda g: names([g])[0].split()[-1])
    widths = [float(g[1].get("stroke-width", "")) for g in drawn]
    opacities = [float(g.get("opacity", "")) for g in drawn]
    assert widths == sorted(set(widths))
    assert opacities == sorted(set(opacities))


@pytest.mark.parametrize("size", [0, 1, 2, 13])
def test_everything_stays_inside_the_picture(size: int) -> None:
    tags = [f"B-{'LONG_LABEL_' * (i % 3)}{i}" for i in range(size)]
    picture = Xml.fromstring(transition_graph(tags, np.full((size, size), 1 / max(size, 1))))
    _, _, width, height = map(float, picture.get("viewBox", "").split())
    for path in picture.iter(f"{SVG}path"):
        numbers = [float(x) for x in re.findall(r"-?[\d.]+", path.get("d", ""))]
        assert all(0 <= x <= width for x in numbers[::2])
        assert all(0 <= y <= height for y in numbers[1::2])


odd = st.sampled_from((*LABELS, *ODD_LABELS, "]]>", "&amp;", "\x00", "\ud800", "\uffff", "名前"))


@given(st.lists(odd, min_size=1, max_size=4))
def test_any_label_can_be_drawn(labels: list[str]) -> None:
    table = np.full((len(labels), len(labels)), 1 / len(labels))
    graph = transition_graph(labels, table, title=labels[0], caption=labels[-1])
    chart = outcome_chart([LabelOutcomes(label, 1, 2, 3, 4, 5) for label in labels])
    for text in (graph, chart):
        picture = Xml.fromstring(text.encode())  # as a file is read
        assert {element.tag for element in picture.iter()} <= {
            f"{SVG}{tag}" for tag in ("svg", "title", "rect", "text", "g", "path", "circle", "line")
        }


def test_graph_of_a_chain_says_what_its_numbers_are() -> None:
    weights = Xml.fromstring(chain_graph(first_order(np.eye(2)), ["O", "I-X"], title="crf"))
    assert any("exp(weight)" in line for line in words(weights))
    halves = first_order(np.log(np.full((2, 2), 0.5)))
    states = Xml.fromstring(chain_graph(halves, ["O", "I-X"], title="hmm"))
    assert any(line.startswith("Probability that") for line in words(states))
    assert {"O ↻ .50", "I-X ↻ .50"} <= set(words(states))


TEXT = "Ana Sato met Bo in Arden and Evora."
GOLD = Document(
    "d",
    TEXT,
    (
        Mention.of("PER", (0, 8)),
        Mention.of("PER", (13, 15)),
        Mention.of("LOC", (19, 24)),
        Mention.of("LOC", (29, 34)),
    ),
)
FOUND = Document(
    "d",
    TEXT,
    (
        Mention.of("PER", (0, 3)),  # wrong boundary
        Mention.of("PER", (19, 24)),  # wrong label
        Mention.of("LOC", (29, 34)),
        Mention.of("ORG", (9, 12)),  # spurious
    ),
)


def test_shares_are_counted() -> None:
    counter = OutcomeCounter()
    counter.add(GOLD, FOUND)
    assert counter.rows() == [
        LabelOutcomes(ALL, right=1, border=1, wrong_label=1, missed=1, spurious=1),
        LabelOutcomes("LOC", right=1, wrong_label=1),
        LabelOutcomes("PER", border=1, missed=1),
        LabelOutcomes("ORG", spurious=1),
    ]
    assert OutcomeCounter().rows() == [LabelOutcomes(ALL)]


@fewer
@given(corpora())
def test_shares_add_up_to_the_scores(corpus: list[Pair]) -> None:
    apart = [
        (
            Document(g.id, g.text, tuple(dict.fromkeys(g.mentions))),
            Document(p.id, p.text, tuple(dict.fromkeys(p.mentions))),
        )
        for g, p in (bare(pair) for pair in corpus)
    ]
    counter = OutcomeCounter()
    for pair in apart:
        counter.add(*pair)
    strict = score(apart).section("strict")
    everything, *rows = counter.rows()
    assert {row.label for row in rows} <= strict.labels.keys()
    for row in rows:
        counts = strict.labels[row.label]
        assert (row.right, row.gold) == (counts.tp, counts.gold)
    assert everything.border + everything.wrong_label + everything.spurious == strict.micro.fp


def bare(pair: Pair) -> Pair:
    """Forget probabilities: mentions that differ only in them are the same."""
    gold, found = (
        Document(d.id, d.text, tuple(Mention(m.label, m.spans) for m in d.mentions)) for d in pair
    )
    return gold, found


def test_chart_has_bars_as_long_as_the_shares() -> None:
    rows = [
        LabelOutcomes("A", 6, 1, 1, 2, 5),
        LabelOutcomes("B", 3, 0, 0, 0, 9),
        LabelOutcomes("C", spurious=2),
    ]
    picture = Xml.fromstring(outcome_chart(rows))
    bars = of_class(picture, "share")
    lengths = dict(
        zip(names(bars), (float(bar.get("width", "")) / FULL for bar in bars), strict=True)
    )
    assert lengths == {
        "A: 5 spurious": 0.5,
        "A: 6 right": 0.6,
        "A: 1 wrong boundary": 0.1,
        "A: 1 wrong label": 0.1,
        "A: 2 missed": 0.2,
        "B: 9 spurious": 1.0,
        "B: 3 right": 1.0,
        "C: 2 spurious": 1.0,
    }
    assert {"60.0%", "100%", "50%", "‹ 300%", "‹ 2"} <= set(words(picture))


def test_chart_of_nothing_is_a_picture() -> None:
    Xml.fromstring(outcome_chart([]))
    Xml.fromstring(outcome_chart([LabelOutcomes(ALL)]))
