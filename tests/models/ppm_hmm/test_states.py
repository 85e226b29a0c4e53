"""Hidden states: finer than tags; every tag sequence corresponds to one state sequence."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.encoding.schemes import Chunk, Scheme, encode, moves, tag_set
from lacuna.models.ppm_hmm.states import State, far_outside, spell_states, state_moves, state_set

LABELS = ("A", "B")
SCHEMES = (Scheme.IO, Scheme.BIO, Scheme.BILOU)


def sentence(*tags: str) -> tuple[list[str], np.ndarray]:
    return list(tags), np.array([0, len(tags)])


def test_what_stands_beside_a_mention_has_its_own_state() -> None:
    states = state_set(LABELS, Scheme.BILOU, context=True)
    tags, sentences = sentence("O", "O", "O", "U-A", "O", "U-B", "O", "O", "U-A")
    spelt = [states[k] for k in spell_states(tags, sentences, states)]
    assert spelt == [
        State("O", "", ""),
        State("O", "", ""),
        State("O", None, "A"),
        State("U-A"),
        State("O", None, "B"),  # what follows counts more than what precedes
        State("U-B"),
        State("O", "B", ""),
        State("O", None, "A"),
        State("U-A"),
    ]


def test_neighbours_are_those_of_the_same_sentence() -> None:
    states = state_set(LABELS, Scheme.BIO, context=True)
    spelt = spell_states(["B-A", "O", "B-A"], np.array([0, 1, 2, 3]), states)
    assert states[spelt[1]] == State("O", "", "")


@given(
    st.sampled_from(SCHEMES),
    st.booleans(),
    st.lists(st.tuples(st.sampled_from(LABELS), st.integers(0, 2), st.integers(1, 3)), max_size=4),
    st.integers(0, 2),
)
def test_spelling_follows_the_moves_and_keeps_the_tags(
    scheme: Scheme, context: bool, parts: list[tuple[str, int, int]], rest: int
) -> None:
    chunks, place = [], 0
    for label, gap, length in parts:
        chunks.append(Chunk(label, place + gap, place + gap + length))
        place += gap + length
    tags = encode(chunks, place + rest, scheme)
    states = state_set(LABELS, scheme, context=context)
    spelt = spell_states(tags, np.array([0, len(tags)]), states)
    possible = state_moves(states, scheme)
    assert [states[k].tag for k in spelt] == tags
    assert possible.allowed[spelt[:-1], spelt[1:]].all()
    if tags:
        assert possible.first[spelt[0]]
        assert possible.last[spelt[-1]]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_every_tagging_is_exactly_one_path(scheme: Scheme, length: int) -> None:
    states = state_set(LABELS, scheme, context=True)
    possible = state_moves(states, scheme)
    paths = possible.first.astype(int)
    for _ in range(length - 1):
        paths = paths @ possible.allowed
    tags = tag_set(LABELS, scheme)
    table = moves(tags, scheme).allowed
    taggings = sum(
        all(table[i, j] for i, j in zip((0, *path), (*path, 0), strict=True))
        for path in product(range(len(tags)), repeat=length)
    )
    assert paths @ possible.last == taggings


@pytest.mark.parametrize("context", [False, True])
def test_one_state_can_stand_alone(context: bool) -> None:
    states = state_set(LABELS, Scheme.BILOU, context=context)
    possible, k = state_moves(states, Scheme.BILOU), far_outside(states)
    assert possible.first[k] and possible.last[k] and possible.allowed[k, k]  # noqa: PT018
