"""Probability that the labels of a stretch of steps lie in given sets: how sure a mention is.

A mention is such a stretch: inside it, the states of its tags; next to it, those that do not
extend it. With alpha, beta and scale of one forward-backward pass (`chain_kernels.py`),

    reach[begin, (h, w)]  = alpha[begin, (h, w)]                                       w allowed
    reach[t, (h(v), w)]   = Σ_(u, v) reach[t - 1, (u, v)] · transition[u, v, w]
                                     · emission[t, w] / scale[t]                       w allowed
    p(stretch)            = Σ_(h, w) reach[last, (h, w)] · beta[last, (h, w)]

so that each stretch costs only its own length. A sequence that underflows is done in log space.
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
from lacuna.kernels import kernel
from lacuna.types import BoolArray, FloatArray, IntArray


class Stretch(NamedTuple):
    """allowed[i, w]: whether step begin + i may have label w.

    Rows after the end of the sequence are ignored.
    """

    begin: int
    allowed: BoolArray

    @classmethod
    def of_path(
        cls, begin: int, path: Sequence[int] | IntArray, labels: int, *, not_next: int = -1
    ) -> Stretch:
        """Return the stretch with exactly these labels, not followed by `not_next` (-1: by any)."""
        allowed = np.zeros((len(path) + 1, labels), np.bool_)
        allowed[np.arange(len(path)), path] = True
        allowed[-1] = np.arange(labels) != not_next
        return cls(begin, allowed if not_next >= 0 else allowed[:-1])


def stretch_probabilities(
    chain: Chain, emission: npt.ArrayLike, stretches: Sequence[Stretch]
) -> FloatArray:
    """Return for each stretch of one sequence the probability that all its labels are allowed."""
    rows = check_emission(chain, emission)
    if not stretches:
        return np.zeros(0)
    inside = [Stretch(begin, allowed[: len(rows) - begin]) for begin, allowed in stretches]
    weights, _ = weights_of(chain)
    weighted, _ = scaled(rows)
    alpha, beta, scale, is_possible = chain_kernels.tables(weighted, *weights)
    if not is_possible:
        return _in_log_space(chain, rows, inside)
    return np.array(
        [
            _probability(weighted, weights.transition, alpha, beta, scale, *stretch)
            for stretch in inside
        ]
    )


def _in_log_space(chain: Chain, rows: FloatArray, stretches: Sequence[Stretch]) -> FloatArray:
    """Return Z(labels in their sets) / Z for each stretch."""
    total = log_partition(chain, rows)
    found = np.empty(len(stretches))
    for n, (begin, own) in enumerate(stretches):
        allowed = np.ones(rows.shape, np.bool_)
        allowed[begin : begin + len(own)] = own
        *_, fixed, _ = log_space.log_tables(constrain(rows, allowed), *chain)
        found[n] = np.exp(fixed - total)
    return found


@kernel
def _probability(
    emission: FloatArray,
    transition: FloatArray,
    alpha: FloatArray,
    beta: FloatArray,
    scale: FloatArray,
    begin: int,
    allowed: BoolArray,
) -> float:
    """Return p(all labels from step `begin` on are allowed), see above."""
    histories, labels = transition.shape[:2]
    reach = alpha[begin] * allowed[0]
    for i in range(1, len(allowed)):
        weights = emission[begin + i] * allowed[i] / scale[begin + i]
        onward = np.zeros((histories, labels))
        for u in range(histories):
            for v in range(labels):
                weight = reach[u, v]
                if weight > 0.0:
                    h = v if histories > 1 else 0
                    for w in range(labels):
                        onward[h, w] += weight * transition[u, v, w] * weights[w]
        reach = onward
    total = (reach * beta[begin + len(allowed) - 1]).sum()
    return float(min(max(total, 0.0), 1.0))
