"""Word clusters from raw text: count words, cluster them, return their paths."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from lacuna.errors import ConfigError
from lacuna.features.lexicon import PATH_BITS
from lacuna.features.token_table import TokenTable, token_table, words_at
from lacuna.io.source import ignore
from lacuna.learning.brown import ClusteringStep, brown_steps, count_bigrams
from lacuna.text.characters import lower_table
from lacuna.text.document import Document
from lacuna.text.word_types import GrowingTypes, hash_tokens
from lacuna.types import IntArray, LongArray

PIECE_CHARACTERS = 1_000_000
MOST_CLUSTERS = 10_000  #: at which the table of losses takes 800 MB


@dataclass(frozen=True, slots=True, eq=False)
class CountedText:
    """The words of a text, without the text.

    Attributes
    ----------
    words
        Word types in order of first appearance.
    counts
        How often each occurs.
    pieces
        For each piece of the text, the type of every token and the borders of sentences.
    """

    words: list[str]
    counts: LongArray
    pieces: list[tuple[IntArray, LongArray]]


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


def count_words(corpus: Iterable[Document], *, lower: bool = False) -> CountedText:
    """Count the words of a corpus; with `lower`, in lower case."""
    types = GrowingTypes()
    words: list[str] = []
    pieces = []
    for documents in _pieces(corpus):
        table = token_table(documents)
        if lower:
            table = _lowered(table)
        numbered = types.number(table.hashes)
        words += words_at(table, numbered.first)
        pieces.append((numbered.ids, table.sentences))
    counts = np.zeros(len(words), np.int64)
    for ids, _ in pieces:
        counts += np.bincount(ids, minlength=len(words))
    return CountedText(words, counts, pieces)


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
    chosen = [
        w for w in np.argsort(-text.counts, kind="stable").tolist() if _fits_a_line(text.words[w])
    ]
    chosen = [w for w in chosen if text.counts[w] >= min_count][:max_words]
    if len(chosen) < 2:
        raise ConfigError(f"fewer than two words occur at least {min_count:,} times")
    rank = np.full(len(text.words), -1, np.int32)
    rank[chosen] = np.arange(len(chosen))
    bigrams = count_bigrams(((rank[ids], borders) for ids, borders in text.pieces), len(chosen))
    for step in brown_steps(bigrams, clusters):
        on_step(step)
    tree = step.tree
    assert tree is not None  # the last step has it
    paths = [tree.paths[cluster][:PATH_BITS] for cluster in tree.clusters.tolist()]
    counts = text.counts[chosen].tolist()
    found = [
        ClusteredWord(path, text.words[w], count)
        for path, w, count in zip(paths, chosen, counts, strict=True)
    ]
    summary = ClusterSummary(
        tokens=int(text.counts.sum()),
        types=len(text.words),
        words=len(chosen),
        word_tokens=sum(counts),
        clusters=len(tree.paths),
        information=tree.information,
        word_information=tree.word_information,
        seconds=time.perf_counter() - began,
    )
    return sorted(found, key=lambda entry: (entry.path, -entry.count)), summary


def _pieces(corpus: Iterable[Document]) -> Iterator[list[Document]]:
    """Group documents into pieces of about ``PIECE_CHARACTERS``."""
    piece: list[Document] = []
    characters = 0
    for document in corpus:
        piece.append(document)
        characters += len(document.text)
        if characters >= PIECE_CHARACTERS:
            yield piece
            piece, characters = [], 0
    if piece:
        yield piece


def _lowered(table: TokenTable) -> TokenTable:
    codes = lower_table()[table.codes]
    codes.flags.writeable = False  # the kernel is compiled for read-only arrays
    return table._replace(codes=codes, hashes=hash_tokens(codes, table.start, table.end))


def _fits_a_line(word: str) -> bool:
    """Whether a line of the file can contain the word: tokens may have white space inside."""
    return word.split() == [word]
