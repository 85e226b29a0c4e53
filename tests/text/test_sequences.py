"""Sentences, or whole lines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given

from lacuna import Document
from lacuna.text.sequences import SequenceKind, sequence_tokens
from lacuna.text.tokens import tokens_of
from tests.features.reference import LINE_BREAK
from tests.strategies import documents

NOTE = Document("note", "Home: C/ Mayor 3. Left door. Ring.\r\nWas seen. She is\nwell. Bye.")


def test_a_line_is_read_whole_and_a_wrapped_sentence_too() -> None:
    tokens = sequence_tokens(NOTE, SequenceKind.LINE)
    words = tokens.words(NOTE.text)
    first = [words[i] for i in tokens.sentences[:-1].tolist()]
    assert first == ["Home", "Was"]  # "She is / well" goes on in the next line
    assert sequence_tokens(NOTE, SequenceKind.SENTENCE) == tokens_of(NOTE)


@given(documents())
def test_borders_stay_where_a_line_break_is(document: Document) -> None:
    tokens = tokens_of(document)
    kept = [
        b
        for b in tokens.sentences[1:-1].tolist()
        if LINE_BREAK.search(document.text[tokens.end[b - 1] : tokens.start[b]])
    ]
    borders = [0, *kept, len(tokens)] if len(tokens) else [0]
    expected = replace(tokens, sentences=np.array(borders, np.int32))
    assert sequence_tokens(document, SequenceKind.LINE) == expected


@given(documents())
def test_lines_of_lines_are_lines(document: Document) -> None:
    once = sequence_tokens(document, SequenceKind.LINE)
    again = sequence_tokens(replace(document, tokens=once), SequenceKind.LINE)
    assert again == once
