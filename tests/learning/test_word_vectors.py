"""Counts of neighbours and PPMI by brute force, the SVD against LAPACK's."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lacuna.learning import bigrams
from lacuna.learning.bigrams import count_bigrams
from lacuna.learning.word_vectors import ppmi_matrix, randomised_svd, word_vectors

WORDS = 5
TEXTS = st.lists(st.lists(st.lists(st.integers(-1, WORDS - 1), max_size=8), max_size=4), max_size=4)
Pieces = list[tuple[np.ndarray, np.ndarray]]


def pieces_of(texts: list[list[list[int]]]) -> Pieces:
    """Return lists of sentences as pieces of text."""
    return [
        (
            np.array([word for sentence in text for word in sentence], np.int32),
            np.unique(np.cumsum([0, *map(len, text)])).astype(np.int64),
        )
        for text in texts
    ]


def pairs_by_hand(texts: list[list[list[int]]], distance: int) -> Counter[tuple[int, int]]:
    return Counter(
        (sentence[i], sentence[i + distance])
        for text in texts
        for sentence in text
        for i in range(len(sentence) - distance)
        if min(sentence[i], sentence[i + distance]) >= 0
    )


@given(TEXTS, st.integers(1, 3), st.integers(0, 20))
@settings(deadline=None)
def test_pairs_are_counted(texts: list[list[list[int]]], distance: int, least: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bigrams, "LEAST_MERGED", least)  # merging now and then changes nothing
        found = count_bigrams(pieces_of(texts), WORDS, distance)
    counted = zip(found.first.tolist(), found.second.tolist(), found.times.tolist(), strict=True)
    assert {(a, b): n for a, b, n in counted} == pairs_by_hand(texts, distance)


@given(TEXTS, st.integers(1, WORDS + 1))
@settings(deadline=None)
def test_ppmi_by_its_definition(texts: list[list[list[int]]], contexts: int) -> None:
    pieces = pieces_of(texts)
    matrix = ppmi_matrix([count_bigrams(pieces, WORDS, d) for d in (1, 2)], contexts).toarray()
    width = min(contexts, WORDS)
    assert matrix.shape == (WORDS, 4 * width)
    for block, (distance, before) in enumerate([(1, True), (1, False), (2, True), (2, False)]):
        counts: Counter[tuple[int, int]] = Counter()
        for (first, second), n in pairs_by_hand(texts, distance).items():
            counts[(second, first) if before else (first, second)] += n
        for word in range(WORDS):
            for context in range(width):
                n = counts[word, context]
                of_word = sum(m for (w, _), m in counts.items() if w == word)
                of_context = sum(m for (_, c), m in counts.items() if c == context)
                share = n * counts.total() / (of_word * of_context) if n else 1.0
                rarer = min(of_word, of_context)
                discount = n / (n + 1) * rarer / (rarer + 1)
                expected = max(0.0, log(share)) * discount
                assert matrix[word, block * width + context] == pytest.approx(expected, abs=1e-5)


def low_rank(rng: np.random.Generator, rows: int, columns: int, rank: int) -> np.ndarray:
    """Return a matrix with falling singular values, then noise."""
    left = np.linalg.qr(rng.standard_normal((rows, rank)))[0]
    right = np.linalg.qr(rng.standard_normal((columns, rank)))[0]
    noise = 1e-3 * rng.standard_normal((rows, columns))
    matrix: np.ndarray = (left * 2.0 ** -np.arange(rank)) @ right.T + noise
    return matrix.astype(np.float32)


@pytest.mark.parametrize("shape", [(60, 90), (90, 60), (12, 300), (300, 12)])
def test_svd_is_that_of_lapack(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    matrix = low_rank(rng, *shape, rank=8)
    left, singular = randomised_svd(sparse.csr_array(matrix), 5, rng)
    exact, values, _ = np.linalg.svd(matrix, full_matrices=False)
    assert left.dtype == singular.dtype == np.float32
    np.testing.assert_allclose(singular, values[:5], rtol=1e-3)
    np.testing.assert_allclose(np.abs(left.T @ exact[:, :5]), np.eye(5), atol=5e-3)


def test_a_small_matrix_has_all_its_singular_values() -> None:
    matrix = np.random.default_rng(1).standard_normal((4, 7)).astype(np.float32)
    left, singular = randomised_svd(sparse.csr_array(matrix), 100, np.random.default_rng(0))
    assert left.shape == (4, 4)
    np.testing.assert_allclose(singular, np.linalg.svd(matrix, compute_uv=False), rtol=1e-4)


def test_vectors_have_length_one_or_no_context() -> None:
    matrix = np.random.default_rng(1).random((9, 12), np.float32)
    matrix[4] = 0
    vectors = word_vectors(sparse.csr_array(matrix), 3, np.random.default_rng(0))
    lengths = np.linalg.norm(vectors, axis=1)
    np.testing.assert_allclose(lengths, [1, 1, 1, 1, 0, 1, 1, 1, 1], rtol=1e-5)
