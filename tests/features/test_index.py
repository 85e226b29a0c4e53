"""The table of known keys against a dict."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.features.index import KnownKeys, may_be_known

# keys that differ in their upper halves, as hashes do, but meet in the same slots
few_keys = st.sampled_from([(i << 32) | low for i, low in enumerate([1, 1, 1, 3, 15, 15, 17] * 4)])


@given(st.lists(few_keys, unique=True), st.lists(few_keys))
def test_rows_are_the_order_of_the_keys(known: list[int], asked: list[int]) -> None:
    row = {key: r for r, key in enumerate(known)}
    found = KnownKeys.of(np.array(known, np.uint64)).lookup(np.array(asked, np.uint64))
    assert found.tolist() == [row.get(key, -1) for key in asked]


def test_many_keys_and_a_table_of_any_shape() -> None:
    keys = np.random.default_rng(0).integers(1, 2**63, 5000).astype(np.uint64)
    known = KnownKeys.of(keys[:3000])
    found = known.lookup(keys.reshape(50, 100))
    assert found.shape == (50, 100)
    assert found.reshape(-1).tolist() == [*range(3000), *[-1] * 2000]


@given(st.lists(few_keys, min_size=1, unique=True), st.data())
def test_a_key_that_occurs_twice_is_refused(known: list[int], data: st.DataObject) -> None:
    twice = [*known, data.draw(st.sampled_from(known))]
    with pytest.raises(ValueError, match="twice"):
        KnownKeys.of(np.array(twice, np.uint64))


def test_keys_chosen_to_share_a_slot_are_refused_soon() -> None:
    """Filling such a table takes quadratic time: 20 s for these keys, an hour for 16 MB of them."""
    with pytest.raises(ValueError, match="share a slot"):
        KnownKeys.of(np.arange(80_000, dtype=np.uint64) << np.uint64(40))


def test_the_sieve_lets_all_known_keys_pass_and_few_others() -> None:
    keys = np.random.default_rng(1).integers(1, 2**63, 40_000).astype(np.uint64)
    sieve = KnownKeys.of(keys[:4000]).sieve
    maybe = np.empty(len(keys) + 1, np.int64)
    passed = maybe[: may_be_known(keys, len(keys), sieve, maybe)]
    assert set(range(4000)) <= set(passed.tolist())
    assert len(passed) < 4000 + 36_000 / 10
