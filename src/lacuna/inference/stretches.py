"""Probabilities of stretches of labels in one sequence: how sure a mention is.

How probable it is that the labels of a few steps lie in given sets.

A mention of a model with several states per tag is such a window: inside, the states of its tags;
beside it, those that do not prolong it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.inference import chain_kernels, log_space
from lacuna.inference.chain import (
    Chain,
    check_emission,
    constrain,
    log_partition,
    scaled,
    weights_of,
)
from lacuna.types import BoolArray, FloatArray


class Segment(NamedTuple):
    """Labels from step `begin` on, not followed by `not_next` (-1: by anything)."""

    begin: int
    labels: Sequence[int]
    not_next: int = -1


def segment_probabilities(
    chain: Chain, emission: npt.ArrayLike, segments: Sequence[Segment]
) -> FloatArray:
    """Return for each segment the probability that its labels stand exactly there."""
    rows = check_emission(chain, emission)
    if not segments:
        return np.zeros(0)
    weights, _ = weights_of(chain)
    weighted, _ = scaled(rows)
    alpha, beta, scale, whole = chain_kernels.tables(weighted, *weights)
    if not whole:
        return np.array([_segment_in_log_space(chain, rows, segment) for segment in segments])
    return np.array(
        [
            chain_kernels.segment_probability(
                weighted,
                weights.transition,
                alpha,
                beta,
                scale,
                segment.begin,
                np.asarray(segment.labels, np.int32),
                segment.not_next,
            )
            for segment in segments
        ]
    )


def _segment_in_log_space(chain: Chain, rows: FloatArray, segment: Segment) -> float:
    """p(segment) = Z(labels fixed there) / Z, less what goes on with `not_next`."""
    allowed = np.ones(rows.shape, bool)
    end = segment.begin + len(segment.labels)
    allowed[segment.begin : end] = False
    allowed[np.arange(segment.begin, end), list(segment.labels)] = True
    if segment.not_next >= 0 and end < len(rows):
        allowed[end, segment.not_next] = False
    *_, fixed, _ = log_space.log_tables(constrain(rows, allowed), *chain)
    return float(np.exp(fixed - log_partition(chain, rows)))


_FINITE = np.finfo(np.float64).min


class Window(NamedTuple):
    """allowed[i, w]: whether step begin + i may have label w."""

    begin: int
    allowed: BoolArray


def window_probabilities(
    chain: Chain, emission: npt.ArrayLike, windows: Sequence[Window]
) -> FloatArray:
    """Return for each window of one sequence the probability that all its labels are allowed.

    The chain is of first order. After one pass over the sequence a window costs its own length.
    """
    rows = check_emission(chain, emission)
    if len(chain.transition) > 1:
        raise ValueError("windows are for chains of first order")
    if not windows:
        return np.zeros(0)
    # any constant factor of a step divides out
    scaled = np.exp(rows - np.maximum(rows.max(axis=1), _FINITE)[:, None])
    moves = np.exp(chain.transition - max(chain.transition.max(), _FINITE))
    tables = chain_kernels.tables(scaled, moves, np.exp(chain.start), np.exp(chain.stop))
    if not tables[-1]:
        return np.array([_in_log_space(chain, rows, window) for window in windows])
    alpha, beta, scale, _ = tables
    found = np.empty(len(windows))
    for n, (begin, allowed) in enumerate(windows):
        reach = alpha[begin, 0] * allowed[0]
        for t in range(begin + 1, begin + len(allowed)):
            # reach[w] = Σ_v reach[v] · transition[v, w] · emission[t, w] / scale[t], w allowed
            reach = (reach @ moves[0]) * scaled[t] / scale[t] * allowed[t - begin]
        found[n] = reach @ beta[begin + len(allowed) - 1, 0]
    return np.clip(found, 0.0, 1.0)


def _in_log_space(chain: Chain, rows: FloatArray, window: Window) -> float:
    """Return Z(labels in their sets) / Z."""
    allowed = np.ones(rows.shape, np.bool_)
    allowed[window.begin : window.begin + len(window.allowed)] = window.allowed
    *_, fixed, _ = log_space.log_tables(constrain(rows, allowed), *chain)
    return float(np.exp(fixed - log_partition(chain, rows)))
