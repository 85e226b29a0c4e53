"""What the old model answers in other texts: a model that is adapted is to answer the same there.

Added to the objective is Σ_s KL(q(y | x_s) ‖ p(y | x_s)) over sentences x_s of these texts, where q
is the old model and p the new one: answers stay as doubtful as they were, and at the start the
gradient is 0. Sentences of which q is sure (no token between :data:`SURE` and 1 - SURE) say little
and are left out: three quarters are, so that many texts can be gone through.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.encoding.schemes import OUTSIDE, Moves
from lacuna.features.token_table import TokenTable
from lacuna.inference.chain import expectations
from lacuna.models.crf import CrfModel
from lacuna.models.crf.adapting import common_tags
from lacuna.models.crf.objective import Base, chain_of
from lacuna.types import FloatArray, LongArray, RealArray

SURE = 0.03  #: probability of an identifier below which the old model is sure that there is none


class Answers(NamedTuple):
    """The old model's answers in replayed sentences.

    rows
        Tokens, sentence by sentence.
    share
        share[i, k] = q(y_t = k | x) of token t = rows[i].
    moves
        moves[i, j] = how often label j is expected to follow label i.
    """

    rows: LongArray
    share: RealArray
    moves: FloatArray


def old_answers(
    old: CrfModel, base: Base, table: TokenTable, first: int, tags: tuple[str, ...], moves: Moves
) -> Answers:
    """Return the answers for the sentences from token `first` on of which the old model is unsure.

    `base` are its scores of all tokens; new tags are impossible.
    """
    chain = chain_of(base.moves, moves)
    scores = np.full((len(base.emission) - first, len(tags)), -np.inf)
    known, _ = common_tags(old, tags)
    scores[:, known] = base.emission[first:, known]
    sentences = table.sentences[table.sentences >= first] - first
    outside = expectations(chain, scores, sentences).marginals[:, tags.index(OUTSIDE)]
    unsure = np.append(0, np.cumsum((outside > SURE) & (outside < 1 - SURE)))
    lengths = np.diff(sentences)
    chosen = np.diff(unsure[sentences]) > 0
    rows = np.flatnonzero(np.repeat(chosen, lengths))
    found = expectations(chain, scores[rows], np.append(0, np.cumsum(lengths[chosen])))
    return Answers(first + rows, found.marginals.astype(np.float32), found.transition[0])
