"""EM for the class HMM without features: probabilities are relative frequencies of expected uses.

    p(x | y) = E[uses of x in y] / E[uses of y],   and so for p(y' | y) and p(first y)

The expectations are over valid paths under the probabilities before; the likelihood never falls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lacuna.estimation.class_hmm_objective import ClassCorpus, HmmTables, expected_counts
from lacuna.types import FloatArray


class EmStep(NamedTuple):
    """Log probabilities, and log P(X, C) under them."""

    iteration: int
    log_probabilities: HmmTables
    log_likelihood: float


def maximise_likelihood(corpus: ClassCorpus, start: HmmTables, states: int) -> Iterator[EmStep]:
    """Yield ever better log probabilities, `start` first, for as long as they are asked for."""
    logs, iteration = start, 0
    while True:
        total, used = expected_counts(corpus, logs, states)
        yield EmStep(iteration, logs, total)
        logs = HmmTables(
            _log_shares(used.emission, logs.emission, axis=0),
            _log_shares(used.transition, logs.transition, axis=1),
            _log_shares(used.start, logs.start, axis=0),
        )
        iteration += 1


def _log_shares(counts: FloatArray, before: FloatArray, *, axis: int) -> FloatArray:
    """Return log(counts / their sum along an axis); where nothing was counted, as before."""
    total = counts.sum(axis=axis, keepdims=True)
    with np.errstate(divide="ignore"):
        logs = np.log(counts) - np.log(np.where(total > 0, total, 1.0))
    return np.where(total > 0, logs, before)
