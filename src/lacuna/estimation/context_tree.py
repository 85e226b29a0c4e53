"""Every string of up to order + 1 symbols in some words, and how often each class has seen it.

Built level by level: a string of L + 1 symbols is its first L, a node already, and one symbol.
Sorting (node, symbol) pairs numbers the next level, so that the tree needs no pointers but one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.types import BoolArray, FloatArray, IntArray, LongArray, RealArray


class ContextTree(NamedTuple):
    """Strings in order of length; node 0 is the empty one, the others are sorted by parent.

    symbols[u]
        Last symbol of the string u; -1 for the empty one.
    first_child[u]
        Strings one symbol longer than u, sorted by it: ``first_child[u]`` to
        ``first_child[u + 1]``.
    borders[u]
        Entries of u, one for each class that has seen it: ``borders[u]`` to ``borders[u + 1]``.
    classes[e], counts[e]
        Class of entry e and how often it has seen the string; 0 times the empty one.
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
        Of each word: number of symbols, class, and how often it occurs.
    order
        Strings have up to ``order + 1`` symbols.
    size
        Number of classes.
    edge
        Symbol to put before and after each word; the first is only ever a context.
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
    node = np.zeros(len(text), np.int64)  # the string of length - 1 symbols before each place
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
    return ContextTree(
        _frozen(np.concatenate(([-1], symbols))),
        _frozen(np.searchsorted(parents, every) + 1),
        _frozen(np.searchsorted(owners, every)),
        _frozen(classes),
        _frozen(np.concatenate((np.zeros(len(pairs[0]), np.int64), *counts))),
    )


def _frozen(array: LongArray) -> IntArray:
    """Return the array in the one form the kernel is compiled for."""
    if array.max(initial=0) > np.iinfo(np.int32).max:
        raise ValueError("there are too many characters to count")
    frozen = array.astype(np.int32)
    frozen.flags.writeable = False
    return frozen


def shares_of(tree: ContextTree, size: int, alphabet: int, *, exclusion: bool) -> RealArray:
    """Return the numbers of every entry that `_ppm.py` works with.

    With exclusion, what a context u has seen does not count in u', its string without the first
    symbol. All of it was seen in u' too, so that u' is left with n' = n(u') - Σ c(u'a) over the
    symbols a seen in u, and t' = t(u') - t(u).
    """
    parent = _parents(tree)
    suffix = _suffixes(tree, parent)
    node = np.repeat(np.arange(len(tree.symbols)), np.diff(tree.borders))
    entry = node * size + tree.classes  # rising
    shorter = np.searchsorted(entry, suffix[node] * size + tree.classes)
    inner = np.flatnonzero(node)
    above = np.searchsorted(entry, parent[node[inner]] * size + tree.classes[inner])
    n = np.bincount(above, tree.counts[inner], len(entry))
    t = np.bincount(above, minlength=len(entry))
    n_left, t_left, complete = n[shorter], t[shorter], np.zeros(len(entry), np.bool_)
    if exclusion:
        n_left = n_left - np.bincount(above, tree.counts[shorter[inner]], len(entry))
        t_left = t_left - t
        complete = t == alphabet
    shares = np.empty((len(entry), 5), np.float32)
    shares[:, 0], shares[:, 1] = _method_d(n, t, complete)
    shares[:, 2], shares[:, 3] = _method_d(n_left, t_left, complete[shorter])
    shares[:, 4] = 2 * tree.counts - 1
    for e in np.flatnonzero((node == 0) & ~complete):  # it escapes to |A| symbols, less those seen
        shares[e, 3] = alphabet / (alphabet - (t[e] if exclusion else 0))
    shares.flags.writeable = False
    return shares


def _method_d(n: FloatArray, t: LongArray, complete: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return 1 / 2n and t / 2n; where nothing is left 0 and 1.

    Where the alphabet is complete there is nothing to escape to: symbols share all.
    """
    whole = 2 * n - np.where(complete, t, 0)
    one = np.divide(1.0, whole, out=np.zeros(len(n)), where=whole > 0)
    return one, np.where(whole > 0, one * np.where(complete, 0, t), 1.0)


def _parents(tree: ContextTree) -> LongArray:
    """Return each string without its last symbol; the empty one is its own."""
    children = np.diff(tree.first_child)
    return np.concatenate((np.zeros(1, np.int64), np.repeat(np.arange(len(children)), children)))


def _suffixes(tree: ContextTree, parent: LongArray) -> LongArray:
    """Return each string without its first symbol: that of its parent, and its last symbol."""
    radix = int(tree.symbols.max(initial=0)) + 1
    key = parent * radix + tree.symbols
    key[0] = -1
    suffix = np.zeros(len(key), np.int64)
    low, high = tree.first_child[1], tree.first_child[tree.first_child[1]]  # two symbols
    while low < high:
        level = slice(low, high)
        suffix[level] = np.searchsorted(key, suffix[parent[level]] * radix + tree.symbols[level])
        low, high = high, tree.first_child[high]
    return suffix
