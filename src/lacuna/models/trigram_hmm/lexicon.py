"""Which tags a word has: its own counts, blended with those of its class.

    e(x | s) = p(s | x) p(x) / p(s)                                          (Bayes; Brants 2000)

p(s) is the share of tag s; p(x) is the same under every tag and left out. p(s | x) is in
proportion to

    B c(x, s) + p(s | class of x)

where B is the weight of a word's own occurrences: at least 1 for frequent words. A word never
seen has its class alone. The tags of a word seen often enough are *closed*: p(s | x) is 0 unless s
is kin to a tag that the word was seen with. Few open tags make decoding fast.

Probabilities of tags after tags: trigram, bigram and unigram frequencies, interpolated.

    q(s | u, v) = λ₃ c(u,v,s) / c(u,v)  +  λ₂ c(v,s) / c(v)  +  λ₁ c(s) / Σ c(tags allowed after v)

with STOP among the s and the mark * before the first tag among u, v. A pair (u, v) never seen
gives its share λ₃ to the bigram, a tag v never seen gives λ₂ to the unigram; a tag s never seen
counts once. So Σ_s q(s | u, v) = 1 for every u, v, and every allowed move is possible.
The weights λ come from deleted interpolation (Brants 2000, figure 1).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

import numpy as np

from lacuna.features.token_table import TokenTable
from lacuna.inference.chain import Chain
from lacuna.models.scoring import MOST_BYTES, SparseRows
from lacuna.models.trigram_hmm.word_classes import WordClasses, fit_word_classes, token_classes
from lacuna.text.word_types import GrowingTypes, WordTypes, number_types
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray

#: Marks the hash of a word at the beginning of a sentence: its class may be another there.
FIRST = np.uint64(0x5851F42D4C957F2D)


@dataclass(frozen=True, slots=True, eq=False)
class TagLexicon:
    """What was counted about words and tags.

    Attributes
    ----------
    words
        The words that were seen.
    counts
        Row i holds c(x, s) of word i.
    tags
        c(s), all positive.
    classes
        p(s | class).
    rare
        Words seen less often are rare.
    blend
        B.
    closed
        From how many occurrences on the tags of a word are closed.
    kin
        ``kin[r, s]``: a closed word seen with tag r may have tag s; r = s at least.
    """

    words: WordTypes
    counts: SparseRows
    tags: FloatArray
    classes: WordClasses
    rare: int
    blend: float
    closed: int
    kin: BoolArray
    _kept: _KeptRows = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_kept", _KeptRows(self))

    def emission(self, table: TokenTable) -> FloatArray:
        """Return log e(x | s) - log p(x) for every token, [t, s]."""
        return self._kept.emission(table)

    def is_known(self, table: TokenTable) -> BoolArray:
        """Return for each token whether its word was seen in training."""
        return self.words.lookup(table.hashes) >= 0

    def of_tokens(self, table: TokenTable, tokens: IntArray, is_first: BoolArray) -> FloatArray:
        """Return log e(x | s) - log p(x) of some tokens, [i, s]."""
        keys = token_classes(table, tokens, is_first, self.classes.longest)
        of_class = self.classes.tags[self.classes.finest(keys)].astype(np.float64)
        own = self._own_counts(self.words.lookup(table.hashes[tokens]))
        seen = own.sum(axis=1, keepdims=True)
        n = np.where(seen < self.rare, self.blend, max(self.blend, 1.0)) * own + of_class
        n[(seen >= self.closed) & ~((own > 0) @ self.kin)] = 0.0
        ratio = n / n.sum(axis=1, keepdims=True) / (self.tags / self.tags.sum())
        with np.errstate(divide="ignore"):
            log_ratio: FloatArray = np.log(ratio)
        return log_ratio

    def _own_counts(self, words: IntArray) -> FloatArray:
        """Return c(x, s) of some words; 0 for those unknown, -1."""
        borders, tags, values = self.counts
        known = np.flatnonzero(words >= 0)
        first, last = borders[words[known]], borders[words[known] + 1]
        lengths = last - first
        place = np.arange(lengths.sum()) + np.repeat(
            first - (np.cumsum(lengths) - lengths), lengths
        )
        own = np.zeros((len(words), len(self.tags)))
        own[np.repeat(known, lengths), tags[place]] = values[place]
        return own


class _KeptRows:
    """Emissions of the words met so far. Threads may share one."""

    def __init__(self, lexicon: TagLexicon) -> None:
        self._lexicon = lexicon
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self._types = GrowingTypes()
        self._rows = np.empty((0, len(self._lexicon.tags)))

    def emission(self, table: TokenTable) -> FloatArray:
        is_first = np.zeros(len(table.hashes), np.bool_)
        is_first[table.sentences[:-1]] = True
        hashes = np.where(is_first, table.hashes ^ FIRST, table.hashes)
        with self._lock:
            if self._rows.nbytes > MOST_BYTES:
                self._forget()
            before = len(self._types)
            ids, first = self._types.number(hashes)
            if len(first):
                new = self._lexicon.of_tokens(table, first, is_first[first])
                self._append(before, new)
            rows = self._rows
        return rows[ids]

    def _append(self, count: int, more: FloatArray) -> None:
        """Write `more` behind the first `count` rows; rows that others hold are left alone."""
        if count + len(more) > len(self._rows):
            larger = np.empty((2 * (count + len(more)), self._rows.shape[1]))
            larger[:count] = self._rows[:count]
            self._rows = larger
        self._rows[count : count + len(more)] = more


def fit_lexicon(
    table: TokenTable,
    tags: IntArray,
    size: int,
    *,
    rare: int,
    blend: float,
    suffixes: int,
    suffix_count: int,
    parent_weight: float,
    closed: int,
    kin: BoolArray,
) -> TagLexicon:
    """Count words and tags; ``tags[t]`` below `size` is the tag of token t."""
    numbered = number_types(table.hashes)
    total = np.maximum(np.bincount(tags, minlength=size), 1).astype(np.float64)
    seen = np.bincount(numbered.ids)
    rare_tokens = np.flatnonzero(seen[numbered.ids] < rare).astype(np.int32)
    is_first = np.zeros(len(tags), np.bool_)
    is_first[table.sentences[:-1]] = True
    keys = token_classes(table, rare_tokens, is_first[rare_tokens], suffixes)
    classes = fit_word_classes(
        keys,
        tags[rare_tokens],
        total / total.sum(),
        min_count=suffix_count,
        parent_weight=parent_weight,
    )
    words = WordTypes.build(table.hashes)
    counts = _sparse_counts(numbered.ids, tags, len(words), size)
    return TagLexicon(words, counts, total, classes, rare, blend, closed, kin)


def _sparse_counts(words: IntArray, tags: IntArray, rows: int, size: int) -> SparseRows:
    """Count pairs of word and tag."""
    pairs, counts = np.unique(words.astype(np.int64) * size + tags, return_counts=True)
    borders = np.searchsorted(pairs, np.arange(rows + 1) * size)
    return SparseRows(borders, (pairs % size).astype(np.uint16), counts.astype(np.float32))


class Weights(NamedTuple):
    """λ₁, λ₂, λ₃: how much unigrams, bigrams and trigrams count; they add up to one."""

    unigram: float
    bigram: float
    trigram: float


def count_trigrams(tags: IntArray, sentences: LongArray, size: int) -> LongArray:
    """Return counts[u, v, s] of tags within sentences.

    Sentence i is ``tags[sentences[i]:sentences[i + 1]]``, its tags are below `size` = K.
    As u and v, K is the mark before the first tag; as s, it is STOP.
    """
    number = np.arange(len(sentences) - 1)
    # two marks stand before every sentence and STOP behind it, so that each moves by three
    own = np.arange(len(tags)) + 2 + 3 * np.repeat(number, np.diff(sentences))
    stops = sentences[1:] + 2 + 3 * number
    padded = np.full(len(tags) + 3 * len(number), size, np.int64)
    padded[own] = tags
    s = np.concatenate((own, stops))
    counts = np.zeros((size + 1,) * 3, np.int64)
    np.add.at(counts, (padded[s - 2], padded[s - 1], padded[s]), 1)
    return counts


def deleted_interpolation(counts: LongArray) -> Weights:
    """Find the weights that suit counts[u, v, s] from which the trigram itself is taken away.

    Every occurrence of u, v, s votes for the largest of (c(s) - 1) / (n - 1),
    (c(v,s) - 1) / (c(v) - 1) and (c(u,v,s) - 1) / (c(u,v) - 1), the longer context where equal;
    0 / 0 is 0. Each weight begins with one vote, so that none is zero.
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
    return Weights(unigram, bigram, trigram)


def interpolate(counts: LongArray, weights: Weights, allowed: BoolArray) -> FloatArray:
    """Return q[u, v, s]; allowed[v, s] says which moves there are, * and STOP in the last places.

    Every v needs an allowed s. Counts of moves that are not allowed are ignored.
    """
    trigrams = counts * allowed
    bigrams = trigrams.sum(axis=0)
    unigrams = np.maximum(bigrams.sum(axis=0), 1) * allowed
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
    """Return counts divided by their sum over the last axis, where there is any."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.maximum(total, 1), otherwise)
