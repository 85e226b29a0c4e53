"""Tokens of many documents, laid one after the other, are still those of each."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from lacuna.encoding.flat import tag_document
from lacuna.errors import ConfigError
from lacuna.features.token_table import in_sequences, token_table, training_table
from lacuna.text.document import Document
from lacuna.text.sequences import SequenceKind, sequence_tokens
from lacuna.text.tokens import tokens_of
from lacuna.text.units import Units, cut_units
from lacuna.text.word_types import hash_words
from tests.features.reference import table_of
from tests.features.strategies import corpora


@given(corpora)
def test_documents_can_be_taken_apart_again(documents: list[Document]) -> None:
    table = table_of(documents)
    every = "".join(document.text for document in documents)
    words = [every[a:b] for a, b in zip(table.start, table.end, strict=True)]
    assert words == [word for d in documents for word in tokens_of(d).words(d.text)]
    assert table.hashes.tolist() == hash_words(words).tolist()
    texts = [every[a:b] for a, b in pairwise(table.texts.tolist())]
    assert texts == [document.text for document in documents]
    sizes = [b - a for a, b in pairwise(table.documents.tolist())]
    assert sizes == [len(tokens_of(document)) for document in documents]


@given(corpora)
def test_sentences_are_those_of_the_documents_and_never_empty(documents: list[Document]) -> None:
    sentences = table_of(documents).sentences.tolist()
    sizes = [b - a for d in documents for a, b in pairwise(tokens_of(d).sentences.tolist())]
    assert [b - a for a, b in pairwise(sentences)] == sizes
    assert sentences[0] == 0
    assert all(sizes)


@given(corpora)
def test_tokenising_all_at_once_is_tokenising_each(documents: list[Document]) -> None:
    bare = [Document(d.id, d.text, meta=d.meta) for d in documents]
    one, each = token_table(bare), token_table(bare, [tokens_of(d) for d in bare])
    for name, wanted in each._asdict().items():
        found = getattr(one, name)
        assert found == wanted if isinstance(wanted, tuple) else np.array_equal(found, wanted)


def test_no_token_or_sentence_reaches_into_the_next_document() -> None:
    table = token_table(
        [Document("a", "The word is un"), Document("b", "broken, of\r"), Document("c", "\nDr")]
    )
    assert table.documents.tolist() == [0, 4, 7, 8]
    assert table.sentences.tolist() == [0, 4, 7, 8]


@given(corpora)
def test_lines_of_many_documents_are_the_lines_of_each(documents: list[Document]) -> None:
    lines = [sequence_tokens(document, SequenceKind.LINE) for document in documents]
    table = in_sequences(token_table(documents), SequenceKind.LINE)
    assert np.array_equal(table.sentences, token_table(documents, lines).sentences)
    assert in_sequences(table, SequenceKind.SENTENCE) is table


@pytest.mark.parametrize("units", [Units.SPACE, Units.WORD, Units.TOKEN])
@given(corpora)
def test_units_of_many_documents_are_the_units_of_each(
    units: Units, documents: list[Document]
) -> None:
    bare = [Document(d.id, d.text) for d in documents]
    one = token_table(bare, units=units)
    each = token_table(bare, [cut_units(d.text, units) for d in bare])
    for name in ("start", "end", "hashes", "sentences", "documents"):
        assert np.array_equal(getattr(one, name), getattr(each, name))


def test_training_documents_are_laid_out_and_must_have_tokens() -> None:
    documents = [tag_document(Document("a", "Ana Roe ate.")), tag_document(Document("b", ""))]
    table = training_table(documents)
    assert table.documents.tolist() == [0, 4, 4]
    with pytest.raises(ConfigError, match="no tokens to train on"):
        training_table(documents[1:])
