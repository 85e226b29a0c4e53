"""States that have a distribution over classes, p(c | y), in place of one class each.

    p(x, c, y) = Π_t p(y_t | y_{t-1}) p(x_t | y_t) p(c_t | y_t)                 (Krogh 1994)

For tagging, a pair of a state and a class is a state of its own: pair (y, c) emits x with
p(x | y) p(c | y), and moves to (y', c') with p(y' | y) if the tag scheme lets c' follow c. So tags,
probabilities and best paths are found as in any chain. Pairs of hardly any probability are left
out: of S C pairs, little more than S remain after training.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.encoding.schemes import Moves
from lacuna.models.class_hmm.chain_counts import HmmTables, one_class_each
from lacuna.types import FloatArray, LongArray

LEAST_SHARE = 1e-3  #: p(c | y) below which a pair is left out
OTHERS = 0.1  #: share of a state that belongs to other classes at first


class Pairs(NamedTuple):
    """Pair i is state ``states[i]`` with class ``classes[i]``; pairs are in order of classes."""

    states: LongArray
    classes: LongArray

    def moves(self, moves: Moves) -> Moves:
        """Return the moves between pairs, given those between classes."""
        own = self.classes
        return Moves(moves.allowed[np.ix_(own, own)], moves.first[own], moves.last[own])


def pairs_of(log_shares: FloatArray) -> Pairs:
    """Return the pairs worth keeping, given log p(c | y), [c, y].

    The likeliest class of every state and the likeliest state of every class are among them.
    """
    kept = log_shares >= np.log(LEAST_SHARE)
    classes, states = log_shares.shape
    kept[log_shares.argmax(axis=0), np.arange(states)] = True
    kept[np.arange(classes), log_shares.argmax(axis=1)] = True
    found, state = np.nonzero(kept)
    return Pairs(state, found)


def first_shares(counts: HmmTables, borders: LongArray) -> HmmTables:
    """Add counts[c, y] to start from: most of a state has the class it would have alone.

    The other classes get a part by their frequency, so that none is excluded from the beginning.
    """
    uses = counts.emission.sum(axis=0)
    own = np.exp(one_class_each(borders)) * uses
    share = own.sum(axis=1, keepdims=True) / max(uses.sum(), 1.0)
    return counts._replace(classes=(1 - OTHERS) * own + OTHERS * share * uses)
