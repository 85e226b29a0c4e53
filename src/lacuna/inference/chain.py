"""Exact inference over chains of first or second order: the one engine of every chain model.

A :class:`Chain` holds the log weights that do not depend on the text; a model adds one row of log
emission scores per token. ``-inf`` forbids. `chain_kernels.py` defines what the weights mean.

Functions of one sequence (`posterior`, `best_path`, `k_best`, `sample`, …) take rows of one
sequence. The batch functions `expectations`, `label_probabilities` and `best_paths` take the
concatenated rows of many sequences with their ``offsets`` and use several threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.errors import InferenceError
from lacuna.inference import chain_kernels, log_space, second_order
from lacuna.inference.batch import CHUNK_TOKENS, TimePack, chunks, pack_by_time, run_chunks
from lacuna.inference.side_by_side import ForwardBackward, Viterbi
from lacuna.types import FloatArray, IntArray, LongArray, RealArray

#: Tokens per chunk of sequences that are walked side by side.
LANE_TOKENS = 1 << 16

#: Weights of states that each thread keeps at a time: a second-order chain has many.
MOST_STATES = 1 << 20


class Chain(NamedTuple):
    """Log weights of moves between labels; H = 1 (first order) or K + 1 (second order).

    transition[h, v, w]
        From label v, preceded by h, to label w. In a second-order chain h = K means that v is the
        first label.
    start[w]
        The first label is w.
    stop[h, w]
        The last label is w, preceded by h.
    """

    transition: FloatArray
    start: FloatArray
    stop: FloatArray

    @property
    def labels(self) -> int:
        """Number of labels K."""
        return len(self.start)


class ChainPosterior(NamedTuple):
    """log_partition = log Σ_y w(y); marginals[t, w] = p(label t is w)."""

    log_partition: float
    marginals: FloatArray


class BestPath(NamedTuple):
    """labels[t] of a labelling and its log weight."""

    labels: IntArray
    score: float


class Expectations(NamedTuple):
    """Sums of probabilities over a batch: the gradient of Σ_s log_partition[s].

    log_partition[s]; marginals[t, w] = p(label t is w); transition[h, v, w], start[w], stop[h, w]
    = expected number of times that weight is used.
    """

    log_partition: FloatArray
    marginals: FloatArray
    transition: FloatArray
    start: FloatArray
    stop: FloatArray


class LabelProbabilities(NamedTuple):
    """What tagging needs to know of a batch.

    asked[t] = p(label t is one of those asked about); settled[s] = p(all labels are the first one),
    0 if that was not computed.
    """

    asked: FloatArray
    settled: FloatArray


class LogTables(NamedTuple):
    """alpha[t, h, w], beta[t, h, w] and log_partition of one sequence, as in `log_space.py`."""

    alpha: FloatArray
    beta: FloatArray
    log_partition: float


def first_order(
    transition: npt.ArrayLike,
    start: npt.ArrayLike | None = None,
    stop: npt.ArrayLike | None = None,
) -> Chain:
    """Make a chain from log transition[v, w], start[w] and stop[w], which are 0 by default."""
    moves = np.array(transition, dtype=np.float64)
    size = len(moves)
    begin = np.zeros(size) if start is None else np.array(start, dtype=np.float64)
    end = np.zeros(size) if stop is None else np.array(stop, dtype=np.float64)
    return check_chain(Chain(moves[None], begin, end[None]))


def constrain(emission: npt.ArrayLike, allowed: npt.ArrayLike) -> FloatArray:
    """Forbid labels: keep emission[t, w] where allowed[t, w], -inf elsewhere."""
    return np.where(np.asarray(allowed, dtype=bool), emission, -np.inf)


def posterior(chain: Chain, emission: npt.ArrayLike) -> ChainPosterior:
    """Sum over all labellings of one sequence."""
    rows = check_emission(chain, emission)
    found = expectations(chain, rows, np.array([0, len(rows)]))
    return ChainPosterior(float(found.log_partition[0]), found.marginals)


def log_partition(chain: Chain, emission: npt.ArrayLike) -> float:
    """Return log Σ_y w(y)."""
    return posterior(chain, emission).log_partition


def best_path(chain: Chain, emission: npt.ArrayLike) -> BestPath:
    """Return a labelling of the greatest weight."""
    rows = check_emission(chain, emission)
    paths, scores = best_paths(chain, rows, np.array([0, len(rows)]))
    return BestPath(paths, float(scores[0]))


def k_best(chain: Chain, emission: npt.ArrayLike, count: int) -> list[BestPath]:
    """Return the `count` best labellings, best first; fewer if fewer are possible."""
    rows = check_emission(chain, emission)
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    if not len(rows):
        return [BestPath(np.empty(0, np.int32), 0.0)]
    paths, scores = log_space.k_best_paths(rows, *chain, count)
    if scores[0] == -np.inf:
        _raise_blocked(chain, rows)
    possible = int((scores > -np.inf).sum())
    return [BestPath(paths[r], float(scores[r])) for r in range(possible)]


def sample(chain: Chain, emission: npt.ArrayLike, count: int, rng: np.random.Generator) -> IntArray:
    """Draw labels[d, t]: `count` labellings, each with probability w(y) / Σ w."""
    rows = check_emission(chain, emission)
    if not len(rows):
        return np.empty((count, 0), np.int32)
    tables = _log_tables(chain, rows)
    paths: IntArray = log_space.sample_paths(
        rows, chain.transition, chain.start, tables.beta, rng.random((count, len(rows)))
    )
    return paths


def pairwise(chain: Chain, emission: npt.ArrayLike) -> FloatArray:
    """Return pairs[t, v, w] = p(label t is v and label t + 1 is w)."""
    rows = check_emission(chain, emission)
    if len(rows) < 2:
        return np.zeros((0, chain.labels, chain.labels))
    tables = _log_tables(chain, rows)
    steps = [log_space.log_moves(rows, chain.transition, *tables, t) for t in range(1, len(rows))]
    return np.array([moves.sum(axis=0) for moves in steps])


def expectations(
    chain: Chain, emission: npt.ArrayLike, offsets: npt.ArrayLike, *, threads: int | None = None
) -> Expectations:
    """Sum over all labellings of many sequences: rows offsets[s] to offsets[s + 1] are sequence s.

    Sequences are divided into fixed chunks whose sums are added in order, so the result does not
    depend on the number of threads.
    """
    rows = check_emission(chain, emission)
    borders = _check_offsets(offsets, len(rows))
    partition = np.zeros(len(borders) - 1)
    marginals = np.zeros_like(rows)

    def one_chunk(first: int, last: int) -> Expectations:
        pack = pack_by_time(borders[first : last + 1])
        found = packed_expectations(chain, rows[pack.rows], pack)
        partition[first + pack.sequences] = found.log_partition
        marginals[pack.rows] = found.marginals
        return found

    parts = run_chunks(one_chunk, chunks(borders, _chunk_tokens(chain)), threads=threads)
    return Expectations(
        partition,
        marginals,
        *(
            sum((part[field] for part in parts), np.zeros_like(zero))
            for field, zero in zip((2, 3, 4), chain, strict=True)
        ),
    )


def packed_expectations(
    chain: Chain, rows: FloatArray, pack: TimePack, *, moves: bool = True
) -> Expectations:
    """Do the work of :func:`expectations` for rows already in order of time; nothing is checked.

    log_partition is in the order of ``pack.sequences``, marginals in that of `rows`. Without
    `moves`, moves are not counted.
    """
    counts, ends = np.zeros_like(chain.transition), np.zeros_like(chain.stop)
    partition, found = np.zeros(len(pack.sequences)), np.empty_like(rows)
    if len(rows):
        weights, shift = weights_of(chain)
        weighted, maxima = scaled(rows)
        counted = counts if moves else counts[:0]
        chain_kernels.sum_product(weighted, pack.active, *weights, found, counted, ends, partition)
        partition += pack.sums(maxima) + (pack.lengths - 1) * shift
        counts *= weights.transition
    for i in np.flatnonzero(partition == -np.inf):
        own = np.flatnonzero(pack.rank == i)
        partition[i], found[own] = _expect_in_log_space(chain, rows[own], counts, ends)
    starts = found[: len(pack.sequences)].sum(axis=0)
    return Expectations(partition, found, counts, starts, ends)


def label_probabilities(
    chain: Chain,
    emission: npt.ArrayLike,
    offsets: npt.ArrayLike,
    asked: npt.ArrayLike,
    *,
    threads: int | None = None,
) -> LabelProbabilities:
    """Sum over all labellings of many sequences, only for what tagging needs to know.

    Parameters
    ----------
    chain, emission, offsets, threads
        As for :func:`expectations`. A float32 emission is processed in single precision.
    asked
        For each label, whether it is asked about.
    """
    rows = check_scores(chain, emission)
    borders = _check_offsets(offsets, len(rows))
    wanted = np.asarray(asked, bool)
    found, settled = np.zeros(len(rows), rows.dtype), np.zeros(len(borders) - 1)

    def in_lanes(first: int, last: int) -> None:
        part = slice(borders[first], borders[last])
        own = borders[first : last + 1] - borders[first]
        lost = sums.probabilities(rows[part], own, found[part], settled[first:last])
        for s in lost + first:
            here = slice(borders[s], borders[s + 1])
            alone = posterior(chain, rows[here].astype(np.float64))
            found[here] = alone.marginals[:, wanted].sum(axis=1)

    def in_step(first: int, last: int) -> None:
        pack = pack_by_time(borders[first : last + 1])
        part = packed_expectations(chain, rows[pack.rows].astype(np.float64), pack, moves=False)
        found[pack.rows] = part.marginals[:, wanted].sum(axis=1)

    if len(chain.transition) == 1:
        sums = ForwardBackward(chain.transition[0], chain.start, chain.stop[0], wanted, rows.dtype)
        run_chunks(in_lanes, chunks(borders, LANE_TOKENS), threads=threads)
    else:
        run_chunks(in_step, chunks(borders, _chunk_tokens(chain)), threads=threads)
    return LabelProbabilities(np.clip(found.astype(np.float64), 0.0, 1.0), settled)


def best_paths(
    chain: Chain,
    emission: npt.ArrayLike,
    offsets: npt.ArrayLike,
    *,
    settled: npt.ArrayLike | None = None,
    threads: int | None = None,
) -> tuple[IntArray, FloatArray]:
    """Return (labels[t], score[s]): a best labelling of every sequence and its log weight.

    `settled` marks sequences whose best labelling is known to be the first label throughout: they
    are skipped and score 0.
    """
    rows = check_scores(chain, emission)
    borders = _check_offsets(offsets, len(rows))
    labels = np.zeros(len(rows), np.int32)
    scores = np.zeros(len(borders) - 1)
    left = np.ones(len(scores), bool) if settled is None else ~np.asarray(settled, bool)

    def in_lanes(first: int, last: int) -> None:
        best.paths(rows, borders[first : last + 1], left[first:last], labels, scores[first:last])

    def in_step(first: int, last: int) -> None:
        own = borders[first : last + 1]
        double = rows.astype(np.float64, copy=False)
        second_order.best_paths(double, own, *chain, labels, scores[first:last])

    if len(chain.transition) == 1:
        best = Viterbi(chain.transition[0], chain.start, chain.stop[0], rows.dtype)
        run_chunks(in_lanes, chunks(borders, LANE_TOKENS), threads=threads)
    else:
        run_chunks(in_step, chunks(borders), threads=threads)
    for s in np.flatnonzero(scores == -np.inf):
        _raise_blocked(chain, rows[borders[s] : borders[s + 1]].astype(np.float64))
    return labels, scores


def _chunk_tokens(chain: Chain) -> int:
    return min(CHUNK_TOKENS, max(MOST_STATES // chain.stop.size, 1))


def check_chain(chain: Chain) -> Chain:
    """Return the chain as contiguous float64 arrays, or raise ValueError for wrong shapes."""
    arrays = Chain(*(np.ascontiguousarray(part, dtype=np.float64) for part in chain))
    size = len(arrays.start)
    histories = len(arrays.transition)
    if histories not in (1, size + 1):
        raise ValueError(f"{histories} histories for {size} labels: expected 1 or {size + 1}")
    if arrays.transition.shape != (histories, size, size) or arrays.stop.shape != (histories, size):
        raise ValueError(
            f"transition {arrays.transition.shape} and stop {arrays.stop.shape}"
            f" do not fit {histories} histories and {size} labels"
        )
    for name, part in zip(Chain._fields, arrays, strict=True):
        if np.isnan(part).any() or (part == np.inf).any():
            raise ValueError(f"{name} must be finite or -inf")
    return arrays


def check_emission(chain: Chain, emission: npt.ArrayLike) -> FloatArray:
    """Return the log emissions as a contiguous float64 array with one column per label."""
    return check_scores(chain, np.asarray(emission, np.float64)).astype(np.float64, copy=False)


def check_scores(chain: Chain, emission: npt.ArrayLike) -> RealArray:
    """Return the log emissions as a contiguous array; single precision is kept."""
    rows: RealArray = np.ascontiguousarray(emission)
    rows = rows if rows.dtype == np.float32 else rows.astype(np.float64, copy=False)
    if rows.ndim != 2 or rows.shape[1] != chain.labels:
        raise ValueError(f"emission has shape {rows.shape}, expected (tokens, {chain.labels})")
    if not rows.max(initial=-np.inf) < np.inf:  # which NaN is not either
        raise ValueError("emission must be finite or -inf")
    return rows


def _check_offsets(offsets: npt.ArrayLike, rows: int) -> LongArray:
    borders = np.ascontiguousarray(offsets, dtype=np.int64)
    if not len(borders) or borders[0] != 0 or borders[-1] != rows or (np.diff(borders) < 0).any():
        raise ValueError(f"offsets must rise from 0 to the number of rows, {rows}")
    return borders


def weights_of(chain: Chain) -> tuple[Chain, float]:
    """Return the chain as weights, transitions divided by exp(shift) = their maximum, and shift."""
    shift = float(chain.transition.max(initial=-np.inf))
    shift = shift if np.isfinite(shift) else 0.0
    return Chain(np.exp(chain.transition - shift), np.exp(chain.start), np.exp(chain.stop)), shift


def scaled(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (exp(rows - maximum of the row), the maxima); a row of -inf gives zeros."""
    maxima = rows.max(axis=1)
    maxima[maxima == -np.inf] = 0.0
    return np.exp(rows - maxima[:, None]), maxima


def _expect_in_log_space(
    chain: Chain, rows: FloatArray, counts: FloatArray, ends: FloatArray
) -> tuple[float, FloatArray]:
    """Return (log_partition, marginals) of one sequence and add to the running sums."""
    tables = _log_tables(chain, rows)
    for t in range(1, len(rows)):
        counts += log_space.log_moves(rows, chain.transition, *tables, t)
    states = np.exp(tables.alpha + tables.beta - tables.log_partition)
    ends += states[-1]
    return tables.log_partition, states.sum(axis=1)


def _log_tables(chain: Chain, rows: FloatArray) -> LogTables:
    alpha, beta, total, blocked = log_space.log_tables(rows, *chain)
    if blocked >= 0:
        where = f"step {blocked}" if blocked < len(rows) else "the end"
        raise InferenceError(
            f"no labelling of {len(rows)} tokens is possible: none reaches {where}"
        )
    return LogTables(alpha, beta, total)


def _raise_blocked(chain: Chain, rows: FloatArray) -> None:
    _log_tables(chain, rows)
