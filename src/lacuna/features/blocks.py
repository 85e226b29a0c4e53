"""Corpora without document borders, cut into blocks of sentences that count as documents.

The training lexicon and models of two passes learn from what the *other* documents say. A file
without document borders is one document, so there would be no others. A corpus of fewer than
``ENOUGH`` documents is therefore cut into blocks of about ``BLOCK`` sentences. Neighbours of a
block may belong to the same text: they do not count as others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from lacuna.encoding.flat import TrainingDocument
from lacuna.types import LongArray

ENOUGH = 5  #: documents that are not cut
BLOCK = 60  #: sentences


def sentences_per_block(documents: Sequence[TrainingDocument]) -> int:
    """Return how many sentences a block of this corpus has; 0 if it is not cut.

    Documents of groups are never cut: who groups documents has given their borders.
    """
    if len(documents) >= ENOUGH or any(item.document.group is not None for item in documents):
        return 0
    return BLOCK if blocks(documents, BLOCK) >= ENOUGH else 0


def blocks(documents: Sequence[TrainingDocument], size: int) -> int:
    """Return the number of blocks of about `size` sentences."""
    return sum(_parts(len(item.tokens.sentences) - 1, size) for item in documents)


def block_borders(documents: LongArray, sentences: LongArray, size: int) -> LongArray:
    """Return where blocks of about `size` sentences begin, and the end; documents if size is 0.

    Document d is tokens documents[d] to documents[d + 1], sentence s tokens sentences[s] to
    sentences[s + 1].
    """
    if not size:
        return documents
    return np.append(sentences[np.concatenate(_cuts(documents, sentences, size))], documents[-1])


def block_units(documents: LongArray, sentences: LongArray, size: int) -> LongArray:
    """Return the block of each sentence. Numbers of neighbours differ by 1, others by more."""
    units, after = [np.empty(0, np.int64)], 0
    for cuts, (_, last) in zip(
        _cuts(documents, sentences, size),
        pairwise(np.searchsorted(sentences, documents).tolist()),
        strict=True,
    ):
        units.append(after + np.repeat(np.arange(len(cuts)), np.diff(np.append(cuts, last))))
        after += len(cuts) + 1
    return np.concatenate(units)


def _cuts(documents: LongArray, sentences: LongArray, size: int) -> list[LongArray]:
    """Return for each document the sentences that begin a block."""
    borders = pairwise(np.searchsorted(sentences, documents).tolist())
    return [
        first + np.arange(parts) * (last - first) // parts
        for first, last in borders
        for parts in [_parts(last - first, size)]
    ]


def _parts(sentences: int, size: int) -> int:
    """Return into how many blocks a document is cut; at least 1 unless it is empty."""
    return min(max(1, round(sentences / size)), sentences)
