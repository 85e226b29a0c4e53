"""Bringing any document into the form of conll: tokens separated by one space or line feed.

Each step returns the changed document and how much it changed (see :mod:`lacuna.io.limits`).
Adding tokens to a document that has none loses nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lacuna.io.conll import DOCUMENT_START, column_names, join, places
from lacuna.io.limits import Feature, Loss, Reduction
from lacuna.text.align import align, split_tokens
from lacuna.text.document import Document, Mention, Tokens

UNSPELLABLE = re.compile(r"[ \t\n\r]")


def drop_odd_tokens(document: Document) -> tuple[Document, int]:
    """Drop a document's tokens if one contains white space or they miss other characters."""
    tokens = document.tokens
    if tokens is None:
        return document, 0
    words = tokens.words(document.text)
    spellable = not any(UNSPELLABLE.search(word) or word == DOCUMENT_START for word in words)
    if spellable and not _outside(document.text, tokens).strip():
        return document, 0
    return replace(document, tokens=None), 1


def _outside(text: str, tokens: Tokens) -> str:
    """Return the characters between tokens."""
    starts, ends = tokens.start.tolist(), tokens.end.tolist()
    gaps = zip([0, *ends], [*starts, len(text)], strict=True)
    return "".join(text[i:j] for i, j in gaps)


def drop_odd_columns(document: Document) -> tuple[Document, int]:
    """Keep only columns whose names and values can be read back."""
    tokens = document.tokens
    if tokens is None or not tokens.columns:
        return document, 0
    spelled = {
        name: values
        for name, values in tokens.columns.items()
        if values and not any(not value or UNSPELLABLE.search(value) for value in values)
    }
    kept = next(
        names
        for names in (column_names(len(spelled)), column_names(2), column_names(1), ())
        if spelled.keys() >= set(names)
    )
    columns = {name: spelled[name] for name in kept}
    changed = replace(document, tokens=replace(tokens, columns=columns))
    return changed, len(tokens.columns) - len(columns)


def cut_tokens(document: Document) -> tuple[Document, int]:
    """Make tokens if there are none, and cut them where a mention begins or ends inside one."""
    if document.tokens is None:
        from lacuna.text.tokens import tokenize

        made = split_tokens(tokenize(document.text), document.mentions)
        return join_sentences(replace(document, tokens=made))[0], 0
    tokens = split_tokens(document.tokens, document.mentions)
    return replace(document, tokens=tokens), int(len(tokens) != len(document.tokens))


def drop_blank_mentions(document: Document) -> tuple[Document, int]:
    """Drop mentions without a token."""
    aligned, misaligned = align(document.mentions, _tokens(document))
    return replace(document, mentions=tuple(found.mention for found in aligned)), len(misaligned)


def join_sentences(document: Document) -> tuple[Document, int]:
    """Remove sentence borders inside mentions."""
    tokens = _tokens(document)
    inner = {
        border
        for found in align(document.mentions, tokens).aligned
        for first, last in found.ranges
        for border in range(first + 1, last)
    }
    sentences = [border for border in tokens.sentences.tolist() if border not in inner]
    changed = Tokens(tokens.start, tokens.end, sentences, tokens.columns)  # type: ignore[arg-type]
    return replace(document, tokens=changed), len(tokens.sentences) - len(sentences)


def set_white_space(document: Document) -> tuple[Document, int]:
    """Rewrite the text with one character between tokens, and move the mentions accordingly."""
    tokens = _tokens(document)
    words = tokens.words(document.text)
    start, end = places(words)
    mentions = tuple(
        Mention.of(mention.label, (int(start[ranges[0][0]]), int(end[ranges[-1][1] - 1])))
        for mention, ranges in align(document.mentions, tokens).aligned
    )
    changed = replace(
        document,
        text=join(words, tokens.sentences.tolist()),
        mentions=mentions,
        tokens=Tokens(start, end, tokens.sentences, tokens.columns),
    )
    return changed, int(changed.text != document.text or changed.mentions != document.mentions)


def _tokens(document: Document) -> Tokens:
    if document.tokens is None:
        raise ValueError("this step comes after cut_tokens")
    return document.tokens


LAYOUT = (
    Reduction(Feature.OWN_TOKENS, Loss.EXTRAS, drop_odd_tokens),
    Reduction(Feature.COLUMNS, Loss.EXTRAS, drop_odd_columns),
    Reduction(Feature.OWN_TOKENS, Loss.EXTRAS, cut_tokens),
    Reduction(Feature.BLANK_MENTIONS, Loss.MENTIONS, drop_blank_mentions),
    Reduction(Feature.SENTENCES, Loss.EXTRAS, join_sentences),
    Reduction(Feature.LAYOUT, Loss.EXTRAS, set_white_space),
)
