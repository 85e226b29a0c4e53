"""What can still be read of annotated documents after redaction, to score a whole pipeline.

Two documents are compared, as a prediction is with gold:

* :func:`identifiers`: the annotation without what the policy would leave of it in any case, such as
  the year of a date.
* :func:`hidden`: what was replaced, without the tokens that stand in the replacement as well.

Identifier tokens of the first that are not covered by the second have leaked, except signs without
letters and digits. A surrogate hides all of what it replaces, and a shifted date hides a date,
although words may stand in both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from lacuna.deid.detector import covered, token_range
from lacuna.deid.placeholders import PLACEHOLDER
from lacuna.deid.redact import Redacted
from lacuna.deid.what_stays import WhatStays, words_of
from lacuna.text.document import Document, Mention, Span, Tokens
from lacuna.text.tokens import tokens_of
from lacuna.types import BoolArray


def identifiers(stays: WhatStays, gold: Document) -> Document:
    """Return an annotated document with the mentions, or parts of them, that the policy removes."""
    words = _Words(gold)
    nowhere = words.covered([])
    mentions = []
    for mention in gold.mentions:
        if stays.hides(mention.label):
            mentions.append(mention)
        elif not stays.keeps(mention.label):
            parts: list[Span] = []
            for span in mention.spans:
                left = stays.of(mention.label, gold.text[span.start : span.end])
                parts += words.parts([span], words.gone(left.unchanged, nowhere))
            mentions += _mentions(mention.label, parts)
    return replace(gold, mentions=tuple(mentions), tokens=words.tokens)


def hidden(stays: WhatStays, wanted: Document, redacted: Redacted) -> Document:
    """Return a document with what was replaced as mentions, as far as it cannot be read any more.

    Parameters
    ----------
    stays
        What the policy leaves.
    wanted
        The result of :func:`identifiers`.
    redacted
        What became of the document.
    """
    words = _Words(wanted)
    dates = [mention for mention in wanted.mentions if stays.moves(mention.label)]
    nowhere = words.covered([])
    may_look_alike = words.covered(dates) | ~words.covered(wanted.mentions)
    mentions = []
    for finding, instead in zip(redacted.plan, redacted.instead, strict=True):
        if finding.label == PLACEHOLDER:
            continue
        parts = [Span(finding.start, finding.end)]
        if not stays.hides(finding.label):
            left = stays.of(finding.label, wanted.text[finding.start : finding.end])
            there = left.words & words_of(instead)  # a tag has words, too: [DATE-1]
            parts = words.parts(
                parts, words.gone(there, may_look_alike if left.is_moved else nowhere)
            )
        mentions += _mentions(finding.label, parts)
    return replace(wanted, mentions=tuple(mentions))


def without_punctuation(wanted: Document, gone: Document) -> Document:
    """Return the identifiers without signs that stay between hidden words: they tell nothing."""
    words = _Words(wanted)
    is_gone = words.covered(gone.mentions)

    def counts(token: int) -> bool:
        return bool(is_gone[token]) or any(map(str.isalnum, words.text(token)))

    mentions = []
    for mention in wanted.mentions:
        is_whole = not words.parts(mention.spans, lambda token: not counts(token))
        parts = mention.spans if is_whole else words.parts(mention.spans, counts)
        mentions += _mentions(mention.label, parts)
    return replace(wanted, mentions=tuple(mentions))


def leaked(wanted: Document, gone: Document) -> Document:
    """Return the document with the tokens of identifiers that can still be read as mentions."""
    words = _Words(wanted)
    is_gone = words.covered(gone.mentions)
    mentions = []
    for mention in wanted.mentions:
        mentions += _mentions(mention.label, words.parts(mention.spans, lambda t: not is_gone[t]))
    return replace(wanted, mentions=tuple(mentions))


def needless(wanted: Document, gone: Document) -> Document:
    """Return the document with what was hidden although it touches no identifier."""
    words = _Words(wanted)
    is_wanted = words.covered(wanted.mentions)
    mentions = [m for m in gone.mentions if not words.parts(m.spans, lambda t: bool(is_wanted[t]))]
    return replace(wanted, mentions=tuple(mentions))


class _Words:
    """The tokens of a document."""

    def __init__(self, document: Document) -> None:
        self._document, self.tokens = document, tokens_of(document)

    def text(self, token: int) -> str:
        """Return the text of a token."""
        return self._document.text[self.tokens.start[token] : self.tokens.end[token]]

    def gone(self, there: Collection[str], anyway: BoolArray) -> Callable[[int], bool]:
        """Return a function: whether a token is none of the words that are `there`, or `anyway`."""
        return lambda token: bool(anyway[token]) or self.text(token) not in there

    def covered(self, mentions: Sequence[Mention]) -> BoolArray:
        """Return for each token whether a mention touches it."""
        spans = [(span.start, span.end) for mention in mentions for span in mention.spans]
        (tokens,) = covered([self.tokens], [spans])
        return tokens

    def parts(self, spans: Sequence[Span], is_chosen: Callable[[int], bool]) -> list[Span]:
        """Return the stretches of spans that consecutive chosen tokens cover."""
        return [part for span in spans for part in _runs(self.tokens, span, is_chosen)]


def _runs(tokens: Tokens, span: Span, is_chosen: Callable[[int], bool]) -> Iterator[Span]:
    first, last = token_range(tokens, span.start, span.end)
    begun = None
    for t in range(first, last + 1):
        chosen = t < last and is_chosen(t)
        if chosen and begun is None:
            begun = max(span.start, int(tokens.start[t]))
        elif not chosen and begun is not None:
            yield Span(begun, min(span.end, int(tokens.end[t - 1])))
            begun = None


def _mentions(label: str, parts: Sequence[Span]) -> list[Mention]:
    return [Mention(label, tuple(parts))] if parts else []
