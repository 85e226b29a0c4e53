"""Raw text to learn from: its words, how often they occur, and their order, in little memory.

Texts are read and counted piece by piece. What is kept of a piece are the numbers of its words, in
a file without a name that vanishes with the process (in memory, if the text is small).
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from tempfile import SpooledTemporaryFile

import numpy as np

from lacuna.features.token_table import TokenTable, token_table, words_at
from lacuna.text.characters import LINE, class_table, lower_table
from lacuna.text.document import Document
from lacuna.text.units import Units
from lacuna.text.word_types import GrowingTypes, hash_tokens
from lacuna.types import IntArray, LongArray

PIECE_CHARACTERS = 1_000_000
MOST_IN_MEMORY = 1 << 26  #: bytes of pieces, 16 million tokens


class Pieces:
    """For each piece of a text, the type of every token and the borders of sentences."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(MOST_IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._sizes: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self._sizes)

    def append(self, ids: IntArray, borders: LongArray) -> None:
        """Add a piece at the end."""
        self._file.write(ids.astype(np.int32).tobytes())
        self._file.write(borders.astype(np.int64).tobytes())
        self._sizes.append((4 * len(ids), 8 * len(borders)))

    def __iter__(self) -> Iterator[tuple[IntArray, LongArray]]:
        self._file.seek(0)
        for ids, borders in self._sizes:
            read = self._file.read(ids), self._file.read(borders)
            yield np.frombuffer(read[0], np.int32), np.frombuffer(read[1], np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class CountedText:
    """The words of a text, without the text.

    Attributes
    ----------
    words
        Word types in order of first appearance.
    counts
        How often each occurs.
    pieces
        For each piece of the text, the type of every token and the borders of sentences; can be
        read more than once, one reader at a time.
    """

    words: list[str]
    counts: LongArray
    pieces: Iterable[tuple[IntArray, LongArray]]

    def frequent(self, min_count: int, max_words: int | None = None) -> LongArray:
        """Return the words that occur often enough and fit a line, by falling frequency.

        Of equally frequent words the first in the text comes first.
        """
        order = np.argsort(-self.counts, kind="stable")
        order = order[self.counts[order] >= min_count]
        fitting = [word for word in order.tolist() if _fits_a_line(self.words[word])]
        return np.array(fitting[:max_words], np.int64)

    def ranked(self, chosen: LongArray) -> Iterator[tuple[IntArray, LongArray]]:
        """Yield the pieces with chosen words as 0, 1, … in the order given, others as -1."""
        rank = np.full(len(self.words), -1, np.int32)
        rank[chosen] = np.arange(len(chosen), dtype=np.int32)
        return ((rank[ids], borders) for ids, borders in self.pieces)


def count_words(
    corpus: Iterable[Document], *, lower: bool = False, tokenized: bool = False
) -> CountedText:
    """Count the words of a corpus.

    Parameters
    ----------
    lower
        Convert words to lower case.
    tokenized
        In documents without tokens of their own, words are what is between spaces and every line
        is a sentence.
    """
    types = GrowingTypes()
    words: list[str] = []
    pieces = Pieces()
    for documents in _grouped(corpus):
        table = token_table(documents, units=Units.SPACE if tokenized else Units.TOKEN)
        if tokenized and documents[0].tokens is None:
            table = table._replace(sentences=_lines(table))
        if lower:
            table = _lowered(table)
        numbered = types.number(table.hashes)
        words += words_at(table, numbered.first)
        pieces.append(numbered.ids, table.sentences)
    counts = np.zeros(len(words), np.int64)
    for ids, _ in pieces:
        counts += np.bincount(ids, minlength=len(words))
    return CountedText(words, counts, pieces)


def _grouped(corpus: Iterable[Document]) -> Iterator[list[Document]]:
    """Group documents into pieces of about ``PIECE_CHARACTERS``, all with or all without tokens."""
    for _, alike in groupby(corpus, lambda document: document.tokens is None):
        piece: list[Document] = []
        characters = 0
        for document in alike:
            piece.append(document)
            characters += len(document.text)
            if characters >= PIECE_CHARACTERS:
                yield piece
                piece, characters = [], 0
        if piece:
            yield piece


def _lines(table: TokenTable) -> LongArray:
    """Return the borders of sentences if every line is one."""
    breaks = np.cumsum(class_table()[table.codes] == LINE, dtype=np.int32)
    begins = np.flatnonzero(np.diff(breaks[table.start])) + 1
    borders = np.concatenate(([0, len(table.start)], begins, table.documents))
    return np.unique(borders).astype(np.int64)


def _lowered(table: TokenTable) -> TokenTable:
    codes = lower_table()[table.codes]
    codes.flags.writeable = False  # the kernel is compiled for read-only arrays
    return table._replace(codes=codes, hashes=hash_tokens(codes, table.start, table.end))


def _fits_a_line(word: str) -> bool:
    """Whether a line of the file can contain the word: tokens may have white space inside."""
    return word.split() == [word]
