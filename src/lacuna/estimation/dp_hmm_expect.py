"""Structured E-step of the Dirichlet-process HMM: q(z) is a Markov chain for every sentence.

Forward and backward over the sub-tags of the tags that are there:

    α_n(z) = e(w_n | z) Σ_{z'} α_{n-1}(z') a(z', z)          scaled to sum to 1
    β_{n-1}(z') = Σ_z a(z', z) e(w_n | z) β_n(z)

with a = exp E[ln φT φt] and e = exp E[ln φE]. Each group of a layout is one product of matrices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.errors import InferenceError
from lacuna.estimation.dp_hmm_corpus import Layout
from lacuna.types import FloatArray, LongArray


class LogWeights(NamedTuple):
    """E_q[ln φ], the one thing an E-step looks at.

    moves[i, j]
        From state i to state j; the last state is the border of sentences.
    emission[s][w, z]
        Of the w-th word of tag s in its sub-tag z.
    first
        Tag s has the states first[s] to first[s + 1].
    """

    moves: FloatArray
    emission: list[FloatArray]
    first: LongArray

    def block(self, before: int, tag: int) -> FloatArray:
        """Return the moves from the sub-tags of one tag to those of another."""
        return self.moves[
            self.first[before] : self.first[before + 1], self.first[tag] : self.first[tag + 1]
        ]


class Expected(NamedTuple):
    """Expected counts under q(z), and q's share of the bound.

    moves[i, j]
        Of moves from state i to state j.
    emission[s][w, z]
        Of words.
    bound
        Σ_sentences E_q[ln weights] + H(q(z)): ln Z of the weights where q is the chain.
    memberships[s][r, z]
        q(z) of row r of tag s.
    """

    moves: FloatArray
    emission: list[FloatArray]
    bound: float
    memberships: list[FloatArray]


def expect(logs: LogWeights, layout: Layout) -> Expected:
    """Sum over all sub-tags of the sentences of a layout.

    Raises
    ------
    InferenceError
        When weights are too small for floating point.
    """
    border = len(layout.words)
    shift = [table.max(axis=1, initial=-np.inf) for table in logs.emission]
    emission = [np.exp(t - m[:, None]) for t, m in zip(logs.emission, shift, strict=True)]
    weights = LogWeights(np.exp(logs.moves), emission, logs.first)
    alpha, scale = _forward(weights, layout)
    beta = [np.empty_like(part) for part in alpha]
    bound = 0.0
    for tag, ends in enumerate(layout.ends):
        stop = weights.block(tag, border)[:, 0]
        total = alpha[tag][ends] @ stop
        beta[tag][ends] = stop / total[:, None]
        logs_of_rows = np.log(np.concatenate((scale[tag], total)))
        bound += float(logs_of_rows.sum() + shift[tag][layout.words[tag]].sum())
    counts = _backward(weights, layout, alpha, scale, beta)
    counts *= weights.moves
    for part, other in zip(alpha, beta, strict=True):
        part *= other
    return gather(logs, layout, alpha, counts, bound)


def gather(
    logs: LogWeights,
    layout: Layout,
    memberships: list[FloatArray],
    moves: FloatArray,
    bound: float,
) -> Expected:
    """Count words and ends of sentences by the memberships of rows; `moves` has the rest."""
    emission = []
    for tag, member in enumerate(memberships):
        emission.append(layout.occurrences(tag, len(logs.emission[tag])) @ member)
        own = slice(logs.first[tag], logs.first[tag + 1])
        moves[own, -1] = member[layout.ends[tag]].sum(axis=0)
    return Expected(moves, emission, bound, memberships)


def _forward(weights: LogWeights, layout: Layout) -> tuple[list[FloatArray], list[FloatArray]]:
    """Return α of every row, scaled to sum to 1, and what it was divided by."""
    alpha = [
        np.empty((len(words), table.shape[1]))
        for words, table in zip(layout.words, weights.emission, strict=True)
    ]
    scale = [np.empty(len(words)) for words in layout.words]
    for step in layout.steps:
        for before, tag, first, last, rows in step:
            a = weights.block(before, tag)
            here = weights.emission[tag][layout.words[tag][first:last]]
            here *= alpha[before][rows] @ a if before < len(alpha) else a
            total = here.sum(axis=1)
            if not total.min() > 0.0:
                raise InferenceError(
                    "probabilities are too small to be told from 0: alpha_e or alpha_t must be"
                    " greater, or there must be fewer sub-tags"
                )
            here /= total[:, None]
            alpha[tag][first:last], scale[tag][first:last] = here, total
    return alpha, scale


def _backward(
    weights: LogWeights,
    layout: Layout,
    alpha: list[FloatArray],
    scale: list[FloatArray],
    beta: list[FloatArray],
) -> FloatArray:
    """Fill β, so that α β = q(z), and return expected moves divided by their weights."""
    counts = np.zeros_like(weights.moves)
    found = LogWeights(counts, [], weights.first)
    for step in reversed(layout.steps):
        for before, tag, first, last, rows in step:
            ahead = weights.emission[tag][layout.words[tag][first:last]]
            ahead *= beta[tag][first:last]
            ahead /= scale[tag][first:last, None]
            block = found.block(before, tag)
            if before < len(alpha):
                block += alpha[before][rows].T @ ahead
                beta[before][rows] = ahead @ weights.block(before, tag).T
            else:
                block += ahead.sum(axis=0)
    return counts
