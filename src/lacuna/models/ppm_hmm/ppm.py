"""PPM: the probability of a word from its characters, by partial matching of what came before.

A context is up to `order` symbols. In a context that was followed n times, by t different symbols,
c times by the symbol a,

    p(a) = (2c - 1) / 2n,     p(escape) = t / 2n                               (escape method D)

and a symbol that never followed is predicted after an escape to the context without its first
symbol; below the empty context, each symbol of the alphabet has probability 1 / |A|. A context
never seen is skipped at no cost. (Cleary and Witten 1984; Howard 1993)

With exclusion, symbols of the longer context do not count in the shorter one, and probabilities
sum to one over the alphabet; without, to less.

One `Ppm` has a model for each of many classes over one tree of contexts (`context_tree.py`), and
a kernel scores a word in all classes at once (:func:`score_words`). A word is spelt from edge to
edge: its end is a symbol like any other, and the edge before it is the context of its first
character.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.kernels import kernel
from lacuna.models.ppm_hmm.context_tree import (
    ContextTree,
    Shares,
    build_tree,
    check_tree,
    freeze,
    shares_of,
)
from lacuna.text.characters import code_points
from lacuna.types import CodeArray, FloatArray, IntArray, RealArray

MOST_ORDER = 12
EDGE = ""  #: the symbol before and after a word, if symbols are strings
ESCAPE = "escape"


class Words(NamedTuple):
    """Word i is ``codes[start[i]:end[i]]``."""

    codes: CodeArray
    start: IntArray
    end: IntArray

    @classmethod
    def of(cls, words: Sequence[str]) -> Words:
        """Return words laid one after the other."""
        lengths = np.array([len(word) for word in words], np.int32)
        end = np.cumsum(lengths, dtype=np.int32)
        start = end - lengths
        start.flags.writeable = end.flags.writeable = False
        return cls(code_points("".join(words)), start, end)


@dataclass(frozen=True, slots=True, eq=False)
class Ppm:
    """Character models of some classes, made by :meth:`train`.

    Attributes
    ----------
    order
        Longest context.
    size
        Number of classes.
    alphabet
        |A|: by default the code points seen, the edge, and one symbol for all others.
    exclusion
        Whether symbols of a longer context are excluded in shorter ones.
    codes
        The code points seen, sorted. Code point i is symbol i, the edge is symbol ``len(codes)``.
    tree
        The contexts, and how often each class has seen them.
    shares
        The counts as probabilities.
    """

    order: int
    size: int
    alphabet: int
    exclusion: bool
    codes: CodeArray
    tree: ContextTree
    shares: Shares = field(init=False)

    def __post_init__(self) -> None:
        if not 0 <= self.order <= MOST_ORDER:
            raise ValueError(f"order must be between 0 and {MOST_ORDER}")
        if self.alphabet < self.tree.first_child[1] - 1:
            raise ValueError("the alphabet is smaller than the number of symbols seen")
        shares = shares_of(
            self.tree,
            self.size,
            codes=len(self.codes),
            alphabet=self.alphabet,
            exclusion=self.exclusion,
        )
        object.__setattr__(self, "shares", shares)

    @classmethod
    def train(
        cls,
        words: Words | Sequence[str],
        *,
        classes: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        size: int = 1,
        order: int = 4,
        exclusion: bool = False,
        alphabet: int | None = None,
        edges: bool = True,
    ) -> Ppm:
        """Count the contexts of words.

        Parameters
        ----------
        words
            The training words.
        classes
            Class of each word; 0 by default.
        weights
            How often each word occurs; once by default.
        size
            Number of classes.
        order
            Longest context.
        exclusion
            Whether symbols of a longer context are excluded in shorter ones.
        alphabet
            |A|, by default that of the words.
        edges
            Whether words start and end with the edge.
        """
        words = words if isinstance(words, Words) else Words.of(words)
        count = len(words.start)
        owner = np.zeros(count, np.int64) if classes is None else np.asarray(classes, np.int64)
        times = np.ones(count, np.int64) if weights is None else np.asarray(weights, np.int64)
        lengths = words.end - words.start
        first = np.cumsum(lengths, dtype=np.int64) - lengths
        place = np.arange(lengths.sum()) + np.repeat(words.start - first, lengths)
        codes, text = np.unique(words.codes[place], return_inverse=True)
        tree = build_tree(
            text, lengths, owner, times, order=order, size=size, edge=len(codes) if edges else None
        )
        codes.flags.writeable = False
        return cls(order, size, alphabet or len(codes) + 2, exclusion, codes, tree)

    def score(self, words: Words | Sequence[str]) -> FloatArray:
        """Return scores[w, j] = log p(word w and its end | class j)."""
        words = words if isinstance(words, Words) else Words.of(words)
        scores = np.empty((len(words.start), self.size))
        arrays = (self.codes, self.order, *self.tree[:4], *self.shares)
        score_words(words.codes, words.start, words.end, *arrays, scores)
        return scores

    def table(self, context: Sequence[str], *, of_class: int = 0) -> dict[str, Fraction]:
        """Return p of every symbol seen after `context` and of :data:`ESCAPE`, exactly.

        A context is a string, or a sequence of characters with :data:`EDGE` among them; this is
        the table of that one context, without escape to a shorter one. Empty if never seen.
        """
        counts = self._counts(context, of_class)
        n, t = sum(counts.values()), len(counts)
        shares = {symbol: Fraction(2 * c - 1, 2 * n) for symbol, c in counts.items()}
        return shares | {ESCAPE: Fraction(t, 2 * n)} if counts else {}

    def fraction(self, context: Sequence[str], symbol: str, *, of_class: int = 0) -> Fraction:
        """Return p(symbol | context) exactly, after escapes; slow, for people and tests."""
        escaped, passed = Fraction(1), set[str]()  # the second: symbols of longer contexts
        for k in range(min(self.order, len(context)), -1, -1):
            seen = self._counts(context[len(context) - k :], of_class)
            left = {a: c for a, c in seen.items() if not (self.exclusion and a in passed)}
            if left:
                n, t = sum(left.values()), len(left)
                whole = self.exclusion and len(seen) == self.alphabet  # nothing to escape to
                if symbol in left:
                    return escaped * Fraction(2 * left[symbol] - 1, 2 * n - t * whole)
                escaped *= Fraction(t, 2 * n)
                passed |= seen.keys()
        return escaped / (self.alphabet - (len(passed) if self.exclusion else 0))

    def _counts(self, context: Sequence[str], of_class: int) -> dict[str, int]:
        """Return how often each symbol followed a context in a class."""
        tree, node = self.tree, 0
        for character in context:
            edge = len(self.codes)
            symbol = find_code(ord(character), self.codes) if character else edge
            node = child_of(node, symbol, tree.symbols, tree.first_child)
            if node < 0:
                return {}
        counts = {}
        for child in range(tree.first_child[node], tree.first_child[node + 1]):
            for e in range(tree.borders[child], tree.borders[child + 1]):
                if tree.classes[e] == of_class:
                    counts[self._character(int(tree.symbols[child]))] = int(tree.counts[e])
        return counts

    def _character(self, symbol: int) -> str:
        return chr(self.codes[symbol]) if symbol < len(self.codes) else EDGE

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays to store."""
        return {"codes": self.codes, **self.tree._asdict()}

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, npt.NDArray[Any]],
        *,
        order: int,
        size: int,
        alphabet: int,
        exclusion: bool,
    ) -> Ppm:
        """Undo :meth:`to_arrays`; raise ValueError if the arrays do not fit together."""
        if missing := {"codes", *ContextTree._fields} - arrays.keys():
            raise ValueError(f"missing {', '.join(sorted(missing))}")
        codes = arrays["codes"]
        if codes.dtype != np.uint32 or codes.ndim != 1 or (codes[1:] <= codes[:-1]).any():
            raise ValueError("code points must be sorted")
        tree = ContextTree(*(arrays[name] for name in ContextTree._fields))
        check_tree(tree, symbols=len(codes) + 1, size=size)
        codes = codes.view()
        codes.flags.writeable = False
        return cls(order, size, alphabet, exclusion, codes, freeze(tree))


#: Probabilities are multiplied until a product is smaller than this, then its logarithm is taken.
#: A symbol has at most 14 factors (order 12), none below 2⁻³², so SMALL times a symbol is above 0.
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
    """Write scores[w, j] = log p(word w and its end | class j); words are text[start:end].

    The probability of a symbol is built up from the shortest context to the longest,

        p_k(a) = (2c - 1) / 2n                         if a followed the context of k symbols,
        p_k(a) = p_{k-1}(a) · share left by the escape otherwise.

    It is stored as a negative number while the symbol was seen in the last context, because the
    share left by the next escape then differs. `context_tree.py` has the layout of contexts and
    entries, and how shares come from counts.
    """
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
    """Multiply by the escape from a longer context, in the classes that have seen it."""
    for e in range(first, last):
        p = probability[classes[e]]
        probability[classes[e]] = abs(p) * shares[e, 1 + (p > 0.0)]


@kernel
def child_of(node: int, symbol: int, symbols: IntArray, first_child: IntArray) -> int:
    """Return the context `node` followed by `symbol`, -1 if it was never seen."""
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
    """Return the symbol of a code point: its index in `codes`, or an unseen symbol."""
    place = int(np.searchsorted(codes, code))
    return place if place < codes.size and codes[place] == code else codes.size + 1
