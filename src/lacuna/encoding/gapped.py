"""Documents ↔ mentions with gaps in tokens: what LI, SHARED and SPLIT are trained on and return.

As for flat mentions (`flat.py`), for training a token with a mention's border inside is cut, and
sentences that one part of a mention crosses are joined. Mentions that do not fit into a sentence
are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lacuna.text.align import AlignedMention, align, ranges_to_spans, split_tokens
from lacuna.text.document import Document, Mention, Tokens
from lacuna.text.reviewed import all_reviewed, reviewed_tokens, settled
from lacuna.text.tokens import tokens_of
from lacuna.types import BoolArray

PARTS = 3  #: most parts of a mention, by default

#: Most mentions that are enumerated for one structure of a sentence.
CAP = 256

Parts = tuple[tuple[int, int], ...]
"""Half-open token ranges of one mention, in order, with at least one token between them."""


class GappedMention(NamedTuple):
    """A label on tokens of a document."""

    label: str
    parts: Parts


class GappedSentence(NamedTuple):
    """Its number of tokens and its mentions; tokens are counted from the start of the sentence."""

    length: int
    mentions: frozenset[Parts]


class GappedDocument(NamedTuple):
    """A document as a model of mentions with gaps sees it in training.

    left_out counts mentions that it cannot learn, by reason: ``"without a token"``, ``"of more
    than 3 parts"``, ``"across sentences"``, ``"said twice"``. reviewed[t]: token t was reviewed;
    ``None``: all.
    """

    document: Document
    tokens: Tokens
    mentions: tuple[GappedMention, ...]
    left_out: Counter[str]
    reviewed: BoolArray | None = None

    def labels(self) -> Counter[str]:
        """Count mentions by label."""
        return Counter(mention.label for mention in self.mentions)

    def whole_sentences(self) -> BoolArray:
        """Return for each sentence whether it was reviewed as a whole."""
        if self.reviewed is None:
            return np.ones(len(self.tokens.sentences) - 1, np.bool_)
        return all_reviewed(self.tokens, self.reviewed)

    def in_whole_sentences(self) -> GappedDocument:
        """Return the document without mentions of sentences that were not reviewed as a whole."""
        whole = self.whole_sentences()
        kept = (m for m in self.mentions if whole[_sentence(self.tokens, m.parts)])
        return self._replace(mentions=tuple(kept))

    def sentences(self, label: str) -> Iterator[GappedSentence]:
        """Yield every sentence with its mentions of one label."""
        borders = self.tokens.sentences.tolist()
        inside: list[set[Parts]] = [set() for _ in borders[1:]]
        for mention in self.mentions:
            if mention.label == label:
                number = _sentence(self.tokens, mention.parts)
                inside[number].add(moved(mention.parts, -borders[number]))
        for number, mentions in enumerate(inside):
            yield GappedSentence(borders[number + 1] - borders[number], frozenset(mentions))


def gapped_document(
    document: Document, tokens: Tokens | None = None, *, parts: int = PARTS
) -> GappedDocument:
    """Fit the tokens to the mentions and leave out what a sentence cannot hold.

    Parameters
    ----------
    document
        With mentions of any shape.
    tokens
        Its tokens; by default its own, or those of our tokenizer.
    parts
        Mentions of more parts are left out. Parts that touch count as one.
    """
    document = settled(document)
    tokens = split_tokens(tokens_of(document) if tokens is None else tokens, document.mentions)
    found = align(document.mentions, tokens)
    tokens = _join_sentences(tokens, found.aligned)
    left_out: Counter[str] = Counter()
    if found.misaligned:
        left_out["without a token"] = len(found.misaligned)
    kept: dict[GappedMention, None] = {}
    for item in found.aligned:
        mention = GappedMention(item.mention.label, joined(item.ranges))
        if len(mention.parts) > parts:
            left_out[f"of more than {parts} parts"] += 1
        elif _crosses(tokens, mention.parts):
            left_out["across sentences"] += 1
        elif mention in kept:
            left_out["said twice"] += 1
        else:
            kept[mention] = None
    reviewed = reviewed_tokens(document, tokens)
    return GappedDocument(document, tokens, tuple(kept), left_out, reviewed)


def _join_sentences(tokens: Tokens, mentions: Iterable[AlignedMention]) -> Tokens:
    """Remove sentence borders inside parts of mentions."""
    inside = np.zeros(len(tokens) + 1, np.int64)
    for item in mentions:
        for start, end in item.ranges:
            # a border b lies inside a part if start < b < end
            inside[start + 1] += 1
            inside[end] -= 1
    kept = np.cumsum(inside)[tokens.sentences] == 0
    return tokens if kept.all() else replace(tokens, sentences=tokens.sentences[kept])


def _sentence(tokens: Tokens, parts: Parts) -> int:
    """Return the sentence in which a mention begins."""
    return int(np.searchsorted(tokens.sentences, parts[0][0], side="right")) - 1


def _crosses(tokens: Tokens, parts: Parts) -> bool:
    """Whether a mention ends in another sentence than it begins in."""
    return bool(parts[-1][1] > tokens.sentences[_sentence(tokens, parts) + 1])


def mentions_of(
    found: Iterable[GappedMention], tokens: Tokens, first: int = 0
) -> tuple[Mention, ...]:
    """Return mentions as character spans; their tokens are counted from `first` on."""
    return tuple(
        Mention(label, ranges_to_spans(moved(parts, first), tokens)) for label, parts in found
    )


def joined(ranges: Iterable[tuple[int, int]]) -> Parts:
    """Return ranges in order, with touching and overlapping ones merged."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def moved(parts: Parts, by: int) -> Parts:
    """Return the parts shifted by a number of tokens."""
    return tuple((start + by, end + by) for start, end in parts)


class Decoded(NamedTuple):
    """Mentions in order; `capped`: there are more that were not enumerated."""

    mentions: tuple[Parts, ...]
    capped: bool = False
