"""Word clusters from text: which words get a path, and what is counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna import ConfigError, Document, Tokens
from lacuna.features.lexicon import WordForms, read_clusters
from lacuna.learning.brown import ClusteringStep
from lacuna.pipeline import clusters, raw_text
from lacuna.pipeline.clusters import cluster_words
from lacuna.pipeline.raw_text import Pieces, count_words
from lacuna.text.characters import code_points
from tests.models.examples import FIRST, LAST, TOWNS, corpus
from tests.strategies import documents


def own_tokens(*words: str) -> Document:
    """Return a document whose tokens are these words."""
    end = np.cumsum([len(word) for word in words], dtype=np.int32)
    start = np.concatenate((np.zeros(1, np.int32), end[:-1]))
    borders = np.array([0, len(words)], np.int32)
    return Document("d", "".join(words), tokens=Tokens(start, end, borders))


def test_names_come_together() -> None:
    found, _ = cluster_words(count_words(corpus(200)), clusters=16)
    paths = {entry.word: entry.path for entry in found}
    groups = [{paths[word] for word in words} for words in (FIRST, LAST, TOWNS)]
    assert all(len(group) <= 2 for group in groups)
    assert len(set.union(*groups)) == sum(map(len, groups))  # no cluster has names of two kinds


def test_rare_words_and_those_beyond_the_limit_get_no_path() -> None:
    text = count_words([Document("a", "b b a a a c c d A\n"), Document("b", "b c e.")])
    found, summary = cluster_words(text, clusters=2)
    assert {(e.word, e.count) for e in found} == {("b", 3), ("a", 3), ("c", 3)}
    assert (summary.tokens, summary.types, summary.words, summary.word_tokens) == (13, 7, 3, 9)
    assert summary.clusters == 2
    fewer, _ = cluster_words(text, clusters=2, max_words=2)
    assert {entry.word for entry in fewer} == {"b", "a"}  # b is first in the text
    every, _ = cluster_words(text, clusters=2, min_count=1)
    assert {entry.word for entry in every} == {"a", "b", "c", "d", "e", "A", "."}


def test_lower_case_takes_words_together() -> None:
    text = count_words([Document("a", "Fever FEVER fever Été été")], lower=True)
    assert dict(zip(text.words, text.counts.tolist(), strict=True)) == {"fever": 3, "été": 2}


def test_pieces_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = corpus(30)
    whole = cluster_words(count_words(notes), clusters=5)[0]
    monkeypatch.setattr(raw_text, "PIECE_CHARACTERS", 100)
    text = count_words(notes)
    assert isinstance(text.pieces, Pieces)
    assert len(text.pieces) > 10
    assert cluster_words(text, clusters=5)[0] == whole


def test_words_that_a_line_cannot_hold_are_left_out() -> None:
    document = own_tokens("a", "b\tc", "a", " d", "\n", "b\tc", " d", "e", "\n", "e")
    found, _ = cluster_words(count_words([document]), clusters=2)
    assert {entry.word for entry in found} == {"a", "e"}


@given(st.lists(documents(), max_size=4))
@settings(max_examples=40, deadline=None)
def test_the_file_reads_back(
    tmp_path_factory: pytest.TempPathFactory, notes: list[Document]
) -> None:
    text = count_words([*notes, own_tokens("x", "y")])
    found, summary = cluster_words(text, clusters=4, min_count=1)
    assert summary.words == len(found) <= summary.types == len(set(text.words))
    path: Path = tmp_path_factory.mktemp("paths") / "words.paths"
    path.write_bytes("".join(f"{entry}\n" for entry in found).encode())
    clusters = read_clusters(path)
    lengths = [len(entry.word) for entry in found]
    end = np.cumsum(lengths, dtype=np.int32)
    start = (end - lengths).astype(np.int32)
    forms = WordForms.of(code_points("".join(entry.word for entry in found)), start, end)
    ids = clusters.types.lookup(forms.written)
    shifts = 64 - clusters.lengths[ids].astype(np.uint64)
    read = (clusters.paths[ids] >> shifts).tolist()
    assert [f"{bits:0{len(e.path)}b}" for bits, e in zip(read, found, strict=True)] == [
        entry.path for entry in found
    ]


def test_long_paths_are_cut_where_their_readers_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "PATH_BITS", 2)
    found, _ = cluster_words(count_words(corpus(30)), clusters=20)
    assert {len(entry.path) for entry in found} <= {1, 2}


def test_progress_and_refusals() -> None:
    steps: list[ClusteringStep] = []
    text = count_words(corpus(5))
    cluster_words(text, clusters=3, on_step=steps.append)
    assert steps[-1].done == steps[-1].total
    for number in (1, 10_001):
        with pytest.raises(ConfigError, match="2 to 10,000 clusters"):
            cluster_words(text, clusters=number)
    with pytest.raises(ConfigError, match="fewer than two words occur at least 1,000 times"):
        cluster_words(text, min_count=1000)
    with pytest.raises(ConfigError, match="fewer than two words"):
        cluster_words(count_words([]))
