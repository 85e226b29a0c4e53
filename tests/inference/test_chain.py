"""Chains of both orders against the enumeration of all labellings."""

from __future__ import annotations

from itertools import pairwise as neighbours
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lacuna import InferenceError
from lacuna.inference import chain as engine
from lacuna.inference.chain import Chain
from lacuna.inference.stretches import Stretch, stretch_probabilities
from lacuna.types import FloatArray, RealArray
from tests.reference import enumerate_paths, path_score, probabilities

# Multiples of 1/4 with -inf among them: ties and dead ends are common, sums are exact.
log_weights = st.one_of(
    st.integers(-20, 20).map(lambda n: n / 4),
    st.integers(-20, 20).map(lambda n: n / 4),
    st.just(-np.inf),
)


class Problem(NamedTuple):
    chain: Chain
    emission: FloatArray


def log_array(*shape: int) -> st.SearchStrategy[FloatArray]:
    return arrays(np.float64, shape, elements=log_weights)


@st.composite
def problems(draw: st.DrawFn, max_steps: int = 4, max_labels: int = 3) -> Problem:
    steps, labels = draw(st.integers(0, max_steps)), draw(st.integers(1, max_labels))
    histories = draw(st.sampled_from([1, labels + 1]))
    chain = Chain(
        draw(log_array(histories, labels, labels)),
        draw(log_array(labels)),
        draw(log_array(histories, labels)),
    )
    return Problem(chain, draw(log_array(steps, labels)))


def total_of(scores: dict[tuple[int, ...], float]) -> float:
    return float(np.logaddexp.reduce(list(scores.values())))


@given(problems())
def test_best_path_attains_the_enumerated_maximum(problem: Problem) -> None:
    best = max(enumerate_paths(*problem).values())
    if best == -np.inf:
        with pytest.raises(InferenceError, match="no labelling"):
            engine.best_path(*problem)
        return
    found = engine.best_path(*problem)
    assert found.score == pytest.approx(best, rel=1e-12)
    assert path_score(*problem, tuple(found.labels.tolist())) == pytest.approx(best, rel=1e-12)


@given(problems())
def test_log_partition_and_marginals(problem: Problem) -> None:
    scores = enumerate_paths(*problem)
    if total_of(scores) == -np.inf:
        with pytest.raises(InferenceError, match="no labelling"):
            engine.posterior(*problem)
        return
    found = engine.posterior(*problem)
    expected = np.zeros_like(problem.emission)
    for path, probability in probabilities(scores).items():
        expected[np.arange(len(path)), list(path)] += probability
    assert found.log_partition == pytest.approx(total_of(scores), rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(found.marginals, expected, rtol=1e-10, atol=1e-12)


@given(problems())
def test_pairwise_marginals(problem: Problem) -> None:
    scores = enumerate_paths(*problem)
    assume(total_of(scores) > -np.inf)
    size = problem.chain.labels
    expected = np.zeros((max(len(problem.emission) - 1, 0), size, size))
    for path, probability in probabilities(scores).items():
        for t in range(len(path) - 1):
            expected[t, path[t], path[t + 1]] += probability
    found = engine.pairwise(*problem)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@given(st.lists(problems(), min_size=1, max_size=3), st.sampled_from([1, 2]))
def test_expectations_of_a_batch_are_sums_over_its_sequences(
    parts: list[Problem], threads: int
) -> None:
    chain = parts[0].chain
    rows = [part.emission for part in parts if part.emission.shape[1] == chain.labels]
    counts = [np.zeros_like(part) for part in chain]
    for emission in rows:
        scores = enumerate_paths(chain, emission)
        assume(total_of(scores) > -np.inf)
        for path, probability in probabilities(scores).items():
            add_counts(counts, chain, path, probability)
    offsets = np.cumsum([0] + [len(emission) for emission in rows])
    found = engine.expectations(chain, np.concatenate(rows), offsets, threads=threads)
    for name, expected in zip(("transition", "start", "stop"), counts, strict=True):
        np.testing.assert_allclose(getattr(found, name), expected, rtol=1e-10, atol=1e-12)


@given(
    st.lists(problems(max_steps=5), min_size=1, max_size=4),
    st.sampled_from([(np.float64, 1e-10), (np.float32, 1e-5)]),
    st.data(),
)
def test_probabilities_of_labels_by_enumeration(
    parts: list[Problem], precision: tuple[type, float], data: st.DataObject
) -> None:
    chain, (dtype, tolerance) = parts[0].chain, precision
    rows = [part.emission for part in parts if part.emission.shape[1] == chain.labels]
    asked = data.draw(arrays(np.bool_, chain.labels))
    expected, same = [np.zeros(0)], []
    for emission in rows:
        scores = enumerate_paths(chain, emission)
        assume(total_of(scores) > -np.inf)
        among = np.zeros(len(emission))
        for path, probability in probabilities(scores).items():
            among += probability * asked[list(path)]
        expected.append(among)
        same.append(probabilities(scores)[(0,) * len(emission)])
    offsets = np.cumsum([0] + [len(emission) for emission in rows])
    scored: RealArray = np.concatenate(rows).astype(dtype)
    found = engine.label_probabilities(chain, scored, offsets, asked)
    np.testing.assert_allclose(found.asked, np.concatenate(expected), rtol=0, atol=tolerance)
    for settled, true, length in zip(found.settled, same, np.diff(offsets), strict=True):
        # a second-order chain, an empty sequence, or weights far apart: not computed
        assert settled == pytest.approx(true, abs=tolerance) or settled == 0.0
        assert settled > 0.0 or true < 1e-9 or len(chain.transition) > 1 or length == 0


def tags(labels: int, rng: np.random.Generator) -> Chain:
    """A chain as of BIO tags: the first label and the odd ones follow all, the even ones two."""
    table = rng.normal(size=(labels, labels))
    for w in range(2, labels, 2):
        table[[v for v in range(labels) if v not in (w - 1, w)], w] = -np.inf
    start = np.where((np.arange(labels) % 2 == 1) | (np.arange(labels) == 0), 0.0, -np.inf)
    return engine.first_order(table, start)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("labels", [1, 6, 7, 21, 151])
def test_sequences_side_by_side_are_as_alone(dtype: type, labels: int) -> None:
    rng = np.random.default_rng(labels)
    chain, asked = tags(labels, rng), np.arange(labels) > 0
    lengths = np.append(rng.integers(0, 12, 150), [300, 33])
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    scores: RealArray = (3 * rng.normal(size=(offsets[-1], labels))).astype(dtype)
    together = engine.label_probabilities(chain, scores, offsets, asked)
    paths, weights = engine.best_paths(chain, scores, offsets)
    exact = engine.expectations(chain, scores, offsets).marginals
    np.testing.assert_allclose(together.asked, exact[:, asked].sum(axis=1), atol=1e-5)
    for s, (first, last) in enumerate(neighbours(offsets)):
        own = np.array([0, last - first])
        alone = engine.label_probabilities(chain, scores[first:last], own, asked)
        np.testing.assert_array_equal(alone.asked, together.asked[first:last])
        assert alone.settled[0] == pytest.approx(together.settled[s], rel=1e-9)
        path, weight = engine.best_paths(chain, scores[first:last], own)
        np.testing.assert_array_equal(path, paths[first:last])
        assert weight[0] == weights[s]


def test_settled_sequences_are_left_out() -> None:
    rng = np.random.default_rng(3)
    chain, offsets = tags(5, rng), np.array([0, 4, 9, 12])
    scores = rng.normal(size=(12, 5))
    scores[:, 1] += 5.0
    scores[4:9, 0] += 20.0  # the first label alone is best
    found = engine.label_probabilities(chain, scores, offsets, np.arange(5) > 0)
    settled = found.settled > 0.5
    assert settled.tolist() == [False, True, False]
    paths, _ = engine.best_paths(chain, scores, offsets, settled=settled)
    np.testing.assert_array_equal(paths, engine.best_paths(chain, scores, offsets)[0])


def test_how_likely_the_first_label_alone_is() -> None:
    rng = np.random.default_rng(4)
    moves = tags(5, rng)
    chain = Chain(moves.transition, moves.start, rng.normal(size=(1, 5)))
    scores, offsets = rng.normal(size=(9, 5)), np.array([0, 1, 4, 9])
    settled = engine.label_probabilities(chain, scores, offsets, np.arange(5) > 0).settled
    for s, (first, last) in enumerate(neighbours(offsets)):
        alone = path_score(chain, scores[first:last], (0,) * int(last - first))
        total = engine.log_partition(chain, scores[first:last])
        assert settled[s] == pytest.approx(np.exp(alone - total), rel=1e-9)


def add_counts(
    counts: list[FloatArray], chain: Chain, path: tuple[int, ...], probability: float
) -> None:
    """Add how often a labelling uses each weight of the chain."""
    if not path:
        return
    transition, start, stop = counts
    history = len(chain.transition) - 1
    start[path[0]] += probability
    for t in range(1, len(path)):
        transition[history, path[t - 1], path[t]] += probability
        history = path[t - 1] if len(chain.transition) > 1 else 0
    stop[history, path[-1]] += probability


@given(problems(), st.integers(1, 12))
def test_k_best(problem: Problem, count: int) -> None:
    possible = sorted(
        (score for score in enumerate_paths(*problem).values() if score > -np.inf), reverse=True
    )
    assume(possible)
    found = engine.k_best(*problem, count)
    assert [path.score for path in found] == pytest.approx(possible[:count], rel=1e-12)
    labellings = [tuple(path.labels.tolist()) for path in found]
    assert len(set(labellings)) == len(labellings)
    for path in found:
        score = path_score(*problem, tuple(path.labels.tolist()))
        assert score == pytest.approx(path.score, rel=1e-12)


@given(problems(), st.data())
def test_probability_of_a_stretch_with_given_labels(problem: Problem, data: st.DataObject) -> None:
    scores = enumerate_paths(*problem)
    steps, size = len(problem.emission), problem.chain.labels
    assume(steps > 0 and total_of(scores) > -np.inf)
    begin = data.draw(st.integers(0, steps - 1))
    length = data.draw(st.integers(1, steps - begin))
    labels = data.draw(st.lists(st.integers(0, size - 1), min_size=length, max_size=length))
    not_next = data.draw(st.integers(-1, size - 1))
    expected = sum(
        probability
        for path, probability in probabilities(scores).items()
        if list(path[begin : begin + length]) == labels
        and (begin + length == steps or path[begin + length] != not_next)
    )
    stretch = Stretch.of_path(begin, labels, size, not_next=not_next)
    found = stretch_probabilities(*problem, [stretch])
    assert found[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@settings(max_examples=20)
@given(problems(max_steps=3, max_labels=2))
def test_samples_follow_the_distribution(problem: Problem) -> None:
    scores = enumerate_paths(*problem)
    assume(total_of(scores) > -np.inf)
    draws = 20_000
    paths = engine.sample(*problem, draws, np.random.default_rng(0))
    drawn, counts = np.unique(paths, axis=0, return_counts=True)
    share = {tuple(row): n / draws for row, n in zip(drawn.tolist(), counts, strict=True)}
    if not len(problem.emission):
        share = {(): 1.0}
    for path, probability in probabilities(scores).items():
        # five standard deviations
        margin = 5 * np.sqrt(probability * (1 - probability) / draws)
        assert abs(share.get(path, 0.0) - probability) <= margin + 1e-12
        assert probability > 0 or path not in share


@given(problems(), st.data())
def test_constrained_decoding_is_the_best_allowed_path(
    problem: Problem, data: st.DataObject
) -> None:
    allowed = data.draw(arrays(np.bool_, problem.emission.shape))
    rivals = [
        score
        for path, score in enumerate_paths(*problem).items()
        if all(allowed[t, label] for t, label in enumerate(path))
    ]
    assume(rivals and max(rivals) > -np.inf)
    found = engine.best_path(problem.chain, engine.constrain(problem.emission, allowed))
    assert found.score == pytest.approx(max(rivals), rel=1e-12)


@given(problems())
def test_inputs_stay_as_they_are(problem: Problem) -> None:
    parts = [*problem.chain, problem.emission]
    before = [part.copy() for part in parts]
    assume(max(enumerate_paths(*problem).values()) > -np.inf)
    engine.posterior(*problem)
    engine.k_best(*problem, 2)
    engine.best_path(*problem)
    engine.sample(*problem, 2, np.random.default_rng(0))
    assert all(np.array_equal(a, b) for a, b in zip(before, parts, strict=True))


@pytest.mark.parametrize("histories", [1, 4])
def test_all_zero_scores_count_the_labellings(histories: int) -> None:
    chain = Chain(np.zeros((histories, 3, 3)), np.zeros(3), np.zeros((histories, 3)))
    assert engine.log_partition(chain, np.zeros((7, 3))) == pytest.approx(7 * np.log(3))


def random_chain(
    rng: np.random.Generator, labels: int, *, second_order: bool, size: float = 1.0
) -> Chain:
    histories = labels + 1 if second_order else 1
    return Chain(
        rng.normal(size=(histories, labels, labels)) * size,
        rng.normal(size=labels) * size,
        rng.normal(size=(histories, labels)) * size,
    )


def test_a_second_order_chain_without_second_order_weights_is_a_first_order_chain() -> None:
    rng = np.random.default_rng(0)
    small = random_chain(rng, 4, second_order=False)
    large = Chain(
        np.repeat(small.transition, 5, axis=0), small.start, np.repeat(small.stop, 5, axis=0)
    )
    emission = rng.normal(size=(30, 4))
    a, b = engine.posterior(small, emission), engine.posterior(large, emission)
    assert a.log_partition == pytest.approx(b.log_partition)
    np.testing.assert_allclose(a.marginals, b.marginals, rtol=1e-9)


@pytest.mark.parametrize("second_order", [False, True])
def test_long_sequences_of_large_scores_stay_finite(second_order: bool) -> None:
    rng = np.random.default_rng(0)
    chain = random_chain(rng, 3, second_order=second_order, size=100)
    emission = rng.normal(size=(20_000, 3)) * 100
    found = engine.posterior(chain, emission)
    assert np.isfinite(found.log_partition)
    np.testing.assert_allclose(found.marginals.sum(axis=1), 1, rtol=1e-9)
    assert found.log_partition >= engine.best_path(chain, emission).score


def test_log_space_takes_over_where_scaling_underflows() -> None:
    # The label that the emissions favour by e^2000 cannot be left; only the other path goes on.
    chain = engine.first_order([[-np.inf, -np.inf], [0.0, 0.0]])
    emission = np.array([[2000.0, 0.0], [0.0, 0.0]])
    found = engine.posterior(chain, emission)
    assert found.log_partition == pytest.approx(np.log(2))
    np.testing.assert_allclose(found.marginals, np.array([[0, 1], [0.5, 0.5]]))
    both = engine.expectations(chain, np.tile(emission, (2, 1)), [0, 2, 4])
    asked = engine.label_probabilities(chain, np.tile(emission, (2, 1)), [0, 2, 4], [False, True])
    np.testing.assert_allclose(asked.asked, both.marginals[:, 1])
    np.testing.assert_allclose(both.transition[0], np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert stretch_probabilities(chain, emission, [Stretch.of_path(0, [1, 1], 2)])[0] == 0.5


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    chain = random_chain(rng, 5, second_order=False)
    emission = rng.normal(size=(50_000, 5))
    offsets = np.arange(0, 50_001, 25)
    one, two = (engine.expectations(chain, emission, offsets, threads=n) for n in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a, b)


def test_dead_ends_are_named() -> None:
    stuck = engine.first_order([[-np.inf]])
    with pytest.raises(InferenceError, match="none reaches step 1"):
        engine.best_path(stuck, np.zeros((3, 1)))
    endless = engine.first_order([[0.0]], stop=[-np.inf])
    with pytest.raises(InferenceError, match="none reaches the end"):
        engine.posterior(endless, np.zeros((3, 1)))


@pytest.mark.parametrize(
    ("transition", "emission"),
    [
        (np.zeros((2, 3)), np.zeros((1, 2))),
        (np.zeros((2, 2)), np.zeros((1, 3))),
        (np.zeros((2, 2)), np.zeros(2)),
        (np.full((2, 2), np.nan), np.zeros((1, 2))),
        (np.zeros((2, 2)), np.full((1, 2), np.inf)),
    ],
)
def test_wrong_shapes_and_numbers_are_refused(
    transition: npt.NDArray[np.float64], emission: npt.NDArray[np.float64]
) -> None:
    with pytest.raises(ValueError, match=r"fit|shape|finite"):
        engine.best_path(engine.first_order(transition), emission)


@pytest.mark.parametrize("offsets", [[], [1, 3], [0, 2], [0, 3, 2, 3]])
def test_wrong_offsets_are_refused(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="offsets"):
        engine.best_paths(engine.first_order([[0.0]]), np.zeros((3, 1)), offsets)


@settings(max_examples=60)
@given(
    st.integers(2, 7),
    st.integers(1, 9),
    st.floats(0, 0.6),
    st.floats(0, 0.3),
    st.integers(0, 2**32 - 1),
)
def test_second_order_best_path_with_many_labels(
    labels: int, steps: int, closed: float, forbidden: float, seed: int
) -> None:
    """Against the k-best search, which passes nothing over."""
    rng = np.random.default_rng(seed)

    def weights(*shape: int, share: float) -> FloatArray:
        values = rng.normal(scale=3.0, size=shape)
        return np.where(rng.random(shape) < share, -np.inf, values)

    chain = Chain(
        weights(labels + 1, labels, labels, share=forbidden),
        weights(labels, share=forbidden),
        weights(labels + 1, labels, share=forbidden),
    )
    emission = weights(steps, labels, share=closed)
    try:
        expected = engine.k_best(chain, emission, 1)[0]
    except InferenceError:
        with pytest.raises(InferenceError, match="no labelling"):
            engine.best_path(chain, emission)
        return
    found = engine.best_path(chain, emission)
    assert found.score == pytest.approx(expected.score, rel=1e-12)
    assert path_score(chain, emission, tuple(found.labels.tolist())) == pytest.approx(
        expected.score, rel=1e-12
    )
