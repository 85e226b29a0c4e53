"""Kernels of the character model: the probability of words in every class at once.

How contexts and entries are laid out is written in `ppm.py`. Of entry e, context u in class j,
``shares[e]`` holds

    0, 1   1 / 2n and t / 2n of u, which was followed n times, by t different symbols
    2, 3   the same of u without its first symbol, as it is after an escape from u
    4      2c - 1, u itself having been seen c times
"""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import CodeArray, FloatArray, IntArray, RealArray

#: Probabilities are multiplied until they get so small, then their logarithm is taken. One symbol
#: has at most 14 factors (order 12), none below 2⁻³²: the product of two such is still a number.
SMALL = 1e-150


@kernel
def score_words(
    text: CodeArray,
    start: IntArray,
    end: IntArray,
    codes: CodeArray,
    alphabet: int,
    order: int,
    symbols: IntArray,
    first_child: IntArray,
    borders: IntArray,
    classes: IntArray,
    shares: RealArray,
    scores: FloatArray,
) -> None:
    """Write scores[w, j] = log p(word w and its end | class j); words are text[start:end]."""
    size = scores.shape[1]
    odd, base, own, escape = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    product = np.ones(size)
    edge = codes.size
    context = np.zeros(order + 2, np.int64)  # context[k]: the last k symbols
    for w in range(start.size):
        scores[w] = 0.0
        context[1] = child_of(0, edge, symbols, first_child)
        known = 2 if order > 0 and context[1] >= 0 else 1  # contexts 0 .. known - 1 were seen
        for i in range(start[w], end[w] + 1):
            symbol = find_code(text[i], codes) if i < end[w] else edge
            odd[:], base[:], own[:], escape[:] = 0.0, 1.0 / alphabet, 1.0, 1.0
            longer, following = 0, 1
            for k in range(known):
                node = context[k]
                enter(borders[node], borders[node + 1], classes, shares, odd, base, own, escape)
                context[k] = longer
                if longer >= 0:
                    longer = child_of(node, symbol, symbols, first_child)
                if longer >= 0:
                    following = k + 2
                    for e in range(borders[longer], borders[longer + 1]):
                        odd[classes[e]] = shares[e, 4]
            context[known] = longer
            known = min(following, order + 1)
            smallest = 1.0
            for j in range(size):
                product[j] *= odd[j] * own[j] if odd[j] > 0.0 else escape[j] * base[j]
                smallest = min(smallest, product[j])
            if smallest < SMALL or i == end[w]:
                scores[w] += np.log(product)
                product[:] = 1.0


@kernel
def enter(
    first: int,
    last: int,
    classes: IntArray,
    shares: RealArray,
    odd: FloatArray,
    base: FloatArray,
    own: FloatArray,
    escape: FloatArray,
) -> None:
    """Go on to a longer context in the classes that have seen it: entries first to last.

    base = p(symbol | shorter context) = (2c - 1) / 2n where the symbol was seen in it, else
    t / 2n · p(symbol | context shorter still).
    """
    for e in range(first, last):
        if shares[e, 0] > 0.0:
            j = classes[e]
            base[j] = odd[j] * shares[e, 2] if odd[j] > 0.0 else base[j] * shares[e, 3]
            odd[j] = 0.0
            own[j] = shares[e, 0]
            escape[j] = shares[e, 1]


@kernel
def child_of(node: int, symbol: int, symbols: IntArray, first_child: IntArray) -> int:
    """Return the context `node` made longer by `symbol`, -1 where it was never seen."""
    low, high = first_child[node], first_child[node + 1]
    while low < high:
        middle = (low + high) >> 1
        if symbols[middle] < symbol:
            low = middle + 1
        else:
            high = middle
    return low if low < first_child[node + 1] and symbols[low] == symbol else -1


@kernel
def find_code(code: int, codes: CodeArray) -> int:
    """Return the symbol of a code point: its place in `codes`, or one that was never seen."""
    place = np.searchsorted(codes, code)
    return place if place < codes.size and codes[place] == code else codes.size + 1
