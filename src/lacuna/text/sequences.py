"""What a chain model reads in one go: a sentence, or the sentences of a line together.

An address in a form has stops inside (``C/ Mayor 3. 2B``) that look like ends of sentences. Where
one line says one thing, reading it whole cuts nothing in two.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

import numpy as np

from lacuna.text.characters import LINE, class_table, code_points
from lacuna.text.document import Document, Tokens
from lacuna.text.tokenizer import tokens_of


class SequenceKind(StrEnum):
    """What is read in one go."""

    SENTENCE = "sentence"
    LINE = "line"


def sequence_tokens(document: Document, sequence: SequenceKind) -> Tokens:
    """Return the tokens of a document, with sequences in place of its sentences.

    Under ``line`` two sentences become one where no line break stands between them. A sentence
    that goes on in the next line stays whole.
    """
    tokens = tokens_of(document)
    if sequence is SequenceKind.SENTENCE or len(tokens.sentences) <= 2:
        return tokens
    inner = tokens.sentences[1:-1]
    breaks = np.cumsum(class_table()[code_points(document.text)] == LINE)
    broken = breaks[tokens.start[inner]] > breaks[tokens.end[inner - 1] - 1]
    return replace(tokens, sentences=tokens.sentences[np.concatenate(([True], broken, [True]))])
