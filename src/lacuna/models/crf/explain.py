"""Naming the features of a CRF, for ``lacuna inspect``.

Features are stored as hashes. A feature of a single word is named by hashing all words of the
training text; features that combine several values are not named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lacuna.encoding.flat import TrainingDocument
from lacuna.features.extract import FeatureIndex, keys_of_words
from lacuna.features.hashing import OUTSIDE
from lacuna.features.templates import Template
from lacuna.features.words import spelled, word_values
from lacuna.models.facts import Table
from lacuna.models.file import PackedStrings, packed_words
from lacuna.models.scoring import SparseRows
from lacuna.text.characters import code_points
from lacuna.types import HashArray, LongArray, RealArray

MOVES_SHOWN = 20


class WeightedFeature(NamedTuple):
    """The name of a feature, and its weight for a tag."""

    name: str
    weight: float


def training_words(documents: Sequence[TrainingDocument]) -> PackedStrings:
    """Return the distinct words of documents, sorted, without those UTF-8 cannot encode."""
    return packed_words(
        word for item in documents for word in item.tokens.words(item.document.text)
    )


def strongest_features(
    index: FeatureIndex,
    weights: SparseRows,
    tags: Sequence[str],
    words: Sequence[str],
    *,
    count: int,
) -> dict[str, list[WeightedFeature]]:
    """Return for each tag the features of single words with the largest absolute weights."""
    found = _SingleWords.of(index, words)
    rows = np.flatnonzero(found.template >= 0)
    strongest = {}
    for tag, column in zip(tags, weights.dense(len(tags))[rows].T, strict=True):
        best = np.argsort(-np.abs(column), kind="stable")[:count]
        strongest[tag] = [
            WeightedFeature(found.name(int(rows[i]), words), float(column[i]))
            for i in best.tolist()
            if column[i] != 0
        ]
    return strongest


def crf_tables(
    templates: Sequence[Template],
    tags: Sequence[str],
    moves: RealArray,
    strongest: Mapping[str, Sequence[WeightedFeature]],
) -> list[Table]:
    """Return templates, strongest features and strongest moves as tables."""
    features = [
        (f"{tag}: {feature.name}", f"{feature.weight:+.3f}")
        for tag, best in strongest.items()
        for feature in best
    ]
    places = np.argsort(-np.abs(moves), axis=None, kind="stable")[:MOVES_SHOWN]
    pairs = [divmod(int(place), len(tags)) for place in places]
    rows = [(f"{tags[i]} → {tags[j]}", f"{moves[i, j]:+.3f}") for i, j in pairs]
    return [
        Table("templates", ("template",), [(str(template),) for template in templates]),
        Table("strongest features of single words", ("tag: feature", "weight"), features),
        Table("strongest moves", ("from → to", "weight"), rows),
    ]


class _SingleWords(NamedTuple):
    """Feature r is templates[template[r]] applied to words[word[r]].

    Template -1 means not found, word -1 outside the sentence.
    """

    templates: list[Template]
    template: LongArray
    word: LongArray

    @classmethod
    def of(cls, index: FeatureIndex, words: Sequence[str]) -> _SingleWords:
        """Compute the features of all words and look them up."""
        templates: list[Template] = []
        values = _values_with_outside(index, words)
        template, word = (np.full(len(index), -1, np.int64) for _ in range(2))
        for group in index.plan.by_word:
            keys = keys_of_words(values, group)
            for j, number in enumerate((group.template - index.plan.key).tolist()):
                rows = index.keys.lookup(np.ascontiguousarray(keys[:, j]))
                known, first = np.unique(rows, return_index=True)
                first = first[known >= 0]
                known = known[known >= 0]
                template[known] = len(templates)
                word[known] = np.where(first < len(words), first, -1)
                templates.append(index.plan.templates[number])
        return cls(templates, template, word)

    def name(self, row: int, words: Sequence[str]) -> str:
        template, word = self.templates[self.template[row]], int(self.word[row])
        if word < 0:
            return f"{template} outside the sentence"
        values = [spelled(term.attribute, words[word]) for term in template.terms]
        if None in values:
            return f"{template} as of {words[word]}"
        return " ".join(f"{t}={value}" for t, value in zip(template.terms, values, strict=True))


def _values_with_outside(index: FeatureIndex, words: Sequence[str]) -> HashArray:
    """Return the attributes of all words; the last row is for outside the sentence."""
    plan = index.plan
    ends = np.cumsum([0, *map(len, words)], dtype=np.int32)
    start, end = ends[:-1].copy(), ends[1:].copy()
    start.flags.writeable = end.flags.writeable = False  # as the kernel is compiled for
    values = np.empty((len(words) + 1, len(plan.word_attributes)), np.uint64)
    values[:-1] = word_values(
        code_points("".join(words)), start, end, plan.word_attributes, resources=plan.resources
    )
    values[-1] = OUTSIDE
    return values
