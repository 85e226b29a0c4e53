"""The training lexicon: what the training documents say of words and phrases.

Attributes from counts of words and mentions in lower case:

``lex``
    the most frequent label of the word, ``O`` included; the band of its share (:data:`SHARES`);
    whether the word was seen more than :data:`OFTEN` times. A word that was not seen is *new*.
``phrase``
    the longest match of a mention, of up to :data:`LONGEST` words: whether the token begins it, the
    band of its length and its most frequent label. Matches are chosen from left to right.
``joined``
    for mentions with a gap: the places that the token has in two pieces of text, up to
    :data:`WIDEST_GAP` tokens apart, that are a mention elsewhere when they are put together
    (`stomach … pain`): before the gap, last before it, in it, first after it, after it; and the
    most frequent label of the first of these mentions. It is looked up only for models that ask.

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

from lacuna.features.hashing import finish, seed, step, step_lower
from lacuna.features.index import LOW_SIX, ONE, SIEVE_SHIFT, SIX, fill_sieve
from lacuna.features.lexicon import AnyArray, array_part
from lacuna.features.token_table import TokenTable
from lacuna.kernels import kernel
from lacuna.text.characters import lower_table
from lacuna.text.word_types import WordTypes, slot_of
from lacuna.types import BoolArray, CodeArray, HashArray, IntArray, LongArray

LONGEST = 8  #: words of a phrase
OFTEN = 3
SHARES = (0.6, 0.95)  #: borders of the bands of a label's share
WIDEST_GAP = 6  #: tokens
LENGTHS = 3  #: bands of a phrase's length: 1, 2, more
NEW = np.uint64(1)  #: the value of ``lex`` for a word that was not seen
NO_LABEL = -1


class Entries(NamedTuple):
    """Words or phrases, and how often each has each label.

    Pair p: the entry ``entry[p]`` has the label ``label[p]`` ``times[p]`` times. Pairs are in order
    of entry, then label.
    """

    types: WordTypes
    entry: IntArray
    label: IntArray
    times: IntArray

    @classmethod
    def of(cls, types: WordTypes, counts: LongArray) -> Entries:
        """Return counts[i, k] of entry i and label k as pairs."""
        entry, label = np.nonzero(counts)
        pairs = (entry, label, counts[entry, label])
        return cls(types, *(np.ascontiguousarray(array, np.int32) for array in pairs))

    def counts(self, labels: int) -> LongArray:
        """Return counts[i, k] of entry i and label k."""
        counts = np.zeros((len(self.types), labels), np.int64)
        counts[self.entry, self.label] = self.times
        return counts

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return all that needs to be stored."""
        return {
            "hashes": self.types.hashes,
            "entry": self.entry,
            "label": self.label,
            "times": self.times,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray], labels: int) -> Entries:
        """Undo :meth:`to_arrays`; ValueError if they do not fit together."""
        types = WordTypes.of_distinct(array_part(arrays, "hashes", np.uint64))
        entry, label, times = (array_part(arrays, n, np.int32) for n in ("entry", "label", "times"))
        if not len(entry) == len(label) == len(times):
            raise ValueError("each pair must have an entry, a label and a number")
        below = ((entry, len(types)), (label, labels), (times, np.iinfo(np.int32).max))
        if any(len(array) and not 0 <= array.min() <= array.max() < most for array, most in below):
            raise ValueError("counts of labels are damaged")
        return cls(types, entry, label, times)


class FoundEntries(NamedTuple):
    """Entries of some tokens, -1 for those that are not known.

    hashes[t], words[t]
        Hash and entry of the word of token t.
    first, phrases
        phrases[first[t] + n] is the phrase of n + 1 words that token t begins.
    """

    hashes: HashArray
    words: IntArray
    first: LongArray
    phrases: IntArray


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
    word_values, named, phrase_labels
        Of each word its value of ``lex`` and whether it is in any mention; of each phrase its most
        frequent label.
    sieve
        Recognises most hashes that are no phrase, see `index.py`.
    """

    labels: HashArray
    words: Entries
    phrases: Entries
    key: int = 0
    word_values: HashArray = field(init=False, repr=False)
    named: BoolArray = field(init=False, repr=False)
    phrase_labels: IntArray = field(init=False, repr=False)
    sieve: HashArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        count = len(self.labels)
        words = self.words.counts(count)
        object.__setattr__(self, "word_values", word_values(words, self.labels))
        object.__setattr__(self, "named", words[:, 1:].any(axis=1))
        object.__setattr__(self, "phrase_labels", most_frequent(self.phrases.counts(count)))
        types = self.phrases.types
        sieve = np.zeros(max(len(types.slot_ids) // 8, 1), np.uint64)
        fill_sieve(types.hashes, sieve)
        object.__setattr__(self, "sieve", sieve)

    def word_values_of(self, codes: CodeArray, start: IntArray, end: IntArray) -> HashArray:
        """Return the values of ``lex`` of the words codes[start[i]:end[i]]."""
        words = word_hashes(codes, start, end, lower_table(), self.key)
        return lex_of(self.words.types.lookup(words), self.word_values)

    def place_values(self, table: TokenTable, *, gaps: bool) -> dict[str, HashArray]:
        """Return ``phrase`` of all tokens, 0 for none, and with `gaps` also ``joined``."""
        found, borders = self.find(table), sentence_borders(table)
        phrase, joined = (np.zeros(len(found.words), np.uint64) for _ in range(2))
        fill_phrases(borders, found.first, found.phrases, self.phrase_labels, self.labels, phrase)
        if not gaps:
            return {"phrase": phrase}
        self.fill_joined(borders, found, self.phrase_labels, joined)
        return {"phrase": phrase, "joined": joined}

    def fill_joined(
        self, sentences: LongArray, found: FoundEntries, label_of: IntArray, values: HashArray
    ) -> None:
        """Write the value of ``joined`` for tokens of some sentences; phrase i has label_of[i]."""
        fill_joined(
            sentences,
            found.hashes,
            found.first,
            self.phrases.types.slot_hashes,
            self.phrases.types.slot_ids,
            self.sieve,
            label_of,
            self.labels,
            self.key,
            values,
        )

    def find(self, table: TokenTable) -> FoundEntries:
        """Look up the words and phrases of some tokens.

        A phrase has only words that are in some mention.
        """
        words = lower_hashes(table, self.key)
        ids = self.words.types.lookup(words)
        named = np.append(self.named, False)[ids]
        first, hashes = phrase_hashes(words, named, table.sentences, self.key)
        return FoundEntries(words, ids, first, self.phrases.types.lookup(hashes))

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


def sentence_borders(table: TokenTable) -> LongArray:
    """Return the first token of each sentence and the one after its last."""
    return np.stack((table.sentences[:-1], table.sentences[1:]), axis=1)


def lower_hashes(table: TokenTable, key: int) -> HashArray:
    """Return the hash of every token's word in lower case, as an entry."""
    return word_hashes(table.codes, table.start, table.end, lower_table(), key)


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
def word_hashes(
    codes: CodeArray, start: IntArray, end: IntArray, lower: CodeArray, key: int
) -> HashArray:
    """Return the hash of each word codes[start[i]:end[i]] in lower case, as an entry."""
    hashes = np.empty(len(start), np.uint64)
    for i in range(len(start)):
        hashes[i] = finish(step_lower(seed(key), codes, start[i], end[i], lower))
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
def phrase_hashes(
    words: HashArray, named: BoolArray, sentences: LongArray, key: int
) -> tuple[LongArray, HashArray]:
    """Return the hashes of all phrases of up to LONGEST words that are all `named`.

    hashes[first[t] + n] is that of the phrase of n + 1 words that token t begins.
    """
    first = np.zeros(len(words) + 1, np.int64)
    for s in range(len(sentences) - 1):
        run = 0
        for t in range(sentences[s + 1] - 1, sentences[s] - 1, -1):
            run = min(run + 1, LONGEST) if named[t] else 0
            first[t + 1] = run
    for t in range(len(words)):
        first[t + 1] += first[t]
    hashes = np.empty(first[-1], np.uint64)
    for t in range(len(words)):
        h = seed(key)
        for n in range(first[t + 1] - first[t]):
            h = step(h, words[t + n])
            hashes[first[t] + n] = finish(h)
    return first, hashes


@kernel
def fill_phrases(
    sentences: LongArray,
    first: LongArray,
    ids: IntArray,
    label_of: IntArray,
    labels: HashArray,
    values: HashArray,
) -> None:
    """Write the value of ``phrase`` for the tokens sentences[s, 0] to sentences[s, 1].

    ids[first[t] + n] is the phrase of n + 1 words that token t begins, label_of[i] the label of
    phrase i; -1 for none.
    """
    for s in range(len(sentences)):
        t, last = sentences[s, 0], sentences[s, 1]
        while t < last:
            size, label = 0, np.int32(NO_LABEL)
            for n in range(first[t + 1] - first[t]):
                i = ids[first[t] + n]
                if i >= 0 and label_of[i] != NO_LABEL:
                    size, label = n + 1, label_of[i]
            for n in range(size):
                band = 2 * (size if size < LENGTHS else LENGTHS) + (n > 0)
                values[t + n] = finish(step(seed(band), labels[label]))
            t += max(size, 1)


@kernel
def fill_joined(
    sentences: LongArray,
    words: HashArray,
    first: LongArray,
    slot_hashes: HashArray,
    slot_ids: IntArray,
    sieve: HashArray,
    label_of: IntArray,
    labels: HashArray,
    key: int,
    values: HashArray,
) -> None:
    """Write the value of ``joined`` for the tokens sentences[s, 0] to sentences[s, 1].

    Tries every pair of pieces, tokens t to m and j to e, of words that are in mentions: there are
    first[t + 1] - first[t] of those from token t on. Few pass the sieve and are looked up.
    """
    last_bit = np.uint64(64 * sieve.size - 1)
    for s in range(len(sentences)):
        a, b = sentences[s, 0], sentences[s, 1]
        places, label = np.zeros(b - a, np.int64), np.full(b - a, NO_LABEL, np.int32)
        for t in range(a, b):
            h = seed(key)
            for m in range(t + 1, t + 1 + min(first[t + 1] - first[t], LONGEST - 1)):
                h = step(h, words[m - 1])
                for j in range(m + 1, min(m + 1 + WIDEST_GAP, b)):
                    g = h
                    for e in range(j + 1, j + 1 + min(first[j + 1] - first[j], LONGEST - m + t)):
                        g = step(g, words[e - 1])
                        bit = (finish(g) >> SIEVE_SHIFT) & last_bit
                        if not (sieve[bit >> SIX] >> (bit & LOW_SIX)) & ONE:
                            continue
                        i = slot_ids[slot_of(finish(g), slot_hashes, slot_ids)]
                        if i >= 0 and label_of[i] != NO_LABEL:
                            mark_joined(places, label, t - a, m - a, j - a, e - a, label_of[i])
        for t in range(b - a):
            if places[t]:
                values[a + t] = finish(step(seed(places[t]), labels[label[t]]))


@kernel
def mark_joined(
    places: LongArray, label: IntArray, first: int, gap: int, after: int, last: int, own: int
) -> None:
    """Note that tokens `first` to `gap` and `after` to `last` are a mention when put together.

    The bits of places[t]: before the gap 1, last before it 2, in it 4, first after it 8, after 16.
    """
    for t in range(first, last):
        if t < gap:
            places[t] |= 2 if t == gap - 1 else 1
        elif t < after:
            places[t] |= 4
        else:
            places[t] |= 8 if t == after else 16
        if label[t] == NO_LABEL:
            label[t] = own
