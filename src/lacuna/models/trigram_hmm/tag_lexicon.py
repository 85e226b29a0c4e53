"""e(x | s), the words of a tag: own counts of a word, blended with those of its class.

    e(x | s) = p(s | x) p(x) / p(s)                                          (Bayes; Brants 2000)

p(s) is the share of tag s; p(x) is the same for every tag and left out. p(s | x) is proportional to

    B c(x, s) + p(s | class of x)

where B is the weight of a word's own occurrences: at least 1 for frequent words. A word never seen
has its class alone (`word_classes.py`). The tags of a word seen often enough are *closed*: p(s | x)
is 0 unless s is related to a tag that the word was seen with: of the same label, or ``O``. Few open
tags make decoding fast. Smoothing p(s | x) leaves e(x | s) unnormalised over x: p(x, y) is a
weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

import numpy as np

from lacuna.encoding.schemes import OUTSIDE, Scheme
from lacuna.features.token_table import TokenTable
from lacuna.models.scoring import MOST_BYTES, SparseRows, appended
from lacuna.models.trigram_hmm.word_classes import WordClasses, fit_word_classes, token_classes
from lacuna.text.word_types import GrowingTypes, WordTypes, number_types
from lacuna.types import BoolArray, FloatArray, IntArray

#: Changes the hash of a word at the beginning of a sentence: its class may be another there.
FIRST = np.uint64(0x5851F42D4C957F2D)


@dataclass(frozen=True, slots=True, eq=False)
class TagLexicon:
    """Counts of words and tags.

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
        Words seen fewer times are rare.
    blend
        B of rare words.
    closed
        The tags of words seen at least this often are closed.
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
    _cache: _EmissionCache = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_cache", _EmissionCache(self))

    def emission(self, table: TokenTable) -> FloatArray:
        """Return log e(x | s) - log p(x) for every token, [t, s]."""
        return self._cache.emission(table)

    def is_known(self, table: TokenTable) -> BoolArray:
        """Return for each token whether its word was seen in training."""
        return self.words.lookup(table.hashes) >= 0

    def of_tokens(self, table: TokenTable, tokens: IntArray, is_first: BoolArray) -> FloatArray:
        """Return log e(x | s) - log p(x) of some tokens, [i, s]."""
        keys = token_classes(table, tokens, is_first, self.classes.longest)
        of_class = self.classes.tags[self.classes.finest(keys)].astype(np.float64)
        own = self._own_counts(self.words.lookup(table.hashes[tokens]))
        seen = own.sum(axis=1, keepdims=True)
        # n[i, s] = B c(x, s) + p(s | class of x)
        n = np.where(seen < self.rare, self.blend, max(self.blend, 1.0)) * own + of_class
        n[(seen >= self.closed) & ~((own > 0) @ self.kin)] = 0.0
        ratio = n / n.sum(axis=1, keepdims=True) / (self.tags / self.tags.sum())
        with np.errstate(divide="ignore"):
            log_ratio: FloatArray = np.log(ratio)
        return log_ratio

    def _own_counts(self, words: IntArray) -> FloatArray:
        """Return c(x, s) of some words, [i, s]; zeros for unknown words, -1."""
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


class _EmissionCache:
    """Emissions of the words met so far; threads may share it."""

    def __init__(self, lexicon: TagLexicon) -> None:
        self._lexicon = lexicon
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self._types = GrowingTypes()
        self._rows = np.empty((0, len(self._lexicon.tags)))

    def emission(self, table: TokenTable) -> FloatArray:
        is_first = _begins_sentence(table)
        hashes = np.where(is_first, table.hashes ^ FIRST, table.hashes)
        with self._lock:
            if self._rows.nbytes > MOST_BYTES:
                self._forget()
            before = len(self._types)
            ids, first = self._types.number(hashes)
            if len(first):
                new = self._lexicon.of_tokens(table, first, is_first[first])
                self._rows = appended(self._rows, before, new)
            rows = self._rows
        return rows[ids]


class TagCounts(NamedTuple):
    """Token tokens[i] has tag tags[i]; that counts weights[i]."""

    tokens: IntArray
    tags: IntArray
    weights: FloatArray

    @classmethod
    def of_path(cls, path: IntArray) -> TagCounts:
        """Return the tokens whose tag is known: path[t] is at least 0."""
        known = np.flatnonzero(path >= 0).astype(np.int32)
        return cls(known, path[known], np.ones(len(known)))

    def plus(self, other: TagCounts) -> TagCounts:
        """Return both one after the other."""
        return TagCounts(
            np.concatenate((self.tokens, other.tokens)),
            np.concatenate((self.tags, other.tags)),
            np.concatenate((self.weights, other.weights)),
        )


def fit_lexicon(
    table: TokenTable,
    counted: TagCounts,
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
    """Count words and tags, which are below `size`."""
    tokens, tags, weights = counted
    hashes = table.hashes[tokens]
    numbered = number_types(hashes)
    total = np.maximum(np.bincount(tags, weights, size), 1.0)
    is_rare = np.bincount(numbered.ids, weights)[numbered.ids] < rare
    is_first = _begins_sentence(table)
    keys = token_classes(table, tokens[is_rare], is_first[tokens[is_rare]], suffixes)
    classes = fit_word_classes(
        keys,
        tags[is_rare],
        weights[is_rare],
        total / total.sum(),
        min_count=suffix_count,
        parent_weight=parent_weight,
    )
    words = WordTypes.build(hashes)
    counts = _sparse_counts(numbered.ids, tags, weights, len(words), size)
    return TagLexicon(words, counts, total, classes, rare, blend, closed, kin)


def kin_tags(tags: Sequence[str], scheme: Scheme | None) -> BoolArray:
    """Return kin[r, s]: tags of one label are kin, and ``O`` to all, so that a path exists."""
    if scheme is None:
        return np.eye(len(tags), dtype=np.bool_)
    labels = np.array([tag[2:] for tag in tags])
    related: BoolArray = (labels[:, None] == labels) | (np.array(tags) == OUTSIDE)
    return related


def _begins_sentence(table: TokenTable) -> BoolArray:
    is_first = np.zeros(len(table.hashes), np.bool_)
    is_first[table.sentences[:-1]] = True
    return is_first


def _sparse_counts(
    words: IntArray, tags: IntArray, weights: FloatArray, rows: int, size: int
) -> SparseRows:
    """Sum the weights of pairs of word and tag."""
    pairs, place = np.unique(words.astype(np.int64) * size + tags, return_inverse=True)
    counts = np.bincount(place.ravel(), weights, len(pairs))
    borders = np.searchsorted(pairs, np.arange(rows + 1) * size)
    return SparseRows(borders, (pairs % size).astype(np.uint16), counts.astype(np.float32))
