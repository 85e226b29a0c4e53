"""Mean-field E-step of the Dirichlet-process HMM: q(z) = Π_n q(z_n).

A token's best q depends on those of its two neighbours alone:

    ln q(z_n) = Σ_{z'} q(z_{n-1} = z') ln a(z', z_n) + ln e(w_n | z_n)
                + Σ_{z'} q(z_{n+1} = z') ln a(z_n, z') + const

so all tokens at even places are updated at once, and then all those at odd places.
"""

from __future__ import annotations

import numpy as np

from lacuna.estimation.dp_hmm_corpus import Layout
from lacuna.estimation.dp_hmm_expect import Expected, LogWeights, gather
from lacuna.types import FloatArray, LongArray


def improve(logs: LogWeights, layout: Layout, memberships: list[FloatArray]) -> Expected:
    """Update q(z) of every token once; the bound cannot fall."""
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
    """Return expected moves[i, j] = Σ_n q(z_{n-1} = i) q(z_n = j); ends of sentences are left 0."""
    counts = np.zeros((first[-1], first[-1]))
    found = LogWeights(counts, [], first)
    for step in layout.steps:
        for before, tag, begin, end, rows in step:
            here = members[tag][begin:end]
            block = found.block(before, tag)
            block += members[before][rows].T @ here if before < len(members) else here.sum(axis=0)
    return counts


def _scores(logs: LogWeights, layout: Layout, members: list[FloatArray]) -> list[FloatArray]:
    """Return ln q(z) + const of every row, were it updated alone."""
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
    """Σ w ln x, where 0 · -inf = 0."""
    return float((weights * np.where(weights > 0.0, logs, 0.0)).sum())
