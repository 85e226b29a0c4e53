"""Expected tags of raw text: the E-step of expectation maximisation for the trigram HMM.

    c(x, s) = count in annotated text + w Σ_{raw tokens of x} p(tag is s | sentence)

The M-step is the usual training of e(x | s) from these counts. q(s | u, v) stays that of the
annotated text: with expected moves, tags that are frequent there would become ever more frequent.
As e is smoothed and not normalised over words, the likelihood of raw text may fall in a step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.features.token_table import TokenTable
from lacuna.inference.chain import expectations
from lacuna.models.trigram_hmm import Hmm
from lacuna.models.trigram_hmm.tag_lexicon import TagCounts

#: A tag less probable than this is not counted, so that a word keeps few tags.
LEAST_PROBABILITY = 0.01


class RawCounts(NamedTuple):
    """Expected tags of raw text, and its log p(x) (up to a constant), both times the weight."""

    words: TagCounts
    log_likelihood: float


def expected_tags(hmm: Hmm, table: TokenTable, first: int, weight: float) -> RawCounts:
    """Return the expected tags of sentence `first` and all after it, each with a weight."""
    begin = int(table.sentences[first])
    rows = hmm.lexicon.emission(table)[begin:]
    found = expectations(hmm.chain, rows, table.sentences[first:] - begin)
    token, tag = np.nonzero(found.marginals >= LEAST_PROBABILITY)
    counted = TagCounts(
        (token + begin).astype(np.int32),
        tag.astype(np.int32),
        weight * found.marginals[token, tag],
    )
    return RawCounts(counted, weight * float(found.log_partition.sum()))
