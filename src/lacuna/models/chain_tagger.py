"""Finding mentions with a chain: what all models with one hidden state per token share.

A model supplies scores[t, k] of state k for token t (`emission`) and the weights of moves between
states (`chain`); `inference/chain.py` finds the best path and the probability of every token.
States have tags. By default these are flat tags, read by :func:`read_flat`; a model with another
encoding overrides :meth:`ChainTagger.read`.

The probability of a mention is that of all paths that contain exactly this mention, wherever
other mentions are (`inference/stretches.py`).
"""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby, pairwise, repeat
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from lacuna.encoding.flat import PathChunks, chunks_of_path
from lacuna.encoding.schemes import OUTSIDE, Scheme
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.batch import cores, run_chunks
from lacuna.inference.chain import (
    Chain,
    LabelProbabilities,
    best_paths,
    expectations,
    label_probabilities,
)
from lacuna.inference.stretches import Stretch, stretch_probabilities
from lacuna.models.base import Examined, Part, TagsAnything
from lacuna.models.file import StoredModel
from lacuna.text.document import Document, Mention, Span
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray, RealArray

BATCH_CHARACTERS = 250_000
#: A path more probable than all others together is the best one, despite rounding.
SETTLED = 0.51
SHARED_CHARACTERS = 10_000  #: fewer characters per core are not worth a thread


class BestPaths(NamedTuple):
    """Tokens of some documents, their scores, and the state chosen for each token."""

    table: TokenTable
    chain: Chain
    emission: RealArray
    path: IntArray


class Finds(Protocol):
    """What was found in a batch of documents."""

    def mentions(self, documents: int) -> Iterable[tuple[Mention, ...]]:
        """Return the mentions of each document of the batch."""

    def parts(self, documents: int) -> Iterable[list[Part]]:
        """Return only the parts of the mentions, which takes less time."""


class ChainTagger(TagsAnything, ABC):
    """A tagger with one hidden state per token and one tag per state.

    Attributes
    ----------
    config
        The settings; those of flat tags have a `scheme`.
    tags
        All tags, ``O`` included.
    """

    __slots__ = ()

    kind: ClassVar[str]
    config: Any
    tags: tuple[str, ...]

    @abstractmethod
    def chain(self) -> Chain:
        """Return the log weights of moves between states."""

    @abstractmethod
    def emission(self, table: TokenTable) -> RealArray:
        """Return scores[t, k] of state k for every token."""

    @abstractmethod
    def store(self) -> StoredModel:
        """Return the content of its model file."""

    def read(self, found: BestPaths, *, probabilities: bool) -> Finds:
        """Return the mentions that the paths encode, by default in flat tags."""
        scheme = self.config.scheme if probabilities else None
        return read_flat(found, self.state_tags, scheme)

    def table(self, documents: Sequence[Document]) -> TokenTable:
        """Return the tokens that the model works on."""
        return token_table(documents)

    @property
    def state_tags(self) -> tuple[str, ...]:
        """The tag of every state; by default every tag has one state."""
        return self.tags

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states: their tags, numbered if several states share one."""
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
        # objects are made after the threads end: threads would only wait for one another
        with collection_paused():
            return [
                replace(document, mentions=mentions)
                for (a, b), run in zip(runs, found, strict=True)
                for document, mentions in zip(documents[a:b], run.mentions(b - a), strict=True)
            ]

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token the probability that it is in a mention: 1 - p(O)."""
        runs = batches(documents)
        threads = 1 if len(runs) > 1 else None  # one large document is split by sentences
        found = run_chunks(lambda a, b: self._inside(documents[a:b], threads), runs)
        return [inside for run in found for inside in run]

    def token_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each document p[t, k], the probability that token t has the tag k."""
        tags = np.array(self.tags)
        belongs = (np.array(self.state_tags)[:, None] == tags).astype(np.float64)
        found: list[FloatArray] = []
        for a, b in batches(documents):
            table = self.table(documents[a:b])
            sums = expectations(self.chain(), self.emission(table), table.sentences)
            found += np.split(sums.marginals @ belongs, table.documents[1:-1])
        return found

    def examine(self, documents: Sequence[Document]) -> list[Examined]:
        """Return the mentions found and the probability of every token, in one pass."""
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
        """Return the state chosen for every token: the best path.

        `settled` marks the sentences whose best path is known to be the first state throughout.
        """
        return best_paths(chain, emission, table.sentences, settled=settled, threads=1)[0]

    def _inside(self, documents: Sequence[Document], threads: int | None) -> list[FloatArray]:
        table = self.table(documents)
        found = self._probabilities(table, self.chain(), self.emission(table), threads)
        return np.split(found.asked, table.documents[1:-1])

    def _probabilities(
        self, table: TokenTable, chain: Chain, emission: RealArray, threads: int | None
    ) -> LabelProbabilities:
        """Return for every token the probability that it is in a mention."""
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
    """Pause garbage collection while many objects are made that all stay alive."""
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()


def batches(documents: Sequence[Document]) -> list[tuple[int, int]]:
    """Split documents into runs of similar size: not too large, and enough for all cores."""
    total = np.cumsum([0] + [len(document.text) for document in documents])
    enough = min(int(total[-1]) // SHARED_CHARACTERS, cores())
    runs = max(1 + int(total[-1]) // BATCH_CHARACTERS, enough)
    marks = np.searchsorted(total, np.linspace(0, total[-1], runs + 1))
    borders = np.unique(np.append(marks, [0, len(documents)]))
    return list(pairwise(borders.tolist()))


def read_flat(found: BestPaths, tags: Sequence[str], scheme: Scheme | None) -> Finds:
    """Return the mentions that paths encode in flat tags; state k has the tag tags[k].

    With a scheme, mentions get their probability.
    """
    table, path = found.table, found.path
    chunks = chunks_of_path(path, tags, table.sentences)
    sure = None if scheme is None else _mention_probabilities(found, chunks, tags, scheme)
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


def _mention_probabilities(
    found: BestPaths, chunks: PathChunks, tags: Sequence[str], scheme: Scheme
) -> list[float]:
    """Return the probability of each chunk of the paths."""
    sentences = found.table.sentences
    is_one_path = len(set(tags)) == len(tags) and scheme is not Scheme.IO
    sentence = np.searchsorted(sentences, chunks.start, side="right") - 1
    sure: list[float] = []
    for s, group in groupby(range(len(sentence)), key=sentence.tolist().__getitem__):
        first, last = int(sentences[s]), int(sentences[s + 1])
        places = [(int(chunks.start[c]) - first, int(chunks.end[c]) - first) for c in group]
        rows, states = found.emission[first:last], found.path[first:last]
        stretch = _one_path if is_one_path else _any_path
        stretches = [stretch(states, *place, tags, scheme) for place in places]
        sure += stretch_probabilities(found.chain, rows, stretches).tolist()
    return sure


def _one_path(
    states: IntArray, start: int, end: int, tags: Sequence[str], scheme: Scheme
) -> Stretch:
    """Return the only path that encodes a mention, and the state that must not follow it."""
    inside = f"I-{tags[states[start]][2:]}"
    goes_on = scheme is Scheme.BIO and inside in tags
    not_next = tags.index(inside) if goes_on else -1
    return Stretch.of_path(start, states[start:end], len(tags), not_next=not_next)


def _any_path(
    states: IntArray, start: int, end: int, tags: Sequence[str], scheme: Scheme
) -> Stretch:
    """Return the states that keep a mention at [start, end) of a sentence as it is.

    Inside it, those with its tags; next to it, those that do not extend it.
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
