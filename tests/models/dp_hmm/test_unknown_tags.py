"""Sentences with unknown tags: expected counts by enumeration, and the bound."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from lacuna.models.dp_hmm import variational
from lacuna.models.dp_hmm.corpus_layout import TaggedWords
from tests.models.dp_hmm.test_variational import climb, corpus, problem


def with_unknown(data: TaggedWords, seed: int, share: float = 0.5) -> TaggedWords:
    tags = data.tags.copy()
    tags[np.random.default_rng(seed).random(len(tags)) < share] = -1
    tags[0] = 0  # something is known
    return data._replace(tags=tags)


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    lengths=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    raw=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_expected_counts_are_those_of_all_paths_that_agree(
    seed: int, lengths: list[int], raw: float
) -> None:
    """Sentences without a known tag, raw text, count with their weight."""
    data = with_unknown(corpus(seed, lengths), seed)
    posed = problem(data, [2, 2], raw_weight=raw)
    learnt = climb(posed, 2, seed)[-1].learnt
    parts, logs = posed.expect(learnt), posed.weights(learnt)
    border = int(posed.first[-1]) - 1
    counts, bound, per_tag = np.zeros((border + 1, border + 1)), 0.0, np.zeros(2)
    for begin, end in pairwise(data.sentences):
        tags = data.tags[begin:end]
        weight = raw if (tags < 0).all() else 1.0
        if not weight:
            continue  # nothing is known: left out
        choices = (range(border) if s < 0 else range(*posed.first[s:][:2]) for s in tags)
        paths = list(product(*choices))
        scores = []
        for path in paths:
            score = sum(logs.moves[i, j] for i, j in pairwise((border, *path, border)))
            for t, state in enumerate(path, int(begin)):
                s = int(np.searchsorted(posed.first, state, side="right")) - 1
                word = int(np.searchsorted(posed.words[s], data.words[t]))
                score += logs.emission[s][word, state - posed.first[s]]
            scores.append(score)
        total = logsumexp(scores)
        bound += weight * total
        for path, score in zip(paths, scores, strict=True):
            for i, j in pairwise((border, *path, border)):
                counts[i, j] += weight * np.exp(score - total)
            np.add.at(per_tag, np.array(path) // 2, weight * np.exp(score - total))
    np.testing.assert_allclose(sum(part.moves for part in parts), counts, atol=1e-9)
    assert sum(part.bound for part in parts) == pytest.approx(bound, abs=1e-9)
    found = [sum(part.emission[s].sum() for part in parts) for s in range(2)]
    np.testing.assert_allclose(found, per_tag, atol=1e-9)


@pytest.mark.parametrize("structured", [True, False])
@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=10),
    subtags=st.lists(st.integers(1, 4), min_size=2, max_size=3),
    raw=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_the_bound_never_falls(
    structured: bool, seed: int, lengths: list[int], subtags: list[int], raw: float
) -> None:
    data = with_unknown(corpus(seed, lengths, tags=len(subtags)), seed, 0.3)
    posed = problem(data, subtags, structured=structured, raw_weight=raw)
    points = climb(posed, 12, seed)
    values = np.array([point.elbo for point in points])
    assert np.all(np.diff(values) >= -1e-9 * abs(values[0]))


def test_parts_are_the_same_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    data = with_unknown(corpus(5, [4, 7, 3, 5, 6]), 1)
    posed = problem(data, [4, 2])
    learnt = climb(posed, 1)[-1].learnt
    monkeypatch.setattr(variational, "MOST_NUMBERS", 30)
    cut = problem(data, [4, 2])
    assert len(cut.partly) > len(posed.partly) == 1
    whole, parts = (sum(p.bound for p in one.expect(learnt)) for one in (posed, cut))
    assert parts == pytest.approx(whole, rel=1e-12)
