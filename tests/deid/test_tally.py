"""Tallies add up, in whatever portions."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.tally import BINS, MOST_IN_NEED, Review, Tally

COUNTS = st.dictionaries(st.sampled_from("abc"), st.integers(1, 9))
HISTOGRAMS = st.lists(st.integers(0, 9), min_size=BINS, max_size=BINS)
REVIEWS = st.builds(
    Review, st.integers(0, 9).map(float), st.text("xyz", max_size=3), st.just(1), st.just(0)
)
TALLIES = st.builds(
    Tally,
    documents=st.integers(0, 9),
    failed=st.integers(0, 9),
    characters=st.integers(0, 9),
    tokens=st.integers(0, 9),
    labels=COUNTS,
    fallbacks=COUNTS,
    replaced=HISTOGRAMS,
    left=HISTOGRAMS,
    expected_missed=st.integers(0, 9).map(float),
    review=st.lists(REVIEWS, max_size=30),
    reasons=COUNTS,
)


@given(st.lists(TALLIES, max_size=4))
def test_all_at_once_is_one_after_the_other(tallies: list[Tally]) -> None:
    together, singly = Tally(), Tally()
    together.add(*tallies)
    for tally in tallies:
        singly.add(tally)
    assert together == singly
    assert together.tokens == sum(tally.tokens for tally in tallies)
    assert together.labels.get("a", 0) == sum(tally.labels.get("a", 0) for tally in tallies)
    assert together.left[3] == sum(tally.left[3] for tally in tallies)


@given(st.lists(TALLIES, max_size=4))
def test_the_neediest_documents_are_kept(tallies: list[Tally]) -> None:
    whole = Tally()
    whole.add(*tallies)
    needs = sorted((r.expected_missed for t in tallies for r in t.review), reverse=True)
    assert [review.expected_missed for review in whole.review] == needs[:MOST_IN_NEED]


@given(TALLIES)
def test_what_is_taken_in_stays_as_it_is(tally: Tally) -> None:
    before = msgspec.msgpack.encode(tally)
    Tally().add(tally, tally)
    assert msgspec.msgpack.encode(tally) == before
