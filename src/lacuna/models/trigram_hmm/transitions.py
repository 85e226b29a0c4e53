"""q(s | u, v), the probability of a tag after two others: interpolated frequencies.

    q(s | u, v) = λ₃ c(u,v,s) / c(u,v)  +  λ₂ c(v,s) / c(v)  +  λ₁ c(s) / Σ c(tags allowed after v)

STOP is among the s, the mark * before the first tag among u and v. A pair (u, v) never seen gives
its share λ₃ to the bigram, a tag v never seen gives λ₂ to the unigram; a tag s never seen counts
once. So Σ_s q(s | u, v) = 1 for every u, v, and every allowed move is possible. The weights λ come
from deleted interpolation (Brants 2000, figure 1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.inference.chain import Chain
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray


class InterpolationWeights(NamedTuple):
    """λ₁, λ₂, λ₃: weights of unigrams, bigrams and trigrams; they sum to one."""

    unigram: float
    bigram: float
    trigram: float


def count_trigrams(tags: IntArray, sentences: LongArray, size: int) -> LongArray:
    """Return counts[u, v, s] of tags within sentences.

    Sentence i is ``tags[sentences[i]:sentences[i + 1]]``, its tags are below `size` = K.
    As u and v, K is the mark before the first tag; as s, it is STOP. A tag below 0 is unknown, and
    nothing that contains it is counted.
    """
    number = np.arange(len(sentences) - 1)
    # every sentence is padded with two marks before it and STOP after it
    own = np.arange(len(tags)) + 2 + 3 * np.repeat(number, np.diff(sentences))
    stops = sentences[1:] + 2 + 3 * number
    padded = np.full(len(tags) + 3 * len(number), size, np.int64)
    padded[own] = tags
    s = np.concatenate((own, stops))
    s = s[np.minimum(np.minimum(padded[s - 2], padded[s - 1]), padded[s]) >= 0]
    counts = np.zeros((size + 1,) * 3, np.int64)
    np.add.at(counts, (padded[s - 2], padded[s - 1], padded[s]), 1)
    return counts


def deleted_interpolation(counts: LongArray) -> InterpolationWeights:
    """Estimate the weights from counts[u, v, s], each trigram judged without itself.

    Every occurrence of u, v, s votes for the largest of (c(s) - 1) / (n - 1),
    (c(v,s) - 1) / (c(v) - 1) and (c(u,v,s) - 1) / (c(u,v) - 1), among equals for the longest
    context; 0 / 0 is 0. Each weight starts with one vote, so that none is zero.
    """
    u, v, s = np.nonzero(counts)
    pairs = counts.sum(axis=0)
    singles = pairs.sum(axis=0)
    seen = counts[u, v, s]
    shares = np.stack(
        [
            _without_one(seen, counts.sum(axis=2)[u, v]),
            _without_one(pairs[v, s], pairs.sum(axis=1)[v]),
            _without_one(singles[s], np.full(len(s), singles.sum())),
        ]
    )
    votes = 1.0 + np.bincount(np.argmax(shares, axis=0), seen, 3)
    trigram, bigram, unigram = (votes / votes.sum()).tolist()
    return InterpolationWeights(unigram, bigram, trigram)


def interpolate(counts: LongArray, weights: InterpolationWeights, moves: BoolArray) -> FloatArray:
    """Return q[u, v, s]; moves[v, s]: s may follow v, from :meth:`Moves.with_border`.

    Every v needs an allowed s. Counts of moves that are not allowed are ignored.
    """
    trigrams = counts * moves
    bigrams = trigrams.sum(axis=0)
    unigrams = np.maximum(bigrams.sum(axis=0), 1) * moves
    q1 = unigrams / unigrams.sum(axis=1, keepdims=True)
    q2 = _relative(bigrams, otherwise=q1)
    q3 = _relative(trigrams, otherwise=q2)
    q: FloatArray = weights.unigram * q1 + weights.bigram * q2 + weights.trigram * q3
    return q


def as_chain(q: FloatArray) -> Chain:
    """Return q[u, v, s] as the log weights of a second-order chain."""
    size = len(q) - 1
    with np.errstate(divide="ignore"):
        log_q = np.log(q)
    return Chain(
        np.ascontiguousarray(log_q[:, :size, :size]),
        log_q[size, size, :size].copy(),
        np.ascontiguousarray(log_q[:, :size, size]),
    )


def _without_one(part: LongArray, whole: LongArray) -> FloatArray:
    return (part - 1) / np.maximum(whole - 1, 1)


def _relative(counts: LongArray, *, otherwise: FloatArray) -> FloatArray:
    """Return counts divided by their sum over the last axis, or `otherwise` if that is 0."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.maximum(total, 1), otherwise)
