"""EM for the class HMM: the likelihood never falls, and L-BFGS reaches the same."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.encoding.schemes import Scheme
from lacuna.learning.lbfgs import minimise
from lacuna.models.class_hmm.objective import expected_counts
from lacuna.models.class_hmm.start import maximise_likelihood
from tests.models.class_hmm.class_problems import Problem


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.sampled_from([1, 2, 3]))
def test_the_likelihood_never_falls(seed: int, states: int) -> None:
    problem = Problem(seed, states=states, outside=3, basic=True)
    objective = problem.objective(0.0)
    start = objective.log_probabilities(problem.rng.normal(size=objective.parameters))
    steps = list(islice(maximise_likelihood(problem.corpus, start, problem.borders), 15))
    values = np.array([step.log_likelihood for step in steps])
    assert np.all(np.diff(values) >= -1e-9 * abs(values[0]))
    assert values[1] > values[0]
    logs = steps[-1].log_probabilities
    np.testing.assert_allclose(np.exp(logs.emission).sum(axis=0), 1.0)
    np.testing.assert_allclose(np.exp(logs.transition).sum(axis=1), 1.0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scheme", [Scheme.IO, Scheme.BIO])
def test_em_and_gradient_reach_the_same_likelihood(seed: int, scheme: Scheme) -> None:
    problem = Problem(seed, states=1, scheme=scheme, basic=True)
    objective = problem.objective(0.0)
    zero = np.zeros(objective.parameters)
    counted = list(
        islice(
            maximise_likelihood(problem.corpus, objective.log_probabilities(zero), problem.borders),
            2,
        )
    )
    climbed = list(islice(minimise(objective, zero), 200))
    assert -climbed[-1].value == pytest.approx(counted[-1].log_likelihood, abs=1e-3)
    assert -climbed[-1].value <= counted[-1].log_likelihood + 1e-9  # it cannot be passed


def test_with_one_state_a_single_step_counts() -> None:
    problem = Problem(3, states=1, basic=True)
    objective = problem.objective(0.0)
    start = objective.log_probabilities(problem.rng.normal(size=objective.parameters))
    *_, step = islice(maximise_likelihood(problem.corpus, start, problem.borders), 2)
    times = np.bincount(problem.corpus.classes, minlength=len(problem.tags))
    counts = np.zeros((problem.corpus.readings.shape[0], len(problem.tags)))
    np.add.at(counts, (problem.corpus.words, problem.corpus.classes), 1)
    share = problem.corpus.readings.T @ counts / np.maximum(times, 1)
    seen = times > 0
    np.testing.assert_allclose(np.exp(step.log_probabilities.emission)[:, seen], share[:, seen])
    again, _ = expected_counts(problem.corpus, step.log_probabilities, problem.borders)
    assert again == step.log_likelihood
