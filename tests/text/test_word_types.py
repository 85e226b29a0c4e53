"""Hashes against the formula in plain integers; tables against a dict."""

from __future__ import annotations

import itertools
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.text.characters import code_points
from lacuna.text.tokens import tokenize
from lacuna.text.word_types import GrowingTypes, WordTypes, hash_words, number_types, word_hashes
from lacuna.types import HashArray

few_hashes = st.lists(
    # few values, some of which share their low bits and so meet in the table
    st.sampled_from([*range(6), *range(16, 20), 2**63, 2**63 + 16, 2**64 - 1]),
    max_size=60,
).map(lambda values: np.array(values, np.uint64))


def reference_hash(word: str) -> int:
    golden, mask = 0x9E3779B97F4A7C15, 2**64 - 1
    h = golden
    for character in word:
        h = (h ^ ord(character)) * golden & mask
        h ^= h >> 32
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9 & mask
    h = (h ^ (h >> 27)) * 0x94D049BB133111EB & mask
    return h ^ (h >> 31)


@given(st.lists(st.text(st.characters(categories=None), min_size=1), max_size=8))
def test_hashes_follow_the_formula(words: list[str]) -> None:
    assert hash_words(words).tolist() == [reference_hash(word) for word in words]


def test_hashes_never_change() -> None:
    # stored in models: these numbers hold for ever
    expected = [0xEDA3EBE27E2EDB64, 0xA8C5B512575EE926, 0x3FD18D6D3C865941]
    assert hash_words(["a", "Whittaker", "東"]).tolist() == expected


@given(st.text(max_size=40))
def test_hash_of_a_token_is_that_of_the_word_alone(text: str) -> None:
    tokens = tokenize(text)
    in_text = word_hashes(code_points(text), tokens)
    assert in_text.tolist() == hash_words(tokens.words(text)).tolist()


def test_no_two_of_a_million_words_collide_and_low_bits_are_even() -> None:
    letters = string.ascii_lowercase
    words = ["".join(w) for n in range(1, 5) for w in itertools.product(letters, repeat=n)]
    words += [w.capitalize() for w in words]
    words += [str(n) for n in range(300_000)]
    hashes = hash_words(words)
    different = len(set(words))
    assert len(number_types(hashes).first) == different
    low = np.bincount((hashes & np.uint64(1023)).astype(np.int64), minlength=1024)
    high = np.bincount((hashes >> np.uint64(54)).astype(np.int64), minlength=1024)
    mean = len(words) / 1024
    for counts in (low, high):  # chi-square with 1023 degrees of freedom: 1023 ± 45
        assert ((counts - mean) ** 2 / mean).sum() < 3000  # names occur twice: doubles at most


@given(few_hashes)
def test_types_are_numbered_in_order_of_appearance(hashes: np.ndarray) -> None:
    order = list(dict.fromkeys(hashes.tolist()))
    ids, first = number_types(hashes)
    assert ids.tolist() == [order.index(h) for h in hashes.tolist()]
    assert hashes[first].tolist() == order
    assert first.tolist() == [hashes.tolist().index(h) for h in order]


@given(few_hashes, few_hashes)
def test_lookup_is_that_of_a_dict(known: np.ndarray, asked: np.ndarray) -> None:
    types = WordTypes.build(known)
    numbers = {h: i for i, h in enumerate(dict.fromkeys(known.tolist()))}
    assert len(types) == len(numbers)
    assert types.hashes.tolist() == list(numbers)
    assert types.lookup(asked).tolist() == [numbers.get(h, -1) for h in asked.tolist()]


@given(few_hashes, few_hashes)
def test_extend_numbers_the_unknown_after_the_known(known: np.ndarray, asked: np.ndarray) -> None:
    types = WordTypes.build(known)
    numbers = {h: i for i, h in enumerate(dict.fromkeys([*known.tolist(), *asked.tolist()]))}
    ids, first = types.extend(asked)
    assert ids.tolist() == [numbers[h] for h in asked.tolist()]
    assert ids[first].tolist() == list(range(len(types), len(numbers)))
    assert first.tolist() == sorted(first.tolist())


def test_hashes_of_types_rebuild_the_table() -> None:
    types = WordTypes.build(hash_words(["b", "a", "b", "c"] * 40))
    again = WordTypes.build(types.hashes)
    assert np.array_equal(types.slot_ids, again.slot_ids)
    assert np.array_equal(types.slot_hashes, again.slot_hashes)


def test_a_large_table_grows_and_stays_half_empty() -> None:
    hashes = hash_words([str(n) for n in range(50_000)])
    types = WordTypes.build(hashes)
    assert types.lookup(hashes).tolist() == list(range(50_000))
    assert 2 * len(types) <= len(types.slot_ids) <= 4 * len(types)
    assert (types.lookup(hash_words(["x", "yz"])) == -1).all()


@given(few_hashes, few_hashes)
def test_distinct_hashes_make_the_same_types(known: np.ndarray, asked: np.ndarray) -> None:
    distinct = WordTypes.build(known).hashes
    types = WordTypes.of_distinct(distinct)
    assert types.hashes.tolist() == distinct.tolist()
    assert types.lookup(asked).tolist() == WordTypes.build(known).lookup(asked).tolist()
    assert 2 * len(types) <= len(types.slot_ids)
    if len(distinct):
        with pytest.raises(ValueError, match="twice"):
            WordTypes.of_distinct(np.append(distinct, distinct[:1]))


def test_hashes_chosen_to_share_a_slot_are_refused_soon() -> None:
    with pytest.raises(ValueError, match="share a slot"):
        WordTypes.of_distinct(np.arange(80_000, dtype=np.uint64) << np.uint64(40))


def test_types_cannot_be_changed() -> None:
    types = WordTypes.build(hash_words(["a"]))
    with pytest.raises(ValueError, match="read-only"):
        types.slot_ids[0] = 3


@given(st.lists(few_hashes, max_size=5))
def test_types_numbered_in_several_calls_are_those_of_one(parts: list[HashArray]) -> None:
    growing = GrowingTypes()
    found = [growing.number(part) for part in parts]
    every = np.concatenate([np.empty(0, np.uint64), *parts])
    at_once = number_types(every)
    assert [i for part in found for i in part.ids.tolist()] == at_once.ids.tolist()
    new = [h for part, own in zip(parts, found, strict=True) for h in part[own.first].tolist()]
    assert new == every[at_once.first].tolist()
    assert len(growing) == len(at_once.first)
