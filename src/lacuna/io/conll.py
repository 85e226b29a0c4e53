"""conll: one token per line in columns, its tag in the last, a blank line after each sentence.

::

    -DOCSTART- (note-1) O

    Ms NNP B-PER
    Keller NNP I-PER

Columns are separated by tabs, or by spaces in lines without tabs. All tag schemes are read alike;
one other than BIO is kept as ``meta["scheme"]``, so that writing gives the same tags again. The
text consists of the tokens, joined by spaces, and line feeds between sentences. ``-DOCSTART-``
begins a document and may name it in parentheses (as AIDA-CoNLL does); without a name the n-th is
``<file>-n``, and a file without ``-DOCSTART-`` is one document ``<file>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise
from typing import cast

import numpy as np

from lacuna.encoding.schemes import OUTSIDE, Chunk, Scheme, decode, detect, parse_tag
from lacuna.encoding.schemes import encode as encode_tags
from lacuna.io.limits import SCHEME_KEY
from lacuna.io.source import Source
from lacuna.text.document import Document, Mention, Span, Tokens
from lacuna.types import IntArray, Task

DOCUMENT_START = "-DOCSTART-"
STARTS = re.compile(rf"{DOCUMENT_START}(?:[ \t]+(?:\((?P<id>.*)\))?[^)]*)?")
BLANKS = " \t\r"


class _Draft:
    """The lines of one document, while they are read."""

    def __init__(self, id_: str) -> None:
        self.id = id_
        self.cells: list[str] = []  # row after row
        self.width = 0  # number of columns, once known
        self.borders = [0]  # of sentences, in rows

    def end_sentence(self) -> None:
        rows = len(self.cells) // max(self.width, 1)
        if self.borders[-1] < rows:
            self.borders.append(rows)

    def columns(self) -> list[list[str]]:
        """Return words, then the columns between, then tags."""
        return [self.cells[i :: self.width] for i in range(self.width)] or [[], []]


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of a file, one ``-DOCSTART-`` at a time."""
    task = source.options.task
    draft: _Draft | None = None
    starts = 0
    known_tags: set[str] = set()
    for number, line in source.records():
        line = line.strip(BLANKS)
        if not line:
            if draft is not None:
                draft.end_sentence()
        elif line.startswith(DOCUMENT_START) and (match := STARTS.fullmatch(line)):
            if draft is not None:
                yield _document(draft, task)
            starts += 1
            draft = _Draft(match["id"] or f"{source.id}-{starts}")
        else:
            draft = draft or _Draft(source.id)
            row = line.split(" ")
            if len(row) != draft.width or "" in row or "\t" in line:
                row = _odd_row(source, line, draft.width, number)
                draft.width = len(row)
            if row[-1] not in known_tags:
                _check_tag(source, row[-1], number)
                known_tags.add(row[-1])
            draft.cells += row
    if draft is not None:
        yield _document(draft, task)


def _odd_row(source: Source, line: str, width: int, number: int) -> list[str]:
    """Return the columns of a first line, or of one with tabs or several spaces."""
    cells = line.split("\t") if "\t" in line else re.split(" +", line)
    row = [cell.strip(BLANKS) for cell in cells]
    if len(row) < 2 or "" in row or len(row) != (width or len(row)):
        filled = sum(1 for cell in row if cell)
        raise source.error(f"expected {width or 'at least 2'} columns, got {filled}", line=number)
    return row


def _check_tag(source: Source, tag: str, number: int) -> None:
    if source.options.task is Task.NER and parse_tag(tag) is None:
        reason = "the last column is not a tag such as O or B-LABEL (parts of speech: task pos)"
        raise source.error(reason, line=number)


def column_names(count: int) -> tuple[str, ...]:
    """Name the `count` columns between token and tag, up to two as in CoNLL-2003."""
    return ("pos", "chunk")[:count] if count <= 2 else _numbered(count)


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(f"column{number}" for number in range(2, count + 2))


def _document(draft: _Draft, task: Task) -> Document:
    draft.end_sentence()
    words, *between, tags = draft.columns()
    start, end = places(words)
    text = join(words, draft.borders)
    borders = np.asarray(draft.borders, dtype=np.int32)
    if task is Task.POS:
        names = (*_numbered(len(between)), "pos")
        columns = dict(zip(names, map(tuple, (*between, tags)), strict=True)) if words else {}
        return Document(draft.id, text, tokens=Tokens(start, end, borders, columns))
    columns = dict(zip(column_names(len(between)), map(tuple, between), strict=True))
    sentences = [tags[i:j] for i, j in pairwise(draft.borders)]
    return _tagged(draft.id, text, Tokens(start, end, borders, columns), sentences)


def _tagged(id_: str, text: str, tokens: Tokens, sentences: Sequence[Sequence[str]]) -> Document:
    """Return a document with the mentions that the tags of its sentences mark."""
    mentions = _mentions(sentences, tokens.start.tolist(), tokens.end.tolist())
    scheme = detect(sentences) if mentions else Scheme.BIO
    meta = {} if scheme is Scheme.BIO else {SCHEME_KEY: str(scheme)}
    return Document(id_, text, mentions, meta=meta, tokens=tokens)


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
    return replace(_tagged(id, join(flat, borders), own, marks), group=group)


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


def _mentions(
    sentences: Sequence[Sequence[str]], start: Sequence[int], end: Sequence[int]
) -> tuple[Mention, ...]:
    mentions = []
    offset = 0
    for tags in sentences:
        for label, first, last in decode(tags):
            span = Span(start[offset + first], end[offset + last - 1])
            mentions.append(Mention(label, (span,)))
        offset += len(tags)
    return tuple(mentions)


def encode(document: Document) -> dict[str, bytes]:
    """Return the lines of a document that has been through :mod:`lacuna.io.conll_layout`."""
    tokens = document.tokens
    if tokens is None:
        raise ValueError("conll needs tokens")
    between = [tokens.columns[name] for name in column_names(len(tokens.columns))]
    rows = list(zip(tokens.words(document.text), *between, _tags(document, tokens), strict=True))
    fill = [OUTSIDE] * max(len(between), 1)  # as many columns as a token has, but at least three
    lines = [" ".join([DOCUMENT_START, f"({document.id})", *fill]), ""]
    for i, j in pairwise(tokens.sentences.tolist()):
        lines += [*(" ".join(row) for row in rows[i:j]), ""]
    return {".conll": ("\n".join(lines) + "\n").encode()}


def _tags(document: Document, tokens: Tokens) -> list[str]:
    scheme = Scheme(document.meta.get(SCHEME_KEY, Scheme.BIO))
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
