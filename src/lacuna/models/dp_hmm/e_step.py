"""E-step of the Dirichlet-process HMM: expected counts under q(z), with its kernels.

With the weights a = exp E[ln φT φt] of moves and e = exp E[ln φE] of words, q(z) is

* structured (:func:`expect`): a Markov chain per sentence, by forward and backward over the
  sub-tags of the observed tags,

      α_n(z) = e(w_n | z) Σ_{z'} α_{n-1}(z') a(z', z)          scaled to sum to 1
      β_{n-1}(z') = Σ_z a(z', z) e(w_n | z) β_n(z)

* mean-field (:func:`improve`): a product Π_n q(z_n). The best q of a token depends only on its two
  neighbours,

      ln q(z_n) = Σ_{z'} q(z_{n-1} = z') ln a(z', z_n) + ln e(w_n | z_n)
                  + Σ_{z'} q(z_{n+1} = z') ln a(z_n, z') + const

  so all tokens at even positions are updated at once, and then all those at odd positions.

Tokens of one step that share their tag and the previous tag are one group of rows
(`corpus_layout.py`); a step of a group is a product of matrices (:func:`advance`, :func:`retreat`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from lacuna.errors import InferenceError
from lacuna.inference.chain_kernels import add_product
from lacuna.kernels import kernel
from lacuna.models.dp_hmm.corpus_layout import Layout
from lacuna.types import FloatArray, LongArray


class LogWeights(NamedTuple):
    """E_q[ln φ], all that an E-step needs to know of the parameters.

    moves[i, j]
        From state i to state j; the last state is the border of sentences.
    emission[s][w, z]
        The w-th word of tag s in its sub-tag z.
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
    """Expected counts under q(z), and the part of the bound that depends on q(z).

    moves[i, j]
        Moves from state i to state j.
    emission[s][w, z]
        Occurrences of the w-th word of tag s in its sub-tag z.
    bound
        Σ_sentences E_q[ln weights] + H(q(z)); ln Z of the weights if q is the chain.
    memberships[s][r, z]
        q(z) of row r of tag s.
    """

    moves: FloatArray
    emission: list[FloatArray]
    bound: float
    memberships: list[FloatArray]


def expect(logs: LogWeights, layout: Layout) -> Expected:
    """Structured E-step: return expected counts under the best chain q(z).

    Raises
    ------
    InferenceError
        When weights underflow.
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
    """Return expected counts; the moves to the border are written into `moves`, which has the rest.

    memberships[s][r, z] = q(z) of row r of tag s; words[s] is the number of words of tag s.
    """
    emission = []
    for tag, member in enumerate(memberships):
        emission.append(layout.occurrences(tag, words[tag]) @ member)
        own = slice(first[tag], first[tag + 1])
        moves[own, -1] = member[layout.ends[tag]].sum(axis=0)
    return Expected(moves, emission, bound, memberships)


class Forward(NamedTuple):
    """Of every row of every tag: α, the scale it was divided by, and e(w | z) / scale."""

    alpha: list[FloatArray]
    scale: list[FloatArray]
    weighted: list[FloatArray]


def _forward(weights: LogWeights, layout: Layout) -> Forward:
    """Compute α_n(z) = e(w_n | z) Σ_{z'} α_{n-1}(z') a(z', z) / scale_n, step by step."""
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
                "probabilities are too small for floating point: increase alpha_e or alpha_t, or"
                " use fewer sub-tags"
            )
    return Forward(alpha, scale, weighted)


def _backward(
    weights: LogWeights, layout: Layout, found: Forward, beta: list[FloatArray]
) -> FloatArray:
    """Fill β, so that α β = q(z), and return expected moves divided by their weights.

    β_{n-1}(z') = Σ_z a(z', z) e(w_n | z) β_n(z) / scale_n
    counts(z', z) / a(z', z) = Σ_n α_{n-1}(z') e(w_n | z) β_n(z) / scale_n
    """
    blocks = _blocks(weights, layout)
    back = {pair: block.T.copy() for pair, block in blocks.items()}
    sums = {pair: np.zeros_like(block) for pair, block in blocks.items()}
    for step in reversed(layout.steps):
        for before, tag, first, last, rows in step:
            weighted, here = found.weighted[tag][first:last], beta[tag][first:last]
            pair = before, tag
            if before < len(beta):
                retreat(
                    found.alpha[before],
                    rows,
                    back[pair],
                    weighted,
                    here,
                    beta[before],
                    sums[pair],
                )
            else:
                sums[pair] += (weighted * here).sum(axis=0)
    counts = LogWeights(np.zeros_like(weights.moves), [], weights.first)
    for (before, tag), block in sums.items():
        counts.block(before, tag)[:] = block
    return counts.moves


def _blocks(weights: LogWeights, layout: Layout) -> dict[tuple[int, int], FloatArray]:
    """Return the moves of every pair of tags that occurs, each as a contiguous array."""
    pairs = {(group.before, group.tag) for step in layout.steps for group in step}
    return {pair: weights.block(*pair).copy() for pair in sorted(pairs)}


def improve(logs: LogWeights, layout: Layout, memberships: list[FloatArray]) -> Expected:
    """Mean-field E-step: update q(z) of every token once; the bound cannot fall."""
    members = [part.copy() for part in memberships]
    for parity in (0, 1):
        scores = _scores(logs, layout, members)
        for groups in layout.steps[parity::2]:
            for _, tag, first, last, _ in groups:
                members[tag][first:last] = _normalised(scores[tag][first:last])
    moves = moves_of(logs.first, layout, members)
    bound = sum(
        _product(member, logs.emission[tag][layout.words[tag]]) - _product(member, _log(member))
        for tag, member in enumerate(members)
    )
    sizes = [len(table) for table in logs.emission]
    found = gather(sizes, logs.first, layout, members, moves)
    return found._replace(bound=bound + _product(found.moves, logs.moves))


def moves_of(first: LongArray, layout: Layout, members: list[FloatArray]) -> FloatArray:
    """Return expected moves[i, j] = Σ_n q(z_{n-1} = i) q(z_n = j), without ends of sentences."""
    counts = np.zeros((first[-1], first[-1]))
    found = LogWeights(counts, [], first)
    for step in layout.steps:
        for before, tag, begin, end, rows in step:
            here = members[tag][begin:end]
            block = found.block(before, tag)
            block += members[before][rows].T @ here if before < len(members) else here.sum(axis=0)
    return counts


def _scores(logs: LogWeights, layout: Layout, members: list[FloatArray]) -> list[FloatArray]:
    """Return ln q(z) + const of every row, given the current q of all others."""
    border = len(members)
    scores = [table[words] for table, words in zip(logs.emission, layout.words, strict=True)]
    for tag, ends in enumerate(layout.ends):
        scores[tag][ends] += logs.block(tag, border)[:, 0]
    for step in layout.steps:
        for before, tag, first, last, rows in step:
            a = logs.block(before, tag)
            if before < border:
                scores[tag][first:last] += members[before][rows] @ a
                scores[before][rows] += members[tag][first:last] @ a.T
            else:
                scores[tag][first:last] += a
    return scores


def _normalised(scores: FloatArray) -> FloatArray:
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    normalised: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return normalised


def _log(values: FloatArray) -> FloatArray:
    return np.log(np.where(values > 0.0, values, 1.0))


def _product(weights: FloatArray, logs: FloatArray) -> float:
    """Σ w ln x, with 0 · -inf = 0."""
    return float((weights * np.where(weights > 0.0, logs, 0.0)).sum())


BLOCK = 64  #: rows at a time, so that they stay in the cache


@kernel
def advance(
    before: FloatArray,
    rows: LongArray,
    moves: FloatArray,
    weighted: FloatArray,
    alpha: FloatArray,
    scale: FloatArray,
) -> bool:
    """alpha[r, w] = weighted[r, w] Σ_v before[rows[r], v] moves[v, w] / scale[r].

    scale[r] makes it sum to 1; weighted[r] is divided by it as well. Returns whether all
    scales are positive.
    """
    inner = moves.shape[0]
    gathered = np.empty((BLOCK, inner))
    for first in range(0, len(rows), BLOCK):
        size = min(BLOCK, len(rows) - first)
        for i in range(size):
            gathered[i] = before[rows[first + i]]
        here = alpha[first : first + size]
        here[:] = 0.0
        add_product(gathered[:size], moves, here)
        if not normalise(weighted[first : first + size], here, scale[first : first + size]):
            return False
    return True


@kernel
def normalise(weighted: FloatArray, alpha: FloatArray, scale: FloatArray) -> bool:
    """alpha[r] *= weighted[r]; then divide both by scale[r] = Σ alpha[r]."""
    for r in range(len(scale)):
        row, weights = alpha[r], weighted[r]
        total = 0.0
        for w in range(len(row)):
            row[w] *= weights[w]
            total += row[w]
        if not total > 0.0:
            return False
        inverse = 1.0 / total
        for w in range(len(row)):
            row[w] *= inverse
            weights[w] *= inverse
        scale[r] = total
    return True


@kernel
def retreat(
    before: FloatArray,
    rows: LongArray,
    back: FloatArray,
    weighted: FloatArray,
    beta: FloatArray,
    beta_before: FloatArray,
    counts: FloatArray,
) -> None:
    """beta_before[rows[r], v] = Σ_w back[w, v] weighted[r, w] beta[r, w]; back[w, v] = moves[v, w].

    counts[v, w] += Σ_r before[rows[r], v] weighted[r, w] beta[r, w].
    """
    outer, inner = back.shape
    gathered, found = np.empty((inner, BLOCK)), np.empty((BLOCK, inner))
    ahead = np.empty((BLOCK, outer))
    for first in range(0, len(rows), BLOCK):
        size = min(BLOCK, len(rows) - first)
        for i in range(size):
            one, two, three = ahead[i], weighted[first + i], beta[first + i]
            for w in range(outer):
                one[w] = two[w] * three[w]
            source = before[rows[first + i]]
            for v in range(inner):
                gathered[v, i] = source[v]
        found[:] = 0.0
        add_product(ahead[:size], back, found[:size])
        add_product(gathered[:, :size], ahead[:size], counts)
        for i in range(size):
            beta_before[rows[first + i]] = found[i]
