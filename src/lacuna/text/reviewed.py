"""Which part of a document a person has reviewed, in characters and in tokens.

A document without ``reviewed`` was reviewed as a whole. Otherwise nothing is known outside the
spans of ``reviewed``: neither what is mentioned there, nor that nothing is. A token is reviewed if
it lies wholly inside a reviewed span (spans that touch count as one), a mention if all its parts
do. A mention that was not reviewed as a whole is ignored, and the characters that it covers count
as not reviewed: nobody has said where it begins and ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from lacuna.text.document import Document, Mention, Span, Tokens
from lacuna.types import BoolArray


def settled(document: Document) -> Document:
    """Return a document with what a person has settled: mentions and spans reviewed as a whole.

    What overlaps an ignored mention is not settled either. Settling twice changes nothing.
    """
    if document.reviewed is None:
        return document
    seen, mentions = _characters(document), document.mentions
    while open_ones := [mention for mention in mentions if not _is_inside(mention, seen)]:
        mentions = tuple(mention for mention in mentions if _is_inside(mention, seen))
        for mention in open_ones:
            for span in mention.spans:
                seen[span.start : span.end] = False
    return replace(document, mentions=mentions, reviewed=_runs(seen))


def reviewed_tokens(document: Document, tokens: Tokens) -> BoolArray | None:
    """Return for each token whether it is reviewed; ``None`` if all are."""
    if document.reviewed is None:
        return None
    before = np.cumsum(np.append(False, _characters(document)), dtype=np.int64)
    inside: BoolArray = before[tokens.end] - before[tokens.start] == tokens.end - tokens.start
    return None if inside.all() else inside


def reviewed_mentions(mentions: Iterable[Mention], document: Document) -> tuple[Mention, ...]:
    """Return those mentions of a text that lie wholly inside the reviewed spans of `document`."""
    if document.reviewed is None:
        return tuple(mentions)
    seen = _characters(document)
    return tuple(mention for mention in mentions if _is_inside(mention, seen))


def in_sentences(tokens: Tokens, chosen: BoolArray) -> BoolArray:
    """Return for each token whether its sentence is chosen; ``chosen[s]`` is that of sentence s."""
    return np.repeat(chosen, np.diff(tokens.sentences))


def some_reviewed(tokens: Tokens, reviewed: BoolArray) -> BoolArray:
    """Return for each sentence whether any token of it is reviewed."""
    return np.array([reviewed[a:b].any() for a, b in pairwise(tokens.sentences)], np.bool_)


def all_reviewed(tokens: Tokens, reviewed: BoolArray) -> BoolArray:
    """Return for each sentence whether all tokens of it are reviewed."""
    return np.array([reviewed[a:b].all() for a, b in pairwise(tokens.sentences)], np.bool_)


def only(tokens: Tokens, kept: BoolArray) -> Tokens:
    """Return some of the tokens, in their sentences; sentences without any are left out."""
    before = np.cumsum(np.append(False, kept), dtype=np.int64)
    return Tokens(
        tokens.start[kept],
        tokens.end[kept],
        np.unique(before[tokens.sentences]).astype(np.int32),
        {
            name: tuple(value for value, keep in zip(values, kept.tolist(), strict=True) if keep)
            for name, values in tokens.columns.items()
        },
    )


def _characters(document: Document) -> BoolArray:
    """Return for each character whether it lies in a reviewed span."""
    seen = np.zeros(len(document.text), np.bool_)
    for start, end in document.reviewed or ():
        seen[start:end] = True
    return seen


def _is_inside(mention: Mention, seen: BoolArray) -> bool:
    return all(seen[span.start : span.end].all() for span in mention.spans)


def _runs(seen: BoolArray) -> tuple[Span, ...]:
    """Return the maximal spans of characters that were seen."""
    steps = np.diff(seen.astype(np.int8), prepend=0, append=0)
    starts, ends = np.flatnonzero(steps > 0), np.flatnonzero(steps < 0)
    return tuple(map(Span, starts.tolist(), ends.tolist()))
