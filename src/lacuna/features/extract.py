"""Tokens → feature numbers: keys of all features, the index of known keys, rows for a model.

A feature is a row of the weight table. Features of single words belong to word types
(``word_rows``), those that combine words or places to tokens (``token_rows``); -1 is an unknown
feature. No strings are made, neither in training nor in tagging.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.features._hashing import NONE, OUTSIDE
from lacuna.features._keys import token_keys, window_counts, word_keys
from lacuna.features.known import KnownKeys
from lacuna.features.places import place_values
from lacuna.features.plan import Plan, WordTemplates
from lacuna.features.token_table import TokenTable
from lacuna.features.words import word_values
from lacuna.text.word_types import GrowingTypes, NumberedTypes
from lacuna.types import HashArray, IntArray


class FeatureKeys(NamedTuple):
    """Keys of all features of some tokens; 0 where a template gives none.

    by_word[o][v, j]
        Column j of the o-th window offset for word type v; the last two types stand for
        "before" and "behind the sentence".
    by_token[t, j]
        Column j of the combining templates for token t.
    """

    by_word: tuple[HashArray, ...]
    by_token: HashArray


class FeatureRows(NamedTuple):
    """Rows of the weight table that some tokens use; -1 for none.

    types[t]
        Word type of token t.
    by_word[o · size + v, j]
        As in :class:`FeatureKeys`, the window offsets one below the other, `size` types each.
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


def feature_keys(table: TokenTable, numbered: NumberedTypes, plan: Plan) -> FeatureKeys:
    """Evaluate all templates: word attributes once per type, combinations once per token."""
    values = np.concatenate((type_values(table, numbered.first, plan), outside_values(plan)))
    by_token = combined_keys(table, numbered.ids, values[:, plan.by_token.words], plan)
    by_word = tuple(keys_of_words(values, group) for group in plan.by_word)
    return FeatureKeys(by_word, by_token)


def type_values(table: TokenTable, first: IntArray, plan: Plan) -> HashArray:
    """Return values[v, a]: word attribute a of the token first[v]."""
    start, end = table.start[first], table.end[first]
    return word_values(table.codes, start, end, plan.word_attributes, resources=plan.resources)


def keys_of_words(values: HashArray, group: WordTemplates) -> HashArray:
    """Return keys[v, j] of words with these attributes under some word templates."""
    return word_keys(values, group.first_term, group.attribute, group.template)


def outside_values(plan: Plan) -> HashArray:
    """Return the word attributes of "before" and "behind the sentence"."""
    return np.full((2, len(plan.word_attributes)), OUTSIDE)


def combined_keys(table: TokenTable, types: IntArray, values: HashArray, plan: Plan) -> HashArray:
    """Return keys[t, j] of the combining templates; values[v] are the attributes they take."""
    several = plan.by_token
    return token_keys(
        types,
        table.sentences,
        values,
        place_values(table, plan.token_attributes),
        several.first_term,
        several.attribute,
        several.offset,
        several.template,
    )


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
