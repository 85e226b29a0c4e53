"""Finding mentions with a chain: what all chain models share.

A model gives scores of tags for every token and the moves between tags; the engine in
`inference/` does the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from lacuna.encoding.chain import PathChunks, chunks_of_path
from lacuna.encoding.schemes import OUTSIDE, Scheme
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.batch import run_chunks
from lacuna.inference.chain import Chain, best_paths, expectations
from lacuna.models.base import TagsAnything
from lacuna.models.mention_probability import mention_probabilities
from lacuna.models.storage import StoredModel
from lacuna.text.document import Document, Mention, Span
from lacuna.types import FloatArray, LongArray

BATCH_CHARACTERS = 250_000


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
        found = run_chunks(
            lambda a, b: self._find(documents[a:b], probabilities), batches(documents)
        )
        return [document for batch in found for document in batch]

    def identifier_probability(self, document: Document) -> FloatArray:
        """Return for each token the probability that it is in a mention: 1 - p(O)."""
        table = self.table([document])
        found = expectations(self.chain(), self.emission(table), table.sentences)
        outside = np.array(self.state_tags) == OUTSIDE
        inside: FloatArray = 1.0 - found.marginals[:, outside].sum(axis=1)
        return np.clip(inside, 0.0, 1.0)

    def _find(self, documents: Sequence[Document], probabilities: bool) -> list[Document]:
        table = self.table(documents)
        emission, chain, tags = self.emission(table), self.chain(), self.state_tags
        path, _ = best_paths(chain, emission, table.sentences, threads=1)
        chunks = chunks_of_path(path, tags, table.sentences)
        sure = None
        if probabilities:
            sure = mention_probabilities(
                chain, emission, table.sentences, path, chunks, tags, self.scheme
            )
        mentions, owner = _mentions(chunks, table, tags, sure)
        cuts = np.searchsorted(owner, np.arange(len(documents) + 1)).tolist()
        return [
            replace(document, mentions=tuple(mentions[cuts[d] : cuts[d + 1]]))
            for d, document in enumerate(documents)
        ]


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


def batches(documents: Sequence[Document]) -> list[tuple[int, int]]:
    """Cut documents into runs of about equal size, at most about so many characters."""
    total = np.cumsum([0] + [len(document.text) for document in documents])
    runs = 1 + int(total[-1]) // BATCH_CHARACTERS
    marks = np.searchsorted(total, np.linspace(0, total[-1], runs + 1))
    borders = np.unique(np.append(marks, [0, len(documents)]))
    return list(pairwise(borders.tolist()))
