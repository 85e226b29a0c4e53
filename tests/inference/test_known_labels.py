"""Sums over labellings that agree with known labels: enumeration, order, the two borders."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.inference.batch import pack_by_time
from lacuna.inference.chain import Chain, expectations, first_order
from lacuna.inference.known_labels import agreeing, known_first, packed_surplus, sums_given
from lacuna.types import FloatArray, IntArray
from tests.reference import enumerate_paths, probabilities

OFFSETS = np.array([0, 3, 4, 6])
SEEDS = st.integers(0, 10_000)


def random_chain(rng: np.random.Generator, size: int, *, order: int) -> Chain:
    """Draw a chain in which label 0 may always follow; other moves may be forbidden."""
    moves = rng.normal(size=(1 if order == 1 else size + 1, size, size))
    moves[:, :, 1:][rng.random(moves[:, :, 1:].shape) < 0.2] = -np.inf
    return Chain(moves, rng.normal(size=size), rng.normal(size=(len(moves), size)))


def agreeing_paths(
    chain: Chain, emission: FloatArray, labels: IntArray, owner: IntArray
) -> dict[tuple[int, ...], float]:
    return {
        path: weight
        for path, weight in enumerate_paths(chain, emission).items()
        if all(label in (-1, owner[state]) for state, label in zip(path, labels, strict=True))
    }


@settings(max_examples=30)
@given(SEEDS, st.sampled_from([1, 2]), st.booleans())
def test_sums_by_enumeration(seed: int, order: int, split: bool) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, 4, order=order)
    owner = np.array([0, 0, 1, 2] if split else [0, 1, 2, 3], np.int32)
    emission = rng.normal(size=(6, 4))
    labels = rng.integers(-1, owner[-1] + 1, 6).astype(np.int32)
    every = agreeing_paths(chain, emission[:3], labels[:3], owner)
    if any(
        max(agreeing_paths(chain, emission[a:b], labels[a:b], owner).values()) == -np.inf
        for a, b in ((0, 3), (3, 4), (4, 6))
    ):
        return
    found = sums_given(chain, emission, labels, OFFSETS, owner)
    p = probabilities(every)
    np.testing.assert_allclose(
        found.log_partition[0], np.logaddexp.reduce(list(every.values())), rtol=1e-9
    )
    for t in range(3):
        for w in range(4):
            expected = sum(share for path, share in p.items() if path[t] == w)
            np.testing.assert_allclose(found.marginals[t, w], expected, atol=1e-9)
    used = np.zeros_like(chain.transition)
    for a, b in ((0, 3), (3, 4), (4, 6)):
        own = probabilities(agreeing_paths(chain, emission[a:b], labels[a:b], owner))
        for path, share in own.items():
            for t in range(1, len(path)):
                h = 0 if order == 1 else 4 if t == 1 else path[t - 2]
                used[h, path[t - 1], path[t]] += share
    np.testing.assert_allclose(found.transition, used, atol=1e-9)


@given(SEEDS)
def test_the_surplus_is_minus_log_p_of_the_known_labels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = first_order(rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3))
    emission = rng.normal(size=(6, 3))
    labels = rng.integers(-1, 3, 6).astype(np.int32)
    pack = pack_by_time(OFFSETS)
    found = packed_surplus(chain, emission[pack.rows], pack, labels[pack.rows])
    for place, s in enumerate(pack.sequences):
        a, b = OFFSETS[s], OFFSETS[s + 1]
        every = probabilities(enumerate_paths(chain, emission[a:b]))
        agree = agreeing_paths(chain, emission[a:b], labels[a:b], np.arange(3, dtype=np.int32))
        expected = -np.log(sum(every[path] for path in agree))
        np.testing.assert_allclose(found.log_partition[place], expected, rtol=1e-9, atol=1e-12)


def test_nothing_known_changes_nothing_and_all_known_is_one_labelling() -> None:
    rng = np.random.default_rng(1)
    chain = first_order(rng.normal(size=(3, 3)))
    emission, pack = rng.normal(size=(6, 3)), pack_by_time(OFFSETS)
    none = packed_surplus(chain, emission[pack.rows], pack, np.full(6, -1, np.int32))
    for part in none:
        np.testing.assert_array_equal(part, np.zeros_like(part))
    labels = np.array([0, 2, 1, 1, 2, 0], np.int32)
    given = sums_given(chain, emission, labels, OFFSETS, np.arange(3, dtype=np.int32))
    np.testing.assert_allclose(given.marginals, np.eye(3)[labels], atol=1e-12)
    every = expectations(chain, emission, OFFSETS)
    np.testing.assert_allclose(every.marginals.sum(axis=1), 1)


def test_whole_sequences_come_first_and_unknown_ones_are_left_out() -> None:
    labels = np.array([0, -1, 2, -1, -1, 1, 1, 0, -1, 3], np.int32)
    found = known_first(labels, np.array([0, 3, 5, 7, 8, 10]))
    assert found.rows.tolist() == [5, 6, 7, 0, 1, 2, 8, 9]
    assert found.offsets.tolist() == [0, 2, 3, 6, 8]
    assert (found.whole, found.whole_rows) == (2, 3)
    whole, others = found.parts()
    assert (whole.tolist(), others.tolist()) == ([0, 2, 3], [3, 6, 8])


def test_raw_sequences_come_last() -> None:
    labels = np.array([0, -1, 2, -1, -1, 1, 1, 0, -1, 3], np.int32)
    found = known_first(labels, np.array([0, 3, 5, 5, 7, 8, 10]), raw=True)
    assert found.rows.tolist() == [5, 6, 7, 0, 1, 2, 8, 9, 3, 4]
    assert (found.whole, found.partly) == (3, 2)
    assert [part.tolist() for part in found.parts()] == [[0, 0, 2, 3], [3, 6, 8]]
    assert found.raw().tolist() == [8, 10]
    assert known_first(labels, np.array([0, 3, 5, 5, 7, 8, 10])).raw().tolist() == [8]


def test_sequences_without_unknown_labels_stay_where_they_are() -> None:
    offsets = np.array([0, 2, 3])
    found = known_first(np.array([1, 0, 1], np.int32), offsets)
    assert found.rows.tolist() == [0, 1, 2]
    assert found.offsets is offsets
    assert found.whole == 2


def test_states_agree_with_the_label_they_stand_for() -> None:
    allowed = agreeing(np.array([1, -1], np.int32), np.array([0, 1, 1], np.int32))
    assert allowed.tolist() == [[False, True, True], [True, True, True]]
