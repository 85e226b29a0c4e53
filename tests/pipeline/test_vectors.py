"""Clusters of word vectors from text: what they say, and what reading takes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lacuna import ConfigError, Document
from lacuna.io.corpus import read_corpus
from lacuna.pipeline import raw_text
from lacuna.pipeline.raw_text import Pieces, count_words
from lacuna.pipeline.vectors import VectorStep, cluster_vectors
from tests.models.examples import FIRST, LAST, TOWNS, corpus


def test_names_come_together() -> None:
    found, _ = cluster_vectors(count_words(corpus(200)), clusters=(8, 16), dimensions=20)
    coarse = {entry.word: entry.path.split(".")[0] for entry in found}
    groups = [{coarse[word] for word in words} for words in (FIRST, LAST, TOWNS)]
    assert all(len(group) <= 2 for group in groups)
    assert len(set.union(*groups)) == sum(map(len, groups))  # no cluster has names of two kinds


def test_the_same_seed_gives_the_same_clusters() -> None:
    text = count_words(corpus(40))
    settings = {"clusters": (5, 20), "dimensions": 10, "min_count": 1}
    found, summary = cluster_vectors(text, **settings)  # type: ignore[arg-type]
    assert cluster_vectors(text, **settings)[0] == found  # type: ignore[arg-type]
    assert cluster_vectors(text, seed=1, **settings)[0] != found  # type: ignore[arg-type]
    assert summary.clusters == (5, 20)
    assert 0 < summary.similarity[0] < summary.similarity[1] <= 1


def test_pieces_and_a_file_on_disk_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = corpus(30)
    whole = cluster_vectors(count_words(notes), clusters=(5,))[0]
    monkeypatch.setattr(raw_text, "PIECE_CHARACTERS", 100)
    monkeypatch.setattr(raw_text, "MOST_IN_MEMORY", 100)
    text = count_words(notes)
    assert isinstance(text.pieces, Pieces)
    assert len(text.pieces) > 10
    assert cluster_vectors(text, clusters=(5,))[0] == whole


def test_words_and_lines_of_tokenized_text() -> None:
    marked = corpus(1)[0]
    text = count_words([Document("a", "U.S. a\nb  c\n\nd"), marked], tokenized=True)
    assert text.words[:5] == ["U.S.", "a", "b", "c", "d"]
    (ids, borders), *_ = text.pieces
    assert ids.tolist()[:5] == [0, 1, 2, 3, 4]
    assert borders.tolist()[:4] == [0, 2, 4, 5]
    for text in (count_words([], tokenized=True), count_words([Document("a", "\n ")])):
        assert text.words == []


def peak_of_reading(path: Path, lines: int) -> int:
    """Return how many bytes counting a text of so many equal lines takes."""
    path.write_text("the patient was seen in the clinic on monday morning\n" * lines)
    tracemalloc.start()
    count_words(read_corpus([path], piece_characters=raw_text.PIECE_CHARACTERS))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_memory_does_not_depend_on_the_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_text, "PIECE_CHARACTERS", 50_000)
    monkeypatch.setattr(raw_text, "MOST_IN_MEMORY", 1 << 16)
    path = tmp_path / "raw.txt"
    peak_of_reading(path, 100)  # loads the kernels
    assert peak_of_reading(path, 60_000) < 1.3 * peak_of_reading(path, 15_000)


def test_a_text_is_cut_at_line_ends(tmp_path: Path) -> None:
    path, text = tmp_path / "raw.txt", "".join(f"línea {i}\r\n" for i in range(100_000)) + "end"
    path.write_bytes(text.encode())
    documents = list(read_corpus([path], piece_characters=300_000))
    assert "".join(document.text for document in documents) == text
    assert len(documents) > 2
    assert [d.id for d in documents[:2]] == ["raw", "raw:1"]
    assert all(d.text.endswith("\n") and len(d.text) < 10**6 for d in documents[:-1])
    path.write_bytes(b"x" * 10**6)  # no line end at all
    assert [len(d.text) for d in read_corpus([path], piece_characters=1000)] == [10**6]


def test_progress_and_refusals() -> None:
    steps: list[VectorStep] = []
    cluster_vectors(count_words(corpus(5)), clusters=(3,), on_step=steps.append)
    assert [step.what for step in steps if step.done == 1] == ["counting", "vectors", "3 clusters"]
    assert all(step.done <= step.total for step in steps)

    def alone() -> Iterator[Document]:
        yield Document("a", "word\n\nword\n\nother\n\nother\n")

    for text in (count_words([]), count_words(alone(), tokenized=True)):
        with pytest.raises(ConfigError, match="fewer than two words"):
            cluster_vectors(text, min_count=1)
    with pytest.raises(ConfigError, match="fewer than two words"):
        cluster_vectors(count_words(corpus(2)), min_count=10**6)


def test_input_is_left_alone() -> None:
    text = count_words(corpus(5))
    before = [(ids.copy(), borders.copy()) for ids, borders in text.pieces]
    cluster_vectors(text, clusters=(3,))
    for (ids, borders), (old, old_borders) in zip(text.pieces, before, strict=True):
        assert np.array_equal(ids, old)
        assert np.array_equal(borders, old_borders)
