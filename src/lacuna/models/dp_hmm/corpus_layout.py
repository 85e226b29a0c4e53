"""Tagged words, laid out so that one step of many sentences is a few products of matrices.

The tokens of every tag have a matrix of their own with one row per token, in order of time: first
the first tokens of all sentences, then the second ones, and so on; within a step, tokens with the
same previous tag are adjacent. So the tokens of one step that share both tags, a *group*, are
adjacent rows, and most tokens are in a few large groups.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lacuna.types import IntArray, LongArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class TaggedWords(NamedTuple):
    """words[t], tags[t] of every token; sentence i is tokens sentences[i] to sentences[i + 1].

    A tag below 0 is unknown.
    """

    words: IntArray
    tags: IntArray
    sentences: LongArray


class TokenGroup(NamedTuple):
    """Rows [first, last) of the matrix of `tag`; `rows` of `before` are the tokens before them."""

    before: int
    tag: int
    first: int
    last: int
    rows: LongArray


class Layout(NamedTuple):
    """Some sentences in order of time. The border of sentences is the last tag.

    steps[t]
        The groups of step t; those of step 0 come from the border.
    words[s]
        The word of each row of tag s, as an index into the words that occur with s.
    ends[s]
        Rows of tag s that end a sentence.
    contexts[s]
        The tags before and after each row of tag s, as one number below (tags + 1)².
    """

    steps: list[list[TokenGroup]]
    words: list[LongArray]
    ends: list[LongArray]
    contexts: list[LongArray]

    def occurrences(self, tag: int, vocabulary: int) -> csr_array:
        """Return one[w, r] = 1 if row r of a tag is its word w."""
        from scipy.sparse import csr_array  # slow to load, and tagging does not need it

        rows = np.arange(len(self.words[tag]))
        ones = np.ones(len(rows))
        return csr_array((ones, (self.words[tag], rows)), shape=(vocabulary, len(rows)))


def own_words(corpus: TaggedWords, tags: int) -> tuple[list[LongArray], LongArray]:
    """Return the words that tags may have, and for each token the index of its word among them.

    A token of an unknown tag may have any tag, and has no index.
    """
    numbers = np.zeros(len(corpus.words), np.int64)
    found = []
    for tag in range(tags):
        here = corpus.tags == tag
        own = np.unique(corpus.words[here | (corpus.tags < 0)])
        numbers[here] = np.searchsorted(own, corpus.words[here])
        found.append(own.astype(np.int64))
    return found, numbers


def lay_out(corpus: TaggedWords, numbers: LongArray, tags: int, first: int, last: int) -> Layout:
    """Lay out sentences [first, last); numbers[t] is the word of token t, from `own_words`."""
    borders = corpus.sentences[first : last + 1]
    lengths = np.diff(borders)
    tokens = np.arange(borders[0], borders[-1])
    step = tokens - np.repeat(borders[:-1], lengths)
    tag = corpus.tags[tokens].astype(np.int64)
    before = np.where(step > 0, corpus.tags[tokens - 1], tags)
    order = np.lexsort((before, tag, step))
    row = np.empty(len(tokens), np.int64)
    of_tag = [order[tag[order] == s] for s in range(tags)]
    for own in of_tag:
        row[own] = np.arange(len(own))
    ends = np.zeros(len(tokens), np.bool_)
    ends[borders[1:][lengths > 0] - 1 - borders[0]] = True
    context = before * (tags + 1) + np.where(ends, tags, np.roll(tag, -1))
    return Layout(
        _steps(step[order], before[order], tag[order], row[order], row[order - 1]),
        [numbers[tokens[own]] for own in of_tag],
        [np.flatnonzero(ends[own]) for own in of_tag],
        [context[own] for own in of_tag],
    )


def _steps(
    step: LongArray, before: LongArray, tag: LongArray, row: LongArray, row_before: LongArray
) -> list[list[TokenGroup]]:
    """Split tokens, sorted by step, tag and previous tag, into groups."""
    steps: list[list[TokenGroup]] = [[] for _ in range(int(step.max(initial=-1)) + 1)]
    keys = np.stack((step, tag, before))
    cuts = np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0)) + 1
    borders = [0, *cuts.tolist(), len(step)] if len(step) else [0]
    for a, b in pairwise(borders):
        group = TokenGroup(
            int(before[a]), int(tag[a]), int(row[a]), int(row[b - 1]) + 1, row_before[a:b]
        )
        steps[int(step[a])].append(group)
    return steps
