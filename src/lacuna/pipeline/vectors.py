"""Clusters of word vectors from raw text, at several granularities.

:mod:`lacuna.learning.word_vectors` makes the vectors.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lacuna.errors import ConfigError
from lacuna.features.lexicon import PATH_BITS
from lacuna.io.source import ignore
from lacuna.learning.bigrams import count_bigrams
from lacuna.learning.spherical_k_means import MOST_ROUNDS, k_means_rounds
from lacuna.learning.word_vectors import PRODUCTS, SingleArray, ppmi_matrix, word_vectors
from lacuna.pipeline.clusters import ClusteredWord, clustered
from lacuna.pipeline.raw_text import CountedText
from lacuna.types import IntArray

GRANULARITIES = (100, 300, 1000, 2500)
MIN_COUNT = 2
CONTEXTS = 30_000  #: only the most frequent words are contexts
DISTANCES = 2
MOST_GROUPS = 65_536


class VectorStep(NamedTuple):
    """Progress: what is being done, how much of it and of how much."""

    what: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class VectorSummary:
    """Clusters of word vectors, in numbers.

    Attributes
    ----------
    tokens, types
        Size of the text.
    words, word_tokens
        Types that got clusters, and their tokens.
    dimensions
        Length of the vectors.
    clusters
        Number of clusters at each granularity.
    similarity
        For each granularity, the mean cosine of a word and the centre of its cluster.
    seconds
        Time without reading.
    """

    tokens: int
    types: int
    words: int
    word_tokens: int
    dimensions: int
    clusters: tuple[int, ...]
    similarity: tuple[float, ...]
    seconds: float


def cluster_vectors(
    text: CountedText,
    *,
    dimensions: int = 100,
    clusters: Sequence[int] = GRANULARITIES,
    min_count: int = MIN_COUNT,
    seed: int = 0,
    on_step: Callable[[VectorStep], None] = ignore,
) -> tuple[list[ClusteredWord], VectorSummary]:
    """Make vectors of the words of a text and cluster them.

    Parameters
    ----------
    dimensions
        Length of the vectors; less if there are fewer words.
    clusters
        Numbers of clusters, rising. If there are fewer words, every word is a cluster.
    min_count
        Rarer words, and those without a neighbour that tells anything, get no cluster.
    seed
        Of the random numbers.
    on_step
        Called with the progress from time to time.

    Returns
    -------
    The most frequent words first; a path is the number of the word's cluster at each granularity,
    in bits, with dots between them.

    Raises
    ------
    ConfigError
        When fewer than two words are left, or the numbers of clusters cannot be.
    """
    widths = _bits(clusters)
    began = time.perf_counter()
    rng = np.random.default_rng(seed)
    chosen = text.frequent(min_count)
    pairs = []
    for distance in range(1, DISTANCES + 1):
        pairs.append(count_bigrams(text.ranked(chosen), len(chosen), distance))
        on_step(VectorStep("counting", distance, DISTANCES))
    vectors = _vectors(ppmi_matrix(pairs, CONTEXTS), dimensions, rng, on_step)
    known = np.flatnonzero(vectors.any(axis=1))
    if len(known) < 2:
        raise ConfigError(
            f"fewer than two words occur at least {min_count:,} times and beside others that do"
        )
    groups, similarity = _groups(vectors[known], clusters, rng, on_step)
    paths = [
        ".".join(f"{group:0{width}b}" for group, width in zip(own, widths, strict=True))
        for own in zip(*(g.tolist() for g in groups), strict=True)
    ]
    found = clustered(text, chosen[known], paths)
    summary = VectorSummary(
        tokens=int(text.counts.sum()),
        types=len(text.words),
        words=len(found),
        word_tokens=sum(entry.count for entry in found),
        dimensions=vectors.shape[1],
        clusters=tuple(len(np.unique(g)) for g in groups),
        similarity=similarity,
        seconds=time.perf_counter() - began,
    )
    return found, summary


def _bits(clusters: Sequence[int]) -> list[int]:
    """Return how many bits the number of a cluster has at each granularity."""
    if not clusters or list(clusters) != sorted(set(clusters)):
        raise ConfigError("numbers of clusters must rise")
    if not 2 <= clusters[0] <= clusters[-1] <= MOST_GROUPS:
        raise ConfigError(f"there can be 2 to {MOST_GROUPS:,} clusters")
    widths = [(number - 1).bit_length() for number in clusters]
    if sum(widths) > PATH_BITS:
        raise ConfigError(f"so many numbers of clusters do not fit into {PATH_BITS} bits")
    return widths


def _vectors(
    matrix: object,
    dimensions: int,
    rng: np.random.Generator,
    on_step: Callable[[VectorStep], None],
) -> SingleArray:
    done = 0

    def on_product() -> None:
        nonlocal done
        done += 1
        on_step(VectorStep("vectors", done, PRODUCTS))

    return word_vectors(matrix, dimensions, rng, on_product)


def _groups(
    vectors: SingleArray,
    clusters: Sequence[int],
    rng: np.random.Generator,
    on_step: Callable[[VectorStep], None],
) -> tuple[list[IntArray], tuple[float, ...]]:
    """Return the groups of all vectors at each granularity, and the mean cosines."""
    groups, similarity = [], []
    for number in clusters:
        what = f"{number:,} clusters"
        rounds = []
        for step in k_means_rounds(vectors, number, rng):
            rounds.append(step)
            on_step(VectorStep(what, len(rounds), MOST_ROUNDS))
        groups.append(rounds[-1].groups)
        similarity.append(rounds[-1].similarity)
    return groups, tuple(similarity)
