from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.evaluation.counts import Counts
from lacuna.evaluation.mention_counts import contacts, matched, relaxed_counts, strict_counts
from lacuna.text.document import Mention
from tests.evaluation.cases import Pair, pairs


def characters(mention: Mention) -> set[int]:
    return {c for span in mention.spans for c in range(span.start, span.end)}


def relaxed(gold: list[Mention], predicted: list[Mention]) -> dict[str, Counts]:
    return relaxed_counts(gold, predicted, contacts(gold, predicted).across)


def largest_matching(edges: set[tuple[int, int]]) -> int:
    """Try all sets of edges, largest first: no end may be used twice."""
    for size in range(min(len(edges), 6), 0, -1):
        for chosen in combinations(edges, size):
            if len({i for i, _ in chosen}) == size == len({j for _, j in chosen}):
                return size
    return 0


def test_strict_by_hand() -> None:
    gold = [
        Mention.of("PER", (0, 4)),
        Mention.of("PER", (6, 9)),
        Mention.of("LOC", (10, 14)),
        Mention.of("ADR", (0, 2), (5, 7)),
    ]
    predicted = [
        Mention.of("PER", (0, 4), probability=0.9),  # right, whatever its probability
        Mention.of("PER", (6, 8)),  # wrong border
        Mention.of("PER", (10, 14)),  # wrong label
        Mention.of("ADR", (0, 7)),  # the gap closed
        Mention.of("DATE", (16, 18)),  # spurious
    ]
    assert strict_counts(gold, predicted) == {
        "PER": Counts(1, 2, 1),
        "LOC": Counts(0, 0, 1),
        "ADR": Counts(0, 1, 1),
        "DATE": Counts(0, 1, 0),
    }


def test_identical_mentions_match_as_multisets() -> None:
    twice = [Mention.of("PER", (0, 4))] * 2
    assert strict_counts(twice, twice[:1]) == {"PER": Counts(1, 0, 1)}
    assert strict_counts(twice, twice) == {"PER": Counts(2, 0, 0)}


def test_relaxed_is_one_to_one() -> None:
    whole = Mention.of("PER", (0, 10))
    halves = [Mention.of("PER", (0, 4)), Mention.of("PER", (6, 10))]
    assert relaxed([whole], halves) == {"PER": Counts(1, 1, 0)}
    assert relaxed([whole], [Mention.of("LOC", (0, 10))]) == {
        "PER": Counts(0, 0, 1),
        "LOC": Counts(0, 1, 0),
    }
    # touching borders and gaps share no character
    assert relaxed([Mention.of("PER", (0, 2), (8, 10))], [Mention.of("PER", (2, 8))]) == {
        "PER": Counts(0, 1, 1)
    }


def test_relaxed_gives_up_an_exact_pair_where_that_pairs_more() -> None:
    gold = [Mention.of("PER", (0, 10)), Mention.of("PER", (0, 2))]
    predicted = [Mention.of("PER", (0, 10)), Mention.of("PER", (8, 10))]
    assert relaxed(gold, predicted) == {"PER": Counts(2, 0, 0)}


@given(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=9))
def test_matching_is_as_large_as_any(edges: set[tuple[int, int]]) -> None:
    found = matched(sorted(edges))
    assert len(found) == len(set(found)) == largest_matching(edges)
    assert set(found) <= {i for i, _ in edges}


@given(pairs())
def test_relaxed_equals_the_best_of_all_pairings(pair: Pair) -> None:
    gold, predicted = pair[0].mentions, pair[1].mentions
    edges = {
        (i, j)
        for i, g in enumerate(gold)
        for j, p in enumerate(predicted)
        if g.label == p.label and characters(g) & characters(p)
    }
    counts = relaxed(list(gold), list(predicted))
    assert sum(c.tp for c in counts.values()) == largest_matching(edges)
    for label, found in counts.items():
        assert found.gold == sum(m.label == label for m in gold)
        assert found.predicted == sum(m.label == label for m in predicted)


@given(pairs())
def test_contacts_are_shared_characters(pair: Pair) -> None:
    gold, predicted = pair[0].mentions, pair[1].mentions
    found = contacts(gold, predicted)
    assert set(found.across) == {
        (i, j)
        for i, g in enumerate(gold)
        for j, p in enumerate(predicted)
        if characters(g) & characters(p)
    }
    for mentions, touching in ((gold, found.in_gold), (predicted, found.in_predicted)):
        alone = [
            not any(characters(m) & characters(o) for j, o in enumerate(mentions) if i != j)
            for i, m in enumerate(mentions)
        ]
        assert list(touching) == [i for i, is_alone in enumerate(alone) if not is_alone]


@pytest.mark.parametrize("size", [1, 400])
def test_a_long_chain_is_matched_completely(size: int) -> None:
    """Gold i touches predictions i and i + 1: only a full matching pairs them all."""
    gold = [Mention.of("PER", (4 * i, 4 * i + 5)) for i in range(size)]
    predicted = [Mention.of("PER", (4 * i + 1, 4 * i + 6)) for i in range(size)]
    assert relaxed(gold, predicted) == {"PER": Counts(size, 0, 0)}
