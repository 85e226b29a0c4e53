"""Vectors of words from their neighbours: PPMI of positional contexts, then a truncated SVD.

A context is a word and its place: two before, one before, one after, two after. For each place,
with n(w, c) how often c stands there of w, n(w) and n(c) the sums over c and over w, N their sum,

    PPMI(w, c) = max(0, log(n(w, c) · N / (n(w) · n(c)))) · n(w, c) / (n(w, c) + 1) · m / (m + 1)

where m = min(n(w), n(c)). The two fractions discount what was seen only a few times, whose
information is otherwise the largest (Pantel and Lin 2002). Rows are words, the columns of all
places stand side by side. With the largest singular values of that sparse matrix, M ≈ U S Vᵀ, the
vector of word w is row w of U √S, scaled to length 1 (Levy, Goldberg and Dagan 2015).

The SVD is randomised (Halko, Martinsson and Tropp 2011, algorithms 4.4 and 5.1): M times random
columns, improved by a few power iterations with a QR decomposition after each product, spans almost
the same space as the first columns of U. It takes two sparse products per iteration, whatever the
spectrum looks like; Lanczos iterations (``scipy.sparse.linalg.svds``) take one product with one
vector at a time and go on until they have converged, which clusters do not need. Next:
:mod:`lacuna.learning.spherical_k_means`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse

from lacuna.learning.bigrams import Bigrams

SingleArray = npt.NDArray[np.float32]
SparseMatrix = Any  #: scipy.sparse.csr_array of single precision

SPARE = 20  #: random columns beyond the wanted ones
POWER_ITERATIONS = 3
PRODUCTS = 2 * POWER_ITERATIONS + 2  #: of the sparse matrix and a dense one
EXPONENT = 0.5  #: of the singular values


def ppmi_matrix(at_distance: Sequence[Bigrams], contexts: int) -> SparseMatrix:
    """Return the matrix M.

    Parameters
    ----------
    at_distance
        Pairs of words one apart, two apart, ….
    contexts
        Only the first (most frequent) words are contexts, this many.
    """
    blocks = []
    for pairs in at_distance:
        for word, context in ((pairs.second, pairs.first), (pairs.first, pairs.second)):
            shape = (pairs.words, pairs.words)
            counts = sparse.csr_array((pairs.times.astype(np.float64), (word, context)), shape)
            blocks.append(_ppmi(counts, contexts))
    return sparse.hstack(blocks, format="csr")


def word_vectors(
    matrix: SparseMatrix,
    dimensions: int,
    rng: np.random.Generator,
    on_product: Callable[[], None] = lambda: None,
) -> SingleArray:
    """Return a vector of length 1 for each word, or of length 0 for words without contexts."""
    left, singular = randomised_svd(matrix, dimensions, rng, on_product)
    vectors = left * singular**EXPONENT
    empty = np.diff(matrix.indptr) == 0
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.maximum(lengths, np.finfo(np.float32).tiny)
    vectors[empty] = 0
    return np.ascontiguousarray(vectors, np.float32)


def randomised_svd(
    matrix: SparseMatrix,
    rank: int,
    rng: np.random.Generator,
    on_product: Callable[[], None] = lambda: None,
) -> tuple[SingleArray, SingleArray]:
    """Return the first `rank` left singular vectors, as columns, and their singular values.

    Fewer if a side of the matrix is shorter. `on_product` is called after each of the
    ``PRODUCTS`` products.
    """
    rows, columns = matrix.shape
    wide = min(rank + SPARE, rows, columns)
    transposed = matrix.T

    def times(left: SparseMatrix, right: SingleArray) -> SingleArray:
        product: SingleArray = left @ right
        on_product()
        return product

    basis = _basis(times(matrix, rng.standard_normal((columns, wide), np.float32)))
    for _ in range(POWER_ITERATIONS):
        basis = _basis(times(transposed, basis))
        basis = _basis(times(matrix, basis))
    # M ≈ Q Qᵀ M, and Mᵀ Q = P R, R = U S Wᵀ: M ≈ (Q W) S (P U)ᵀ
    triangle = linalg.qr(times(transposed, basis), mode="r", check_finite=False)[0][:wide]
    _, singular, inner = linalg.svd(triangle, full_matrices=False)
    kept = min(rank, wide)
    left = cast(SingleArray, basis @ inner.T)
    return left[:, :kept], cast(SingleArray, singular[:kept])


def _basis(columns: SingleArray) -> SingleArray:
    """Return orthonormal columns of the same span; unlike numpy's, in single precision."""
    return cast(SingleArray, linalg.qr(columns, mode="economic", check_finite=False)[0])


def _ppmi(counts: SparseMatrix, contexts: int) -> SparseMatrix:
    """Return the PPMI of the first contexts, from the counts of all."""
    cells = counts[:, :contexts].tocoo()
    together = cells.data
    word, context = counts.sum(axis=1)[cells.row], counts.sum(axis=0)[cells.col]
    rarer = np.minimum(word, context)
    information = np.log(together * counts.sum() / word / context)
    information *= together / (together + 1) * rarer / (rarer + 1)
    positive = information > 0
    places = (cells.row[positive], cells.col[positive])
    return sparse.csr_array((information[positive].astype(np.float32), places), cells.shape)
