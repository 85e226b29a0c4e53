"""conll: one token per line in columns, its tag in the last, a blank line after each sentence.

::

    -DOCSTART- (note-1) O

    Ms NNP B-PER
    Keller NNP I-PER

Columns are separated by tabs, or by spaces in lines without tabs; :mod:`lacuna.io.conll_columns`
says which are read, and :mod:`lacuna.io.tag_column` how. All tag schemes are read alike; one other
than BIO is kept as ``meta["scheme"]``, so that writing gives the same tags again (tags without
prefixes and brackets are written with prefixes). The text consists of the tokens, joined by spaces,
and line feeds between sentences.

``-DOCSTART-`` begins a document and may name it in parentheses (as AIDA-CoNLL does), and so do
``#begin document (name); part 001`` (CoNLL-2012) and ``# newdoc id = name`` (CoNLL-U). Without a
name the n-th is ``<file>-n``, and a file without such a line is one document ``<file>``. Other
lines whose first cell is ``#`` are comments, unless they have the columns of a row, and a tag.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import cast

import numpy as np

from lacuna.encoding.schemes import OUTSIDE, Chunk, Scheme, decode, detect, parse_tag
from lacuna.encoding.schemes import encode as encode_tags
from lacuna.io.limits import SCHEME_KEY
from lacuna.text.document import Document, Mention, Span, Tokens
from lacuna.types import IntArray

DOCUMENT_START = "-DOCSTART-"


def column_names(count: int) -> tuple[str, ...]:
    """Name the `count` columns between token and tag, up to two as in CoNLL-2003."""
    return ("pos", "chunk")[:count] if count <= 2 else numbered_names(count)


def numbered_names(count: int) -> tuple[str, ...]:
    """Name the `count` columns between token and tag by their position."""
    return tuple(f"column{number}" for number in range(2, count + 2))


def scheme_meta(sentences: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return the meta data that says the scheme of some tags; none for BIO."""
    scheme = detect(sentences)
    return {} if scheme is Scheme.BIO else {SCHEME_KEY: str(scheme)}


Sentences = Sequence[str] | Sequence[Sequence[str]]


def from_bio(
    tokens: Sentences,
    tags: Sentences,
    *,
    id: str = "text",  # noqa: A002
    group: str | None = None,
) -> Document:
    """Return a document of tokens and their tags, as in a conll file.

    ``from_bio(["Ms", "Keller"], ["O", "B-PER"])`` is one sentence; lists of lists are several. The
    text is the tokens, joined by spaces, with line feeds between sentences. All tag schemes are
    read alike.

    Raises
    ------
    ValueError
        If there are not as many tags as tokens, a token is empty, or a tag is none.
    """
    words, marks = _sentences(tokens, "tokens"), _sentences(tags, "tags")
    if [len(sentence) for sentence in words] != [len(sentence) for sentence in marks]:
        raise ValueError("there must be one tag for each token")
    for number, tag in enumerate(chain.from_iterable(marks)):
        if parse_tag(tag) is None:
            raise ValueError(f"tag {number} is not a tag such as O or B-LABEL")
    flat = list(chain.from_iterable(words))
    borders = [0, *accumulate(map(len, words))]
    own = Tokens(*places(flat), np.asarray(borders, np.int32))
    mentions = tuple(mentions_of(map(decode, marks), own))
    meta = scheme_meta(marks) if mentions else {}
    return Document(id, join(flat, borders), mentions, group=group, meta=meta, tokens=own)


def _sentences(values: Sentences, name: str) -> list[Sequence[str]]:
    """Return strings by sentence, without empty sentences."""
    sentences = [values] if all(isinstance(value, str) for value in values) else values
    found = [sentence for sentence in sentences if len(sentence)]
    if isinstance(values, str) or any(isinstance(sentence, str) for sentence in found):
        raise TypeError(f"{name} must be a list of strings, or a list of such lists")
    return cast("list[Sequence[str]]", found)


def join(words: Sequence[str], borders: Sequence[int]) -> str:
    """Return the text of words: a space between words, a line feed between sentences."""
    return "\n".join(" ".join(words[i:j]) for i, j in pairwise(borders))


def places(words: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Return where each word starts and ends if one character separates any two."""
    sizes = np.fromiter(map(len, words), dtype=np.int32, count=len(words))
    end = np.cumsum(sizes + 1, dtype=np.int32) - 1
    return end - sizes, end


def mentions_of(sentences: Iterable[Iterable[Chunk]], tokens: Tokens) -> Iterator[Mention]:
    """Yield the mentions of the chunks of each sentence."""
    start, end = tokens.start.tolist(), tokens.end.tolist()
    for offset, chunks in zip(tokens.sentences.tolist(), sentences, strict=False):
        for label, first, last in chunks:
            yield Mention(label, (Span(start[offset + first], end[offset + last - 1]),))


def encode(document: Document) -> dict[str, bytes]:
    """Return the lines of a document that has been through :mod:`lacuna.io.conll_layout`."""
    tokens = document.tokens
    if tokens is None:
        raise ValueError("conll needs tokens")
    between = [tokens.columns[name] for name in column_names(len(tokens.columns))]
    scheme = Scheme(document.meta.get(SCHEME_KEY, Scheme.BIO))
    rows = list(zip(tokens.words(document.text), *between, tags_of(document, scheme), strict=True))
    fill = [OUTSIDE] * max(len(between), 1)  # as many columns as a token has, but at least three
    lines = [" ".join([DOCUMENT_START, f"({document.id})", *fill]), ""]
    for i, j in pairwise(tokens.sentences.tolist()):
        lines += [*(" ".join(row) for row in rows[i:j]), ""]
    return {".conll": ("\n".join(lines) + "\n").encode()}


def tags_of(document: Document, scheme: Scheme) -> list[str]:
    """Return the tags of a document with tokens, whose mentions lie on them and are apart."""
    tokens = document.tokens
    if tokens is None:
        raise ValueError("the document has no tokens")
    first = np.searchsorted(tokens.start, [mention.start for mention in document.mentions])
    last = np.searchsorted(tokens.end, [mention.end for mention in document.mentions]) + 1
    sentence = np.searchsorted(tokens.sentences, first, side="right") - 1
    borders = tokens.sentences.tolist()
    chunks: list[list[Chunk]] = [[] for _ in borders]
    for mention, i, j, s in zip(
        document.mentions, first.tolist(), last.tolist(), sentence.tolist(), strict=True
    ):
        chunks[s].append(Chunk(mention.label, i - borders[s], j - borders[s]))
    tags: list[str] = []
    for s, (i, j) in enumerate(pairwise(borders)):
        tags += encode_tags(chunks[s], j - i, scheme)
    return tags
