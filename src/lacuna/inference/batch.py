"""Many sequences at once: fixed chunks shared among threads, and rows in order of time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from lacuna.errors import ConfigError
from lacuna.types import FloatArray, LongArray

Result = TypeVar("Result")

THREADS_VARIABLE = "LACUNA_THREADS"

#: Tokens per chunk: small enough to share the work evenly, large enough to hide the overhead.
CHUNK_TOKENS = 4096
#: Number of parts that rows are divided into.
PARTS = 8


def cores() -> int:
    """Return the number of threads: LACUNA_THREADS if set, else one per core."""
    asked = os.environ.get(THREADS_VARIABLE, "")
    if asked and not (asked.isdecimal() and int(asked)):
        raise ConfigError(f"{THREADS_VARIABLE} must be a whole number of at least 1")
    return int(asked or os.cpu_count() or 1)


def chunks(offsets: LongArray, size: int = CHUNK_TOKENS) -> list[tuple[int, int]]:
    """Cut sequences into runs [first, last) of about `size` tokens; depends only on the data."""
    sequences = len(offsets) - 1
    marks = np.searchsorted(offsets, np.arange(0, offsets[-1], size), side="left")
    borders = np.unique(np.append(np.minimum(marks, sequences), [0, sequences]))
    return list(pairwise(borders.tolist()))


def run_chunks(
    work: Callable[[int, int], Result],
    runs: Sequence[tuple[int, int]],
    *,
    threads: int | None = None,
) -> list[Result]:
    """Call ``work(first, last)`` for every run, on several threads, results in order."""
    workers = min(threads or cores(), len(runs))
    if workers < 2:
        return [work(first, last) for first, last in runs]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda run: work(*run), runs))


def share_rows(rows: int, work: Callable[[int, int], Result]) -> list[Result]:
    """Call ``work(first, last)`` for equal parts of some rows, on several threads, in order.

    The parts are the same whatever the number of threads.
    """
    borders = np.linspace(0, rows, PARTS + 1).astype(np.int64).tolist()
    return run_chunks(work, list(pairwise(borders)))


class TimePack(NamedTuple):
    """Rows of several sequences in order of time, the longest sequence first in every step.

    sequences[i]
        The i-th longest sequence; empty ones are left out.
    active[t]
        How many sequences have a step t.
    rows[r]
        The row, in the concatenated sequences, that is r-th in order of time.
    rank[r]
        The position in `sequences` of the sequence that row r belongs to.
    """

    sequences: LongArray
    active: LongArray
    rows: LongArray
    rank: LongArray

    @property
    def lengths(self) -> LongArray:
        """Number of rows of each of `sequences`."""
        return np.bincount(self.rank, minlength=len(self.sequences))

    def sums(self, values: FloatArray) -> FloatArray:
        """Add up one value per packed row within each sequence."""
        return np.bincount(self.rank, values, len(self.sequences)).astype(np.float64)


def pack_by_time(offsets: LongArray) -> TimePack:
    """Find the order of time for sequences whose rows are offsets[s] to offsets[s + 1]."""
    lengths = np.diff(offsets)
    sequences = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]
    longest = int(lengths.max(initial=0))
    # active[t] = number of sequences longer than t
    active = np.searchsorted(-lengths[sequences], -np.arange(longest), side="left")
    step = np.repeat(np.arange(longest), active)
    rank = np.arange(len(step)) - np.repeat(np.cumsum(active) - active, active)
    return TimePack(sequences, active, offsets[sequences][rank] + step, rank)
