"""Corpora without document borders are cut into blocks of sentences."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lacuna import Document, Mention
from lacuna.encoding.gapped import GappedDocument, gapped_document
from lacuna.features.blocks import (
    BLOCK,
    ENOUGH,
    block_borders,
    block_units,
    blocks,
    sentences_per_block,
)
from lacuna.features.lexicon_counts import count_lexicon
from lacuna.features.token_table import training_table
from lacuna.features.training_lexicon import TrainingLexicon
from tests.models.examples import corpus

counts = st.lists(st.integers(0, 40), min_size=1, max_size=4)


def lines(n: int, name: str = "d") -> GappedDocument:
    return gapped_document(Document(name, "Ana came.\n" * n))


@given(counts, st.integers(1, 9))
def test_blocks_are_runs_of_whole_sentences_of_similar_number(sizes: list[int], size: int) -> None:
    sentences = np.arange(sum(sizes) + 1) * 3  # of three tokens each
    documents = np.concatenate(([0], np.cumsum(sizes))) * 3
    borders = block_borders(documents, sentences, size)
    assert set(borders.tolist()) <= set(sentences.tolist())
    assert set(borders.tolist()) >= {0, *documents.tolist()}
    lengths = np.diff(borders) // 3
    assert (lengths > 0).all()
    assert (2 * lengths <= 3 * size + 2).all()
    whole = [n for n in sizes if n > size]
    if len(whole) == len(sizes):
        assert (2 * lengths + 2 >= size).all()
    unit = np.repeat(block_units(documents, sentences, size), 3)
    for first, last in pairwise(borders.tolist()):
        assert len(set(unit[first:last].tolist())) == 1
    steps = np.diff(unit[borders[:-1]])
    inside = ~np.isin(borders[1:-1], documents)
    assert (steps[inside] == 1).all()
    assert (steps[~inside] > 1).all()


def test_without_a_size_blocks_are_documents() -> None:
    borders = np.array([0, 4, 4, 9])
    assert block_borders(borders, np.array([0, 2, 4, 9]), 0).tolist() == borders.tolist()


def test_few_long_documents_are_cut_unless_they_are_of_groups() -> None:
    long = [lines(BLOCK * ENOUGH)]
    assert blocks(long, BLOCK) == ENOUGH
    assert sentences_per_block(long) == BLOCK
    assert sentences_per_block([lines(BLOCK * (ENOUGH - 2), "a"), lines(1), lines(BLOCK)]) == BLOCK
    assert sentences_per_block([lines(BLOCK * (ENOUGH - 2))]) == 0
    assert sentences_per_block([*long, *(lines(1, str(n)) for n in range(ENOUGH - 1))]) == 0
    grouped = long[0]._replace(document=replace(long[0].document, group="one patient"))
    assert sentences_per_block([grouped]) == 0


def test_in_training_a_block_and_its_neighbours_are_left_out() -> None:
    """The values of a block are those of a lexicon of the blocks further away."""
    parts = corpus(8, seed=2)
    text, mentions = "", []
    for part in parts:
        mentions += [
            Mention.of(m.label, (m.start + len(text), m.end + len(text))) for m in part.mentions
        ]
        text += part.text
    whole = [gapped_document(Document("one", text, tuple(mentions)))]
    table = training_table(whole)
    units = block_units(table.documents, table.sentences, 4)
    assert units.max() == len(parts) - 1
    _, values = count_lexicon(whole, table, units, reach=1, gaps=True)
    borders = block_borders(table.documents, table.sentences, 4).tolist()
    for b, (first, last) in enumerate(pairwise(borders)):
        own = training_table([gapped_document(parts[b])])
        known = lexicon_of([part for n, part in enumerate(parts) if abs(n - b) > 1])
        for name, expected in known.place_values(own, gaps=True).items():
            assert values[name][first:last].tolist() == expected.tolist()
        lex = known.word_values_of(own.codes, own.start, own.end)
        assert values["lex"][first:last].tolist() == lex.tolist()


def lexicon_of(documents: list[Document]) -> TrainingLexicon:
    items = [gapped_document(document) for document in documents]
    table = training_table(items)
    return count_lexicon(items, table, np.zeros(len(table.sentences) - 1, np.int64))[0]
