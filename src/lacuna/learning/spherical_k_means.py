"""Spherical k-means: groups of unit vectors that maximise Σ cos(vector, centre of its group).

Every vector goes to the most similar centre, every centre becomes the direction of the sum of its
vectors, until little changes (Dhillon and Modha 2001). Neither step makes the sum smaller. A centre
without vectors gets the vector that fits its own centre worst.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from lacuna.inference.batch import run_chunks
from lacuna.types import IntArray

SingleArray = npt.NDArray[np.float32]

ROWS_AT_ONCE = 4096
MOST_ROUNDS = 25
LEAST_GAIN = 1e-4  #: a round that improves the sum by a smaller share of it is the last


class Round(NamedTuple):
    """The groups after a round.

    groups[i]
        Group of vector i.
    similarity
        Mean cosine of a vector and the centre of its group.
    """

    groups: IntArray
    similarity: float


def k_means_rounds(vectors: SingleArray, groups: int, rng: np.random.Generator) -> Iterator[Round]:
    """Group vectors of length 1, reporting each round; the last one is the result.

    The first centres are vectors drawn at random.
    """
    count = min(groups, len(vectors))
    centres = vectors[np.sort(rng.choice(len(vectors), count, replace=False))]
    before = -np.inf
    for _ in range(MOST_ROUNDS):
        nearest, cosine = nearest_centres(vectors, centres)
        _fill_empty(nearest, cosine, count)
        similarity = float(cosine.mean(dtype=np.float64))
        yield Round(nearest, similarity)
        if similarity - before < LEAST_GAIN * abs(similarity):
            return
        before = similarity
        centres = _centres(vectors, nearest, centres)


def nearest_centres(vectors: SingleArray, centres: SingleArray) -> tuple[IntArray, SingleArray]:
    """Return for each vector the most similar centre, the first of equals, and their product."""
    nearest = np.empty(len(vectors), np.int32)
    cosine = np.empty(len(vectors), np.float32)

    def some_rows(first: int, last: int) -> None:
        products = vectors[first:last] @ centres.T
        best = products.argmax(axis=1)
        nearest[first:last] = best
        cosine[first:last] = products[np.arange(len(best)), best]

    borders = [*range(0, len(vectors), ROWS_AT_ONCE), len(vectors)]
    run_chunks(some_rows, list(pairwise(borders)))
    return nearest, cosine


def _fill_empty(nearest: IntArray, cosine: SingleArray, groups: int) -> None:
    """Give each group without vectors the worst fitting one of a group of several."""
    sizes = np.bincount(nearest, minlength=groups)
    empty = iter(np.flatnonzero(sizes == 0).tolist())
    group = next(empty, None)
    if group is None:
        return
    for vector in np.argsort(cosine, kind="stable").tolist():
        if sizes[nearest[vector]] > 1:
            sizes[nearest[vector]] -= 1
            nearest[vector], cosine[vector] = group, 1
            group = next(empty, None)
            if group is None:
                return


def _centres(vectors: SingleArray, nearest: IntArray, old: SingleArray) -> SingleArray:
    """Return the direction of the sum of each group; the old centre if that sum is zero."""
    places = (nearest, np.arange(len(vectors), dtype=np.int32))
    members = sparse.csr_array(
        (np.ones(len(vectors), np.float32), places), (len(old), len(vectors))
    )
    sums = members @ vectors
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths > 0, sums / np.maximum(lengths, np.finfo(np.float32).tiny), old)
