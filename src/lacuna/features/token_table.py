"""Tokens of many documents in flat arrays, the input of feature extraction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from lacuna.encoding.flat import TrainingDocument
from lacuna.errors import ConfigError
from lacuna.text.characters import class_table, code_points
from lacuna.text.document import Document, Tokens
from lacuna.text.sentences import all_sentence_borders
from lacuna.text.sequences import SequenceKind, line_borders
from lacuna.text.tokens import all_token_borders
from lacuna.text.units import Units, all_unit_borders, cut_units
from lacuna.text.word_types import GOLDEN, hash_tokens
from lacuna.types import CodeArray, HashArray, IntArray, LongArray

NOTHING: Mapping[str, HashArray] = MappingProxyType({})
MOST_CHARACTERS = np.iinfo(np.int32).max


class TokenTable(NamedTuple):
    """Tokens of some documents, concatenated.

    codes
        Code points of all texts.
    start, end
        Token i is ``codes[start[i]:end[i]]``.
    hashes
        Its word hash.
    sentences
        Sentence s is tokens ``sentences[s]`` to ``sentences[s + 1]``.
    documents
        Document d is tokens ``documents[d]`` to ``documents[d + 1]``.
    texts
        The text of document d is ``codes[texts[d]:texts[d + 1]]``.
    columns, metas
        Token columns and meta data of document d, from the corpus.
    given
        Values of attributes of tokens that are already known, by name: in training those that a
        training lexicon gives, in a second pass what the first found elsewhere.
    """

    codes: CodeArray
    start: IntArray
    end: IntArray
    hashes: HashArray
    sentences: LongArray
    documents: LongArray
    texts: LongArray
    columns: tuple[Mapping[str, tuple[str, ...]], ...]
    metas: tuple[Mapping[str, Any], ...]
    given: Mapping[str, HashArray] = NOTHING

    @property
    def types(self) -> HashArray:
        """A hash of each token that is the same for words with the same attributes.

        That of its word; in training, where a training lexicon leaves out what a document says, of
        its word and what the lexicon says.
        """
        lex = self.given.get("lex")
        return self.hashes if lex is None else self.hashes ^ (lex * GOLDEN)


def token_table(
    documents: Sequence[Document],
    tokens: Sequence[Tokens] | None = None,
    *,
    units: Units = Units.TOKEN,
) -> TokenTable:
    """Return the tokens of `documents`, concatenated.

    Parameters
    ----------
    documents
        Their texts have up to 2³¹ − 1 characters in total.
    tokens
        The tokens of each; by default the document's own, or those that our tokenizer makes.
    units
        What our tokenizer makes.
    """
    texts = _borders([len(document.text) for document in documents])
    if texts[-1] > MOST_CHARACTERS:
        raise ValueError(f"a token table holds at most {MOST_CHARACTERS} characters")
    codes = code_points("".join([document.text for document in documents]))
    if tokens is None:
        if all(document.tokens is None for document in documents):
            return _tokenized(documents, codes, texts, units)
        tokens = [d.tokens if d.tokens is not None else cut_units(d.text, units) for d in documents]
    borders = _borders([len(piece) for piece in tokens])
    start = _joined([piece.start for piece in tokens], texts)
    end = _joined([piece.end for piece in tokens], texts)
    start.flags.writeable = end.flags.writeable = False  # as kernels are compiled for
    sentences = [piece.sentences[1:] + borders[d] for d, piece in enumerate(tokens)]
    return TokenTable(
        codes,
        start,
        end,
        hash_tokens(codes, start, end),
        np.concatenate([np.zeros(1, np.int64), *sentences]),
        borders,
        texts,
        tuple(piece.columns for piece in tokens),
        tuple(document.meta for document in documents),
    )


def training_table(documents: Sequence[TrainingDocument]) -> TokenTable:
    """Return the tokens of documents to train on; having none is a ConfigError."""
    table = token_table([d.document for d in documents], [d.tokens for d in documents])
    if not len(table.start):
        raise ConfigError("there are no tokens to train on")
    return table


def words_at(table: TokenTable, tokens: IntArray) -> list[str]:
    """Return the words of some tokens."""
    borders = zip(table.start[tokens].tolist(), table.end[tokens].tolist(), strict=True)
    pieces = (table.codes[start:end].tobytes() for start, end in borders)
    return [piece.decode("utf-32-le", "surrogatepass") for piece in pieces]


def in_sequences(table: TokenTable, sequence: SequenceKind) -> TokenTable:
    """Return the table with sequences in place of sentences."""
    if sequence is not SequenceKind.LINE:
        return table
    borders = line_borders(table.codes, table.start, table.end, table.sentences, table.documents)
    return table._replace(sentences=borders.astype(np.int64))


def _tokenized(
    documents: Sequence[Document], codes: CodeArray, texts: LongArray, units: Units
) -> TokenTable:
    """Return the table of documents without tokens of their own: all texts are cut at once."""
    table, sentences = class_table(), None
    if units is Units.TOKEN:
        start, end, borders = all_token_borders(codes, texts, table)
    else:
        at_spaces = units is Units.SPACE
        start, end, sentences, borders = all_unit_borders(codes, texts, table, at_spaces)
    start.flags.writeable = end.flags.writeable = False
    hashes = hash_tokens(codes, start, end)
    if sentences is None:
        sentences = all_sentence_borders(codes, start, end, hashes, texts, borders)
    return TokenTable(
        codes,
        start,
        end,
        hashes,
        sentences,
        borders,
        texts,
        ({},) * len(documents),
        tuple(document.meta for document in documents),
    )


def _borders(sizes: Sequence[int]) -> LongArray:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)))


def _joined(pieces: Sequence[IntArray], texts: LongArray) -> IntArray:
    shifted = [piece + shift for piece, shift in zip(pieces, texts[:-1], strict=True)]
    return np.concatenate([np.empty(0, np.int32), *shifted]).astype(np.int32)
