"""Choosing among the best taggings of a sentence: a log-linear re-ranker.

    p(y | list) = exp( w · f(y) ) / Σ_{y' in list} exp( w · f(y') )

f has ln p̂(y), whose weight is regularised towards 1, and counts: mentions by label, by label and
length, by label and the words at and next to their borders, and rare words by label and the most
frequent label of their other occurrences in the document. All but the first are hashed into a table
of fixed size. Training uses lists from models that have not seen the sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lacuna.encoding.flat import PathChunks, chunks_of_path
from lacuna.features.token_table import TokenTable
from lacuna.inference.subtags import TagList
from lacuna.learning.lbfgs import Objective, minimise
from lacuna.text.word_types import (
    GOLDEN,
    MIX_1,
    MIX_2,
    SHIFT_32,
    WordTypes,
    hash_words,
    number_types,
)
from lacuna.types import FloatArray, HashArray, IntArray, LongArray, RealArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BUCKETS = 1 << 15  #: weights; the first is that of ln p̂
REPEATED = 10  #: kind of the features of repeated words; the features of mentions are 0, 1, …
LONGEST = 6  #: longer mentions count as this long
L2 = 1.0
ITERATIONS = 60
SURE = np.log(0.999)  #: a tagging at least as probable is not re-ranked


class Candidates(NamedTuple):
    """Candidate taggings: c has the rows offsets[c] to offsets[c + 1], tags[r] of tokens[r].

    List l has the candidates first[l] to first[l + 1]; features[c] are the features of c.
    """

    tags: IntArray
    tokens: LongArray
    offsets: LongArray
    first: LongArray
    features: csr_array


@dataclass(frozen=True, slots=True, eq=False)
class Reranker:
    """Weights of hashed features."""

    weights: FloatArray

    def choose(
        self, lists: Sequence[TagList], tags: Sequence[str], table: TokenTable, known: WordTypes
    ) -> IntArray:
        """Return the tag of every token; words not in `known` are rare."""
        path = best_of(lists)
        found = candidates(lists, tags, table, known)
        scores = found.features @ self.weights
        for a, b in pairwise(found.first.tolist()):
            best = a + int(np.argmax(scores[a:b]))
            own = slice(found.offsets[best], found.offsets[best + 1])
            path[found.tokens[own]] = found.tags[own]
        return path


def best_of(lists: Sequence[TagList]) -> IntArray:
    """Return the best tagging of each list, one after the other."""
    return np.concatenate([np.zeros(0, np.int32), *(found.paths[0] for found in lists)])


def candidates(
    lists: Sequence[TagList], tags: Sequence[str], table: TokenTable, known: WordTypes
) -> Candidates:
    """Return the taggings of the sentences whose best tagging is not sure, and their features."""
    unsure = [s for s, found in enumerate(lists) if found.log_p[0] < SURE]
    sizes = [lists[s].paths.shape for s in unsure]
    first = np.cumsum([0, *(count for count, _ in sizes)])
    lengths = np.repeat([length for _, length in sizes], np.diff(first)).astype(np.int64)
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    begin = np.repeat(table.sentences[unsure], np.diff(first))
    tokens = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - begin, lengths)
    flat = np.concatenate([np.zeros(0, np.int32), *(lists[s].paths.reshape(-1) for s in unsure)])
    log_p = np.concatenate([np.zeros(0), *(lists[s].log_p for s in unsure)])
    label, names = _labels(tags)
    elsewhere = _elsewhere(label[best_of(lists)], table, known)
    keys = [
        _mention_keys(chunks_of_path(flat, tags, offsets), names[label], tokens, table),
        _repeat_keys(label[flat], names, elsewhere[tokens]),
    ]
    rows = np.concatenate([np.searchsorted(offsets, row, side="right") - 1 for row, _ in keys])
    hashed = np.concatenate([key for _, key in keys])
    return Candidates(flat, tokens, offsets, first, _counted(rows, hashed, log_p))


def _labels(tags: Sequence[str]) -> tuple[LongArray, HashArray]:
    """Return the label of each tag as a number, 0 for outside, and a hash of each label."""
    labels = list(dict.fromkeys(["", *(tag[2:] for tag in tags)]))
    return np.array([labels.index(tag[2:]) for tag in tags], np.int64), hash_words(labels)


def _counted(rows: LongArray, hashed: HashArray, log_p: FloatArray) -> csr_array:
    """Return features[c, column]: ln p̂, and how often candidate c has each key."""
    from scipy.sparse import coo_array  # slow to load, and most models have no re-ranker

    columns = 1 + (hashed % np.uint64(BUCKETS - 1)).astype(np.int64)
    every = np.arange(len(log_p))
    values = np.append(log_p, np.ones(len(rows)))
    places = (np.append(every, rows), np.append(np.zeros_like(every), columns))
    return coo_array((values, places), shape=(len(log_p), BUCKETS)).tocsr()


def _mention_keys(
    found: PathChunks, names: HashArray, tokens: LongArray, table: TokenTable
) -> tuple[LongArray, HashArray]:
    """Return the first row of every mention, once for each of its keys, and the keys.

    names[s] is a hash of the label of tag s.
    """
    own, size = names[found.tag], np.minimum(found.end - found.start, LONGEST)
    words = np.concatenate((np.zeros(1, np.uint64), table.hashes, np.zeros(1, np.uint64)))
    border = np.zeros(len(table.hashes) + 1, np.bool_)
    border[table.sentences] = True
    start, last = tokens[found.start], tokens[found.end - 1]
    before = np.where(border[start], np.uint64(1), words[start])
    after = np.where(border[last + 1], np.uint64(1), words[last + 2])
    values = [
        np.zeros(len(own), np.uint64),
        size.astype(np.uint64),
        before,
        after,
        words[start + 1],
        words[last + 1],
    ]
    keys = [_key(kind, own, value) for kind, value in enumerate(values)]
    return np.tile(found.start, len(values)), np.concatenate(keys)


def _repeat_keys(
    label: LongArray, names: HashArray, elsewhere: LongArray
) -> tuple[LongArray, HashArray]:
    """Return the rows whose rare word also occurs elsewhere, here or there in a mention; keys.

    names[l] is a hash of label l.
    """
    rows = np.flatnonzero((elsewhere >= 0) & ((elsewhere > 0) | (label > 0)))
    return rows, _key(REPEATED, names[label[rows]], names[elsewhere[rows]])


def _elsewhere(label: LongArray, table: TokenTable, known: WordTypes) -> LongArray:
    """Return the most frequent label of each rare word in the rest of the document, -1 for none."""
    document = np.repeat(np.arange(len(table.documents) - 1), np.diff(table.documents))
    types = number_types(_key(0, document.astype(np.uint64), table.hashes))
    counts = np.zeros((len(types.first), label.max(initial=0) + 1), np.int64)
    np.add.at(counts, (types.ids, label), 1)
    rest = counts[types.ids]
    rest[np.arange(len(label)), label] -= 1
    found = np.where(rest.any(axis=1), rest.argmax(axis=1), -1)
    found[known.lookup(table.hashes) >= 0] = -1
    return found


def _key(kind: int, label: HashArray, value: HashArray) -> HashArray:
    """Mix a kind of feature, a label and a value into a hash."""
    h = (label * MIX_1 + np.uint64(kind)) * GOLDEN ^ value
    h = (h ^ (h >> SHIFT_32)) * MIX_2
    key: HashArray = h ^ (h >> SHIFT_32)
    return key


class Lesson(NamedTuple):
    """Candidates of some lists, and the right one of each list."""

    candidates: Candidates
    right: LongArray


def lesson(found: Candidates, gold: IntArray) -> Lesson:
    """Return the candidate with the fewest wrong tags as right; gold[t] is the tag of token t."""
    wrong = (found.tags != gold[found.tokens]).astype(np.int64)
    errors = np.add.reduceat(wrong, found.offsets[:-1]) if len(wrong) else wrong
    pairs = pairwise(found.first.tolist())
    return Lesson(found, np.array([a + int(np.argmin(errors[a:b])) for a, b in pairs], np.int64))


def fit_reranker(lessons: Sequence[Lesson]) -> Reranker:
    """Learn the weights; without any lists, the most probable tagging stays the best."""
    from scipy.sparse import vstack

    lessons = [item for item in lessons if len(item.right)]
    point: RealArray = _start()
    if not lessons:
        return Reranker(_start())
    shift = np.cumsum([0, *(item.candidates.first[-1] for item in lessons)])
    pairs = list(zip(lessons, shift[:-1], strict=True))
    objective = ranking_objective(
        vstack([item.candidates.features for item in lessons]).tocsr(),
        np.concatenate([item.candidates.first[:-1] + begin for item, begin in pairs]),
        np.concatenate([item.right + begin for item, begin in pairs]),
    )
    for step in minimise(objective, point):
        point = step.point
        if step.iteration >= ITERATIONS:
            break
    return Reranker(np.asarray(point, np.float64))


def ranking_objective(features: csr_array, first: LongArray, right: LongArray) -> Objective:
    """Return −Σ ln p(right | list) + L2 ‖w − w₀‖² and its gradient, w₀ = 1 for ln p̂ and else 0.

    List l starts with candidate first[l]; right[l] is the right one.
    """
    start, columns = _start(), features.T.tocsr()
    owner = np.repeat(np.arange(len(first)), np.diff(np.append(first, features.shape[0])))
    goal = np.asarray(features[right].sum(axis=0)).reshape(-1)

    def objective(point: RealArray) -> tuple[float, RealArray]:
        scores = features @ point
        scores -= np.maximum.reduceat(scores, first)[owner]
        weights = np.exp(scores)
        total, away = np.add.reduceat(weights, first), point - start
        value = (np.log(total) - scores[right]).sum() + L2 * (away**2).sum()
        return float(value), columns @ (weights / total[owner]) - goal + 2 * L2 * away

    return objective


def _start() -> FloatArray:
    start = np.zeros(BUCKETS)
    start[0] = 1.0
    return start
