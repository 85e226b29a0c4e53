"""Brown clustering against mutual information computed anew at every merge, and by hand."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from math import log2

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lacuna.learning.bigrams import Bigrams, count_bigrams
from lacuna.learning.brown import Tree, brown_steps
from lacuna.learning.brown_kernels import UNIT

Counts = dict[tuple[int, int], int]


def bigrams_of(counts: Counts, words: int) -> Bigrams:
    pairs = np.array(list(counts), np.int32).reshape(-1, 2)
    return Bigrams(pairs[:, 0], pairs[:, 1], np.array(list(counts.values()), np.int64), words)


def cluster(counts: Counts, words: int, clusters: int) -> Tree:
    *_, last = brown_steps(bigrams_of(counts, words), clusters)
    assert last.tree is not None
    assert last.done == last.total
    return last.tree


def f(x: int) -> int:
    """x log₂ x in whole units, as the kernels count it."""
    return round(x * log2(x) * UNIT) if x else 0


def information(counts: Counts, owner: dict[int, int]) -> int:
    """Σ f(n) - Σ f(left) - Σ f(right) over the words that have an owner; in units, times N."""
    cells: Counter[tuple[int, int]] = Counter()
    for (a, b), n in counts.items():
        if a in owner and b in owner:
            cells[owner[a], owner[b]] += n
    left, right = Counter[int](), Counter[int]()
    for (a, b), n in cells.items():
        left[a] += n
        right[b] += n
    return sum(map(f, cells.values())) - sum(map(f, left.values())) - sum(map(f, right.values()))


def best_merge(counts: Counts, owner: dict[int, int]) -> tuple[int, int]:
    """Return the leaders whose merging keeps most; among equals the rarest."""
    candidates = []
    for a, b in combinations(sorted(set(owner.values())), 2):
        merged = {word: a if leader == b else leader for word, leader in owner.items()}
        candidates.append((information(counts, merged), b, a))
    _, b, a = max(candidates)
    return a, b


def slow_merges(counts: Counts, words: int, clusters: int) -> list[list[int]]:
    owner: dict[int, int] = {}
    merges = []

    def merge() -> None:
        a, b = best_merge(counts, owner)
        merges.append([a, b])
        owner.update({word: a for word, leader in owner.items() if leader == b})

    for word in range(words):
        owner[word] = word
        if len(set(owner.values())) > clusters:
            merge()
    while len(set(owner.values())) > 1:
        merge()
    return merges


@st.composite
def problems(draw: st.DrawFn) -> tuple[Counts, int, int]:
    words = draw(st.integers(2, 9))
    word = st.integers(0, words - 1)
    count = st.one_of(st.integers(1, 4), st.integers(1, 100_000))
    counts = draw(st.dictionaries(st.tuples(word, word), count, max_size=30))
    return counts, words, draw(st.integers(2, words + 2))


@given(problems())
@settings(max_examples=150, deadline=None)
@example(({}, 5, 3))
@example(({(0, 1): 70_000, (1, 0): 70_000, (2, 2): 1}, 4, 3))  # beyond the table of x log x
def test_every_merge_is_the_one_found_by_computing_anew(problem: tuple[Counts, int, int]) -> None:
    assert cluster(*problem).merges.tolist() == slow_merges(*problem)


@given(problems())
@settings(max_examples=50, deadline=None)
def test_information_is_that_of_the_clusters(problem: tuple[Counts, int, int]) -> None:
    counts, words, _ = problem
    tree = cluster(*problem)
    total = max(sum(counts.values()), 1)
    for owner, found in (
        (dict(enumerate(tree.clusters.tolist())), tree.information),
        ({word: word for word in range(words)}, tree.word_information),
    ):
        expected = information(counts, owner) / UNIT / total + log2(total)
        assert found == pytest.approx(expected, abs=1e-6)
    assert -1e-6 <= tree.information <= tree.word_information + 1e-6


@given(problems())
@settings(max_examples=50, deadline=None)
def test_paths_are_the_leaves_of_one_tree(problem: tuple[Counts, int, int]) -> None:
    _, words, clusters = problem
    tree = cluster(*problem)
    assert len(tree.paths) == min(words, clusters)
    assert set(tree.clusters.tolist()) == set(range(len(tree.paths)))
    assert sum(2.0 ** -len(path) for path in tree.paths) == 1  # no path begins another
    for a, b in pairwise(sorted(tree.paths)):
        assert not b.startswith(a)
    firsts = [tree.clusters.tolist().index(k) for k in range(len(tree.paths))]
    assert firsts == sorted(firsts)


def test_by_hand() -> None:
    """Two articles, then one of two nouns, then a verb, then an article again.

    0 "the", 1 "dog", 2 "a", 3 "cat", 4 "runs". When the verb comes in there are five clusters, one
    too many. Merging the articles loses nothing and neither does merging the nouns, for they have
    the same neighbours; the rarest leader decides: 3 goes to 1. Then 2 goes to 0. Of the last
    three, with 9 bigrams article noun and 6 each of the others, the verb may go to the articles
    or the nouns, keeping -f(15) - f(6) - f(12) - f(9) > -2f(15) - 2f(6); 1 is rarer than 0.
    """
    counts = {(0, 1): 4, (2, 1): 2, (0, 3): 2, (2, 3): 1, (1, 4): 4, (3, 4): 2}
    tree = cluster(counts | {(4, 0): 4, (4, 2): 2}, 5, 4)
    assert tree.merges.tolist() == [[1, 3], [0, 2], [1, 4], [0, 1]]
    assert tree.clusters.tolist() == [0, 1, 2, 1, 3]
    assert tree.paths == ("00", "10", "01", "11")
    expected = -(9 / 21) * log2(9 / 21) - 2 * (6 / 21) * log2(6 / 21)  # one class tells the next
    assert tree.information == pytest.approx(expected, abs=1e-6)
    assert tree.word_information == pytest.approx(expected, abs=1e-6)


def test_planted_classes_are_found_again() -> None:
    rng = np.random.default_rng(0)
    classes = np.arange(60) % 6
    moves = rng.dirichlet(np.full(6, 0.2), 6)
    state, states = 0, []
    for _ in range(60_000):
        state = rng.choice(6, p=moves[state])
        states.append(state)
    words = np.array(states) + 6 * rng.integers(0, 10, len(states))
    counts = np.bincount(words, minlength=60)
    order = np.argsort(-counts)
    rank = np.argsort(order).astype(np.int32)
    bigrams = count_bigrams([(rank[words], np.array([0, len(words)]))], 60)
    *_, last = brown_steps(bigrams, 6)
    assert last.tree is not None
    found = last.tree.clusters[rank]
    assert len({(a, b) for a, b in zip(classes.tolist(), found.tolist(), strict=True)}) == 6


def test_bigrams_stay_within_sentences_and_known_words() -> None:
    ids = np.array([0, 1, 0, 1, -1, 1, 2], np.int32)
    pieces = [(ids, np.array([0, 2, 7])), (np.array([0, 1], np.int32), np.array([0, 2]))]
    found = count_bigrams([*pieces, (ids[:0], np.zeros(1, np.int64))], 3)
    counted = zip(found.first.tolist(), found.second.tolist(), found.times.tolist(), strict=True)
    assert list(counted) == [(0, 1, 3), (1, 2, 1)]


def test_input_is_left_alone_and_steps_rise() -> None:
    rng = np.random.default_rng(1)
    bigrams = count_bigrams([(rng.integers(0, 40, 500).astype(np.int32), np.array([0, 500]))], 40)
    for array in bigrams[:3]:
        array.flags.writeable = False
    steps = list(brown_steps(bigrams, 7))
    assert [step.done for step in steps] == sorted({step.done for step in steps})
    assert all(step.tree is None for step in steps[:-1])


@pytest.mark.parametrize(("words", "clusters"), [(1, 2), (0, 2), (5, 1)])
def test_too_little_is_refused(words: int, clusters: int) -> None:
    with pytest.raises(ValueError, match="two words and two clusters"):
        list(brown_steps(bigrams_of({}, words), clusters))
