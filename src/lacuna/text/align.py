"""Mentions in characters ↔ ranges of tokens.

White space at the borders of a span does not matter: ``"Smith "`` is the token ``Smith``. What
remains is aligned if every span begins and ends at a token border. Other mentions are returned
separately, never dropped; for training :func:`split_tokens` cuts the tokens so that they fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from lacuna.text.document import Mention, Span, Tokens
from lacuna.types import IntArray

TokenRange = tuple[int, int]
"""Tokens ``[first, last)``."""


class AlignedMention(NamedTuple):
    """A mention and its parts as token ranges, one for each span."""

    mention: Mention
    ranges: tuple[TokenRange, ...]


class Alignment(NamedTuple):
    """Mentions that fit the tokens, and those that do not."""

    aligned: tuple[AlignedMention, ...]
    misaligned: tuple[Mention, ...]


def align(mentions: Iterable[Mention], tokens: Tokens) -> Alignment:
    """Find the token ranges of mentions, in the order given.

    A mention is misaligned if a span of it begins or ends inside a token, or covers none.
    """
    mentions = tuple(mentions)
    spans = [span for mention in mentions for span in mention.spans]
    starts = np.array([span.start for span in spans], np.int64)
    ends = np.array([span.end for span in spans], np.int64)
    first = np.searchsorted(tokens.end, starts, side="right")  # first to end after start
    last = np.searchsorted(tokens.start, ends, side="left")  # first not to begin before end
    covers = first < last
    inside = first[covers], last[covers] - 1
    fits = covers.copy()
    fits[covers] = (starts[covers] <= tokens.start[inside[0]]) & (
        tokens.end[inside[1]] <= ends[covers]
    )
    ranges = list(zip(first.tolist(), last.tolist(), strict=True))
    aligned: list[AlignedMention] = []
    misaligned: list[Mention] = []
    position = 0
    for mention in mentions:
        part = slice(position, position + len(mention.spans))
        if fits[part].all():
            aligned.append(AlignedMention(mention, tuple(ranges[part])))
        else:
            misaligned.append(mention)
        position = part.stop
    return Alignment(tuple(aligned), tuple(misaligned))


def ranges_to_spans(ranges: Iterable[TokenRange], tokens: Tokens) -> tuple[Span, ...]:
    """Return the characters from the first to the last token of each range."""
    return tuple(
        Span(int(tokens.start[first]), int(tokens.end[last - 1])) for first, last in ranges
    )


def split_tokens(tokens: Tokens, mentions: Iterable[Mention]) -> Tokens:
    """Cut tokens where a mention begins or ends inside them.

    Both halves get the column values of the token they come from. Afterwards only mentions that
    cover no token are misaligned.
    """
    borders = {border for mention in mentions for span in mention.spans for border in span}
    cuts = _inside(sorted(borders), tokens)
    if not len(cuts):
        return tokens
    start = np.sort(np.concatenate((tokens.start, cuts)))
    end = np.sort(np.concatenate((tokens.end, cuts)))
    source = np.searchsorted(tokens.start, start, side="right") - 1  # token each piece comes from
    return Tokens(
        start,
        end,
        np.searchsorted(source, tokens.sentences).astype(np.int32),
        {name: tuple(values[i] for i in source) for name, values in tokens.columns.items()},
    )


def _inside(borders: Sequence[int], tokens: Tokens) -> IntArray:
    """Return those of the sorted `borders` that lie inside a token."""
    positions = np.array(borders, np.int32)
    token = np.searchsorted(tokens.start, positions, side="left") - 1  # last one that begins before
    has_token = token >= 0
    positions, token = positions[has_token], token[has_token]
    return positions[positions < tokens.end[token]]


def mention_tokens(mention: Mention, tokens: Tokens) -> list[int]:
    """Return the tokens that a mention shares a character with."""
    return [
        token
        for span in mention.spans
        for token in range(
            int(np.searchsorted(tokens.end, span.start, side="right")),
            int(np.searchsorted(tokens.start, span.end, side="left")),
        )
    ]
