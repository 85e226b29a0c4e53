"""Tags of a chain whose states are finer than tags: four ways to choose them.

Several states, the *sub-tags*, have one tag. The probability of a tag sequence is a sum over all
its state sequences, and no fast algorithm finds the best one. It can be found exactly by trying all
(`exhaustive_tags`); otherwise there are

* `projected_tags`: the chain of tags p̂ that is nearest to the posterior in KL(p ‖ p̂). It has the
  posterior's probabilities of tags and of pairs of adjacent tags:
  p̂(s_{n+1} | s_n) = p(s_n, s_{n+1}) / p(s_n). Its best path is found by dynamic programming;
* `direct_tags`: every tag keeps its best prefix, with the weights of all its states;
* the tags of the best path of states (`chain.best_paths`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise as neighbours
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.errors import InferenceError
from lacuna.inference import chain_kernels, subtag_kernels
from lacuna.inference.batch import chunks, pack_by_time, run_chunks
from lacuna.inference.chain import Chain, check_emission, pairwise, posterior, scaled, weights_of
from lacuna.types import FloatArray, IntArray, LongArray

#: Tag sequences that an exhaustive search keeps at once.
MOST_SEQUENCES = 20_000


class Projection(NamedTuple):
    """A chain of tags: path[t] is its best labelling, tags[t, s] = p(the tag of token t is s)."""

    path: IntArray
    tags: FloatArray


class TagPosterior(NamedTuple):
    """tags[t, s] = p(the tag of step t is s); pairs[t, s, s'] = p(it is s', the one before s)."""

    tags: FloatArray
    pairs: FloatArray


class TagList(NamedTuple):
    """The best labellings of one sequence: paths[r, t], best first, and log_p[r] = ln p̂."""

    paths: IntArray
    log_p: FloatArray


def projected_tags(
    chain: Chain,
    emission: npt.ArrayLike,
    offsets: LongArray,
    borders: LongArray,
    *,
    threads: int | None = None,
) -> Projection:
    """Project many sequences, rows offsets[i] to offsets[i + 1] each.

    Tag s has the states borders[s] to borders[s + 1]; the chain is of first order.
    """
    rows, projector = check_emission(chain, emission), _Projector(chain, borders)
    found = Projection(np.zeros(len(rows), np.int32), np.zeros((len(rows), len(borders) - 1)))

    def one_chunk(first: int, last: int) -> None:
        own = offsets[first : last + 1]
        for (a, b), (tags, pairs) in zip(neighbours(own), projector.all(rows, own), strict=True):
            if a < b:
                subtag_kernels.best_tags(tags, pairs, found.path[a:b])
                found.tags[a:b] = tags

    run_chunks(one_chunk, chunks(offsets), threads=threads)
    return found


def projected_lists(
    chain: Chain, emission: npt.ArrayLike, offsets: LongArray, borders: LongArray, count: int
) -> list[TagList]:
    """Project many sequences, as :func:`projected_tags`; return the `count` best tags of each."""
    rows, projector = check_emission(chain, emission), _Projector(chain, borders)
    found = []
    for first, last in chunks(offsets):
        for tags, pairs in projector.all(rows, offsets[first : last + 1]):
            paths, logs = np.zeros((1, 0), np.int32), np.zeros(1)
            if len(tags):
                paths, logs = subtag_kernels.tag_lists(tags, pairs, count)
            possible = logs > -np.inf
            found.append(TagList(paths[possible], logs[possible]))
    return found


class _Projector:
    """Posteriors of tags, by sums over all states."""

    def __init__(self, chain: Chain, borders: LongArray) -> None:
        self.chain, self.borders = chain, np.ascontiguousarray(borders, np.int64)
        weights, _ = weights_of(chain)
        self.moves, self.start = weights.transition, weights.start
        back = np.ascontiguousarray(self.moves[0].T)
        self.weights = self.moves[0], back, weights.stop[0]

    def all(self, rows: FloatArray, offsets: LongArray) -> Iterator[TagPosterior]:
        """Yield the posterior of each sequence, rows offsets[i] to offsets[i + 1]."""
        pack, size = pack_by_time(offsets), len(self.borders) - 1
        (weighted, _), scale = scaled(rows[pack.rows]), np.empty(len(pack.rows))
        alpha = np.empty((len(weighted), 1, self.chain.labels))
        if len(weighted):
            chain_kernels.forward(weighted, pack.active, self.moves, self.start, alpha, scale)
        place = np.empty(len(weighted), np.int64)
        place[pack.rows - offsets[0]] = np.arange(len(weighted))
        for first, last in neighbours((offsets - offsets[0]).tolist()):
            own, steps = place[first:last], last - first
            found = TagPosterior(np.zeros((steps, size)), np.zeros((steps, size, size)))
            if steps and not subtag_kernels.project(
                own, weighted, alpha[:, 0], scale, *self.weights, self.borders, *found
            ):
                here = slice(first + offsets[0], last + offsets[0])
                found = _in_log_space(self.chain, rows[here], self.borders[:-1])
            yield found


def _in_log_space(chain: Chain, rows: FloatArray, starts: LongArray) -> TagPosterior:
    """Return the posterior of one sequence that underflows."""
    tags = np.add.reduceat(posterior(chain, rows).marginals, starts, axis=1)
    pairs = np.zeros((len(rows), len(starts), len(starts)))
    if len(rows) > 1:
        between = pairwise(chain, rows)
        pairs[1:] = np.add.reduceat(np.add.reduceat(between, starts, axis=1), starts, axis=2)
    return TagPosterior(tags, pairs)


def direct_tags(chain: Chain, emission: npt.ArrayLike, borders: LongArray) -> IntArray | None:
    """Return tags[t] of one sequence by best prefixes; None if it underflows."""
    rows = check_emission(chain, emission)
    path = np.zeros(len(rows), np.int32)
    if not len(rows):
        return path
    (weighted, _), moves = scaled(rows), np.exp(chain.transition[0])
    start, stop = np.exp(chain.start), np.exp(chain.stop[0])
    borders = np.ascontiguousarray(borders, np.int64)
    weight = subtag_kernels.direct_tags(weighted, moves, start, stop, borders, path)
    return path if weight > 0.0 else None


def exhaustive_tags(chain: Chain, emission: npt.ArrayLike, borders: LongArray) -> IntArray:
    """Return the best tags[t] of one sequence: every tag sequence is tried.

    Raises
    ------
    InferenceError
        If there are too many, or none is possible.
    """
    rows = check_emission(chain, emission)
    size = len(borders) - 1
    if not len(rows):
        return np.zeros(0, np.int32)
    if size ** len(rows) > MOST_SEQUENCES:
        raise InferenceError(
            f"{len(rows)} tokens have {size}^{len(rows)} tag sequences, more than the"
            f" {MOST_SEQUENCES} that are tried; use another decoder"
        )
    own = [slice(a, b) for a, b in neighbours(borders)]
    moves = np.exp(chain.transition[0])
    paths, logs = np.zeros((1, 0), np.int32), np.zeros(1)
    # prefixes[i, z]: scaled weights of the states of the i-th tag sequence so far
    prefixes = np.zeros((1, chain.labels))
    for n, row in enumerate(rows):
        reach = prefixes @ moves if n else np.exp(chain.start)[None]
        reach = reach * scaled(row[None])[0]
        onward = np.zeros((size, *reach.shape))
        for s in range(size):
            onward[s, :, own[s]] = reach[:, own[s]]
        total = onward.sum(axis=2)
        tag, parent = np.nonzero(total > 0.0)
        weight = total[tag, parent]
        prefixes = onward[tag, parent] / weight[:, None]
        logs = logs[parent] + np.log(weight)
        paths = np.concatenate((paths[parent], tag[:, None].astype(np.int32)), axis=1)
    with np.errstate(divide="ignore"):
        logs = logs + np.log(prefixes @ np.exp(chain.stop[0]))
    if not len(logs) or logs.max() == -np.inf:
        raise InferenceError(f"no tags of {len(rows)} tokens are possible")
    best: IntArray = paths[np.argmax(logs)]
    return best
