"""What a chain model takes as one sequence: a sentence, or all sentences of a line.

An address in a form contains stops (``C/ Mayor 3. 2B``) that look like ends of sentences. If every
line is about one thing, taking it as a whole cuts no mention in two.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

import numpy as np

from lacuna.text.characters import LINE, class_table, code_points
from lacuna.text.document import Document, Tokens
from lacuna.text.tokens import tokens_of
from lacuna.types import CodeArray, IntArray, LongArray


class SequenceKind(StrEnum):
    """What is one sequence; training settles AUTO by its documents."""

    AUTO = "auto"
    SENTENCE = "sentence"
    LINE = "line"


def sequence_tokens(document: Document, sequence: SequenceKind) -> Tokens:
    """Return the tokens of a document, with sequences in place of its sentences."""
    tokens = tokens_of(document)
    if sequence is not SequenceKind.LINE:
        return tokens
    codes, ends = code_points(document.text), np.array([0, len(tokens)])
    borders = line_borders(codes, tokens.start, tokens.end, tokens.sentences, ends)
    return replace(tokens, sentences=borders.astype(np.int32))


def line_borders(
    codes: CodeArray,
    start: IntArray,
    end: IntArray,
    sentences: IntArray | LongArray,
    documents: LongArray,
) -> IntArray | LongArray:
    """Return the sentence borders that have a line break before them or begin a document.

    A sentence that continues in the next line stays whole.
    """
    inner = sentences[1:-1]
    breaks = np.cumsum(class_table()[codes] == LINE, dtype=np.int32)
    broken = breaks[start[inner]] > breaks[end[inner - 1] - 1]
    kept = np.ones(len(sentences), np.bool_)
    kept[1:-1] = broken | np.isin(inner, documents)
    return sentences[kept]
