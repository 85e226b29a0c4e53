"""Sentences of which some tags are unknown, because nobody has reviewed them.

There q(z) is a chain over the sub-tags of all tags that a token may have: of its own tag if that is
known, else of any (`inference/known_labels.py`). Such a chain is used whatever the form of q(z)
elsewhere: moves that are impossible leave no product over tokens. Training starts from the
stretches of known tags, each taken as a sentence.

Of raw text no tag is known. Its expected counts and its part of the bound are multiplied by a
weight; the bound of the weighted sum does not fall either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lacuna.inference.chain import first_order
from lacuna.inference.known_labels import sums_given
from lacuna.models.dp_hmm.corpus_layout import Layout, TaggedWords, lay_out
from lacuna.models.dp_hmm.e_step import Expected, LogWeights
from lacuna.types import BoolArray, LongArray


class PartlyTagged(NamedTuple):
    """Sentences with unknown tags, below 0.

    numbers[t] is the index of word t among the words of its tag, if that is known; `weight` is how
    much the sentences count.
    """

    corpus: TaggedWords
    numbers: LongArray
    weight: float = 1.0

    def may_have(self, tag: int) -> BoolArray:
        """Return which tokens may have a tag."""
        may: BoolArray = (self.corpus.tags == tag) | (self.corpus.tags < 0)
        return may

    def stretches(self, tags: int) -> Layout:
        """Lay out the longest runs of known tags, each as a sentence."""
        corpus = self.corpus
        known = corpus.tags >= 0
        starts = np.zeros(len(known), np.bool_)
        starts[corpus.sentences[:-1]] = True
        starts[1:] |= ~known[:-1]
        own = TaggedWords(
            corpus.words[known],
            corpus.tags[known],
            np.append(np.flatnonzero(starts[known]), int(known.sum())),
        )
        return lay_out(own, self.numbers[known], tags, 0, len(own.sentences) - 1)


def in_parts(whole: PartlyTagged, tokens: int) -> Iterator[PartlyTagged]:
    """Cut sentences into parts of about so many tokens."""
    (words, tags, sentences), numbers, weight = whole
    marks = np.searchsorted(sentences, np.arange(0, sentences[-1], max(tokens, 1)))
    cuts = np.unique(np.append(marks, [0, len(sentences) - 1])).tolist()
    for a, b in pairwise(cuts):
        own = slice(sentences[a], sentences[b])
        borders = sentences[a : b + 1] - sentences[a]
        yield PartlyTagged(TaggedWords(words[own], tags[own], borders), numbers[own], weight)


def expect_given(logs: LogWeights, part: PartlyTagged, words: Sequence[LongArray]) -> Expected:
    """E-step: expected counts over all tags and sub-tags that agree with the known tags.

    words[s] are the words that may occur with tag s.
    """
    size, last = int(logs.first[-2]), int(logs.first[-1])
    places = [part.may_have(tag) for tag in range(len(words))]
    numbers = [
        np.searchsorted(own, part.corpus.words[here])
        for own, here in zip(words, places, strict=True)
    ]
    scores = np.zeros((len(part.corpus.words), size))
    for tag, here in enumerate(places):
        scores[here, logs.first[tag] : logs.first[tag + 1]] = logs.emission[tag][numbers[tag]]
    moves = logs.moves
    found = sums_given(
        first_order(moves[:size, :size], moves[size, :size], moves[:size, size]),
        scores,
        part.corpus.tags,
        part.corpus.sentences,
        np.repeat(np.arange(len(words), dtype=np.int32), np.diff(logs.first)[:-1]),
    )
    used, emission = np.zeros((last, last)), []
    used[:size, :size], used[size, :size] = found.transition[0], found.start
    used[:size, size] = found.stop[0]
    for tag, here in enumerate(places):
        counts = np.zeros_like(logs.emission[tag])
        own = found.marginals[here, logs.first[tag] : logs.first[tag + 1]]
        np.add.at(counts, numbers[tag], own)
        emission.append(part.weight * counts)
    bound = part.weight * float(found.log_partition.sum())
    return Expected(part.weight * used, emission, bound, [])
