"""Finding mentions with a chain: what all chain models share.

A model gives scores of tags for every token and the moves between tags; the engine in
`inference/` does the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import ClassVar

import numpy as np

from lacuna.encoding.chain import PathChunks, chunks_of_path
from lacuna.encoding.schemes import Scheme
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.batch import run_chunks
from lacuna.inference.chain import (
    Chain,
    Segment,
    best_paths,
    expectations,
    segment_probabilities,
)
from lacuna.models.base import TagsAnything
from lacuna.models.storage import StoredModel
from lacuna.text.document import Document, Mention, Span
from lacuna.types import FloatArray, IntArray, LongArray

BATCH_CHARACTERS = 250_000


class ChainTagger(TagsAnything, ABC):
    """A tagger with one tag per token; ``tags[0]`` is O."""

    __slots__ = ()

    kind: ClassVar[str]
    tags: tuple[str, ...]

    @property
    @abstractmethod
    def scheme(self) -> Scheme:
        """How tags spell mentions."""

    @abstractmethod
    def chain(self) -> Chain:
        """Return the log weights of moves between tags."""

    @abstractmethod
    def emission(self, table: TokenTable) -> FloatArray:
        """Return scores[t, k] of tag k for every token."""

    @abstractmethod
    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""

    def table(self, documents: Sequence[Document]) -> TokenTable:
        """Return the tokens that the model works on."""
        return token_table(documents)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""
        return tuple(dict.fromkeys(tag[2:] for tag in self.tags[1:]))

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""
        found = run_chunks(
            lambda a, b: self._find(documents[a:b], probabilities), _batches(documents)
        )
        return [document for batch in found for document in batch]

    def identifier_probability(self, document: Document) -> FloatArray:
        """Return for each token the probability that it is in a mention: 1 - p(O)."""
        table = self.table([document])
        found = expectations(self.chain(), self.emission(table), table.sentences)
        return 1.0 - found.marginals[:, 0]

    def _find(self, documents: Sequence[Document], probabilities: bool) -> list[Document]:
        table = self.table(documents)
        emission = self.emission(table)
        path, _ = best_paths(self.chain(), emission, table.sentences, threads=1)
        chunks = chunks_of_path(path, self.tags)
        sure = self._sure(chunks, path, emission, table) if probabilities else None
        mentions, owner = _mentions(chunks, table, self.tags, sure)
        cuts = np.searchsorted(owner, np.arange(len(documents) + 1)).tolist()
        return [
            replace(document, mentions=tuple(mentions[cuts[d] : cuts[d + 1]]))
            for d, document in enumerate(documents)
        ]

    def _sure(
        self, chunks: PathChunks, path: IntArray, emission: FloatArray, table: TokenTable
    ) -> list[float]:
        """Return for each chunk the probability that it stands exactly there."""
        found: list[float] = []
        chain = self.chain()
        sentence = np.searchsorted(table.sentences, chunks.start, side="right") - 1
        number = {tag: k for k, tag in enumerate(self.tags)}
        for s, group in groupby(range(len(sentence)), key=sentence.tolist().__getitem__):
            first, last = table.sentences[s], table.sentences[s + 1]
            segments = [
                Segment(
                    int(chunks.start[c] - first),
                    path[chunks.start[c] : chunks.end[c]].tolist(),
                    number.get(f"I-{self.tags[chunks.tag[c]][2:]}", -1)
                    if self.scheme is Scheme.BIO
                    else -1,
                )
                for c in group
            ]
            found += segment_probabilities(chain, emission[first:last], segments).tolist()
        return found


def _mentions(
    chunks: PathChunks, table: TokenTable, tags: Sequence[str], sure: Sequence[float] | None
) -> tuple[list[Mention], LongArray]:
    """Return every chunk as characters of its own document, and the number of that document."""
    owner: LongArray = np.searchsorted(table.documents, chunks.start, side="right") - 1
    begin = (table.start[chunks.start] - table.texts[owner]).tolist()
    end = (table.end[chunks.end - 1] - table.texts[owner]).tolist()
    labels = [tags[k][2:] for k in chunks.tag.tolist()]
    found = sure if sure is not None else [None] * len(labels)
    mentions = [
        Mention(label, (Span(first, last),), probability)
        for label, first, last, probability in zip(labels, begin, end, found, strict=True)
    ]
    return mentions, owner


def _batches(documents: Sequence[Document]) -> list[tuple[int, int]]:
    """Cut documents into runs of about so many characters."""
    total = np.cumsum([0] + [len(document.text) for document in documents])
    marks = np.searchsorted(total, np.arange(0, total[-1] + 1, BATCH_CHARACTERS))
    borders = np.unique(np.append(marks, [0, len(documents)]))
    return list(pairwise(borders.tolist()))
