"""Variational Bayes for the Dirichlet-process HMM, against enumeration and its own laws."""

from __future__ import annotations

from itertools import islice, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln, logsumexp

from lacuna.errors import InferenceError
from lacuna.models.dp_hmm import variational
from lacuna.models.dp_hmm.corpus_layout import TaggedWords
from lacuna.models.dp_hmm.sticks import log_prior, shares
from lacuna.models.dp_hmm.variational import DpHmmProblem, Learnt, Priors, VbStep, pose
from lacuna.types import FloatArray

PRIORS = Priors(alpha=1.5, alpha_e=0.3, alpha_tag=0.4, alpha_t=0.7)


def moves(tags: int) -> np.ndarray:
    """Any tag may follow any; a sentence is not empty."""
    table = np.ones((tags + 1, tags + 1), np.bool_)
    table[-1, -1] = False
    return table


def corpus(seed: int, lengths: list[int], words: int = 3, tags: int = 2) -> TaggedWords:
    rng = np.random.default_rng(seed)
    total = sum(lengths)
    return TaggedWords(
        rng.integers(words, size=total).astype(np.int32),
        rng.integers(tags, size=total).astype(np.int32),
        np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
    )


def problem(
    data: TaggedWords,
    subtags: list[int],
    *,
    structured: bool = True,
    priors: Priors = PRIORS,
    raw_weight: float = 0.0,
) -> DpHmmProblem:
    allowed = moves(len(subtags))
    return pose(data, 3, subtags, allowed, priors, structured=structured, raw_weight=raw_weight)


def climb(posed: DpHmmProblem, steps: int, seed: int = 0) -> list[VbStep]:
    return list(islice(posed.climb(posed.start(np.random.default_rng(seed))), steps))


def log_multinomial(prior: FloatArray, counts: FloatArray) -> float:
    """ln p(draws with these counts), their distribution integrated out under Dir(prior)."""
    there = prior > 0
    a, c = prior[there], counts[there]
    whole = gammaln(a.sum()) - gammaln((a + c).sum())
    return float(whole + (gammaln(a + c) - gammaln(a)).sum())


def log_evidence(posed: DpHmmProblem, data: TaggedWords, learnt: Learnt) -> float:
    """ln Σ_z p(w, s, z | v) + ln p(v), z enumerated."""
    first, priors = posed.first, posed.priors
    choices = [range(first[s], first[s + 1]) for s in data.tags]
    found = [log_joint(posed, data, z, learnt.sticks) for z in product(*choices)]
    return float(logsumexp(found)) + sum(log_prior(v, priors.alpha) for v in learnt.sticks)


def log_joint(
    posed: DpHmmProblem, data: TaggedWords, states: tuple[int, ...], sticks: tuple[FloatArray, ...]
) -> float:
    first, priors = posed.first, posed.priors
    border = int(first[-1]) - 1
    counts = np.zeros((border + 1, border + 1))
    words = np.zeros((border, posed.vocabulary))
    for begin, end in pairwise(data.sentences):
        path = [border, *states[begin:end], border]
        for i, j in pairwise(path):
            counts[i, j] += 1
    np.add.at(words, (np.array(states), data.words), 1)
    total = sum(log_multinomial(np.full(len(row), priors.alpha_e), row) for row in words)
    tag_of = np.repeat(np.arange(len(first) - 1), np.diff(first))
    for i, row in enumerate(counts):
        of_tags = np.array([row[tag_of == s].sum() for s in range(len(first) - 1)])
        total += log_multinomial(priors.alpha_tag * posed.tag_moves[tag_of[i]], of_tags)
        for s, stick in enumerate(sticks):
            total += log_multinomial(priors.alpha_t * shares(stick), row[first[s] : first[s + 1]])
    return total


@pytest.mark.parametrize("structured", [True, False])
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    lengths=st.lists(st.integers(0, 9), min_size=1, max_size=12).filter(any),
    subtags=st.lists(st.integers(1, 5), min_size=2, max_size=3),
    priors=st.builds(
        Priors, st.floats(1, 5), st.floats(0.01, 2), st.floats(0.05, 2), st.floats(0.2, 4)
    ),
)
def test_the_bound_never_falls(
    structured: bool, seed: int, lengths: list[int], subtags: list[int], priors: Priors
) -> None:
    data = corpus(seed, lengths, tags=len(subtags))
    points = climb(problem(data, subtags, structured=structured, priors=priors), 15, seed)
    values = np.array([point.elbo for point in points])
    assert np.all(np.diff(values) >= -1e-9 * abs(values[0]))


@pytest.mark.parametrize("structured", [True, False])
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), lengths=st.lists(st.integers(1, 4), min_size=1, max_size=2))
def test_the_bound_is_no_more_than_the_evidence(
    structured: bool, seed: int, lengths: list[int]
) -> None:
    data = corpus(seed, lengths)
    posed = problem(data, [3, 2], structured=structured)
    before = posed.start(np.random.default_rng(seed))
    for point in islice(posed.climb(before), 4):
        assert point.elbo <= log_evidence(posed, data, before) + 1e-9
        before = point.learnt


def test_with_one_subtag_the_bound_is_the_evidence() -> None:
    """Nothing is hidden then, so q(φ) is the posterior."""
    data = corpus(1, [3, 2])
    posed = problem(data, [1, 1])
    last = climb(posed, 2)[-1]
    assert last.elbo == pytest.approx(log_evidence(posed, data, last.learnt), abs=1e-9)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_the_chain_is_never_below_mean_field(seed: int, lengths: list[int]) -> None:
    """At the same q(φ)."""
    data = corpus(seed, lengths)
    chain, factored = (problem(data, [3, 2], structured=kind) for kind in (True, False))
    learnt = climb(factored, 3, seed)[-1].learnt
    best, other = (sum(p.bound for p in posed.expect(learnt)) for posed in (chain, factored))
    assert best >= other - 1e-9


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), lengths=st.lists(st.integers(1, 4), min_size=1, max_size=2))
def test_expected_counts_are_those_of_all_paths(seed: int, lengths: list[int]) -> None:
    data = corpus(seed, lengths)
    posed = problem(data, [3, 2])
    learnt = climb(posed, 2, seed)[-1].learnt
    parts, logs = posed.expect(learnt), posed.weights(learnt)
    border = int(posed.first[-1]) - 1
    counts, bound = np.zeros((border + 1, border + 1)), 0.0
    for begin, end in pairwise(data.sentences):
        rows = range(begin, end)
        paths = list(product(*(range(*posed.first[data.tags[t] :][:2]) for t in rows)))
        scores = []
        for path in paths:
            spelt = [border, *path, border]
            score = sum(logs.moves[i, j] for i, j in pairwise(spelt))
            for t, state in zip(rows, path, strict=True):
                tag = data.tags[t]
                word = int(np.searchsorted(posed.words[tag], data.words[t]))
                score += logs.emission[tag][word, state - posed.first[tag]]
            scores.append(score)
        total = logsumexp(scores)
        bound += total
        for path, score in zip(paths, scores, strict=True):
            spelt = [border, *path, border]
            for i, j in pairwise(spelt):
                counts[i, j] += np.exp(score - total)
    np.testing.assert_allclose(sum(part.moves for part in parts), counts, atol=1e-9)
    assert sum(part.bound for part in parts) == pytest.approx(bound, abs=1e-9)
    per_tag = [sum(part.emission[s].sum() for part in parts) for s in range(2)]
    np.testing.assert_allclose(per_tag, np.bincount(data.tags, minlength=2), atol=1e-9)


def test_a_corpus_in_parts_is_the_same_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    data = corpus(5, [4, 0, 7, 3, 5, 6])
    posed = problem(data, [4, 2])
    start = posed.start(np.random.default_rng(0))
    whole = [point.elbo for point in islice(posed.climb(start), 6)]
    for numbers in (16, 32):
        monkeypatch.setattr(variational, "MOST_NUMBERS", numbers)
        cut = problem(data, [4, 2])
        assert len(cut.layouts) > len(posed.layouts)
        parts = [point.elbo for point in islice(cut.climb(start), 6)]
        np.testing.assert_allclose(parts, whole, rtol=1e-9)


def test_exchanging_subtags_leaves_the_bound() -> None:
    """With α = 1 the order of sub-tags does not matter."""
    data = corpus(2, [5, 6, 4])
    posed = problem(data, [3, 1], priors=Priors(1.0, 0.2, 0.3, 0.8))
    learnt = climb(posed, 3)[-1].learnt
    order = [2, 0, 1]
    states = [*order, 3, 4]
    share = shares(learnt.sticks[0])[order]
    left = np.concatenate(([1.0], 1.0 - np.cumsum(share)[:-1]))
    swapped = Learnt(
        [learnt.emission[0][:, order], learnt.emission[1]],
        learnt.moves[np.ix_(states, states)],
        (share / left, learnt.sticks[1]),
        learnt.memberships,
    )
    one, other = (
        posed.elbo(q, sum(part.bound for part in posed.expect(q))) for q in (learnt, swapped)
    )
    assert one == pytest.approx(other, rel=1e-9)


def sampled(seed: int, sentences: int, subtags: list[int], words: int) -> TaggedWords:
    """Draw from a model whose sub-tags use words of their own and follow one another in a ring."""
    rng = np.random.default_rng(seed)
    states = sum(subtags)
    tag_of = np.repeat(np.arange(len(subtags)), subtags)
    moves = 0.9 * np.roll(np.eye(states), 1, axis=1) + 0.1 / states
    spoken, tags, borders = [], [], [0]
    for _ in range(sentences):
        state = int(rng.integers(states))
        for _ in range(int(rng.integers(5, 15))):
            spoken.append(state * words + int(rng.integers(words)))
            tags.append(tag_of[state])
            state = int(rng.choice(states, p=moves[state]))
        borders.append(len(spoken))
    return TaggedWords(np.array(spoken, np.int32), np.array(tags, np.int32), np.array(borders))


@pytest.mark.parametrize("structured", [True, False])
def test_the_data_say_how_many_subtags_there_are(structured: bool) -> None:
    """With generous K, the number in use is right within two."""
    data = sampled(3, 300, [4, 2], words=6)
    priors = Priors(1.0, alpha_e=0.1, alpha_tag=1.0, alpha_t=3.0)
    posed = pose(data, 36, [15, 10], moves(2), priors, structured=structured)
    runs = [climb(posed, 40, seed)[-1] for seed in range(3)]
    best = max(runs, key=lambda point: point.elbo)
    used = best.learnt.in_use()
    assert 4 <= used[0] <= 6
    assert 2 <= used[1] <= 4


def test_weights_that_vanish_are_an_error_of_ours() -> None:
    data = corpus(2, [5, 6, 4])
    posed = problem(data, [3, 3], priors=Priors(1.0, 1e-9, 0.3, 1e-9))
    learnt = posed.start(np.random.default_rng(0))
    nothing = learnt._replace(emission=[np.zeros_like(part) for part in learnt.emission])
    nothing.moves[:] = 0.0
    with pytest.raises(InferenceError, match="alpha_e or alpha_t"):
        posed.expect(nothing)
