"""Scores of tokens from the weights of a trained model.

    scores[t, k] = Σ over features r of token t of W[r, k]

Most templates look at one word. Their weights are summed once for each word type, at every offset
of the window, and cached; a token then adds a few cached rows (`add_windows`) and the weights of
its features of several words (`combining_kernels.py`).

This is for tagging. Training computes the same scores with other code on purpose, with gradients
and for a fixed corpus: `learning/emission.py`.

A row of W has a *place*. The first places are *wide* rows, which are stored with all their zeros,
wide[place, k]: adding them is fast. A narrow row is pairs[place - len(wide)] = (weight, tag) and
the pairs that follow, up to the last pair of the row, which has -1 - tag in place of its tag. Tags
are floats next to their weights, so that one memory access reads both. Place -1 means no row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from lacuna.errors import ModelFileError
from lacuna.features.extract import FeatureIndex, keys_of_words, outside_values, type_values
from lacuna.features.index import KnownKeys
from lacuna.features.layout import place_values
from lacuna.features.token_table import TokenTable
from lacuna.kernels import kernel
from lacuna.models.combining_kernels import add_combined
from lacuna.models.file import StoredModel, require, require_numbers
from lacuna.text.word_types import GrowingTypes
from lacuna.types import FloatArray, HashArray, IntArray, LongArray, RealArray

TagArray = npt.NDArray[np.uint16]

NEGLIGIBLE = 1e-3  #: smaller weights are dropped; a score is a sum of about fifty
WIDE = 3  #: a row is wide if more than one weight in three is not zero
#: Arrays in a file: their usual types, and those that take fewer bytes.
_Sizes = Mapping[str, tuple[type[np.number[Any]], type[np.number[Any]]]]
_SIZES: _Sizes = {
    "borders": (np.int64, np.int32),
    "weight_tags": (np.uint16, np.uint8),
    "weights": (np.float32, np.float16),
    "word_borders": (np.int64, np.int32),
}
MOST_BYTES = 1 << 26  #: size at which the cache of word types is cleared


class SparseRows(NamedTuple):
    """Weights that are not zero, by row.

    Row r has ``values[m]`` for the tag ``tags[m]``, m from ``borders[r]`` to ``borders[r + 1]``.
    """

    borders: LongArray
    tags: TagArray
    values: RealArray

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.borders) - 1

    def dense(self, tags: int, rows: int | None = None) -> RealArray:
        """Return table[r, k] of the first `rows` rows, by default all, with `tags` columns."""
        sizes = np.diff(self.borders)[:rows]
        table = np.zeros((len(sizes), tags), np.float32)
        count = int(self.borders[len(sizes)])
        place = np.repeat(np.arange(len(sizes)), sizes)
        table[place, self.tags[:count]] = self.values[:count]
        return table

    def pairs(self) -> RealArray:
        """Return pairs[m] = (weight, tag), with the last pair of each row marked."""
        pairs = np.stack((self.values, self.tags.astype(np.float32)), axis=1)
        last = self.borders[1:][np.diff(self.borders) > 0] - 1
        pairs[last, 1] = -1.0 - pairs[last, 1]
        return pairs

    def places(self, wide: int) -> LongArray:
        """Return the place of each row; the first `wide` rows are wide.

        Rows without weights have -1, and so does an extra last entry, for unknown features.
        """
        rows = np.arange(self.rows)
        places = np.where(rows < wide, rows, wide + self.borders[:-1])
        return np.append(np.where(np.diff(self.borders) > 0, places, -1), -1)

    def wide(self, tags: int) -> RealArray:
        """Return the wide rows, which come first, as a table."""
        narrow = np.diff(self.borders) * WIDE <= tags
        return self.dense(tags, int(narrow.argmax()) if narrow.any() else self.rows)


def without_small(
    index: FeatureIndex, weights: RealArray, least: float
) -> tuple[FeatureIndex, SparseRows]:
    """Drop weights[r, k] with an absolute value below `least`, and features without weights.

    Wide rows come first.
    """
    kept = np.abs(weights) >= least
    size = kept.sum(axis=1)
    rows = np.argsort(size * WIDE <= weights.shape[1], kind="stable")
    rows = rows[size[rows] > 0]
    kept = kept[rows]
    borders = np.concatenate(([0], np.cumsum(kept.sum(axis=1)))).astype(np.int64)
    tags = np.nonzero(kept)[1].astype(np.uint16)
    sparse = SparseRows(borders, tags, weights[rows][kept].astype(np.float32))
    return FeatureIndex(index.plan, KnownKeys.of(index.keys.hashes[rows])), sparse


def in_few_bytes(stored: StoredModel) -> StoredModel:
    """Return a model that takes half the bytes for its weights, which are rounded to 11 bits."""
    return _converted(stored, _SIZES)


def in_all_bytes(stored: StoredModel) -> StoredModel:
    """Return a model with its arrays as they are used, whatever the file holds."""
    return _converted(stored, {name: (few, many) for name, (many, few) in _SIZES.items()})


def _converted(stored: StoredModel, sizes: _Sizes) -> StoredModel:
    arrays = {
        name: array.astype(sizes[name][1])
        if name in sizes and array.dtype == sizes[name][0]
        else array
        for name, array in stored.arrays.items()
    }
    return replace(stored, arrays=arrays)


def stored_weights(stored: StoredModel, features: int, tags: int) -> SparseRows:
    """Return the weights in a file, checked against the number of features and tags."""
    borders = require(stored, "borders", np.int64, (features + 1,))
    values = require_numbers(stored, "weights", np.float32, (-1,))
    columns = require(stored, "weight_tags", np.uint16, (len(values),))
    rising = borders[0] == 0 and borders[-1] == len(values) and (np.diff(borders) >= 0).all()
    if not rising or (columns >= tags).any():
        raise ModelFileError(stored.source, "its weights are damaged")
    return SparseRows(borders, columns, values)


class Scorer:
    """Turns tokens into scores; caches scores of word types. Thread-safe."""

    def __init__(self, index: FeatureIndex, weights: SparseRows, tags: int) -> None:
        self._index, self._tags = index, tags
        wide = weights.wide(tags)
        self._places = weights.places(len(wide))
        self._slots = index.keys.leading_to(self._places)
        self._weights = (wide, weights.pairs())
        self._lock = Lock()
        self._types = _TypeScores(self)

    def scores(self, table: TokenTable) -> RealArray:
        """Return scores[t, k] of tag k for every token."""
        plan = self._index.plan
        with self._lock:
            if self._types.size > MOST_BYTES:
                self._types = _TypeScores(self)
            types, of_type, values = self._types.number(table)
        scores = np.zeros((len(types), self._tags), np.float32)
        add_windows(types, table.sentences, *self.window, of_type, scores)
        places = place_values(table, plan.token_attributes, plan.resources)
        keys, several = self._index.keys, plan.by_token
        add_combined(
            types,
            table.sentences,
            values,
            places,
            several.first_term,
            several.attribute,
            several.offset,
            several.template,
            keys.sieve,
            self._slots,
            *self._weights,
            scores,
        )
        return scores

    @property
    def window(self) -> tuple[int, int]:
        """The lowest and the highest offset of word templates."""
        offsets = [group.offset for group in self._index.plan.by_word]
        return min(offsets, default=0), max(offsets, default=0)

    def of_values(self, values: HashArray) -> RealArray:
        """Return scores[v, (high - o) · K + k] of a word with attributes values[v] at offset o."""
        low, high = self.window
        scores = np.zeros((high - low + 1, len(values), self._tags), np.float32)
        for group in self._index.plan.by_word:
            rows = self._index.keys.lookup(keys_of_words(values, group))
            add_rows(self._places[rows], *self._weights, scores[high - group.offset])
        return np.concatenate(list(scores), axis=1)


class _TypeScores:
    """Scores and attributes of the word types seen so far, after those of BEFORE and AFTER."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._plan = scorer._index.plan
        self._types = GrowingTypes()
        outside = outside_values(self._plan)
        self._scores = scorer.of_values(outside)
        self._values = outside[:, self._plan.by_token.words]

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self._scores.nbytes + self._values.nbytes

    def number(self, table: TokenTable) -> tuple[IntArray, RealArray, HashArray]:
        """Return the type of every token, and the scores and attributes of all types."""
        before = len(self._types) + 2
        ids, first = self._types.number(table.types)
        if len(first):
            values = type_values(table, first, self._plan)
            self._scores = appended(self._scores, before, self._scorer.of_values(values))
            self._values = appended(self._values, before, values[:, self._plan.by_token.words])
        return ids + np.int32(2), self._scores, self._values


Rows = TypeVar("Rows", FloatArray, RealArray, HashArray)


def appended(rows: Rows, count: int, more: Rows) -> Rows:
    """Write `more` after the first `count` rows, in a larger array if it does not fit.

    The first rows do not change: other threads may be reading them.
    """
    if count + len(more) > len(rows):
        larger = np.empty((2 * (count + len(more)), rows.shape[1]), rows.dtype)
        larger[:count] = rows[:count]
        rows = larger
    rows[count : count + len(more)] = more
    return rows


BEFORE, AFTER = 0, 1  #: types that represent positions before and after the sentence


@kernel
def add_rows(places: LongArray, wide: RealArray, pairs: RealArray, scores: RealArray) -> None:
    """scores[i, k] += Σ weight of the row at places[i, j] for tag k, over all columns j."""
    for i in range(len(places)):
        total = scores[i]
        for j in range(places.shape[1]):
            place = places[i, j]
            if 0 <= place < len(wide):
                row = wide[place]
                for k in range(len(total)):
                    total[k] += row[k]
            elif place >= 0:
                m, tag = place - len(wide), np.int64(0)
                while tag >= 0:
                    tag = np.int64(pairs[m, 1])
                    total[tag if tag >= 0 else -1 - tag] += pairs[m, 0]
                    m += 1


@kernel
def add_windows(
    types: IntArray,
    sentences: LongArray,
    low: int,
    high: int,
    of_type: RealArray,
    scores: RealArray,
) -> None:
    """scores[t, k] += Σ_o of_type[type of token t + o, (high - o) · K + k], low <= o <= high.

    The loop goes over the tokens p = t + o: each adds one row of `of_type` to the scores of tokens
    p - high to p - low, which are contiguous.
    """
    width = scores.shape[1]
    flat = scores.reshape(-1)
    for s in range(len(sentences) - 1):
        first, last = sentences[s], sentences[s + 1]
        for p in range(first + min(low, 0), last + max(high, 0)):
            own = of_type[BEFORE if p < first else AFTER if p >= last else types[p]]
            a, b = max(p - high, first), min(p - low + 1, last)
            if a < b:
                total = flat[a * width : b * width]
                part = own[(a - p + high) * width :]
                for i in range(total.size):
                    total[i] += part[i]
