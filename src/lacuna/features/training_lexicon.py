"""The training lexicon: what the training documents say of words and phrases.

Two attributes of tokens, from counts of words and mentions in lower case:

``lex``
    the most frequent label of the word, ``O`` included; the band of its share (:data:`SHARES`);
    whether the word was seen more than :data:`OFTEN` times. A word that was not seen is *new*.
``phrase``
    the longest match of a mention, of up to :data:`LONGEST` words: whether the token begins it, the
    band of its length and its most frequent label. Matches are chosen from left to right.

They tell a model how far a known name is to be trusted. Weights of words cannot learn that: in
training, each word is evidence of its own label. So in training the counts leave out the unit
(document, or documents of one group) that a token is in; `lexicon_counts.py` does that.

Only hashes of words and phrases are kept, with the key of a private model in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lacuna.features.hashing import finish, seed, step
from lacuna.features.lexicon import AnyArray, array_part
from lacuna.features.token_table import TokenTable
from lacuna.kernels import kernel
from lacuna.text.characters import lower_table
from lacuna.text.word_types import EMPTY, WordTypes, hash_tokens, slot_of
from lacuna.types import HashArray, IntArray, LongArray

LONGEST = 8  #: words of a phrase
OFTEN = 3
SHARES = (0.6, 0.95)  #: borders of the bands of a label's share
LENGTHS = 3  #: bands of a phrase's length: 1, 2, more
NEW = np.uint64(1)  #: the value of ``lex`` for a word that was not seen
NO_LABEL = -1


class Entries(NamedTuple):
    """Words or phrases, and how often each has each label.

    Pair p: the entry ``entry[p]`` has the label ``label[p]`` ``count[p]`` times. Pairs are in order
    of entry, then label.
    """

    types: WordTypes
    entry: IntArray
    label: IntArray
    count: IntArray

    @classmethod
    def of(cls, types: WordTypes, counts: LongArray) -> Entries:
        """Return counts[i, k] of entry i and label k as pairs."""
        entry, label = np.nonzero(counts)
        pairs = (entry, label, counts[entry, label])
        return cls(types, *(np.ascontiguousarray(array, np.int32) for array in pairs))

    def counts(self, labels: int) -> LongArray:
        """Return counts[i, k] of entry i and label k."""
        counts = np.zeros((len(self.types), labels), np.int64)
        counts[self.entry, self.label] = self.count
        return counts

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return all that needs to be stored."""
        return {
            "hashes": self.types.hashes,
            "entry": self.entry,
            "label": self.label,
            "count": self.count,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray], labels: int) -> Entries:
        """Undo :meth:`to_arrays`; ValueError if they do not fit together."""
        types = WordTypes.of_distinct(array_part(arrays, "hashes", np.uint64))
        entry, label, count = (array_part(arrays, n, np.int32) for n in ("entry", "label", "count"))
        if not len(entry) == len(label) == len(count):
            raise ValueError("each pair must have an entry, a label and a count")
        below = ((entry, len(types)), (label, labels), (count, np.iinfo(np.int32).max))
        if any(len(array) and not 0 <= array.min() <= array.max() < most for array, most in below):
            raise ValueError("counts of labels are damaged")
        return cls(types, entry, label, count)


@dataclass(frozen=True, slots=True, eq=False)
class TrainingLexicon:
    """Counts of words and of mentions.

    Attributes
    ----------
    labels
        Hashes of the labels; the first is that of ``O``.
    words, phrases
        By label; phrases are never ``O``.
    key
        The key of a private model, else 0; hashes of entries begin with it.
    word_values, phrase_labels
        Of each entry: the value of ``lex``, and the most frequent label.
    """

    labels: HashArray
    words: Entries
    phrases: Entries
    key: int = 0
    word_values: HashArray = field(init=False, repr=False)
    phrase_labels: IntArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        count = len(self.labels)
        words = word_values(self.words.counts(count), self.labels)
        object.__setattr__(self, "word_values", words)
        object.__setattr__(self, "phrase_labels", most_frequent(self.phrases.counts(count)))

    def values(self, table: TokenTable) -> dict[str, HashArray]:
        """Return the attributes of all tokens, by name, as 64-bit hashes; 0 for no phrase."""
        words = lower_hashes(table)
        found = np.zeros(len(words), np.uint64)
        borders = np.stack((table.sentences[:-1], table.sentences[1:]), axis=1)
        fill_phrases(words, borders, *self.phrase_table(), self.phrase_labels, self.labels, found)
        ids = self.words.types.lookup(entry_hashes(words, self.key))
        return {"lex": lex_of(ids, self.word_values), "phrase": found}

    def phrase_table(self) -> tuple[int, HashArray, IntArray]:
        """Return what :func:`fill_phrases` needs to find phrases."""
        return self.key, self.phrases.types.slot_hashes, self.phrases.types.slot_ids

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return all that needs to be stored."""
        parts = {"words": self.words, "phrases": self.phrases}
        arrays = {
            f"{name}.{key}": array
            for name, part in parts.items()
            for key, array in part.to_arrays().items()
        }
        return {**arrays, "labels": self.labels, "key": np.array([self.key], np.uint64)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> TrainingLexicon:
        """Undo :meth:`to_arrays`; ValueError if they do not fit together."""
        labels = array_part(arrays, "labels", np.uint64)
        key = array_part(arrays, "key", np.uint64)
        if not len(labels) or len(set(labels.tolist())) < len(labels) or len(key) != 1:
            raise ValueError("a training lexicon needs distinct labels and one key")
        if key[0] >> np.uint64(62):
            raise ValueError("the key of a training lexicon is out of range")
        words, phrases = (
            Entries.from_arrays(
                {k.removeprefix(f"{name}."): a for k, a in arrays.items() if k.startswith(name)},
                len(labels),
            )
            for name in ("words", "phrases")
        )
        return cls(labels, words, phrases, int(key[0]))


def lower_hashes(table: TokenTable) -> HashArray:
    """Return the hash of every token's word in lower case."""
    lowered = lower_table()[table.codes]
    lowered.flags.writeable = False  # as the kernel is compiled for
    return hash_tokens(lowered, table.start, table.end)


def most_frequent(counts: LongArray) -> IntArray:
    """Return the most frequent label of each entry, the first of several; -1 if all are 0."""
    best = counts.argmax(axis=1).astype(np.int32)
    return np.where(counts.any(axis=1), best, np.int32(NO_LABEL))


def word_values(counts: LongArray, labels: HashArray) -> HashArray:
    """Return the value of ``lex`` of words with counts[i, k] of label k."""
    best, total = most_frequent(counts), counts.sum(axis=1)
    share = counts.max(axis=1, initial=0) / np.maximum(total, 1)
    bands = np.searchsorted(np.array(SHARES), share, side="right") * 2 + (total > OFTEN)
    return np.where(best < 0, NEW, label_values(labels[best], bands))


def lex_of(ids: IntArray, values: HashArray) -> HashArray:
    """Return the values of words by their entries; -1 is a new word."""
    return np.append(values, NEW)[ids]


@kernel
def label_values(labels: HashArray, bands: LongArray) -> HashArray:
    """Return a hash of each pair of label and band."""
    values = np.empty(len(labels), np.uint64)
    for i in range(len(labels)):
        values[i] = finish(step(seed(bands[i]), labels[i]))
    return values


@kernel
def entry_hashes(words: HashArray, key: int) -> HashArray:
    """Return the hash of each word as an entry: that of a phrase of one word."""
    hashes = np.empty(len(words), np.uint64)
    for i in range(len(words)):
        hashes[i] = finish(step(seed(key), words[i]))
    return hashes


@kernel
def range_hashes(words: HashArray, start: LongArray, end: LongArray, key: int) -> HashArray:
    """Return the hash of the phrases words[start[i]:end[i]] as entries."""
    hashes = np.empty(len(start), np.uint64)
    for i in range(len(start)):
        h = seed(key)
        for t in range(start[i], end[i]):
            h = step(h, words[t])
        hashes[i] = finish(h)
    return hashes


@kernel
def fill_phrases(
    words: HashArray,
    sentences: LongArray,
    key: int,
    slot_hashes: HashArray,
    slot_ids: IntArray,
    label_of: IntArray,
    labels: HashArray,
    values: HashArray,
) -> None:
    """Write the value of ``phrase`` for the tokens sentences[s, 0] to sentences[s, 1].

    The slots are the table of phrases; label_of[i] is the label of phrase i, -1 for none.
    """
    for s in range(len(sentences)):
        t, last = sentences[s, 0], sentences[s, 1]
        while t < last:
            h, size, label = seed(key), np.int64(0), np.int32(NO_LABEL)
            for n in range(min(LONGEST, last - t)):
                h = step(h, words[t + n])
                i = slot_ids[slot_of(finish(h), slot_hashes, slot_ids)]
                if i != EMPTY and label_of[i] != NO_LABEL:
                    size, label = n + 1, label_of[i]
            for n in range(size):
                band = 2 * min(size, LENGTHS) + (n > 0)
                values[t + n] = finish(step(seed(band), labels[label]))
            t += max(size, 1)
