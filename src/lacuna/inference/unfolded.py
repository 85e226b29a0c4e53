"""Inference over unfoldings of the graph, as Muis and Lu (2016) do it; only for comparison.

The usual inside recursion multiplies the values of children and sums over hyperedges,

    v(node) = Σ over non-empty choices Π over chosen children (weight · v(child))

It counts a node that two parents share once for each of them, every time with choices of its own:
not subgraphs, but the trees they unfold to, of which there are far more (2, 8, 128, 32,768 for one
to four words, of 2, 8, 80, 3,584 subgraphs). The functions are those of `subgraphs.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lacuna.encoding.hypergraph import Edges, Slice, encode
from lacuna.encoding.parts import Parts
from lacuna.inference._unfolded import (
    best_unfolded,
    cover_unfolded,
    expect_unfolded,
    unfolded_paths,
)
from lacuna.inference.batch import chunks, run_chunks
from lacuna.inference.subgraphs import Expectations, places
from lacuna.types import FloatArray, LongArray, RealArray


def expectations(
    graph: Slice,
    scores: RealArray,
    sentences: LongArray,
    *,
    spoil: bool = False,
    threads: int | None = None,
) -> Expectations:
    """Return expectations over unfoldings; an edge may be expected more than once."""
    place = places(graph)
    marginals = scores if spoil else np.empty_like(scores)
    log_partition = np.empty(len(sentences) - 1)

    def one_chunk(first: int, last: int) -> None:
        a, b = sentences[first], sentences[last]
        borders = sentences[first : last + 1] - a
        expect_unfolded(scores[a:b], borders, place, marginals[a:b], log_partition[first:last])

    run_chunks(one_chunk, chunks(sentences), threads=threads)
    return Expectations(log_partition, marginals)


def best_subgraphs(
    graph: Slice, scores: RealArray, sentences: LongArray, *, threads: int | None = None
) -> Edges:
    """Return the edges of the best unfolding of every sentence, which form a subgraph."""
    place = places(graph)
    edges = np.zeros((len(scores), 1 + graph.nodes), np.uint8)

    def one_chunk(first: int, last: int) -> None:
        a, b = sentences[first], sentences[last]
        best_unfolded(scores[a:b], sentences[first : last + 1] - a, place, edges[a:b])

    run_chunks(one_chunk, chunks(sentences), threads=threads)
    return edges


def mention_probabilities(graph: Slice, scores: RealArray, mentions: Sequence[Parts]) -> FloatArray:
    """Return for mentions of one sentence the probability that their paths are in the unfolding."""
    edges = [encode([mention], len(scores), graph) for mention in mentions]
    probability = np.empty(len(mentions))
    if edges:
        unfolded_paths(scores, places(graph), np.stack(edges), probability)
    return np.clip(probability, 0.0, 1.0)


def coverage(graph: Slice, scores: RealArray, sentences: LongArray) -> FloatArray:
    """Return for every token the probability that it is in a part of some mention."""
    covered = np.empty(len(scores))
    cover_unfolded(scores, sentences, places(graph), covered)
    return np.clip(covered, 0.0, 1.0)
