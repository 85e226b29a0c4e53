"""Brown clustering: classes of words that predict their neighbours best (Brown et al. 1992).

Words are added one by one, the most frequent first. Each begins as a cluster of its own; as soon as
there are more clusters than wanted, the two are merged that lose least mutual information between
adjacent clusters. Only bigrams of the words added so far count. At the end, the remaining clusters
are merged down to one in the same way: that tree gives each cluster its path of bits.

Among equal losses the pair with the rarest leaders is merged, where the leader is the most frequent
word of a cluster. Nothing is random: the same counts give the same tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lacuna.learning.bigrams import Bigrams
from lacuna.learning.brown_kernels import (
    TABLE_SIZE,
    Pairs,
    Window,
    information,
    merge_best,
    take_in,
    x_log_x_table,
)
from lacuna.types import IntArray

CELLS_AT_ONCE = 100_000_000  #: work between two reports, in cells of the table of losses


class Tree(NamedTuple):
    """Clusters of words.

    clusters[w]
        Cluster of word w, numbered by the frequency of their most frequent words.
    paths[k]
        Path of cluster k in the tree, as a string of 0 and 1.
    merges
        ``merges[i]``: leaders of the two clusters of the i-th merge; the first becomes the leader
        of both.
    information, word_information
        Mutual information of neighbours in bits: of clusters, and of the words themselves.
    """

    clusters: IntArray
    paths: tuple[str, ...]
    merges: IntArray
    information: float
    word_information: float


class ClusteringStep(NamedTuple):
    """Progress of clustering: words added and clusters merged so far, of how many."""

    done: int
    total: int
    tree: Tree | None = None


def brown_steps(bigrams: Bigrams, clusters: int) -> Iterator[ClusteringStep]:
    """Cluster words, reporting progress; the last step has the tree.

    Raises
    ------
    ValueError
        If there are fewer than two words or clusters.
    """
    words = bigrams.words
    if min(words, clusters) < 2:
        raise ValueError("clustering needs two words and two clusters")
    clusters = min(words, clusters)
    window, pairs = _empty_window(words, clusters + 1), _sorted_pairs(bigrams)
    merges = np.zeros((words - 1, 2), np.int32)
    total, size = words + clusters - 1, 0
    stride = max(1, CELLS_AT_ONCE // clusters**2)
    for first in range(0, words, stride):
        last = min(first + stride, words)
        size = take_in(window, pairs, size, first, last, clusters, merges)
        yield ClusteringStep(last, total)
    bits = information(window, size)
    slots, leaders = window.slots.copy(), window.leader[:size].copy()
    for merge in range(words - clusters, words - 1):
        size = merge_best(window, size, merges[merge])
        if size % stride == 0:
            yield ClusteringStep(merge + 1 + clusters, total)
    order = np.argsort(leaders)
    number = np.empty(clusters, np.int32)
    number[order] = np.arange(clusters, dtype=np.int32)
    paths = _paths(merges[words - clusters :], leaders[order].tolist())
    own_bits = _information(bigrams)
    yield ClusteringStep(total, total, Tree(number[slots], paths, merges, bits, own_bits))


def _empty_window(words: int, size: int) -> Window:
    return Window(
        follow=np.zeros((size, size), np.int32),
        precede=np.zeros((size, size), np.int32),
        left=np.zeros(size, np.int64),
        right=np.zeros(size, np.int64),
        leader=np.full(size, -1, np.int32),
        losses=np.zeros((size, size), np.int64),
        slots=np.full(words, -1, np.int32),
        table=x_log_x_table(TABLE_SIZE),
    )


def _sorted_pairs(bigrams: Bigrams) -> Pairs:
    rarer = np.maximum(bigrams.first, bigrams.second)
    order = np.argsort(rarer, kind="stable")
    return Pairs(
        np.searchsorted(rarer[order], np.arange(bigrams.words + 1)),
        bigrams.first[order],
        bigrams.second[order],
        bigrams.times[order].astype(np.int32),
    )


def _paths(merges: IntArray, leaders: Sequence[int]) -> tuple[str, ...]:
    """Read the paths off the merges, backwards: the first of two merged clusters has 0."""
    paths = {leaders[0]: ""}
    for kept, gone in merges[::-1].tolist():
        paths[gone] = paths[kept] + "1"
        paths[kept] += "0"
    return tuple(paths[leader] for leader in leaders)


def _information(bigrams: Bigrams) -> float:
    """Return the mutual information of adjacent words in bits."""
    total = bigrams.times.sum()
    left = np.bincount(bigrams.first, bigrams.times)
    right = np.bincount(bigrams.second, bigrams.times)
    ratio = bigrams.times * (total / left[bigrams.first] / right[bigrams.second])
    return float(bigrams.times @ np.log2(ratio) / max(total, 1))
