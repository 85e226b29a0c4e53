"""Exact inference against a list of all subgraphs, and the counts of the literature."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.encoding.gapped import Parts
from lacuna.encoding.hypergraph import (
    END,
    ON,
    STAY,
    TOP,
    Edges,
    Slice,
    columns,
    decode_all,
    encode,
    shared,
    split,
)
from lacuna.inference.subgraphs import (
    best_subgraphs,
    coverage,
    expectations,
    mention_probabilities,
    taken_columns,
)
from lacuna.models.hypergraph import unfolded
from lacuna.types import FloatArray

GRAPHS = (*shared(3), *split(3), *shared(2))
CASES = [(graph, n) for graph in GRAPHS for n in range(1, 7) if n <= 4 or graph == Slice(3, False)]


def children(graph: Slice, node: int, *, is_last: bool) -> list[int]:
    """Return the non-empty choices of a node."""
    allowed = [c for c in graph.children(node) if c == 4 or not is_last]
    sets = product(*((0, c) for c in allowed))
    return [sum(chosen) for chosen in sets if sum(chosen)]


def can_end(graph: Slice, node: int, words_after: int) -> bool:
    """Whether a path from a node finds an end; only spares the list below what leads nowhere."""
    return node % 2 <= words_after if graph.ends_anywhere else graph.nodes - 1 - node <= words_after


def subgraphs(graph: Slice, length: int) -> Iterator[Edges]:
    """Yield every subgraph, word by word, straight from the definition."""
    nodes = graph.nodes

    def grow(word: int, active: frozenset[int], rows: list[list[int]]) -> Iterator[Edges]:
        if word == length:
            if not active:
                yield np.array(rows, np.uint8).reshape(length, 1 + nodes)
            return
        for start in (0, 1):
            here = active | {0} if start else active
            options = [
                children(graph, m, is_last=word == length - 1) if m in here else [0]
                for m in range(nodes)
            ]
            for choice in product(*options):
                onward = {m for m, c in enumerate(choice) if c & 1}
                onward |= {m + 1 for m, c in enumerate(choice) if c & 2}
                if not all(can_end(graph, m, length - word - 2) for m in onward):
                    continue
                yield from grow(word + 1, frozenset(onward), [*rows, [start, *choice]])

    yield from grow(0, frozenset(), [])


@cache
def listed(graph: Slice, length: int) -> tuple[Edges, FloatArray]:
    """Return all subgraphs, and as rows of 0 and 1 their active columns."""
    every = np.stack(list(subgraphs(graph, length)))
    taken = [(every[:, :, 1 + node] & child) > 0 for node, child in columns(graph)]
    return every, np.stack(taken, axis=2).astype(float)


def random_scores(graph: Slice, length: int, seed: int = 0) -> FloatArray:
    return np.random.default_rng(seed).normal(0, 1.5, (length, len(columns(graph))))


def one(length: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([0, length])


def weights(graph: Slice, scores: FloatArray) -> FloatArray:
    found: FloatArray = np.exp((listed(graph, len(scores))[1] * scores).sum(axis=(1, 2)))
    return found


@pytest.mark.parametrize(("graph", "length"), CASES)
def test_sums_over_every_subgraph_once(graph: Slice, length: int) -> None:
    scores = random_scores(graph, length)
    found = expectations(graph, scores, one(length))
    weight = weights(graph, scores)
    assert found.log_partition[0] == pytest.approx(np.log(weight.sum()))
    expected = np.tensordot(weight / weight.sum(), listed(graph, length)[1], axes=1)
    np.testing.assert_allclose(found.marginals, expected, atol=1e-12)


@pytest.mark.parametrize(("graph", "length"), CASES)
def test_covers_a_token_where_some_subgraph_has_a_part(graph: Slice, length: int) -> None:
    scores = random_scores(graph, length, 1)
    weight = weights(graph, scores)
    in_part = (listed(graph, length)[0][:, :, 1::2] > 0).any(axis=2)
    expected = weight @ in_part / weight.sum()
    np.testing.assert_allclose(coverage(graph, scores, one(length)), expected, atol=1e-12)


@pytest.mark.parametrize(("graph", "length"), CASES)
def test_finds_the_best_of_all_subgraphs(graph: Slice, length: int) -> None:
    every, taken = listed(graph, length)
    for seed in range(20):
        scores = random_scores(graph, length, seed) + 0.5
        best = int((taken * scores).sum(axis=(1, 2)).argmax())
        np.testing.assert_array_equal(best_subgraphs(graph, scores, one(length)), every[best])


@pytest.mark.parametrize(("graph", "length"), CASES)
def test_a_mention_is_as_probable_as_the_subgraphs_that_hold_its_path(
    graph: Slice, length: int
) -> None:
    scores = random_scores(graph, length, 3)
    every, _ = listed(graph, length)
    weight = weights(graph, scores)
    full = np.bitwise_or.reduce(every, axis=0)
    mentions = decode_all(full, cap=10_000).mentions if full.any() else ()
    expected = [
        weight[(every & path == path).all(axis=(1, 2))].sum() / weight.sum()
        for path in (encode([mention], length, graph) for mention in mentions)
    ]
    found = mention_probabilities(graph, scores, mentions)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("graph", "counts"),
    [
        (Slice(3, True), [2, 8, 80, 3_584, 533_504, 371_425_280, 432_614_440_960]),
        (Slice(2, True), [2, 8, 80, 3_584, 266_752]),
        (Slice(1, False), [2, 8, 40, 208, 1_088]),
        (Slice(2, False), [1, 1, 2, 32, 1_088]),
        (Slice(3, False), [1, 1, 1, 1, 2, 128]),
    ],
)
def test_counts_subgraphs_where_all_weigh_the_same(graph: Slice, counts: list[int]) -> None:
    for length, count in enumerate(counts, start=1):
        scores = np.zeros((length, len(columns(graph))))
        found = expectations(graph, scores, one(length)).log_partition[0]
        assert np.exp(found) == pytest.approx(count, rel=1e-9)


@settings(deadline=None, max_examples=30)
@given(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=6), seed=st.integers(0, 99))
def test_sentences_do_not_see_one_another(lengths: list[int], seed: int) -> None:
    graph = GRAPHS[seed % len(GRAPHS)]
    sentences = np.cumsum([0, *lengths])
    scores = random_scores(graph, int(sentences[-1]), seed)
    together = expectations(graph, scores, sentences)
    best = best_subgraphs(graph, scores, sentences)
    for s, (a, b) in enumerate(pairwise(sentences)):
        alone = expectations(graph, scores[a:b], one(b - a))
        assert together.log_partition[s] == alone.log_partition[0]
        np.testing.assert_array_equal(together.marginals[a:b], alone.marginals)
        np.testing.assert_array_equal(best[a:b], best_subgraphs(graph, scores[a:b], one(b - a)))


def test_the_slope_of_log_z_is_the_marginal() -> None:
    graph, length, step = Slice(3, True), 12, 1e-5
    scores = random_scores(graph, length, 5)
    marginals = expectations(graph, scores, one(length)).marginals
    rng = np.random.default_rng(0)
    for _ in range(20):
        place = tuple(rng.integers(scores.shape))
        high, low = scores.copy(), scores.copy()
        high[place] += step
        low[place] -= step
        rise = [expectations(graph, s, one(length)).log_partition[0] for s in (high, low)]
        assert marginals[place] == pytest.approx((rise[0] - rise[1]) / (2 * step), abs=1e-7)


@pytest.mark.parametrize("size", [1e-3, 30.0, 1e4])
def test_takes_scores_of_any_size(size: float) -> None:
    graph = Slice(3, True)
    scores = random_scores(graph, 300, 6) * size
    found = expectations(graph, scores, one(300))
    assert np.isfinite(found.log_partition).all()
    assert ((found.marginals >= 0) & (found.marginals <= 1 + 1e-9)).all()
    assert np.isfinite(coverage(graph, scores, one(300))).all()


def test_marginals_may_take_the_place_of_scores() -> None:
    graph = Slice(2, False)
    scores = random_scores(graph, 7).astype(np.float32)
    expected = expectations(graph, scores, one(7)).marginals
    spoilt = scores.copy()
    assert expectations(graph, spoilt, one(7), spoil=True).marginals is spoilt
    np.testing.assert_array_equal(spoilt, expected)


def test_takes_the_columns_of_the_golden_subgraph() -> None:
    """Three mentions that begin together."""
    graph = Slice(3, True)
    mentions: tuple[Parts, ...] = (((0, 1),), ((0, 1), (2, 4)), ((0, 1), (5, 6)))
    taken = taken_columns(encode(mentions, 6, graph), graph)
    names = columns(graph)
    found = [{names[j] for j in np.flatnonzero(row)} for row in taken]
    start, end, stay, on = (TOP, STAY), END, STAY, ON
    assert found == [
        {start, (0, on), (0, end)},
        {(1, stay), (1, on)},
        {(1, stay), (2, stay)},
        {(1, stay), (2, end)},
        {(1, on)},
        {(2, end)},
    ]


# Unfoldings


@pytest.mark.parametrize(("length", "count"), [(1, 2), (2, 8), (3, 128), (4, 32_768)])
def test_there_are_more_unfoldings_than_subgraphs(length: int, count: int) -> None:
    graph = Slice(3, True)
    scores = np.zeros((length, len(columns(graph))))
    found = unfolded.expectations(graph, scores, one(length)).log_partition[0]
    assert np.exp(found) == pytest.approx(count)


def unfoldings(graph: Slice, scores: FloatArray) -> list[tuple[float, list[tuple[int, int, int]]]]:
    """Return score and (word, node, children) list of every forest, children by children."""
    length = len(scores)
    number = {pair: j for j, pair in enumerate(columns(graph))}

    def trees(word: int, node: int) -> list[tuple[float, list[tuple[int, int, int]]]]:
        found = []
        for chosen in children(graph, node, is_last=word == length - 1):
            partial = [(0.0, [(word, node, chosen)])]
            for bit in (1, 2, 4):
                if chosen & bit:
                    below = [(0.0, [])] if bit == 4 else trees(word + 1, node + bit - 1)
                    score = scores[word, number[node, bit]]
                    partial = [(a + b + score, x + y) for a, x in partial for b, y in below]
            found += partial
        return found

    forests: list[tuple[float, list[tuple[int, int, int]]]] = [(0.0, [])]
    for word in range(length):
        starts = [(s + scores[word, 0], [(word, -1, 1), *x]) for s, x in trees(word, 0)]
        forests = [(a + b, x + y) for a, x in forests for b, y in [(0.0, []), *starts]]
    return forests


@pytest.mark.parametrize("graph", [Slice(2, True), Slice(2, False), Slice(3, True)])
def test_unfolded_inference_sums_over_unfoldings(graph: Slice) -> None:
    length = 3
    scores = random_scores(graph, length, 2)
    every = unfoldings(graph, scores)
    weight = np.exp([score for score, _ in every])
    found = unfolded.expectations(graph, scores, one(length))
    assert found.log_partition[0] == pytest.approx(np.log(weight.sum()))
    counts = np.zeros(scores.shape)
    inside = np.zeros(length)
    for w, (_, uses) in zip(weight / weight.sum(), every, strict=True):
        for word, node, chosen in uses:
            for column, (parent, child) in enumerate(columns(graph)):
                counts[word, column] += w * (parent == node and chosen & child > 0)
        for word in {word for word, node, _ in uses if node >= 0 and node % 2 == 0}:
            inside[word] += w
    np.testing.assert_allclose(found.marginals, counts, atol=1e-12)
    np.testing.assert_allclose(unfolded.coverage(graph, scores, one(length)), inside, atol=1e-12)


@pytest.mark.parametrize("graph", [Slice(2, True), Slice(2, False), Slice(3, True)])
def test_the_best_unfolding_is_found(graph: Slice) -> None:
    for seed in range(10):
        scores = random_scores(graph, 3, seed)
        best = max(unfoldings(graph, scores), key=lambda item: item[0])[1]
        edges = np.zeros((3, 1 + graph.nodes), np.uint8)
        for word, node, chosen in best:
            edges[word, 1 + node] |= chosen
        np.testing.assert_array_equal(unfolded.best_subgraphs(graph, scores, one(3)), edges)


def test_a_path_in_an_unfolding_is_as_probable_as_its_choices() -> None:
    """One word, one part: a mention is there with the odds of T, and the choice to end is sure."""
    graph = Slice(1, False)
    scores = random_scores(graph, 1)
    exact = mention_probabilities(graph, scores, [((0, 1),)])
    np.testing.assert_allclose(unfolded.mention_probabilities(graph, scores, [((0, 1),)]), exact)
    # without shared nodes unfoldings are subgraphs: two words, mention [0, 2) against [0, 1)
    graph, scores = Slice(2, True), random_scores(Slice(2, True), 3, 4)
    every = unfoldings(graph, scores)
    weight = np.exp([score for score, _ in every])
    mention = ((0, 1), (2, 3))
    path = {(0, -1): 1, (0, 0): 2, (1, 1): 2, (2, 2): 4}
    holds = [
        all(any(u[:2] == key and u[2] & bit for u in uses) for key, bit in path.items())
        for _, uses in every
    ]
    expected = weight[np.array(holds)].sum() / weight.sum()
    found = unfolded.mention_probabilities(graph, scores, [mention])
    np.testing.assert_allclose(found, [expected])
