"""Every string of up to order + 1 symbols in some words, and how often each class has seen it.

The tree is built level by level: a string of L + 1 symbols is a node of level L and one symbol.
Sorting the pairs (node, symbol) numbers the next level, so `first_child` is the only pointer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.types import FloatArray, IntArray, LongArray, RealArray


class ContextTree(NamedTuple):
    """Strings in order of length; node 0 is the empty string, the others are sorted by parent.

    symbols[u]
        Last symbol of the string u; -1 for the empty string.
    first_child[u]
        Strings one symbol longer than u, sorted by it: ``first_child[u]`` to
        ``first_child[u + 1]``.
    borders[u]
        Entries of u, one for each class that has seen it: ``borders[u]`` to ``borders[u + 1]``.
    classes[e], counts[e]
        Class of entry e and how often it has seen the string; 0 for the empty string.
    """

    symbols: IntArray
    first_child: IntArray
    borders: IntArray
    classes: IntArray
    counts: IntArray


def build_tree(
    text: LongArray,
    lengths: IntArray,
    classes: LongArray,
    weights: LongArray,
    *,
    order: int,
    size: int,
    edge: int | None,
) -> ContextTree:
    """Count the strings of words.

    Parameters
    ----------
    text
        Symbols of the words, one word after the other.
    lengths, classes, weights
        Number of symbols, class, and frequency of each word.
    order
        Strings have up to ``order + 1`` symbols.
    size
        Number of classes.
    edge
        Symbol to put before and after each word; the one before is only a context.
    """
    if edge is not None:
        ends = np.cumsum(lengths, dtype=np.int64)
        text = np.insert(text, np.concatenate((ends - lengths, ends)), edge)
        lengths = lengths + 2
    word = np.repeat(np.arange(len(lengths)), lengths)
    place = np.arange(len(text)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    owner = classes[word]
    times = np.where((place == 0) & (edge is not None), 0, weights[word])
    radix = int(text.max(initial=0)) + 1
    keys, pairs, counts = [np.zeros(0, np.int64)], [np.unique(owner)], [np.zeros(0, np.int64)]
    node = np.zeros(len(text), np.int64)  # the length - 1 symbols before each place
    nodes = 1
    for length in range(1, order + 2):
        at = np.flatnonzero(place >= length - 1)
        level, string = np.unique(node[at] * radix + text[at], return_inverse=True)
        level_pairs, which = np.unique((nodes + string) * size + owner[at], return_inverse=True)
        keys.append(level)
        pairs.append(level_pairs)
        counts.append(np.bincount(which, times[at], len(level_pairs)).astype(np.int64))
        node[at] = nodes + string
        node[1:] = node[:-1].copy()
        nodes += len(level)
    parents, symbols = np.divmod(np.concatenate(keys), radix)
    owners, classes = np.divmod(np.concatenate(pairs), size)
    every = np.arange(nodes + 1)
    return freeze(
        ContextTree(
            np.concatenate(([-1], symbols)).astype(np.int32),
            (np.searchsorted(parents, every) + 1).astype(np.int32),
            np.searchsorted(owners, every).astype(np.int32),
            classes.astype(np.int32),
            np.concatenate((np.zeros(len(pairs[0]), np.int64), *counts)).astype(np.int32),
        )
    )


def freeze(tree: ContextTree) -> ContextTree:
    """Return the tree as the read-only int32 arrays that the kernel is compiled for."""
    return ContextTree(*map(_frozen, tree))


def _frozen(array: npt.NDArray[np.integer]) -> IntArray:
    if array.max(initial=0) > np.iinfo(np.int32).max:
        raise ValueError("there are too many characters to count")
    frozen = array.astype(np.int32)
    frozen.flags.writeable = False
    return frozen


def check_tree(tree: ContextTree, *, symbols: int, size: int) -> None:
    """Raise ValueError if a tree from a file would lead a kernel out of bounds."""
    if any(part.ndim != 1 or part.dtype != np.int32 for part in tree):
        raise ValueError("expected arrays of int32")
    nodes, entries = len(tree.symbols), len(tree.classes)
    for name, last, length in (("first_child", nodes, nodes), ("borders", entries, nodes)):
        part = getattr(tree, name)
        if len(part) != length + 1 or part[-1] != last or (np.diff(part) < 0).any():
            raise ValueError(f"{name} does not rise to {last}")
    if tree.borders[0] != 0 or (tree.first_child[:-1] <= np.arange(nodes)).any():
        raise ValueError("a string comes before its own parts")
    if len(tree.counts) != entries or (tree.counts[tree.borders[1] :] < 1).any():
        raise ValueError("a string was not seen")
    _check_runs(tree.symbols[1:], tree.first_child - 1, symbols)
    _check_runs(tree.classes, tree.borders, size)


def _check_runs(values: IntArray, borders: IntArray, below: int) -> None:
    """Check that values rise within their runs and lie in [0, below)."""
    if len(values) and not 0 <= values.min() <= values.max() < below:
        raise ValueError(f"a symbol or class lies outside [0, {below})")
    falls = np.flatnonzero(values[1:] <= values[:-1]) + 1
    if not np.isin(falls, borders).all():
        raise ValueError("symbols or classes do not rise")


class Shares(NamedTuple):
    """Probabilities in the form that the kernel uses.

    suffixes[u]
        The string u without its first symbol.
    entries[e]
        For entry e, the string u = va in class j, three numbers: p(a | v), and the factors by which
        an escape from u multiplies a probability in u', u without its first symbol: of a symbol
        that was seen in u', and of one that was not.
    without_context[a, j]
        p(a | empty context) in class j, negative if a was seen.
    """

    suffixes: IntArray
    entries: RealArray
    without_context: RealArray


def shares_of(
    tree: ContextTree, size: int, *, codes: int, alphabet: int, exclusion: bool
) -> Shares:
    """Turn counts into probabilities.

    With exclusion, the symbols seen in a context u do not count in u', u without its first symbol.
    All of them were seen in u' too, so u' is left with n' = n(u') - Σ c(u'a) over the symbols a
    seen in u, and t' = t(u') - t(u).
    """
    parent = _parents(tree)
    suffixes = _suffixes(tree, parent)
    node = np.repeat(np.arange(len(tree.symbols)), np.diff(tree.borders))
    entry = node * size + tree.classes  # rising
    shorter = _find(entry, suffixes[node] * size + tree.classes)
    above = _find(entry, parent[node] * size + tree.classes)
    inner = node > 0
    n: FloatArray = np.bincount(above, tree.counts, len(entry)).astype(np.float64)
    t: FloatArray = np.bincount(above, inner, len(entry)).astype(np.float64)
    n_left, t_left = n[shorter], t[shorter]
    complete = np.zeros(len(entry), np.bool_)
    if exclusion:
        n_left = n_left - np.bincount(above[inner], tree.counts[shorter[inner]], len(entry))
        t_left = t_left - t
        complete = t == alphabet  # nothing to escape to: symbols share everything
    total = 2 * n - t * complete
    total_left = 2 * n_left - t_left * complete[shorter]
    escape = _ratio(t * ~complete, total)
    escape_left = _ratio(t_left * ~complete[shorter], total_left)
    own = _ratio(2 * tree.counts.astype(np.float64) - 1, total[above])
    after_seen = escape * _ratio(total[shorter], total_left)
    after_unseen = escape * _ratio(escape_left, escape[shorter])
    root = slice(0, tree.borders[1])
    without_context = np.full((codes + 2, size), 1.0 / alphabet)
    without_context[:, tree.classes[root]] = escape[root] / np.maximum(
        alphabet - t[root] * exclusion, 1
    )
    level = slice(tree.borders[1], tree.borders[tree.first_child[1]])
    without_context[tree.symbols[node[level]], tree.classes[level]] = -own[level]
    entries = np.stack((own, after_seen, after_unseen), axis=1)
    return Shares(_frozen(suffixes), _single(entries), _single(without_context))


def _single(array: FloatArray) -> RealArray:
    single = array.astype(np.float32)
    single.flags.writeable = False
    return single


def _ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a / b, 1 if b is 0."""
    ratio: FloatArray = np.divide(a, b, out=np.ones(len(a)), where=b != 0)
    return ratio


def _find(entry: LongArray, wanted: LongArray) -> LongArray:
    """Return the index of every wanted entry; entries are sorted."""
    place = np.searchsorted(entry, wanted)
    if len(wanted) and not np.array_equal(entry[np.minimum(place, len(entry) - 1)], wanted):
        raise ValueError("a string was counted but not its parts")
    return place


def _parents(tree: ContextTree) -> LongArray:
    """Return each string without its last symbol; the empty string is its own parent."""
    children = np.diff(tree.first_child)
    return np.concatenate((np.zeros(1, np.int64), np.repeat(np.arange(len(children)), children)))


def _suffixes(tree: ContextTree, parent: LongArray) -> LongArray:
    """Return each string without its first symbol: its parent's suffix, and its last symbol."""
    radix = int(tree.symbols.max(initial=0)) + 1
    key = parent * radix + tree.symbols
    key[0] = -1
    suffix = np.zeros(len(key), np.int64)
    low, high = tree.first_child[1], tree.first_child[tree.first_child[1]]  # two symbols
    while low < high:
        level = slice(low, high)
        suffix[level] = _find(key, suffix[parent[level]] * radix + tree.symbols[level])
        low, high = high, tree.first_child[high]
    return suffix
