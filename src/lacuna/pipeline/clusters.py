"""Brown clusters of the words of raw text, and their paths."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lacuna.errors import ConfigError
from lacuna.features.lexicon import PATH_BITS
from lacuna.io.source import ignore
from lacuna.learning.bigrams import count_bigrams
from lacuna.learning.brown import ClusteringStep, brown_steps
from lacuna.pipeline.raw_text import CountedText
from lacuna.types import LongArray

MOST_CLUSTERS = 10_000  #: at which the table of losses takes 800 MB


@dataclass(frozen=True, slots=True)
class ClusteredWord:
    """A word, its count and its path in the tree of clusters."""

    path: str
    word: str
    count: int

    def __str__(self) -> str:
        return f"{self.path}\t{self.word}\t{self.count}"


@dataclass(frozen=True, slots=True)
class ClusterSummary:
    """The result of clustering, in numbers.

    Attributes
    ----------
    tokens, types
        Size of the text.
    words, word_tokens
        Types that got a path, and their tokens.
    clusters
        Number of clusters.
    information, word_information
        Mutual information of neighbouring clusters, and of the words in them, in bits.
    seconds
        Time of clustering, without reading.
    """

    tokens: int
    types: int
    words: int
    word_tokens: int
    clusters: int
    information: float
    word_information: float
    seconds: float


def cluster_words(
    text: CountedText,
    *,
    clusters: int = 1000,
    min_count: int = 2,
    max_words: int = 30_000,
    on_step: Callable[[ClusteringStep], None] = ignore,
) -> tuple[list[ClusteredWord], ClusterSummary]:
    """Cluster the words of a text.

    Parameters
    ----------
    clusters
        Number of clusters, if there are that many words.
    min_count, max_words
        Rarer words, and words beyond the `max_words` most frequent, get no path, and bigrams with
        them are ignored. Of equally frequent words the first in the text comes first.
    on_step
        Called with the progress from time to time.

    Raises
    ------
    ConfigError
        When fewer than two words are left.
    """
    if not 2 <= clusters <= MOST_CLUSTERS:
        raise ConfigError(f"there can be 2 to {MOST_CLUSTERS:,} clusters")
    began = time.perf_counter()
    chosen = text.frequent(min_count, max_words)
    if len(chosen) < 2:
        raise ConfigError(f"fewer than two words occur at least {min_count:,} times")
    bigrams = count_bigrams(text.ranked(chosen), len(chosen))
    for step in brown_steps(bigrams, clusters):
        on_step(step)
    tree = step.tree
    assert tree is not None  # the last step has it
    paths = [tree.paths[cluster][:PATH_BITS] for cluster in tree.clusters.tolist()]
    found = clustered(text, chosen, paths)
    summary = ClusterSummary(
        tokens=int(text.counts.sum()),
        types=len(text.words),
        words=len(chosen),
        word_tokens=sum(entry.count for entry in found),
        clusters=len(tree.paths),
        information=tree.information,
        word_information=tree.word_information,
        seconds=time.perf_counter() - began,
    )
    return sorted(found, key=lambda entry: (entry.path, -entry.count)), summary


def clustered(text: CountedText, chosen: LongArray, paths: Iterable[str]) -> list[ClusteredWord]:
    """Return the chosen words of a text with their paths."""
    counts = text.counts[chosen].tolist()
    return [
        ClusteredWord(path, text.words[word], count)
        for path, word, count in zip(paths, chosen.tolist(), counts, strict=True)
    ]
