"""Probabilities of stretches of labels in one sequence: how sure a mention is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.inference import _chain, _log_chain
from lacuna.inference.chain import (
    Chain,
    check_emission,
    constrain,
    log_partition,
    scaled,
    weights_of,
)
from lacuna.types import FloatArray


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
    alpha, beta, scale, whole = _chain.tables(weighted, *weights)
    if not whole:
        return np.array([_segment_in_log_space(chain, rows, segment) for segment in segments])
    return np.array(
        [
            _chain.segment_probability(
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
    *_, fixed, _ = _log_chain.log_tables(constrain(rows, allowed), *chain)
    return float(np.exp(fixed - log_partition(chain, rows)))
