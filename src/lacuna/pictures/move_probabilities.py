"""How likely each label of a chain follows another, regardless of the text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.inference.chain import Chain
from lacuna.types import FloatArray

STEPS = 200  #: length of the sequences that a second-order chain is followed for
CLOSE = 1e-4  #: tolerance: an impossible event, such as an empty sentence, may have a share


class MoveProbabilities(NamedTuple):
    """A first-order view of a chain.

    table[v, w]
        Probability that label w follows v, given that the sequence goes on; a row of zeros if
        nothing may follow.
    are_probabilities
        Whether the chain consists of probabilities, as in an HMM. If not, the exponentials of its
        weights were normalised.
    """

    table: FloatArray
    are_probabilities: bool


def move_probabilities(chain: Chain) -> MoveProbabilities:
    """Return how likely each label follows another.

    In a second-order chain the probability also depends on h, the label before v; then ::

        p(w | v) = Σ_h n(h, v) p(w | h, v) / Σ_h n(h, v)

    where n(h, v) is the expected number of h v in sequences drawn from the chain.
    """
    table = _rows_of_one(_scaled(chain.transition))
    flat = table[0] if len(table) == 1 else _over_histories(chain, table)
    return MoveProbabilities(flat, _sums_to_one(chain))


def _scaled(transition: FloatArray) -> FloatArray:
    """Return exp(transition), each row divided by its maximum."""
    greatest = transition.max(axis=2, keepdims=True)
    scaled: FloatArray = np.exp(transition - np.where(np.isfinite(greatest), greatest, 0.0))
    return scaled


def _rows_of_one(weights: FloatArray) -> FloatArray:
    """Divide each row by its sum; rows of zeros are kept."""
    totals = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(totals > 0, totals, 1.0)


def _over_histories(chain: Chain, table: FloatArray) -> FloatArray:
    size = chain.labels
    with np.errstate(over="ignore"):
        goes_on = np.exp(chain.transition).sum(axis=2)
        goes_on = goes_on / (goes_on + np.exp(chain.stop) + np.finfo(float).tiny)
    now = np.zeros((size + 1, size))  # now[h, v]: the last two labels are h v
    now[size] = np.exp(chain.start - chain.start.max())
    moves = np.zeros((size, size))
    for _ in range(STEPS):
        step = (now * goes_on)[:, :, None] * table
        pairs = step.sum(axis=0)
        moves += pairs
        now = np.vstack((pairs, np.zeros((1, size))))
    return _rows_of_one(moves)


def _sums_to_one(chain: Chain) -> bool:
    """Whether the moves from each label sum to one, with or without the stop."""
    with np.errstate(over="ignore"):
        onward, stop = np.exp(chain.transition).sum(axis=2), np.exp(chain.stop)
    used = onward > 0
    return any(bool((np.abs(total - 1) < CLOSE)[used].all()) for total in (onward, onward + stop))
