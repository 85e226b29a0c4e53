"""Flat mentions ↔ tags of tokens: what chain models are trained on and what they return.

For training, tokens are made to fit the mentions: a token with a mention's border inside is cut
and sentences that a mention crosses are joined. Mentions that one tag per token cannot express
(overlaps, gaps, mentions without a token) are left out and counted.

Of a document that was reviewed in part, only settled mentions count (`text/reviewed.py`), and the
tag of a token that nobody has reviewed is unknown (:func:`known_tags`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from lacuna.encoding.schemes import OUTSIDE, Chunk, Scheme, decode, encode, tag_numbers
from lacuna.errors import ConfigError
from lacuna.text.align import AlignedMention, align, ranges_to_spans, split_tokens
from lacuna.text.document import Document, Mention, Tokens
from lacuna.text.overlap import flatten
from lacuna.text.reviewed import (
    all_reviewed,
    in_sentences,
    only,
    reviewed_tokens,
    settled,
    some_reviewed,
)
from lacuna.text.sequences import SequenceKind, sequence_tokens
from lacuna.types import BoolArray, IntArray, LongArray

UNKNOWN = -1  #: in place of the number of a tag: nobody has reviewed the token


class TaggedDocument(NamedTuple):
    """A document as a chain model sees it in training.

    left_out counts mentions that tags cannot express, by reason: ``"overlapping"``,
    ``"discontiguous"``, ``"without a token"``. reviewed[t]: token t was reviewed; ``None``: all.
    """

    document: Document
    tokens: Tokens
    chunks: tuple[Chunk, ...]
    left_out: Counter[str]
    reviewed: BoolArray | None = None

    def labels(self) -> Counter[str]:
        """Count mentions by label."""
        return Counter(chunk.label for chunk in self.chunks)

    def tags(self, scheme: Scheme) -> list[str]:
        """Return one tag per token."""
        return encode(self.chunks, len(self.tokens), scheme)

    def in_seen_sentences(self) -> TaggedDocument:
        """Return the document without the sentences of which nothing was reviewed."""
        return self._in_sentences(some_reviewed)

    def in_whole_sentences(self) -> TaggedDocument:
        """Return the document with only the sentences that were reviewed as a whole."""
        return self._in_sentences(all_reviewed)

    def _in_sentences(self, choose: Callable[[Tokens, BoolArray], BoolArray]) -> TaggedDocument:
        if self.reviewed is None:
            return self
        kept = in_sentences(self.tokens, choose(self.tokens, self.reviewed))
        before = np.cumsum(np.append(False, kept), dtype=np.int64).tolist()
        return self._replace(
            tokens=only(self.tokens, kept),
            chunks=tuple(
                Chunk(label, before[start], before[end])
                for label, start, end in self.chunks
                if kept[start]
            ),
            reviewed=self.reviewed[kept],
        )


def tag_document(
    document: Document, *, sequence: SequenceKind = SequenceKind.SENTENCE
) -> TaggedDocument:
    """Choose flat mentions and fit the tokens to them."""
    document = settled(document)
    kept, dropped = flatten(document.mentions)
    tokens = split_tokens(sequence_tokens(document, sequence), kept)
    found = align(kept, tokens)
    left_out = Counter(
        "discontiguous" if mention.is_discontiguous else "overlapping" for mention in dropped
    )
    if found.misaligned:
        left_out["without a token"] = len(found.misaligned)
    chunks = tuple(Chunk(item.mention.label, *item.ranges[0]) for item in found.aligned)
    tokens = join_sentences(tokens, found.aligned)
    return TaggedDocument(document, tokens, chunks, left_out, reviewed_tokens(document, tokens))


def flat_document(document: Document, _: object = None) -> TaggedDocument:
    """Return a document as kinds of models without settings for it see it in training."""
    return tag_document(document)


def join_sentences(tokens: Tokens, mentions: Sequence[AlignedMention]) -> Tokens:
    """Remove sentence borders inside mentions."""
    ranges = [item.ranges[0] for item in mentions]
    first = np.array([start for start, _ in ranges], np.int64)
    last = np.array([end for _, end in ranges], np.int64)
    # a border b lies inside a mention if some start < b < end; mentions are flat and in order
    index = np.searchsorted(first, tokens.sentences, side="left") - 1
    inside = (index >= 0) & (tokens.sentences < last[index] if len(last) else False)
    if not inside.any():
        return tokens
    return replace(tokens, sentences=tokens.sentences[~inside])


class Example(NamedTuple):
    """A document with one tag per token."""

    document: Document
    tokens: Tokens
    tags: list[str]
    mentions: Counter[str]  #: those that the tags express, by label
    left_out: Counter[str]
    reviewed: BoolArray | None = None  #: of each token; ``None``: all

    def labels(self) -> Counter[str]:
        """Count the mentions that are learnt by label."""
        return self.mentions


def flat_example(document: Document, scheme: Scheme, sequence: SequenceKind) -> Example:
    """Return the tags of the flat mentions of a document."""
    found = tag_document(document, sequence=sequence)
    return Example(
        found.document,
        found.tokens,
        found.tags(scheme),
        found.labels(),
        found.left_out,
        found.reviewed,
    )


class TrainingDocument(Protocol):
    """What training needs to know of a document, whatever its mentions are encoded as."""

    @property
    def document(self) -> Document:
        """As it was read."""

    @property
    def tokens(self) -> Tokens:
        """Cut so that mentions fit."""

    @property
    def left_out(self) -> Counter[str]:
        """Mentions that are not learnt, by reason."""

    @property
    def reviewed(self) -> BoolArray | None:
        """Whether each token was reviewed; ``None`` if all were."""

    def labels(self) -> Counter[str]:
        """Count the mentions that are learnt by label."""


def label_counts(documents: Sequence[TrainingDocument]) -> Counter[str]:
    """Count mentions by label."""
    return sum((document.labels() for document in documents), Counter())


def in_seen_sentences(documents: Sequence[TaggedDocument]) -> list[TaggedDocument]:
    """Return the documents without the sentences of which nothing was reviewed.

    Raises :class:`ConfigError` if nothing is left.
    """
    seen = [document.in_seen_sentences() for document in documents]
    if any(len(d.tokens) for d in documents) and not any(len(d.tokens) for d in seen):
        raise ConfigError("there are no tokens to train on: nothing was reviewed")
    return seen


def untagged(documents: Iterable[Document]) -> list[TaggedDocument]:
    """Return documents of which nothing is known but their words: annotations are ignored.

    Documents without a word are left out.
    """
    found = (tag_document(replace(document, mentions=(), reviewed=())) for document in documents)
    return [document for document in found if len(document.tokens)]


def known_tags(
    documents: Sequence[TrainingDocument], spelled: Iterable[str], tags: Sequence[str]
) -> IntArray:
    """Return the position in `tags` of the tag of every token, UNKNOWN where nobody has reviewed.

    `spelled` are the tags of all tokens of the documents.
    """
    numbers = tag_numbers(spelled, tags)
    if any(document.reviewed is not None for document in documents):
        numbers[~reviewed_mask(documents)] = UNKNOWN
    return numbers


def reviewed_mask(documents: Sequence[TrainingDocument]) -> BoolArray:
    """Return for each token of all documents whether it was reviewed."""
    masks = [
        np.ones(len(d.tokens), np.bool_) if d.reviewed is None else d.reviewed for d in documents
    ]
    return np.concatenate([np.ones(0, np.bool_), *masks])


def mentions_of(tags: Sequence[str], tokens: Tokens) -> list[Mention]:
    """Return the mentions that tags of any scheme spell."""
    return [
        Mention(chunk.label, ranges_to_spans([(chunk.start, chunk.end)], tokens))
        for chunk in decode(tags)
    ]


class PathChunks(NamedTuple):
    """Chunk c is tokens ``start[c]`` to ``end[c]``, its label that of the state ``tag[c]``."""

    start: LongArray
    end: LongArray
    tag: IntArray


def chunks_of_path(path: IntArray, tags: Sequence[str], sentences: LongArray) -> PathChunks:
    """Return the chunks of a path of states that follows the rules of some scheme.

    State k has the tag tags[k]. Vectorised over any number of sentences: a chunk begins at B or U,
    and wherever the previous token of the sentence has another label.
    """
    numbers = {OUTSIDE: 0}
    labels = np.array([numbers.setdefault(tag[2:] or OUTSIDE, len(numbers)) for tag in tags])[path]
    differs = np.ones(len(path) + 1, np.bool_)
    differs[1:-1] = labels[1:] != labels[:-1]
    differs[sentences] = True
    announced = np.array([tag[:2] in {"B-", "U-"} for tag in tags])[path]
    begins = (labels > 0) & (announced | differs[:-1])
    goes_on = np.append((labels[1:] > 0) & ~begins[1:], False)
    start = np.flatnonzero(begins)
    return PathChunks(start, np.flatnonzero((labels > 0) & ~goes_on) + 1, path[start])
