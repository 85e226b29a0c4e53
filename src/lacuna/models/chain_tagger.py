"""Finding mentions with a chain: what all chain models share.

A model gives scores of tags for every token and the moves between tags; the engine in
`inference/` does the rest.
"""

from __future__ import annotations

import gc
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise, repeat
from typing import ClassVar, NamedTuple

import numpy as np

from lacuna.encoding.chain import chunks_of_path
from lacuna.encoding.schemes import OUTSIDE, Scheme
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.batch import run_chunks
from lacuna.inference.chain import Chain, best_paths, expectations
from lacuna.models.base import TagsAnything
from lacuna.models.mention_probability import mention_probabilities
from lacuna.models.storage import StoredModel
from lacuna.text.document import Document, Mention, Span
from lacuna.types import FloatArray, IntArray, LongArray

BATCH_CHARACTERS = 250_000
SHARED_CHARACTERS = 10_000  #: for each core, where there are fewer it is not worth a thread


class ChainTagger(TagsAnything, ABC):
    """A tagger with one hidden state per token, and one tag per state."""

    __slots__ = ()

    kind: ClassVar[str]
    tags: tuple[str, ...]

    @property
    @abstractmethod
    def scheme(self) -> Scheme:
        """How tags spell mentions."""

    @abstractmethod
    def chain(self) -> Chain:
        """Return the log weights of moves between states."""

    @abstractmethod
    def emission(self, table: TokenTable) -> FloatArray:
        """Return scores[t, k] of state k for every token."""

    @abstractmethod
    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""

    def table(self, documents: Sequence[Document]) -> TokenTable:
        """Return the tokens that the model works on."""
        return token_table(documents)

    @property
    def state_tags(self) -> tuple[str, ...]:
        """The tag of every state: as a rule they are the same."""
        return self.tags

    @property
    def state_names(self) -> tuple[str, ...]:
        """What states are called: their tags, numbered where several have one."""
        counts, seen = Counter(self.state_tags), Counter[str]()
        names = []
        for tag in self.state_tags:
            seen[tag] += 1
            names.append(f"{tag} {seen[tag]}" if counts[tag] > 1 else tag)
        return tuple(names)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""
        return tuple(dict.fromkeys(tag[2:] for tag in self.tags if tag != OUTSIDE))

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""
        runs = batches(documents)
        found = run_chunks(lambda a, b: self._find(documents[a:b], probabilities), runs)
        # objects are made behind the threads, which would only wait for one another
        with _collection_paused():
            return [
                replace(document, mentions=mentions)
                for (a, b), run in zip(runs, found, strict=True)
                for document, mentions in zip(documents[a:b], run.mentions(b - a), strict=True)
            ]

    def identifier_probability(self, document: Document) -> FloatArray:
        """Return for each token the probability that it is in a mention: 1 - p(O)."""
        table = self.table([document])
        found = expectations(self.chain(), self.emission(table), table.sentences)
        outside = np.array(self.state_tags) == OUTSIDE
        inside: FloatArray = 1.0 - found.marginals[:, outside].sum(axis=1)
        return np.clip(inside, 0.0, 1.0)

    def path(self, chain: Chain, emission: FloatArray, table: TokenTable) -> IntArray:
        """Return a state for every token, whose tags are the ones chosen: the best path."""
        return best_paths(chain, emission, table.sentences, threads=1)[0]

    def _find(self, documents: Sequence[Document], probabilities: bool) -> _Found:
        table = self.table(documents)
        emission, chain, tags = self.emission(table), self.chain(), self.state_tags
        path = self.path(chain, emission, table)
        chunks = chunks_of_path(path, tags, table.sentences)
        sure = None
        if probabilities:
            sure = mention_probabilities(
                chain, emission, table.sentences, path, chunks, tags, self.scheme
            )
        owner = np.searchsorted(table.documents, chunks.start, side="right") - 1
        return _Found(
            owner,
            table.start[chunks.start] - table.texts[owner],
            table.end[chunks.end - 1] - table.texts[owner],
            [tags[k][2:] for k in chunks.tag.tolist()],
            sure,
        )


class _Found(NamedTuple):
    """Mention m is in document owner[m], characters start[m] to end[m]."""

    owner: LongArray
    start: LongArray
    end: LongArray
    labels: list[str]
    sure: list[float] | None

    def mentions(self, documents: int) -> Iterator[tuple[Mention, ...]]:
        """Yield the mentions of each document."""
        sure = self.sure if self.sure is not None else repeat(None)
        spans = map(Span, self.start.tolist(), self.end.tolist())
        every = list(map(Mention, self.labels, zip(spans), sure))
        cuts = np.searchsorted(self.owner, np.arange(documents + 1)).tolist()
        for first, last in pairwise(cuts):
            yield tuple(every[first:last])


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Make many objects that stay: looking for cycles among them takes as long as making them."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def batches(documents: Sequence[Document]) -> list[tuple[int, int]]:
    """Cut documents into runs of about equal size: not too large, and enough for all cores."""
    total = np.cumsum([0] + [len(document.text) for document in documents])
    enough = min(int(total[-1]) // SHARED_CHARACTERS, os.cpu_count() or 1)
    runs = max(1 + int(total[-1]) // BATCH_CHARACTERS, enough)
    marks = np.searchsorted(total, np.linspace(0, total[-1], runs + 1))
    borders = np.unique(np.append(marks, [0, len(documents)]))
    return list(pairwise(borders.tolist()))
