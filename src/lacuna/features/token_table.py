"""Tokens of many documents in flat arrays: what feature extraction works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lacuna.text._word_types import hash_tokens
from lacuna.text.characters import code_points
from lacuna.text.document import Document, Tokens
from lacuna.types import CodeArray, HashArray, IntArray, LongArray

MOST_CHARACTERS = np.iinfo(np.int32).max


class TokenTable(NamedTuple):
    """Tokens of some documents, one after the other.

    codes
        Code points of all texts, one after the other.
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
        Token columns and meta data of document d, as they came with the corpus.
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


def token_table(documents: Sequence[Document], tokens: Sequence[Tokens]) -> TokenTable:
    """Lay the tokens of `documents` one after the other.

    Raises
    ------
    ValueError
        When the texts have more than 2³¹ − 1 characters in all.
    """
    pieces = [code_points(document.text) for document in documents]
    texts = _borders([len(piece) for piece in pieces])
    if texts[-1] > MOST_CHARACTERS:
        raise ValueError(f"a token table holds at most {MOST_CHARACTERS} characters")
    borders = _borders([len(piece) for piece in tokens])
    codes = np.concatenate([np.empty(0, np.uint32), *pieces])
    start = _joined([piece.start for piece in tokens], texts)
    end = _joined([piece.end for piece in tokens], texts)
    for array in (codes, start, end):
        array.flags.writeable = False  # as everywhere: kernels are compiled for this form only
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


def _borders(sizes: Sequence[int]) -> LongArray:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)))


def _joined(pieces: Sequence[IntArray], texts: LongArray) -> IntArray:
    shifted = [piece + shift for piece, shift in zip(pieces, texts[:-1], strict=True)]
    return np.concatenate([np.empty(0, np.int32), *shifted]).astype(np.int32)
