"""Tokens → feature numbers: keys of all features, the index of known keys, rows for a model.

A feature is a row of the weight table. Features of single words belong to word types (``by_word``),
those that combine words or use positions to tokens (``by_token``); -1 is an unknown feature. Its
key is a 64-bit hash of its template and of the values that the template combines. No strings are
made, neither in training nor in tagging.

The scores of these features are computed twice by design: for training in
`learning/emission.py`, for tagging, without storing rows, in `models/scoring.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.features.hashing import NONE, OUTSIDE, finish, seed, step
from lacuna.features.index import KnownKeys
from lacuna.features.layout import place_values
from lacuna.features.plan import Plan, WordTemplates
from lacuna.features.resources import LEX
from lacuna.features.token_table import TokenTable
from lacuna.features.words import word_values
from lacuna.kernels import kernel
from lacuna.text.word_types import GrowingTypes, NumberedTypes
from lacuna.types import HashArray, IntArray, LongArray


class FeatureRows(NamedTuple):
    """Rows of the weight table that some tokens use; -1 for none.

    types[t]
        Word type of token t.
    by_word[o · size + v, j]
        As in :class:`FeatureKeys`, window offsets stacked, `size` types each.
    by_token[t, j]
        As in :class:`FeatureKeys`.
    """

    types: IntArray
    size: int
    by_word: IntArray
    by_token: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class FeatureIndex:
    """The features a model knows: feature r has the key ``keys.hashes[r]``."""

    plan: Plan
    keys: KnownKeys

    def __len__(self) -> int:
        return len(self.keys)

    def rows(self, table: TokenTable, numbered: NumberedTypes) -> FeatureRows:
        """Return the known features of all tokens of `table`."""
        keys = feature_keys(table, numbered, self.plan)
        size = len(numbered.first) + 2
        widest = max((part.shape[1] for part in keys.by_word), default=0)
        by_word = np.full((len(keys.by_word) * size, widest), -1, np.int32)
        for o, part in enumerate(keys.by_word):
            by_word[o * size : (o + 1) * size, : part.shape[1]] = self.keys.lookup(part)
        return FeatureRows(numbered.ids, size, by_word, self.keys.lookup(keys.by_token))


def build_index(
    table: TokenTable, numbered: NumberedTypes, plan: Plan, *, min_count: int = 1
) -> FeatureIndex:
    """Index the features that at least `min_count` tokens have (and at least one)."""
    keys = feature_keys(table, numbered, plan)
    of_type = window_counts(numbered.ids, table.sentences, plan.offsets, len(numbered.first) + 2)
    every = GrowingTypes()
    found, counts = [np.empty(0, np.uint64)], np.empty(0)
    for part, weights in (*zip(keys.by_word, of_type, strict=True), (keys.by_token, None)):
        flat = part.reshape(-1)
        ids, first = every.number(flat)
        found.append(flat[first])
        more = None if weights is None else np.repeat(weights, part.shape[1])
        before, counts = counts, np.bincount(ids, more, len(every)).astype(np.float64)
        counts[: len(before)] += before
    distinct = np.concatenate(found)
    kept = (counts >= max(min_count, 1)) & (distinct != NONE)
    return FeatureIndex(plan, KnownKeys.of(distinct[kept]))


def in_enough_groups(
    index: FeatureIndex,
    table: TokenTable,
    numbered: NumberedTypes,
    group: LongArray,
    *,
    least: int,
) -> FeatureIndex:
    """Keep the features that tokens of at least `least` groups have; token t is in group[t].

    Features that only a few documents have could identify a person.
    """
    keys = feature_keys(table, numbered, index.plan)
    size = len(numbered.first) + 2
    counts = np.zeros(len(index), np.int64)
    for offset, part in zip(index.plan.offsets.tolist(), keys.by_word, strict=True):
        types, groups = _distinct(_types_at(numbered.ids, table.sentences, offset, size), group)
        for column in part.T:
            counts += _count_groups(index, column[types], groups)
    for column in keys.by_token.T:
        counts += _count_groups(index, np.ascontiguousarray(column), group)
    return FeatureIndex(index.plan, KnownKeys.of(index.keys.hashes[counts >= least]))


def _types_at(ids: IntArray, sentences: LongArray, offset: int, size: int) -> LongArray:
    """Return the word type `offset` tokens away, the last two types being outside the sentence."""
    lengths = np.diff(sentences)
    first, last = np.repeat(sentences[:-1], lengths), np.repeat(sentences[1:], lengths)
    place = np.arange(len(ids)) + offset
    inside = ids[np.clip(place, 0, len(ids) - 1)]
    return np.where(place < first, size - 2, np.where(place >= last, size - 1, inside))


def _count_groups(index: FeatureIndex, keys: HashArray, groups: LongArray) -> LongArray:
    """Return for each feature the number of groups it occurs in."""
    rows = index.keys.lookup(keys)
    found, _ = _distinct(rows[rows >= 0], groups[rows >= 0])
    return np.bincount(found, minlength=len(index))


def _distinct(
    left: LongArray | IntArray, right: LongArray | IntArray
) -> tuple[LongArray, LongArray]:
    """Return the distinct pairs (left[i], right[i])."""
    width = int(right.max(initial=0)) + 1
    pairs = np.unique(left.astype(np.int64) * width + right)
    return pairs // width, pairs % width


class FeatureKeys(NamedTuple):
    """Keys of all features of some tokens; 0 if a template gives none.

    by_word[o][v, j]
        Column j of the o-th window offset for word type v; the last two types mean "before" and
        "after the sentence".
    by_token[t, j]
        Column j of the combining templates for token t.
    """

    by_word: tuple[HashArray, ...]
    by_token: HashArray


def feature_keys(table: TokenTable, numbered: NumberedTypes, plan: Plan) -> FeatureKeys:
    """Evaluate all templates: word attributes once per type, combinations once per token."""
    values = np.concatenate((type_values(table, numbered.first, plan), outside_values(plan)))
    by_token = combined_keys(table, numbered.ids, values[:, plan.by_token.words], plan)
    by_word = tuple(keys_of_words(values, group) for group in plan.by_word)
    return FeatureKeys(by_word, by_token)


def type_values(table: TokenTable, first: IntArray, plan: Plan) -> HashArray:
    """Return values[v, a]: word attribute a of the token first[v]."""
    start, end = table.start[first], table.end[first]
    names = plan.word_attributes
    values = word_values(table.codes, start, end, names, resources=plan.resources)
    if LEX in table.given and LEX in names:
        values[:, names.index(LEX)] = table.given[LEX][first]
    return values


def outside_values(plan: Plan) -> HashArray:
    """Return the word attributes of "before" and "after the sentence"."""
    return np.full((2, len(plan.word_attributes)), OUTSIDE)


def keys_of_words(values: HashArray, group: WordTemplates) -> HashArray:
    """Return keys[v, j] of words with these attributes for some word templates."""
    return word_keys(values, group.first_term, group.attribute, group.template)


def combined_keys(table: TokenTable, types: IntArray, values: HashArray, plan: Plan) -> HashArray:
    """Return keys[t, j] of the combining templates; values[v] are the attributes they use."""
    several = plan.by_token
    return token_keys(
        types,
        table.sentences,
        values,
        place_values(table, plan.token_attributes, plan.resources),
        several.first_term,
        several.attribute,
        several.offset,
        several.template,
    )


@kernel
def word_keys(
    values: HashArray, first_term: LongArray, attribute: IntArray, template: LongArray
) -> HashArray:
    """Return keys[v, j]: key of word type v and the template number template[j], 0 for none.

    A template combines the attributes of the terms first_term[j] to first_term[j + 1].
    """
    keys = np.zeros((len(values), len(template)), np.uint64)
    for v in range(len(values)):
        for j in range(len(template)):
            h = seed(template[j])
            for m in range(first_term[j], first_term[j + 1]):
                value = values[v, attribute[m]]
                h = NONE if h == NONE or value == NONE else step(h, value)
            keys[v, j] = NONE if h == NONE else finish(h)
    return keys


@kernel
def token_keys(
    types: IntArray,
    sentences: LongArray,
    word_values: HashArray,
    token_values: HashArray,
    first_term: LongArray,
    attribute: IntArray,
    offset: IntArray,
    template: LongArray,
) -> HashArray:
    """Return keys[t, j] for templates that use several words or attributes of tokens.

    Terms of template j are first_term[j] to first_term[j + 1]. Attributes a < A are those of words,
    word_values[types[t], a]; others are token_values[a - A, t]. A missing value makes the key 0.
    """
    keys = np.empty((len(types), len(template)), np.uint64)
    reach, longest = 0, 0
    for m in range(len(offset)):
        reach = max(reach, abs(offset[m]))
    for s in range(len(sentences) - 1):
        longest = max(longest, sentences[s + 1] - sentences[s])
    padded = np.empty((word_values.shape[1] + len(token_values), longest + 2 * reach), np.uint64)
    column = np.empty(longest, np.uint64)
    for s in range(len(sentences) - 1):
        first, last = sentences[s], sentences[s + 1]
        size = last - first
        _pad_sentence(types[first:last], word_values, token_values[:, first:last], reach, padded)
        for j in range(len(template)):
            begin = seed(template[j])
            for i in range(size):
                column[i] = begin
            for m in range(first_term[j], first_term[j + 1]):
                values = padded[attribute[m], reach + offset[m] :]
                for i in range(size):
                    h, value = column[i], values[i]
                    column[i] = NONE if h == NONE or value == NONE else step(h, value)
            out = keys[first:last, j]
            for i in range(size):
                out[i] = NONE if column[i] == NONE else finish(column[i])
    return keys


@kernel
def _pad_sentence(
    types: IntArray,
    word_values: HashArray,
    token_values: HashArray,
    reach: int,
    padded: HashArray,
) -> None:
    """Fill padded[a, reach + i] with attribute a of token i, and OUTSIDE on both sides."""
    size = len(types)
    words = word_values.shape[1]
    for a in range(len(padded)):
        for i in range(reach):
            padded[a, i] = padded[a, reach + size + i] = OUTSIDE
    for i in range(size):
        for a in range(words):
            padded[a, reach + i] = word_values[types[i], a]
    for a in range(words, len(padded)):
        for i in range(size):
            padded[a, reach + i] = token_values[a - words, i]


@kernel
def window_counts(types: IntArray, sentences: LongArray, offsets: IntArray, size: int) -> LongArray:
    """Return counts[o, v]: how many tokens have type v at offsets[o].

    The last two of the `size` types mean "before" and "after the sentence".
    """
    counts = np.zeros((len(offsets), size), np.int64)
    for s in range(len(sentences) - 1):
        first, last = sentences[s], sentences[s + 1]
        for t in range(first, last):
            for o in range(len(offsets)):
                place = t + offsets[o]
                if place < first:
                    counts[o, size - 2] += 1
                elif place >= last:
                    counts[o, size - 1] += 1
                else:
                    counts[o, types[place]] += 1
    return counts
