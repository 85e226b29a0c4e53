"""Kernels of Brown clustering: a window of clusters, and the loss of merging any two of them.

Let n(s, t) be how often cluster t follows cluster s, l(s) and r(t) their sums over t and over s,
all over the words added so far, and f(x) = x log₂ x. The mutual information of two neighbours is

    I = (Σ f(n(s, t)) - Σ f(l(s)) - Σ f(r(t)) + f(N)) / N                  N = Σ n(s, t)

With h(x, y) = f(x) + f(y) - f(x + y), merging a and b loses, times N,

    L(a, b) = Σ_{c ≠ a, b} ( h(n(a, c), n(b, c)) + h(n(c, a), n(c, b)) )
            + f(n(a, a)) + f(n(a, b)) + f(n(b, a)) + f(n(b, b)) - f(their sum)
            - h(l(a), l(b)) - h(r(a), r(b))

h(x, 0) = 0, so a change of some counts affects few cells of L, and only those are updated. f is a
whole number of 2⁻²⁴ bits: sums are exact, and a cell that was updated a million times is equal to
one computed from scratch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import IntArray, LongArray

UNIT = 2.0**24  #: f is counted in this fraction of a bit
TABLE_SIZE = 1 << 16


class Window(NamedTuple):
    """Clusters in slots 0, 1, …; slots from the number of clusters on are zero.

    follow[s, t], precede[t, s]
        n(s, t), stored twice so that both can be read along a row.
    left[s], right[s]
        l(s) and r(s).
    leader[s]
        The most frequent word of the cluster.
    losses[s, t]
        L(s, t) for s > t.
    slots[w]
        Cluster of word w.
    table[x]
        f(x) of small x.
    """

    follow: IntArray
    precede: IntArray
    left: LongArray
    right: LongArray
    leader: IntArray
    losses: LongArray
    slots: IntArray
    table: LongArray


class Pairs(NamedTuple):
    """Bigrams in order of their rarer word; words are numbered by descending frequency.

    borders[w]
        Bigrams of w and words before it, or w itself: ``borders[w]`` to ``borders[w + 1]``.
    first[i], second[i], times[i]
        The two words of bigram i and how often it occurs.
    """

    borders: LongArray
    first: IntArray
    second: IntArray
    times: IntArray


@kernel
def take_in(
    window: Window, pairs: Pairs, size: int, first: int, last: int, limit: int, merges: IntArray
) -> int:
    """Add the words first, …, last - 1, merging two clusters whenever there are over `limit`.

    Writes the leaders of what is merged to `merges`, one row for each merge since word 0, and
    returns the number of clusters.
    """
    for word in range(first, last):
        _add_word(window, pairs, size, word)
        size += 1
        if size > limit:
            size = merge_best(window, size, merges[word + 1 - size])
    return size


@kernel
def merge_best(window: Window, size: int, merge: IntArray) -> int:
    """Merge the two clusters that lose least, fill in their leaders, return how many remain."""
    a, b = _best_pair(window, size)
    if window.leader[a] > window.leader[b]:
        a, b = b, a
    merge[0], merge[1] = window.leader[a], window.leader[b]
    _merge(window, size, a, b)
    return size - 1


@kernel
def information(window: Window, size: int) -> float:
    """Return I in bits."""
    total, bits = 0, 0
    for s in range(size):
        total += window.left[s]
        bits -= _x_log_x(window.left[s], window.table) + _x_log_x(window.right[s], window.table)
        for t in range(size):
            bits += _x_log_x(window.follow[s, t], window.table)
    return (bits + _x_log_x(total, window.table)) / UNIT / max(total, 1)


@kernel
def _best_pair(window: Window, size: int) -> tuple[int, int]:
    """Return the slots of the smallest loss; among equals those whose leaders are rarest.

    That is, the pair whose rarer leader is the rarest, then the one whose other leader is.
    """
    best, best_a, best_b = np.iinfo(np.int64).max, 0, 0
    high, low = -1, -1
    for a in range(1, size):
        row = window.losses[a, :a]
        if row.min() > best:
            continue
        for b in range(a):
            if row[b] > best:
                continue
            rarer = max(window.leader[a], window.leader[b])
            other = min(window.leader[a], window.leader[b])
            if row[b] < best or rarer > high or (rarer == high and other > low):
                best, best_a, best_b, high, low = row[b], a, b, rarer, other
    return best_a, best_b


@kernel
def _add_word(window: Window, pairs: Pairs, s: int, word: int) -> None:
    """Make `word` the cluster in slot s, the first free one."""
    window.slots[word] = s
    window.leader[s] = word
    for i in range(pairs.borders[word], pairs.borders[word + 1]):
        a, b = window.slots[pairs.first[i]], window.slots[pairs.second[i]]
        window.follow[a, b] += pairs.times[i]
        window.precede[b, a] += pairs.times[i]
    _new_context(window.follow[s], window.losses, s, window.table)
    _new_context(window.precede[s], window.losses, s, window.table)
    for c in range(s):  # what follows c has grown by n(c, s), what precedes it by n(s, c)
        _grow(window.left, c, window.precede[s, c], window.losses, s, window.table)
        _grow(window.right, c, window.follow[s, c], window.losses, s, window.table)
    window.left[s] = window.follow[s].sum()
    window.right[s] = window.precede[s].sum()
    _fill_row(window, s + 1, s)


@kernel
def _new_context(counts: IntArray, losses: LongArray, s: int, table: LongArray) -> None:
    """Add h(x(c), x(d)) to L(c, d) for c, d < s, x being the counts next to the new cluster."""
    near = np.flatnonzero(counts[:s])
    for i in range(near.size):
        for j in range(i):
            losses[near[i], near[j]] += _parts_minus_sum(counts[near[i]], counts[near[j]], table)


@kernel
def _grow(
    sums: LongArray, c: int, more: int, losses: LongArray, size: int, table: LongArray
) -> None:
    """Increase sums[c], and with it h(sums[c], sums[d]) in L(c, d) for all d."""
    if more == 0:
        return
    old, new = sums[c], sums[c] + more
    change = _x_log_x(old, table) - _x_log_x(new, table)
    for d in range(size):
        if d != c:
            both = _x_log_x(new + sums[d], table) - _x_log_x(old + sums[d], table)
            losses[max(c, d), min(c, d)] += change + both
    sums[c] = new


@kernel
def _merge(window: Window, size: int, a: int, b: int) -> None:
    """Put cluster b into cluster a, and the last cluster into the slot of b."""
    _join_contexts(window.follow[a], window.follow[b], a, b, window.losses, size, window.table)
    _join_contexts(window.precede[a], window.precede[b], a, b, window.losses, size, window.table)
    for counts in (window.follow, window.precede):
        counts[a, :size] += counts[b, :size]
        counts[:size, a] += counts[:size, b]
    window.left[a] += window.left[b]
    window.right[a] += window.right[b]
    last = size - 1
    for w in range(window.slots.size):
        if window.slots[w] == b:
            window.slots[w] = a
    _move(window, last, b)
    _fill_row(window, last, b if a == last else a)


@kernel
def _join_contexts(
    x: IntArray, y: IntArray, a: int, b: int, losses: LongArray, size: int, table: LongArray
) -> None:
    """Join the contexts a and b, seen x(c) and y(c) times next to c, in L(c, d), c, d ≠ a, b.

    h(x(c) + y(c), x(d) + y(d)) replaces h(x(c), x(d)) + h(y(c), y(d)), which is the same unless
    y(c) or y(d) is positive.
    """
    near = np.empty(size, np.int64)
    common, found = 0, 0
    for is_common in (True, False):
        for c in range(size):
            if c != a and c != b and (y[c] > 0) == is_common and (is_common or x[c] > 0):
                near[found] = c
                found += 1
        common = found if is_common else common
    change = np.empty(found, np.int64)
    for i in range(found):
        c = near[i]
        change[i] = -_parts_minus_sum(x[c], y[c], table)
    for i in range(common):
        c = near[i]
        for j in range(i + 1, found):
            d = near[j]
            both = _x_log_x(x[c] + x[d], table) + _x_log_x(y[c] + y[d], table)
            both -= _x_log_x(x[c] + y[c] + x[d] + y[d], table)
            losses[max(c, d), min(c, d)] += change[i] + change[j] + both


@kernel
def _move(window: Window, last: int, b: int) -> None:
    """Move the last cluster to slot b, and clear the last slot."""
    for counts in (window.follow, window.precede):
        counts[b, : last + 1] = counts[last, : last + 1]
        counts[: last + 1, b] = counts[: last + 1, last]
        counts[last, : last + 1] = 0
        counts[: last + 1, last] = 0
    for sums in (window.left, window.right):
        sums[b] = sums[last]
        sums[last] = 0
    window.leader[b] = window.leader[last]
    for d in range(last):
        if d != b:
            window.losses[max(b, d), min(b, d)] = window.losses[last, d]
    window.losses[last, :last] = 0
    for w in range(window.slots.size):
        if window.slots[w] == last:
            window.slots[w] = b


@kernel
def _fill_row(window: Window, size: int, a: int) -> None:
    """Compute L(a, b) for all b."""
    follow, left, right, table = window.follow, window.left, window.right, window.table
    loss = np.zeros(size, np.int64)
    _add_contexts(follow[a], window.precede, a, loss, table)
    _add_contexts(window.precede[a], follow, a, loss, table)
    for b in range(size):
        if b == a:
            continue
        loss[b] -= _parts_minus_sum(left[a], left[b], table) + _parts_minus_sum(
            right[a], right[b], table
        )
        block = follow[a, a] + follow[a, b] + follow[b, a] + follow[b, b]
        loss[b] += _x_log_x(follow[a, a], table) + _x_log_x(follow[a, b], table)
        loss[b] += (
            _x_log_x(follow[b, a], table) + _x_log_x(follow[b, b], table) - _x_log_x(block, table)
        )
        window.losses[max(a, b), min(a, b)] = loss[b]


@kernel
def _add_contexts(x: IntArray, counts: IntArray, a: int, loss: LongArray, table: LongArray) -> None:
    """Add Σ_{c ≠ a, b} h(x(c), counts[c, b]) to the loss of each b."""
    size = loss.size
    for c in range(size):
        if x[c] == 0 or c == a:
            continue
        own = _x_log_x(x[c], table)
        row = counts[c, :size]
        for b in range(size):
            y = row[b]
            if y > 0:
                loss[b] += own + _x_log_x(y, table) - _x_log_x(x[c] + y, table)
        loss[c] -= _parts_minus_sum(x[c], row[c], table)


@kernel
def x_log_x_table(size: int) -> LongArray:
    """Return f(0), …, f(size - 1)."""
    table = np.zeros(size, np.int64)
    for x in range(1, size):
        table[x] = _compute(x)
    return table


@kernel
def _x_log_x(x: int, table: LongArray) -> int:
    """Return f(x), from the table if x is small."""
    return table[x] if x < table.size else _compute(x)


@kernel
def _parts_minus_sum(x: int, y: int, table: LongArray) -> int:
    """Return h(x, y) = f(x) + f(y) - f(x + y)."""
    return _x_log_x(x, table) + _x_log_x(y, table) - _x_log_x(x + y, table)


@kernel
def _compute(x: int) -> int:
    """Return f(x) for x > 0."""
    return int(np.rint(x * math.log2(x) * UNIT))
