"""Tags of chains with several states per tag, against enumeration of all paths."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.errors import InferenceError
from lacuna.inference.chain import Chain, first_order
from lacuna.inference.subtags import direct_tags, exhaustive_tags, projected_lists, projected_tags
from lacuna.types import FloatArray, LongArray
from tests.reference import enumerate_paths, probabilities

BORDERS = np.array([0, 2, 3, 5])
TAG_OF = (0, 0, 1, 2, 2)
seeds = st.integers(0, 100_000)


def problem(seed: int, steps: int, spread: float = 1.5) -> tuple[Chain, FloatArray]:
    rng = np.random.default_rng(seed)
    chain = first_order(
        *(spread * rng.normal(size=shape) for shape in ((5, 5), 5, 5)),
    )
    return chain, spread * rng.normal(size=(steps, 5))


def tag_weights(chain: Chain, rows: FloatArray) -> dict[tuple[int, ...], float]:
    """Return p(tag sequence), states summed out."""
    found: dict[tuple[int, ...], float] = {}
    for path, p in probabilities(enumerate_paths(chain, rows)).items():
        tags = tuple(TAG_OF[state] for state in path)
        found[tags] = found.get(tags, 0.0) + p
    return found


def best_projected(weights: dict[tuple[int, ...], float], steps: int) -> tuple[int, ...]:
    """Return the tags of the greatest p̂, by trying all."""
    found = all_projected(weights, steps)
    return max(found, key=found.__getitem__)


def all_projected(
    weights: dict[tuple[int, ...], float], steps: int
) -> dict[tuple[int, ...], float]:
    """Return p̂ = Π p(s_n, s_{n+1}) / Π p(s_n) of all tag sequences."""
    tags, pairs = np.zeros((steps, 3)), np.zeros((steps, 3, 3))
    for path, p in weights.items():
        for n, s in enumerate(path):
            tags[n, s] += p
            if n:
                pairs[n, path[n - 1], s] += p

    def score(path: tuple[int, ...]) -> float:
        onward = (
            pairs[n, path[n - 1], path[n]] / tags[n - 1, path[n - 1]] for n in range(1, steps)
        )
        return float(tags[0, path[0]] * np.prod(list(onward)))

    return {path: score(path) for path in product(range(3), repeat=steps)}


@settings(max_examples=30, deadline=None)
@given(seeds, st.lists(st.integers(0, 4), min_size=1, max_size=3), st.integers(1, 100))
def test_lists_have_the_best_tags_of_the_projection_in_order(
    seed: int, lengths: list[int], count: int
) -> None:
    chain, rows = problem(seed, sum(lengths))
    offsets: LongArray = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    lists = projected_lists(chain, rows, offsets, BORDERS, count)
    for (first, last), found in zip(pairwise(offsets.tolist()), lists, strict=True):
        if last == first:
            assert found.paths.shape == (1, 0)
            continue
        expected = all_projected(tag_weights(chain, rows[first:last]), last - first)
        best = sorted(expected.values(), reverse=True)[:count]
        np.testing.assert_allclose(np.exp(found.log_p), best, atol=1e-9)
        each = [expected[tuple(path)] for path in found.paths.tolist()]
        np.testing.assert_allclose(each, best, atol=1e-9)
        assert len({tuple(path) for path in found.paths.tolist()}) == len(best)


@settings(max_examples=40, deadline=None)
@given(seeds, st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_projection_has_the_posterior_of_tags_and_its_best_path(
    seed: int, lengths: list[int]
) -> None:
    chain, rows = problem(seed, sum(lengths))
    offsets: LongArray = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    found = projected_tags(chain, rows, offsets, BORDERS)
    for first, last in pairwise(offsets):
        if last == first:
            continue
        weights = tag_weights(chain, rows[first:last])
        expected = np.zeros((last - first, 3))
        for path, p in weights.items():
            expected[np.arange(last - first), path] += p
        np.testing.assert_allclose(found.tags[first:last], expected, atol=1e-9)
        assert tuple(found.path[first:last]) == best_projected(weights, last - first)


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(1, 4))
def test_exhaustive_search_finds_the_best_tags(seed: int, steps: int) -> None:
    chain, rows = problem(seed, steps)
    weights = tag_weights(chain, rows)
    assert tuple(exhaustive_tags(chain, rows, BORDERS)) == max(weights, key=weights.__getitem__)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_direct_search_is_exact_for_two_steps_and_one_state_per_tag(seed: int) -> None:
    """Then no prefix that was given up could have won."""
    rng = np.random.default_rng(seed)
    chain = first_order(*(rng.normal(size=shape) for shape in ((3, 3), 3, 3)))
    rows, borders = rng.normal(size=(5, 3)), np.arange(4)
    paths = probabilities(enumerate_paths(chain, rows))
    assert tuple(direct_tags(chain, rows, borders)) == max(paths, key=paths.__getitem__)  # type: ignore[arg-type]


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 4))
def test_direct_search_follows_its_recursion(seed: int, steps: int) -> None:
    chain, rows = problem(seed, steps)
    weight, moves = np.exp(rows), np.exp(chain.transition[0])
    own = [slice(a, b) for a, b in pairwise(BORDERS)]
    start = np.exp(chain.start) * weight[0]
    kept: list[tuple[tuple[int, ...], FloatArray]] = [
        ((s,), _only(start, own[s])) for s in range(3)
    ]
    for n in range(1, steps):
        options = [
            [((*path, q), _only((vector @ moves) * weight[n], own[q])) for path, vector in kept]
            for q in range(3)
        ]
        kept = [max(choice, key=lambda item: item[1].sum()) for choice in options]
    best = max(kept, key=lambda item: item[1] @ np.exp(chain.stop[0]))[0]
    assert tuple(direct_tags(chain, rows, BORDERS)) == best  # type: ignore[arg-type]


def _only(vector: FloatArray, own: slice) -> FloatArray:
    kept = np.zeros_like(vector)
    kept[own] = vector[own]
    return kept


def test_weights_too_far_apart_are_summed_in_log_space() -> None:
    chain, rows = problem(3, 4)
    far = rows.copy()
    far[:, 0] += 2000.0
    blocked = chain._replace(transition=chain.transition.copy())
    blocked.transition[0, :, 0] = -np.inf
    blocked.transition[0, 0] = -1500.0
    offsets = np.array([0, 4])
    found = projected_tags(blocked, far, offsets, BORDERS)
    np.testing.assert_allclose(found.tags.sum(axis=1), 1.0)


def test_too_many_tag_sequences_are_refused() -> None:
    chain, rows = problem(1, 40)
    with pytest.raises(InferenceError, match="another decoder"):
        exhaustive_tags(chain, rows, BORDERS)


def test_an_impossible_sequence_is_an_error() -> None:
    chain, rows = problem(1, 3)
    with pytest.raises(InferenceError):
        exhaustive_tags(chain._replace(stop=np.full((1, 5), -np.inf)), rows, BORDERS)


def test_nothing_has_no_tags() -> None:
    chain, rows = problem(1, 0)
    assert len(projected_tags(chain, rows, np.array([0, 0]), BORDERS).path) == 0
    assert len(exhaustive_tags(chain, rows, BORDERS)) == 0
