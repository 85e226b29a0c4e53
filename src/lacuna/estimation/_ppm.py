"""Kernels of the character model: the probability of words in every class at once.

How contexts and entries are laid out is written in `context_tree.py`, and how probabilities come
from counts. The probability of a symbol is built up from the shortest context to the longest:
negative while the symbol was seen in the last context, because the share that is left to it after
an escape then is another one than where it was not.
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
    order: int,
    symbols: IntArray,
    first_child: IntArray,
    borders: IntArray,
    classes: IntArray,
    suffixes: IntArray,
    shares: RealArray,
    without_context: RealArray,
    scores: FloatArray,
) -> None:
    """Write scores[w, j] = log p(word w and its end | class j); words are text[start:end]."""
    size = scores.shape[1]
    probability, product = np.empty(size), np.ones(size)
    edge = codes.size
    context = np.zeros(order + 2, np.int64)  # context[k]: the last k symbols
    longer = np.zeros(order + 2, np.int64)  # longer[k]: the last k symbols, with the next
    for w in range(start.size):
        scores[w] = 0.0
        context[1] = child_of(0, edge, symbols, first_child)
        known = 2 if order > 0 and context[1] >= 0 else 1  # contexts 0 .. known - 1 were seen
        for i in range(start[w], end[w] + 1):
            symbol = find_code(text[i], codes) if i < end[w] else edge
            seen = known  # contexts 0 .. seen - 1 were followed by the symbol
            while seen > 0:
                longer[seen] = child_of(context[seen - 1], symbol, symbols, first_child)
                if longer[seen] >= 0:
                    break
                seen -= 1
            for k in range(seen - 1, 0, -1):
                longer[k] = suffixes[longer[k + 1]]
            row = without_context[symbol]
            for j in range(size):
                probability[j] = row[j]
            for k in range(1, known):
                escape(borders[context[k]], borders[context[k] + 1], classes, shares, probability)
                if k < seen:
                    for e in range(borders[longer[k + 1]], borders[longer[k + 1] + 1]):
                        probability[classes[e]] = -shares[e, 0]
            known = min(seen, order) + 1
            for k in range(1, known):
                context[k] = longer[k]
            smallest = 1.0
            for j in range(size):
                product[j] *= abs(probability[j])
                smallest = min(smallest, product[j])
            if smallest < SMALL or i == end[w]:
                scores[w] += np.log(product)
                product[:] = 1.0


@kernel
def escape(
    first: int, last: int, classes: IntArray, shares: RealArray, probability: FloatArray
) -> None:
    """Go on to a longer context, assuming an escape from it, in the classes that have seen it."""
    for e in range(first, last):
        p = probability[classes[e]]
        probability[classes[e]] = abs(p) * shares[e, 1 + (p > 0.0)]


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
    place = int(np.searchsorted(codes, code))
    return place if place < codes.size and codes[place] == code else codes.size + 1
