"""The objective against its definition, by a list of all subgraphs, and against its differences."""

from __future__ import annotations

import numpy as np
import pytest

from lacuna.encoding.gapped import Parts
from lacuna.encoding.hypergraph import Slice, columns, encode
from lacuna.features.extract import build_index
from lacuna.features.plan import make_plan
from lacuna.features.templates import parse_templates
from lacuna.features.token_table import token_table
from lacuna.inference.subgraphs import taken_columns
from lacuna.learning.emission import factor
from lacuna.models.hypergraph import ENGINES, Inference
from lacuna.models.hypergraph.objective import SubgraphObjective
from lacuna.text.document import Document
from lacuna.text.word_types import number_types
from tests.inference.test_subgraphs import listed

TEXTS = ("pain in arm and leg", "arm pain")
MENTIONS: tuple[list[Parts], ...] = ([((0, 3),), ((0, 2), (4, 5))], [((0, 2),)])


def problem(graph: Slice, inference: Inference, l2: float = 0.0) -> SubgraphObjective:
    """Return the objective of two sentences, features their words and pairs of words."""
    table = token_table([Document(str(i), text) for i, text in enumerate(TEXTS)])
    plan = make_plan(parse_templates(["lower[-1..1]", "lower[-1] lower[0]"]))
    numbered = number_types(table.hashes)
    index = build_index(table, numbered, plan, min_count=1)
    order = np.arange(len(table.start))
    rows = index.rows(table, numbered)
    emission = factor(rows, table.sentences, plan.offsets, order, len(index))
    edges = [
        encode([m for m in mentions if graph.holds(m)], len(text.split()), graph)
        for text, mentions in zip(TEXTS, MENTIONS, strict=True)
    ]
    width = len(columns(graph))
    return SubgraphObjective(
        emission,
        graph,
        table.sentences,
        gold=np.flatnonzero(taken_columns(np.concatenate(edges), graph)),
        support=np.arange(emission.features * width)[1:],
        columns=width,
        l2=l2,
        expect=ENGINES[inference].expectations,
    )


@pytest.mark.parametrize("inference", Inference)
@pytest.mark.parametrize("graph", [Slice(2, True), Slice(2, False), Slice(3, True)])
def test_the_gradient_is_the_slope(graph: Slice, inference: Inference) -> None:
    objective, step = problem(graph, inference, l2=0.3), 1e-5
    rng = np.random.default_rng(0)
    point = rng.normal(-0.5, 0.3, objective.parameters)
    _, gradient = objective(point)
    for i in [*rng.integers(0, len(point), 12), *range(-objective.columns, 0)]:
        high, low = point.copy(), point.copy()
        high[i] += step
        low[i] -= step
        slope = (objective(high)[0] - objective(low)[0]) / (2 * step)
        assert gradient[i] == pytest.approx(slope, abs=1e-6)


def test_the_value_is_the_improbability_of_the_right_subgraphs() -> None:
    graph = Slice(2, False)
    objective = problem(graph, Inference.EXACT, l2=0.5)
    point = np.zeros(objective.parameters)
    bias = np.linspace(-1, 1, objective.columns)
    point[-objective.columns :] = bias
    right = [encode([MENTIONS[0][1]], 5, graph), encode([], 2, graph)]
    expected = 0.5 * float(bias @ bias)
    for edges in right:
        _, taken = listed(graph, len(edges))
        weight = np.exp((taken * bias).sum(axis=(1, 2)))
        expected += np.log(weight.sum()) - (taken_columns(edges, graph) * bias).sum()
    assert objective(point)[0] == pytest.approx(expected)


def test_weights_without_support_are_zero() -> None:
    objective = problem(Slice(2, True), Inference.EXACT)
    weights, _ = objective.tables(np.ones(objective.parameters))
    assert weights.reshape(-1)[0] == 0
    assert weights.reshape(-1)[1:].all()
