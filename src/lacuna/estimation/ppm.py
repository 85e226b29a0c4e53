"""PPM: the probability of a word from its characters, by partial matching of what came before.

A context is up to `order` symbols. In a context that was followed n times, by t different symbols,
c times by the symbol a,

    p(a) = (2c - 1) / 2n,     p(escape) = t / 2n                               (escape method D)

and a symbol that never followed is predicted after an escape to the context without its first
symbol; below the empty context, each symbol of the alphabet has probability 1 / |A|. A context
never seen is skipped at no cost. (Cleary and Witten 1984; Howard 1993)

With exclusion, symbols of the longer context do not count in the shorter one, and probabilities
sum to one over the alphabet; without, to less.

One `Ppm` holds a model for each of many classes over one tree of contexts, and scores a word in
all classes at once. A word is spelt from an edge to an edge: its end is a symbol like any other,
and the edge before it is the context of its first character.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lacuna.estimation._ppm import child_of, find_code, score_words
from lacuna.estimation.context_tree import (
    ContextTree,
    Shares,
    build_tree,
    check_tree,
    freeze,
    shares_of,
)
from lacuna.text.characters import code_points
from lacuna.types import CodeArray, FloatArray, IntArray

MOST_ORDER = 12
EDGE = ""  #: the symbol before and after a word, where symbols are written as strings
ESCAPE = "escape"


class Words(NamedTuple):
    """Word i is ``codes[start[i]:end[i]]``."""

    codes: CodeArray
    start: IntArray
    end: IntArray

    @classmethod
    def of(cls, words: Sequence[str]) -> Words:
        """Lay words one after the other."""
        lengths = np.array([len(word) for word in words], np.int32)
        end = np.cumsum(lengths, dtype=np.int32)
        start = end - lengths
        start.flags.writeable = end.flags.writeable = False
        return cls(code_points("".join(words)), start, end)


@dataclass(frozen=True, slots=True, eq=False)
class Ppm:
    """Character models of some classes; :meth:`train` makes them.

    Attributes
    ----------
    order
        Longest context.
    size
        Number of classes.
    alphabet
        |A|: by default the code points seen, the edge, and one that stands for all others.
    exclusion
        Whether symbols of a longer context are left out of shorter ones.
    codes
        The code points seen, sorted. Code point i is symbol i, the edge is symbol ``len(codes)``.
    tree
        What followed what, how often.
    shares
        Its counts as probabilities.
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
            raise ValueError(f"the order of a PPM lies between 0 and {MOST_ORDER}")
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
        """Count.

        Parameters
        ----------
        words
            What to learn from.
        classes
            Class of each word; all are of class 0 where not given.
        weights
            How often each word occurs; once where not given.
        size
            Number of classes.
        order
            Longest context.
        exclusion
            Whether symbols of a longer context are left out of shorter ones.
        alphabet
            |A|, where it is not to come from the words.
        edges
            Whether words begin and end at an edge; else they are bare strings.
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
        """Return scores[w, j] = log p(word w | class j), its end included."""
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
        """Return all there is to store besides the settings."""
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
        """Undo :meth:`to_arrays`; ValueError where they do not fit together."""
        if missing := {"codes", *ContextTree._fields} - arrays.keys():
            raise ValueError(f"without {', '.join(sorted(missing))}")
        codes = arrays["codes"]
        if codes.dtype != np.uint32 or codes.ndim != 1 or (codes[1:] <= codes[:-1]).any():
            raise ValueError("code points must be sorted")
        tree = ContextTree(*(arrays[name] for name in ContextTree._fields))
        check_tree(tree, symbols=len(codes) + 1, size=size)
        codes = codes.view()
        codes.flags.writeable = False
        return cls(order, size, alphabet, exclusion, codes, freeze(tree))
