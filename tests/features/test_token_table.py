"""Tokens of many documents, laid one after the other, are still those of each."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from lacuna.text.document import Document
from lacuna.text.tokenizer import tokens_of
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
