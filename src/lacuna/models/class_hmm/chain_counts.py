"""The corpus of a class HMM, and expected counts of sentences with unknown classes.

    p(x, c) = Σ_y Π_t p(y_t | y_{t-1}) p(x_t | y_t) p(c_t | y_t)

where p(c | y) is 1 if state y belongs to class c and else 0, or a distribution over classes; for an
unknown class the factor is 1. Forward–backward over all S states costs N S² for N tokens.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lacuna.inference.chain import expectations, first_order
from lacuna.inference.known_labels import known_first
from lacuna.types import FloatArray, IntArray, LongArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_NUMBERS = 1 << 23  #: tokens × states at a time
NO_CLASSES: FloatArray = np.zeros((0, 0))


class ClassCorpus(NamedTuple):
    """The training corpus.

    words[t], classes[t]
        Word type and class of token t; a class below 0 is unknown.
    sentences
        Sentence n is tokens sentences[n] to sentences[n + 1].
    readings[w, x]
        Share of word type w that counts as outcome x: log p(w | y) = Σ_x readings log p(x | y).
    whole
        Number of sentences without unknown classes, which come first.
    tokens
        tokens[t] is the number of token t in the documents.
    known
        Number of sentences with a known class; after them comes raw text.
    raw_weight
        w, how much raw text counts.
    """

    words: IntArray
    classes: IntArray
    sentences: LongArray
    readings: csr_array
    whole: int
    tokens: LongArray
    known: int
    raw_weight: float

    @classmethod
    def of(
        cls,
        words: IntArray,
        classes: IntArray,
        sentences: LongArray,
        readings: csr_array,
        raw_weight: float = 0.0,
    ) -> ClassCorpus:
        """Return the corpus with sentences in order: those with unknown classes come last.

        If raw text has no weight, it is left out.
        """
        rows, borders, whole, partly = known_first(classes, sentences, raw=raw_weight > 0)
        parts = words[rows], classes[rows], borders, readings, whole, rows
        return cls(*parts, whole + partly, raw_weight)

    @property
    def has_raw(self) -> bool:
        """Whether there is raw text."""
        return self.known < len(self.sentences) - 1

    def without_raw(self) -> ClassCorpus:
        """Return the sentences with a known class."""
        borders = self.sentences[: self.known + 1]
        end = borders[-1]
        return self._replace(
            words=self.words[:end],
            classes=self.classes[:end],
            sentences=borders,
            tokens=self.tokens[:end],
        )


class HmmTables(NamedTuple):
    """Weights, probabilities or counts: emission[x or feature, y], transition[y, y'], start[y].

    classes[c, y] is empty if every state belongs to one class.
    """

    emission: FloatArray
    transition: FloatArray
    start: FloatArray
    classes: FloatArray = NO_CLASSES

    def flat(self) -> FloatArray:
        """Return the tables one after the other, as one vector."""
        return np.concatenate([part.ravel() for part in self])


def classes_of_states(borders: LongArray) -> LongArray:
    """Return the class of every state, if class c has the states borders[c] to borders[c + 1]."""
    return np.repeat(np.arange(len(borders) - 1), np.diff(borders))


def one_class_each(borders: LongArray) -> FloatArray:
    """Return log p(c | y), [c, y], if class c has the states borders[c] to borders[c + 1]."""
    classes = np.arange(len(borders) - 1)
    return np.where(classes_of_states(borders) == classes[:, None], 0.0, -np.inf)


def add_counts_of_chains(
    corpus: ClassCorpus,
    logs: HmmTables,
    of_class: FloatArray,
    counts: HmmTables,
    *,
    first: int,
    last: int,
    weight: float = 1.0,
) -> float:
    """Add expected uses in sentences [first, last), times a weight; return log p times the weight.

    Parameters
    ----------
    corpus
        The training corpus.
    logs
        Log probabilities, those of emission by word type.
    of_class
        log p(c | y), [c, y].
    counts
        What to add to; those of emission are by word type.
    """
    chain = first_order(logs.transition, logs.start)
    classes = np.concatenate((of_class, np.zeros((1, of_class.shape[1]))))  # -1: unknown
    total = 0.0
    for a, b in _pieces(corpus.sentences, first, last, MOST_NUMBERS // len(logs.start)):
        borders = corpus.sentences[a : b + 1]
        own = slice(borders[0], borders[-1])
        rows = logs.emission[corpus.words[own]] + classes[corpus.classes[own]]
        found = expectations(chain, rows, borders - borders[0])
        total += weight * float(found.log_partition.sum())
        counts.emission[:] += weight * _sums(found.marginals, corpus.words[own], counts.emission)
        counts.transition[:] += weight * found.transition[0]
        counts.start[:] += weight * found.start
        if counts.classes.size:
            counts.classes[:] += _sums(found.marginals, corpus.classes[own], counts.classes)
    return total


def _pieces(sentences: LongArray, first: int, last: int, tokens: int) -> list[tuple[int, int]]:
    """Cut sentences [first, last) into runs of about so many tokens."""
    marks = np.arange(sentences[first], sentences[last], max(tokens, 1))
    cuts = np.searchsorted(sentences, marks, side="right") - 1
    return list(pairwise(np.unique(np.append(np.maximum(cuts, first), [first, last])).tolist()))


def _sums(marginals: FloatArray, numbers: IntArray, like: FloatArray) -> FloatArray:
    """Sum the rows of tokens with the same number, into a table like another; below 0: none."""
    from scipy.sparse import csr_array  # slow to load, and tagging does not need it

    token = np.flatnonzero(numbers >= 0)
    entries = (np.ones(len(token)), (numbers[token], token))
    of_token = csr_array(entries, shape=(len(like), len(numbers)))
    return np.asarray(of_token @ marginals)
