"""The class HMM's likelihood and gradient: finite differences, enumeration, the general engine."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.encoding.schemes import Scheme
from lacuna.inference.chain import constrain, expectations, first_order
from lacuna.models.class_hmm import chain_counts
from lacuna.models.class_hmm.chain_counts import HmmTables, classes_of_states
from lacuna.models.class_hmm.objective import expected_counts
from tests.models.class_hmm.class_problems import Problem

SEEDS = st.integers(0, 10_000)
RAW, FREE = st.sampled_from([0.0, 0.3, 1.0]), st.booleans()
SCHEMES = st.sampled_from([Scheme.IO, Scheme.BIO, Scheme.BILOU])


@settings(max_examples=10)
@given(
    SEEDS,
    SCHEMES,
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
    RAW,
    FREE,
)
def test_gradient_by_central_differences(
    seed: int, scheme: Scheme, kappa: float, states: int, unknown: bool, raw: float, free: bool
) -> None:
    problem = Problem(
        seed, scheme=scheme, states=states, outside=2, unknown=unknown, raw_weight=raw, free=free
    )
    objective = problem.objective(kappa)
    point = problem.rng.normal(size=objective.parameters)
    _, gradient = objective(point)
    for n in range(0, len(point), 3):
        step = np.zeros_like(point)
        step[n] = 1e-6
        expected = (objective(point + step)[0] - objective(point - step)[0]) / 2e-6
        assert gradient[n] == pytest.approx(expected, rel=1e-5, abs=1e-6)


@settings(max_examples=20, deadline=None)
@given(SEEDS, SCHEMES, st.booleans(), RAW, FREE)
def test_value_by_enumeration_of_valid_paths(
    seed: int, scheme: Scheme, unknown: bool, raw: float, free: bool
) -> None:
    """A token of an unknown class may have any state; raw sentences count with their weight."""
    problem = Problem(seed, scheme=scheme, outside=3, unknown=unknown, raw_weight=raw, free=free)
    objective = problem.objective(0.7)
    point = problem.rng.normal(size=objective.parameters)
    weights = objective.tables(point)
    scores = problem.features.toarray() @ weights.emission
    of_outcome = np.exp(scores) / np.exp(scores).sum(axis=0)
    readings = problem.corpus.readings.toarray()
    onward = np.exp(weights.transition) * problem.moves.allowed
    onward /= onward.sum(axis=1, keepdims=True)
    begin = np.exp(weights.start) * problem.moves.first
    begin /= begin.sum()
    value = 0.7 * float((point**2).sum())
    every = range(len(begin))
    of_class = np.repeat(np.eye(len(problem.tags)), np.diff(problem.borders), axis=1)
    if free:
        of_class = np.exp(weights.classes) / np.exp(weights.classes).sum(axis=0)
    for first, last in pairwise(problem.corpus.sentences.tolist()):
        if first == last:
            continue
        classes = problem.corpus.classes[first:last].tolist()
        total = 0.0
        for path in product(every, repeat=len(classes)):
            probability = begin[path[0]]
            for before, after in pairwise(path):
                probability *= onward[before, after]
            for t, state in enumerate(path):
                word = problem.corpus.words[first + t]
                probability *= np.prod(of_outcome[:, state] ** readings[word])
                probability *= 1.0 if classes[t] < 0 else of_class[classes[t], state]
            total += probability
        value -= np.log(total) * (raw if max(classes) < 0 else 1.0)
    assert objective(point)[0] == pytest.approx(value, rel=1e-10)


def test_raw_text_is_cut_into_pieces_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(4, unknown=True, raw_weight=0.3, free=True)
    objective = problem.objective(0.0)
    point = problem.rng.normal(size=objective.parameters)
    value, gradient = objective(point)
    monkeypatch.setattr(chain_counts, "MOST_NUMBERS", 1)
    cut = objective(point)
    assert cut[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(cut[1], gradient, atol=1e-12)


def test_without_raw_text_only_known_sentences_count() -> None:
    problem, known = Problem(4, raw_weight=0.3), Problem(4, raw_weight=1e-9)
    assert problem.corpus.has_raw
    point = problem.rng.normal(size=problem.objective(0.1).parameters)
    without = problem.objective(0.1).without_raw()
    assert not without.corpus.has_raw
    assert without(point)[0] == pytest.approx(known.objective(0.1)(point)[0], rel=1e-6)


@given(SEEDS)
def test_counts_are_those_of_the_general_engine_with_other_classes_forbidden(seed: int) -> None:
    problem = Problem(seed, outside=3)
    objective = problem.objective(0.0)
    logs = objective.log_probabilities(problem.rng.normal(size=objective.parameters))
    total, used = expected_counts(problem.corpus, logs, problem.borders)
    corpus = problem.corpus
    emission = (corpus.readings @ logs.emission)[corpus.words]
    state_class = classes_of_states(problem.borders)
    valid = constrain(emission, state_class == corpus.classes[:, None])
    found = expectations(first_order(logs.transition, logs.start), valid, corpus.sentences)
    assert total == pytest.approx(found.log_partition.sum())
    np.testing.assert_allclose(used.transition, found.transition[0], atol=1e-12)
    np.testing.assert_allclose(used.start, found.start, atol=1e-12)
    by_word = np.zeros((corpus.readings.shape[0], len(state_class)))
    np.add.at(by_word, corpus.words, found.marginals)
    np.testing.assert_allclose(used.emission, corpus.readings.T @ by_word, atol=1e-12)


@given(SEEDS, SCHEMES)
def test_every_softmax_sums_to_one(seed: int, scheme: Scheme) -> None:
    problem = Problem(seed, scheme=scheme)
    objective = problem.objective(0.0)
    logs = objective.log_probabilities(5 * problem.rng.normal(size=objective.parameters))
    np.testing.assert_allclose(np.exp(logs.emission).sum(axis=0), 1.0)
    np.testing.assert_allclose(np.exp(logs.transition).sum(axis=1), 1.0)
    assert np.exp(logs.start).sum() == pytest.approx(1.0)
    assert (logs.transition[~problem.moves.allowed] == -np.inf).all()


def test_tables_and_vectors_are_the_same_thing() -> None:
    objective = Problem(1).objective(0.1)
    point = np.arange(objective.parameters, dtype=np.float64)
    tables = objective.tables(point)
    assert [part.shape for part in tables] == list(objective.shapes)
    np.testing.assert_array_equal(tables.flat(), point)


def test_words_and_classes_that_cannot_be_have_no_likelihood() -> None:
    problem = Problem(2)
    logs = problem.objective(0.0).log_probabilities(np.zeros(problem.objective(0.0).parameters))
    never = HmmTables(np.full_like(logs.emission, -np.inf), logs.transition, logs.start)
    assert expected_counts(problem.corpus, never, problem.borders)[0] == -np.inf
