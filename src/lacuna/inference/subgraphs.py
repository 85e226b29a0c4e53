"""Exact inference over subgraphs: log Z, edge marginals, the best one, probabilities of mentions.

    p(G | x) = exp( Σ over words t and active edges j of scores[t, j] ) / Z(x)

The sum in Z goes over subgraphs of one graph of `encoding/hypergraph.py`, each counted once, by a
walk over the sets of active nodes of a word (`subgraph_kernels.py`). Scores have a column for each
entry of ``columns(graph)``.

The best subgraph is found by the same walk with max and + instead of + and ·. Every state keeps in
one byte how it was best reached: the children taken by the node (three bits), and whether next_m
had been active before (the fourth).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.encoding.gapped import Parts
from lacuna.encoding.hypergraph import END, ON, STAY, TOP, Edges, Slice, columns, encode
from lacuna.inference.batch import chunks, run_chunks
from lacuna.inference.subgraph_kernels import (
    END_BIT,
    ON_BIT,
    STAY_BIT,
    Bits,
    expect,
    forced_log_weights,
)
from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, LongArray, RealArray

Memory = npt.NDArray[np.uint8]
AGAIN = 8  #: next_m was active before


class SubgraphExpectations(NamedTuple):
    """Sums over all subgraphs.

    log_partition[s]
        log Z of sentence s.
    marginals[t, j]
        p(the edge of column j is active at token t).
    """

    log_partition: FloatArray
    marginals: RealArray


def places(graph: Slice) -> IntArray:
    """Return place[m, i]: the column of child i (STAY, ON, END) of node m, -1 if it has none."""
    place = np.full((graph.nodes, 3), -1, np.int32)
    for column, (node, child) in enumerate(columns(graph)):
        if node != TOP:
            place[node, (STAY, ON, END).index(child)] = column
    return place


def taken_columns(edges: Edges, graph: Slice) -> Edges:
    """Return taken[t, j]: 1 if the edge of column j is active."""
    taken = [(edges[:, 1 + node] & child) > 0 for node, child in columns(graph)]
    return np.stack(taken, axis=1).astype(np.uint8)


def expectations(
    graph: Slice,
    scores: RealArray,
    sentences: LongArray,
    *,
    spoil: bool = False,
    threads: int | None = None,
) -> SubgraphExpectations:
    """Return expectations for all sentences; marginals overwrite scores if `spoil`."""
    return _expect(graph, scores, sentences, spoil, threads)[0]


def coverage(graph: Slice, scores: RealArray, sentences: LongArray) -> FloatArray:
    """Return for every token the probability that it is in a part of some mention."""
    return _expect(graph, scores, sentences, False, None)[1]


def _expect(
    graph: Slice, scores: RealArray, sentences: LongArray, spoil: bool, threads: int | None
) -> tuple[SubgraphExpectations, FloatArray]:
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
    return SubgraphExpectations(log_partition, marginals), np.clip(covered, 0.0, 1.0)


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
    """Return the probabilities that the whole paths of mentions of one sentence are active."""
    none: tuple[Parts, ...] = ()
    forced = [
        taken_columns(encode(held, len(scores), graph), graph)
        for held in (none, *([m] for m in mentions))
    ]
    log_weights = np.empty(len(forced))
    forced_log_weights(scores, places(graph), np.stack(forced), log_weights)
    probability: FloatArray = np.exp(np.minimum(log_weights[1:] - log_weights[0], 0.0))
    return probability


@kernel
def best(
    scores: RealArray, sentences: LongArray, place: IntArray, edges: Bits, value: FloatArray
) -> None:
    """Fill edges[t] with the best subgraph of every sentence, and its score; ties: fewer edges."""
    nodes = len(place)
    longest = np.max(sentences[1:] - sentences[:-1])
    memory = np.empty((longest, nodes + 1, 2 << nodes), np.uint8)
    states, other = np.empty(2 << nodes), np.empty(2 << nodes)
    for s in range(len(sentences) - 1):
        first, last = sentences[s], sentences[s + 1]
        states[:] = -np.inf
        states[0] = 0.0
        for k in range(last - first):
            row, is_last = scores[first + k], first + k == last - 1
            _best_start(states, row[0], other, memory[k, 0])
            states, other = other, states
            for m in range(nodes):
                stay = _score(row, place[m, 0], is_last)
                on = _score(row, place[m, 1], is_last)
                end = _score(row, place[m, 2], False)
                _best_node(states, m, stay, on, end, other, memory[k, 1 + m])
                states, other = other, states
        value[s] = states[0]
        _read_back(memory, edges[first:last])


@kernel
def _score(scores: RealArray, column: int, is_impossible: bool) -> float:
    """Return the score of a child; column -1: there is no such child."""
    return -np.inf if column < 0 or is_impossible else np.float64(scores[column])


@kernel
def _best_start(states: FloatArray, start: float, out: FloatArray, memory: Memory) -> None:
    """Let T make B0 active if that is better; bit 0 of a memory: it did, AGAIN: B0 was."""
    for g in range(len(states) // 4):
        off, active = states[2 * g], states[2 * g + 1]
        out[4 * g], memory[4 * g] = off, 0
        out[4 * g + 1] = out[4 * g + 3] = -np.inf
        with_start = active + max(start, 0.0)
        if with_start >= off + start:
            out[4 * g + 2], memory[4 * g + 2] = with_start, AGAIN | (start > 0.0)
        else:
            out[4 * g + 2], memory[4 * g + 2] = off + start, 1


@kernel
def _best_node(
    states: FloatArray, m: int, stay: float, on: float, end: float, out: FloatArray, memory: Memory
) -> None:
    """Fill out with the best states after node m, and memory with how each was reached.

    y_ad = max over the choices of stay, on and end that lead there of x_ac plus their scores.
    """
    width = 1 << m
    x, y = states.reshape(-1, 2, 2, width), out.reshape(-1, 2, 2, width)
    back = memory.reshape(-1, 2, 2, width)
    with_end = END_BIT if end > 0.0 else 0  # with another child, END is taken if it helps
    extra = max(end, 0.0)
    # the best choices that lead to next_m alone and to both, if next_m is active already
    stays, stay_choice = stay + extra, STAY_BIT | with_end
    again, again_choice = (end, END_BIT) if end >= stays else (stays, stay_choice)
    ons, on_choice = on + extra, ON_BIT | with_end
    boths, both_choice = stay + on + extra, STAY_BIT | ON_BIT | with_end
    on_again, on_again_choice = (ons, on_choice) if stay <= 0.0 else (boths, both_choice)
    for g in range(x.shape[0]):
        for i in range(width):
            x00, x10, x01, x11 = x[g, 0, 0, i], x[g, 0, 1, i], x[g, 1, 0, i], x[g, 1, 1, i]
            y[g, 0, 0, i], back[g, 0, 0, i] = x00, 0
            if x01 + end > x00:
                y[g, 0, 0, i], back[g, 0, 0, i] = x01 + end, END_BIT
            value, choice = x10, AGAIN
            if x01 + stays > value:
                value, choice = x01 + stays, stay_choice
            if x11 + again > value:
                value, choice = x11 + again, again_choice | AGAIN
            y[g, 0, 1, i], back[g, 0, 1, i] = value, choice
            y[g, 1, 0, i], back[g, 1, 0, i] = x01 + ons, on_choice
            value, choice = x11 + on_again, on_again_choice | AGAIN
            if x01 + boths > value:
                value, choice = x01 + boths, both_choice
            y[g, 1, 1, i], back[g, 1, 1, i] = value, choice


@kernel
def _read_back(memory: Memory, edges: Bits) -> None:
    """Follow the memories from the empty state after the last word."""
    nodes = memory.shape[1] - 1
    state = 0
    for k in range(len(edges) - 1, -1, -1):
        for m in range(nodes - 1, -1, -1):
            code = memory[k, 1 + m, state]
            choice = code & 7
            edges[k, 1 + m] = choice
            state &= ~(3 << m)
            state |= (2 if choice else 0) << m
            state |= (1 if code & AGAIN else 0) << m
        code = memory[k, 0, state]
        edges[k, 0] = code & 1
        state = ((state >> 1) & ~1) | (1 if code & AGAIN else 0)
