"""Tags after tags: against counting by hand and a plain reference."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.models.trigram_hmm.transitions import (
    InterpolationWeights,
    as_chain,
    count_trigrams,
    deleted_interpolation,
    interpolate,
)
from lacuna.types import BoolArray, LongArray

SIZE = 3
sentences = st.lists(st.lists(st.integers(0, SIZE - 1), min_size=1, max_size=5), max_size=6)


def counted(corpus: list[list[int]]) -> LongArray:
    tags = np.array([tag for sentence in corpus for tag in sentence], np.int32)
    borders = np.cumsum([0] + [len(sentence) for sentence in corpus])
    return count_trigrams(tags, borders, SIZE)


def plain_trigrams(corpus: list[list[int]]) -> Counter[tuple[int, int, int]]:
    """(u, v, s) with SIZE as * and as STOP."""
    found: Counter[tuple[int, int, int]] = Counter()
    for sentence in corpus:
        line = [SIZE, SIZE, *sentence, SIZE]
        found.update(zip(line, line[1:], line[2:], strict=False))
    return found


def plain_weights(corpus: list[list[int]]) -> list[Fraction]:
    """Deleted interpolation as Brants (2000) writes it, with one vote to begin with."""
    trigrams = plain_trigrams(corpus)
    c2: Counter[tuple[int, int]] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    c1: Counter[int] = Counter()
    before: Counter[int] = Counter()
    for (u, v, s), number in trigrams.items():
        c2[u, v] += number
        pairs[v, s] += number
        before[v] += number
        c1[s] += number
    total = sum(c1.values())
    votes = [1, 1, 1]
    for (u, v, s), number in trigrams.items():
        shares = [
            Fraction(c1[s] - 1, max(total - 1, 1)),
            Fraction(pairs[v, s] - 1, max(before[v] - 1, 1)),
            Fraction(number - 1, max(c2[u, v] - 1, 1)),
        ]
        best = max(range(3), key=lambda k: (shares[k], k))
        votes[best] += number
    return [Fraction(vote, sum(votes)) for vote in votes]


@given(sentences)
def test_counts(corpus: list[list[int]]) -> None:
    counts = counted(corpus)
    assert counts.sum() == sum(len(sentence) + 1 for sentence in corpus)
    for place, number in plain_trigrams(corpus).items():
        assert counts[place] == number


@given(sentences)
def test_deleted_interpolation_is_the_reference(corpus: list[list[int]]) -> None:
    found = deleted_interpolation(counted(corpus))
    assert list(found) == pytest.approx([float(part) for part in plain_weights(corpus)])
    assert min(found) > 0


@st.composite
def moves(draw: st.DrawFn) -> BoolArray:
    """Which tag may follow which; everything may be followed by something."""
    table = np.array(
        draw(st.lists(st.booleans(), min_size=(SIZE + 1) ** 2, max_size=(SIZE + 1) ** 2))
    ).reshape(SIZE + 1, SIZE + 1)
    table[np.arange(SIZE + 1), draw(st.integers(0, SIZE - 1))] = True
    return table


@given(sentences, moves(), st.tuples(*[st.integers(1, 9)] * 3))
def test_every_history_leads_somewhere_and_adds_up_to_one(
    corpus: list[list[int]], allowed: BoolArray, parts: tuple[int, int, int]
) -> None:
    weights = InterpolationWeights(*(part / sum(parts) for part in parts))
    q = interpolate(counted(corpus), weights, allowed)
    np.testing.assert_allclose(q.sum(axis=2), 1.0, rtol=1e-12)
    assert ((q > 0) == allowed).all()


def test_by_hand() -> None:
    # * * 0 1 STOP and * * 0 0 STOP
    everything = np.ones((3, 3), bool)
    counts = count_trigrams(np.array([0, 1, 0, 0], np.int32), np.array([0, 2, 4]), 2)
    q = interpolate(counts, InterpolationWeights(0.2, 0.3, 0.5), everything)
    # c(*,0)=2, c(*,0,1)=1; c(0)=3 as a history, c(0,1)=1; c(1)=1 of 6 in all
    assert q[2, 0, 1] == pytest.approx(0.5 * 1 / 2 + 0.3 * 1 / 3 + 0.2 * 1 / 6)
    # (1, 0) was never seen: its share goes to the bigram
    assert q[1, 0, 1] == pytest.approx(0.8 * 1 / 3 + 0.2 * 1 / 6)
    # STOP is always what follows 1
    assert q[0, 1, 2] == pytest.approx(0.5 + 0.3 + 0.2 * 2 / 6)
    chain = as_chain(q)
    assert chain.start[0] == pytest.approx(np.log(q[2, 2, 0]))
    assert chain.stop[0, 1] == pytest.approx(np.log(q[0, 1, 2]))
    assert chain.transition[2, 0, 1] == pytest.approx(np.log(q[2, 0, 1]))


@given(sentences, moves())
def test_without_trigrams_it_is_a_bigram_model(corpus: list[list[int]], allowed: BoolArray) -> None:
    q = interpolate(counted(corpus), InterpolationWeights(0.4, 0.6, 0.0), allowed)
    np.testing.assert_array_equal(q, np.broadcast_to(q[0], q.shape))
