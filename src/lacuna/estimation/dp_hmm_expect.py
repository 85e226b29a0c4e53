"""Structured E-step of the Dirichlet-process HMM: q(z) is a Markov chain for every sentence.

Forward and backward over the sub-tags of the tags that are there:

    α_n(z) = e(w_n | z) Σ_{z'} α_{n-1}(z') a(z', z)          scaled to sum to 1
    β_{n-1}(z') = Σ_z a(z', z) e(w_n | z) β_n(z)

with a = exp E[ln φT φt] and e = exp E[ln φE]. Each group of a layout is one product of
matrices (`_dp_hmm.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from lacuna.errors import InferenceError
from lacuna.estimation._dp_hmm import advance, normalise, retreat
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
    found = _forward(weights, layout)
    alpha, scale, _ = found
    beta = [np.empty_like(part) for part in alpha]
    bound = 0.0
    for tag, ends in enumerate(layout.ends):
        stop = weights.block(tag, border)[:, 0]
        total = alpha[tag][ends] @ stop
        beta[tag][ends] = stop / total[:, None]
        logs_of_rows = np.log(np.concatenate((scale[tag], total)))
        bound += float(logs_of_rows.sum() + shift[tag][layout.words[tag]].sum())
    counts = _backward(weights, layout, found, beta)
    counts *= weights.moves
    for part, other in zip(alpha, beta, strict=True):
        part *= other
    sizes = [len(table) for table in logs.emission]
    return gather(sizes, logs.first, layout, alpha, counts, bound)


def gather(
    words: Sequence[int],
    first: LongArray,
    layout: Layout,
    memberships: list[FloatArray],
    moves: FloatArray,
    bound: float = 0.0,
) -> Expected:
    """Count words and ends of sentences by the memberships of rows; `moves` has the rest.

    words[s] is the number of words that occur with tag s.
    """
    emission = []
    for tag, member in enumerate(memberships):
        emission.append(layout.occurrences(tag, words[tag]) @ member)
        own = slice(first[tag], first[tag + 1])
        moves[own, -1] = member[layout.ends[tag]].sum(axis=0)
    return Expected(moves, emission, bound, memberships)


class Forward(NamedTuple):
    """Of every row of every tag: α, what it was divided by, and e(w | z) / scale."""

    alpha: list[FloatArray]
    scale: list[FloatArray]
    weighted: list[FloatArray]


def _forward(weights: LogWeights, layout: Layout) -> Forward:
    """Go through the steps."""
    weighted = [
        table.take(words, axis=0)
        for words, table in zip(layout.words, weights.emission, strict=True)
    ]
    alpha = [np.empty_like(part) for part in weighted]
    scale = [np.empty(len(words)) for words in layout.words]
    blocks = _blocks(weights, layout)
    for before, tag, first, last, rows in chain.from_iterable(layout.steps):
        here = weighted[tag][first:last], alpha[tag][first:last], scale[tag][first:last]
        if before < len(alpha):
            whole = advance(alpha[before], rows, blocks[before, tag], *here)
        else:
            here[1][:] = blocks[before, tag]
            whole = normalise(*here)
        if not whole:
            raise InferenceError(
                "probabilities are too small to be told from 0: alpha_e or alpha_t must be"
                " greater, or there must be fewer sub-tags"
            )
    return Forward(alpha, scale, weighted)


def _backward(
    weights: LogWeights, layout: Layout, found: Forward, beta: list[FloatArray]
) -> FloatArray:
    """Fill β, so that α β = q(z), and return expected moves divided by their weights."""
    blocks = _blocks(weights, layout)
    back = {pair: block.T.copy() for pair, block in blocks.items()}
    sums = {pair: np.zeros_like(block) for pair, block in blocks.items()}
    for step in reversed(layout.steps):
        for before, tag, first, last, rows in step:
            weighted, behind, pair = (
                found.weighted[tag][first:last],
                beta[tag][first:last],
                (before, tag),
            )
            if before < len(beta):
                retreat(
                    found.alpha[before],
                    rows,
                    back[pair],
                    weighted,
                    behind,
                    beta[before],
                    sums[pair],
                )
            else:
                sums[pair] += (weighted * behind).sum(axis=0)
    counts = LogWeights(np.zeros_like(weights.moves), [], weights.first)
    for (before, tag), block in sums.items():
        counts.block(before, tag)[:] = block
    return counts.moves


def _blocks(weights: LogWeights, layout: Layout) -> dict[tuple[int, int], FloatArray]:
    """Return the moves of every pair of tags that occurs, each in one piece."""
    pairs = {(group.before, group.tag) for step in layout.steps for group in step}
    return {pair: weights.block(*pair).copy() for pair in sorted(pairs)}
