"""Finding flat mentions with a chain: tags of some scheme, one chunk after the other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np

from lacuna.encoding.chain import chunks_of_path
from lacuna.encoding.schemes import Scheme
from lacuna.models.base import Part
from lacuna.models.mention_probability import mention_probabilities
from lacuna.models.path_tagger import BestPaths, PathTagger
from lacuna.text.document import Mention, Span
from lacuna.types import LongArray


class ChainTagger(PathTagger):
    """A tagger whose tags follow a scheme."""

    __slots__ = ()

    @property
    @abstractmethod
    def scheme(self) -> Scheme:
        """How tags spell mentions."""

    def read(self, found: BestPaths, *, probabilities: bool) -> _Found:
        """Return the mentions that paths of states spell."""
        table, chain, emission, path = found
        tags = self.state_tags
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
        for first, last in self._cuts(documents):
            yield tuple(every[first:last])

    def parts(self, documents: int) -> Iterator[list[Part]]:
        """Yield start, end and label of the mentions of each document."""
        every = list(zip(self.start.tolist(), self.end.tolist(), self.labels, strict=True))
        for first, last in self._cuts(documents):
            yield every[first:last]

    def _cuts(self, documents: int) -> Iterator[tuple[int, int]]:
        return pairwise(np.searchsorted(self.owner, np.arange(documents + 1)).tolist())
