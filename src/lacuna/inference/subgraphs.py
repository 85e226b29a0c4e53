"""Exact inference over subgraphs: log Z, edge marginals, the best one, probabilities of mentions.

    p(G | x) = exp( Σ over words t and active edges j of scores[t, j] ) / Z(x)

The sum in Z goes over subgraphs of one graph of `encoding/hypergraph.py`, each counted once, by a
walk over the sets of active nodes of a word (`_subgraphs.py`). Scores have a column for each entry
of ``columns(graph)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lacuna.encoding.hypergraph import END, ON, STAY, TOP, Edges, Slice, columns, encode
from lacuna.encoding.parts import Parts
from lacuna.inference._best_subgraph import best
from lacuna.inference._subgraphs import expect, forced_log_weights
from lacuna.inference.batch import chunks, run_chunks
from lacuna.types import FloatArray, IntArray, LongArray, RealArray


class Expectations(NamedTuple):
    """What subgraphs are like on average.

    log_partition[s]
        log Z of sentence s.
    marginals[t, j]
        p(the edge of column j is active at token t).
    """

    log_partition: FloatArray
    marginals: RealArray


def places(graph: Slice) -> IntArray:
    """Return place[m, i]: the column of child i (STAY, ON, END) of node m, -1 where it has none."""
    place = np.full((graph.nodes, 3), -1, np.int32)
    for column, (node, child) in enumerate(columns(graph)):
        if node != TOP:
            place[node, (STAY, ON, END).index(child)] = column
    return place


def taken_columns(edges: Edges, graph: Slice) -> Edges:
    """Return taken[t, j]: 1 where the edge of column j is active."""
    taken = [(edges[:, 1 + node] & child) > 0 for node, child in columns(graph)]
    return np.stack(taken, axis=1).astype(np.uint8)


def expectations(
    graph: Slice,
    scores: RealArray,
    sentences: LongArray,
    *,
    spoil: bool = False,
    threads: int | None = None,
) -> Expectations:
    """Return expectations for all sentences; marginals take the place of scores if `spoil`."""
    return _expect(graph, scores, sentences, spoil, threads)[0]


def coverage(graph: Slice, scores: RealArray, sentences: LongArray) -> FloatArray:
    """Return for every token the probability that it is in a part of some mention."""
    return _expect(graph, scores, sentences, False, None)[1]


def _expect(
    graph: Slice, scores: RealArray, sentences: LongArray, spoil: bool, threads: int | None
) -> tuple[Expectations, FloatArray]:
    place = places(graph)
    marginals = scores if spoil else np.empty_like(scores)
    log_partition, covered = np.empty(len(sentences) - 1), np.empty(len(scores))

    def one_chunk(first: int, last: int) -> None:
        a, b = sentences[first], sentences[last]
        borders = sentences[first : last + 1] - a
        expect(
            scores[a:b],
            borders,
            np.argsort(borders[:-1] - borders[1:], kind="stable"),
            place,
            marginals[a:b],
            covered[a:b],
            log_partition[first:last],
        )

    run_chunks(one_chunk, chunks(sentences), threads=threads)
    return Expectations(log_partition, marginals), np.clip(covered, 0.0, 1.0)


def best_subgraphs(
    graph: Slice, scores: RealArray, sentences: LongArray, *, threads: int | None = None
) -> Edges:
    """Return the edges of the best subgraph of every sentence; the smaller among equals."""
    place = places(graph)
    edges = np.zeros((len(scores), 1 + graph.nodes), np.uint8)
    value = np.empty(len(sentences) - 1)

    def one_chunk(first: int, last: int) -> None:
        a, b = sentences[first], sentences[last]
        borders = sentences[first : last + 1] - a
        best(scores[a:b], borders, place, edges[a:b], value[first:last])

    run_chunks(one_chunk, chunks(sentences), threads=threads)
    return edges


def mention_probabilities(graph: Slice, scores: RealArray, mentions: Sequence[Parts]) -> FloatArray:
    """Return for mentions of one sentence the probability that their whole paths are there."""
    none: tuple[Parts, ...] = ()
    forced = [
        taken_columns(encode(held, len(scores), graph), graph)
        for held in (none, *([m] for m in mentions))
    ]
    log_weights = np.empty(len(forced))
    forced_log_weights(scores, places(graph), np.stack(forced), log_weights)
    probability: FloatArray = np.exp(np.minimum(log_weights[1:] - log_weights[0], 0.0))
    return probability
