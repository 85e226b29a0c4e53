"""Finding mentions with a chain: what all chain models share, whatever their tags mean.

A model gives scores of tags for every token and the moves between tags; the engine in
`inference/` does the rest.

Finding flat mentions with a chain: tags of some scheme, one chunk after the other.

How probable it is that a mention stands exactly where the best path has it.
"""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby, pairwise, repeat
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from lacuna.encoding.flat import PathChunks, chunks_of_path
from lacuna.encoding.schemes import OUTSIDE, Scheme
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.batch import cores, run_chunks
from lacuna.inference.chain import Chain, LabelProbabilities, best_paths, label_probabilities
from lacuna.inference.stretches import Stretch, stretch_probabilities
from lacuna.models.base import Examined, Part, TagsAnything
from lacuna.models.file import StoredModel
from lacuna.text.document import Document, Mention, Span
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray, RealArray

BATCH_CHARACTERS = 250_000
#: A path that is likelier than all others together is the best, whatever the rounding.
SETTLED = 0.51
SHARED_CHARACTERS = 10_000  #: for each core, where there are fewer it is not worth a thread


class BestPaths(NamedTuple):
    """Tokens of some documents, their scores and the state chosen for each."""

    table: TokenTable
    chain: Chain
    emission: RealArray
    path: IntArray


class Finds(Protocol):
    """What was found in some documents, in arrays."""

    def mentions(self, documents: int) -> Iterable[tuple[Mention, ...]]:
        """Return the mentions of each of so many documents."""

    def parts(self, documents: int) -> Iterable[list[Part]]:
        """Return their parts only, which takes less time."""


class PathTagger(TagsAnything, ABC):
    """A tagger with one hidden state per token, and one tag per state."""

    __slots__ = ()

    kind: ClassVar[str]
    tags: tuple[str, ...]

    @abstractmethod
    def chain(self) -> Chain:
        """Return the log weights of moves between states."""

    @abstractmethod
    def read(self, found: BestPaths, *, probabilities: bool) -> Finds:
        """Return the mentions that paths of states spell."""

    @abstractmethod
    def emission(self, table: TokenTable) -> RealArray:
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
        return tuple(dict.fromkeys(tag.partition("-")[2] for tag in self.tags if tag != OUTSIDE))

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""
        runs = batches(documents)
        found = run_chunks(lambda a, b: self._find(documents[a:b], probabilities), runs)
        # objects are made behind the threads, which would only wait for one another
        with collection_paused():
            return [
                replace(document, mentions=mentions)
                for (a, b), run in zip(runs, found, strict=True)
                for document, mentions in zip(documents[a:b], run.mentions(b - a), strict=True)
            ]

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token the probability that it is in a mention: 1 - p(O)."""
        runs = batches(documents)
        threads = 1 if len(runs) > 1 else None  # one large document is shared out by sentences
        found = run_chunks(lambda a, b: self._inside(documents[a:b], threads), runs)
        return [inside for run in found for inside in run]

    def examine(self, documents: Sequence[Document]) -> list[Examined]:
        """Return the mentions found and the probability of every token, in one go."""
        runs = batches(documents)
        parts = run_chunks(lambda a, b: self._examine(documents[a:b]), runs)
        with collection_paused():
            return [
                Examined(document, own, *tokens)
                for (a, b), (found, rows) in zip(runs, parts, strict=True)
                for document, own, tokens in zip(
                    documents[a:b], found.parts(b - a), rows, strict=True
                )
            ]

    def path(
        self,
        chain: Chain,
        emission: RealArray,
        table: TokenTable,
        settled: BoolArray | None = None,
    ) -> IntArray:
        """Return a state for every token, whose tags are the ones chosen: the best path.

        `settled` says of which sentences the first state alone is known to be the best path.
        """
        return best_paths(chain, emission, table.sentences, settled=settled, threads=1)[0]

    def _inside(self, documents: Sequence[Document], threads: int | None) -> list[FloatArray]:
        table = self.table(documents)
        found = self._probabilities(table, self.chain(), self.emission(table), threads)
        return np.split(found.asked, table.documents[1:-1])

    def _probabilities(
        self, table: TokenTable, chain: Chain, emission: RealArray, threads: int | None
    ) -> LabelProbabilities:
        """Return the probability of every token that it is in a mention."""
        inside = np.array(self.state_tags) != OUTSIDE
        return label_probabilities(chain, emission, table.sentences, inside, threads=threads)

    def _examine(
        self, documents: Sequence[Document]
    ) -> tuple[Finds, list[tuple[IntArray, IntArray, FloatArray]]]:
        table, chain = self.table(documents), self.chain()
        emission = self.emission(table)
        sure = self._probabilities(table, chain, emission, 1)
        path = self.path(chain, emission, table, sure.settled > SETTLED)
        found = self.read(BestPaths(table, chain, emission, path), probabilities=False)
        rows = []
        for d, (a, b) in enumerate(pairwise(table.documents.tolist())):
            offset = table.texts[d]
            rows.append((table.start[a:b] - offset, table.end[a:b] - offset, sure.asked[a:b]))
        return found, rows

    def _find(self, documents: Sequence[Document], probabilities: bool) -> Finds:
        table, chain = self.table(documents), self.chain()
        emission = self.emission(table)
        path = self.path(chain, emission, table)
        return self.read(BestPaths(table, chain, emission, path), probabilities=probabilities)


@contextmanager
def collection_paused() -> Iterator[None]:
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
    enough = min(int(total[-1]) // SHARED_CHARACTERS, cores())
    runs = max(1 + int(total[-1]) // BATCH_CHARACTERS, enough)
    marks = np.searchsorted(total, np.linspace(0, total[-1], runs + 1))
    borders = np.unique(np.append(marks, [0, len(documents)]))
    return list(pairwise(borders.tolist()))


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


def mention_probabilities(
    chain: Chain,
    emission: RealArray,
    sentences: LongArray,
    path: IntArray,
    chunks: PathChunks,
    tags: Sequence[str],
    scheme: Scheme,
) -> list[float]:
    """Return a probability for each chunk of a path of states; state k has the tag tags[k]."""
    spelt_out = len(set(tags)) == len(tags) and scheme is not Scheme.IO
    sentence = np.searchsorted(sentences, chunks.start, side="right") - 1
    found: list[float] = []
    for s, group in groupby(range(len(sentence)), key=sentence.tolist().__getitem__):
        first, last = int(sentences[s]), int(sentences[s + 1])
        places = [(int(chunks.start[c]) - first, int(chunks.end[c]) - first) for c in group]
        rows, states = emission[first:last], path[first:last]
        stretch = _one_path if spelt_out else _any_path
        stretches = [stretch(states, *place, tags, scheme) for place in places]
        found += stretch_probabilities(chain, rows, stretches).tolist()
    return found


def _one_path(
    states: IntArray, start: int, end: int, tags: Sequence[str], scheme: Scheme
) -> Stretch:
    """Return the one path that spells a mention, and what must not follow it."""
    inside = f"I-{tags[states[start]][2:]}"
    goes_on = scheme is Scheme.BIO and inside in tags
    not_next = tags.index(inside) if goes_on else -1
    return Stretch.of_path(start, states[start:end], len(tags), not_next=not_next)


def _any_path(
    states: IntArray, start: int, end: int, tags: Sequence[str], scheme: Scheme
) -> Stretch:
    """Return which states leave a mention at [start, end) of a sentence as it is.

    Inside, the states with its tags; beside it, those that do not prolong it.
    """
    names = np.array(tags)
    left, right = max(start - 1, 0), min(end + 1, len(states))
    fits = np.ones((right - left, len(tags)), np.bool_)
    fits[start - left : end - left] = names == names[states[start:end], None]
    inside = names == f"I-{tags[states[start]][2:]}"
    if scheme is not Scheme.BILOU and end < right:
        fits[-1, inside] = False
    if scheme is Scheme.IO and left < start:
        fits[0, inside] = False
    return Stretch(left, fits)
