"""Counting a training lexicon, and its attributes in training, which leave out a token's own unit.

    counts for a token in unit u  =  Σ over the other units v  of the counts of v

so that in training a word is as well known as it will be when a new document is tagged. A unit is a
document, or all documents of one group: leaving out only a part of a document would tell the rest
of it. If there are too few documents, units are blocks of sentences (`blocks.py`). Entries that
fewer than `least` of those units have do not count, here as in the lexicon that is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lacuna.encoding.flat import TrainingDocument, reviewed_mask
from lacuna.encoding.schemes import OUTSIDE
from lacuna.features.token_table import TokenTable
from lacuna.features.training_lexicon import (
    LONGEST,
    Entries,
    TrainingLexicon,
    fill_phrases,
    lex_of,
    lower_hashes,
    most_frequent,
    range_hashes,
    sentence_borders,
    word_values,
)
from lacuna.text.align import align
from lacuna.text.document import Document
from lacuna.text.word_types import WordTypes, hash_words
from lacuna.types import BoolArray, HashArray, LongArray

NO_UNIT = -1  #: of sentences that nothing is left out for


def unit_numbers(documents: Sequence[Document]) -> LongArray:
    """Return the unit numbers of documents in order of appearance."""
    numbers: dict[tuple[str, str], int] = {}
    units = [numbers.setdefault(document.unit, len(numbers)) for document in documents]
    return np.array(units, np.int64)


def sentence_units(table: TokenTable, documents: Sequence[Document]) -> LongArray:
    """Return the unit of each sentence; -1 for those of documents after `documents`."""
    owner = np.searchsorted(table.documents, table.sentences[:-1], side="right") - 1
    units = np.full(len(table.documents), NO_UNIT)
    units[: len(documents)] = unit_numbers(documents)
    return units[owner]


class LabelledRanges(NamedTuple):
    """Tokens start[i] to end[i] have the label number label[i]."""

    start: LongArray
    end: LongArray
    label: LongArray


def count_lexicon(
    documents: Sequence[TrainingDocument],
    table: TokenTable,
    units: LongArray,
    *,
    least: int = 1,
    key: int = 0,
    old: TrainingLexicon | None = None,
    gaps: bool = False,
    reach: int = 0,
) -> tuple[TrainingLexicon, dict[str, HashArray]]:
    """Count words and mentions, and return the attributes of all tokens of a table.

    Parameters
    ----------
    documents
        What is counted: the first documents of the table.
    table
        Tokens.
    units
        The unit of each sentence of the table. Its counts are left out of the attributes of its
        tokens. Sentences of later documents may have the unit of an earlier one, or none, -1.
    least
        Entries that fewer units have do not count.
    key
        The key of a private model, else 0.
    old
        Counts to add to.
    gaps
        Whether ``joined`` is among the attributes.
    reach
        Counts of units whose numbers differ by up to this are left out, too; then `least` is 1.
    """
    names, ranges = _mentions(documents, table)
    labels = hash_words([OUTSIDE, *names])
    if old is not None:
        labels = np.concatenate((old.labels, labels[~np.isin(labels, old.labels)]))
        place = {h: k for k, h in enumerate(labels.tolist())}
        own = [place[h] for h in hash_words([OUTSIDE, *names]).tolist()]
        ranges = ranges._replace(label=np.array(own, np.int64)[ranges.label])
    words = lower_hashes(table, key)
    of_token = np.repeat(units, np.diff(table.sentences))
    token, label = _token_labels(documents, ranges, len(labels))
    word_counts = _Counts.of(
        words[token],
        label,
        of_token[token],
        len(labels),
        least,
        None if old is None else old.words,
    )
    short = ranges.end - ranges.start <= LONGEST
    start, end, label = (array[short] for array in ranges)
    phrase_counts = _Counts.of(
        range_hashes(words, start, end, key),
        label,
        of_token[start],
        len(labels),
        least,
        None if old is None else old.phrases,
    )
    lexicon = TrainingLexicon(labels, word_counts.entries(), phrase_counts.entries(), key)
    values = _values(lexicon, table, units, word_counts, phrase_counts, reach, gaps)
    return lexicon, values


def _mentions(
    documents: Sequence[TrainingDocument], table: TokenTable
) -> tuple[list[str], LabelledRanges]:
    """Return the labels, and the token ranges of mentions with labels counted from 1."""
    numbers: dict[str, int] = {}
    found = [
        (first + shift, last + shift, numbers.setdefault(item.mention.label, len(numbers) + 1))
        for document, shift in zip(documents, table.documents.tolist(), strict=False)
        for item in align(document.document.mentions, document.tokens).aligned
        for first, last in item.ranges
    ]
    columns = np.array(found, np.int64).reshape(-1, 3).T.copy()
    names = sorted(numbers)
    place = np.zeros(len(names) + 1, np.int64)
    for k, name in enumerate(names, start=1):
        place[numbers[name]] = k
    return names, LabelledRanges(columns[0], columns[1], place[columns[2]])


def _token_labels(
    documents: Sequence[TrainingDocument], ranges: LabelledRanges, labels: int
) -> tuple[LongArray, LongArray]:
    """Return pairs of token and label, each once; tokens in no mention that was reviewed are O."""
    size = ranges.end - ranges.start
    owner = np.repeat(np.arange(len(size)), size)
    first = np.repeat(np.cumsum(size) - size, size)
    token = ranges.start[owner] + np.arange(len(owner)) - first
    inside = np.unique(token * labels + ranges.label[owner])
    outside = reviewed_mask(documents)
    outside[token] = False
    pairs = np.concatenate((inside, np.flatnonzero(outside) * labels))
    return pairs // labels, pairs % labels


class _Counts(NamedTuple):
    """Counts of entries, and where they come from.

    total[i, k]
        How often entry i has label k, old counts included.
    old[i, k]
        The part that is always there.
    enough[i]
        Whether entry i keeps new counts without one of the units that have it.
    unit, entry, label
        Occurrences, in order of unit.
    """

    types: WordTypes
    total: LongArray
    old: LongArray
    enough: BoolArray
    unit: LongArray
    entry: LongArray
    label: LongArray

    @classmethod
    def of(
        cls,
        hashes: HashArray,
        label: LongArray,
        unit: LongArray,
        labels: int,
        least: int,
        old: Entries | None,
    ) -> _Counts:
        """Count occurrences: hashes[i] in unit[i] with label[i]."""
        before = np.empty(0, np.uint64) if old is None else old.types.hashes
        every = WordTypes.build(np.concatenate((before, hashes)))
        entry = every.lookup(hashes).astype(np.int64)
        width = int(unit.max(initial=0)) + 1
        in_units = np.bincount(np.unique(entry * width + unit) // width, minlength=len(every))
        counted = np.flatnonzero(in_units[entry] >= least)
        counted = counted[np.argsort(unit[counted], kind="stable")]
        label, unit = label[counted], unit[counted]
        kept = in_units >= least
        kept[: len(before)] = True
        types = WordTypes.build(every.hashes[kept])
        entry = (np.cumsum(kept) - 1)[entry[counted]]
        base = np.zeros((len(types), labels), np.int64)
        if old is not None:
            base[: len(before)] = old.counts(labels)
        total = base + _table(entry, label, base.shape)
        return cls(types, total, base, in_units[kept] > least, unit, entry, label)

    def entries(self) -> Entries:
        """Return the counts to store."""
        return Entries.of(self.types, self.total)

    def without(self, unit: int, reach: int) -> tuple[LongArray, LongArray]:
        """Return the entries that a unit and those near it have, and their counts elsewhere."""
        first, last = np.searchsorted(self.unit, (unit - reach, unit + reach + 1))
        own, place = np.unique(self.entry[first:last], return_inverse=True)
        counts = self.total[own] - _table(
            place, self.label[first:last], (len(own), self.total.shape[1])
        )
        return own, np.where(self.enough[own, None], counts, self.old[own])


def _table(entry: LongArray, label: LongArray, shape: tuple[int, int]) -> LongArray:
    return np.bincount(entry * shape[1] + label, minlength=shape[0] * shape[1]).reshape(shape)


def _values(
    lexicon: TrainingLexicon,
    table: TokenTable,
    units: LongArray,
    word_counts: _Counts,
    phrase_counts: _Counts,
    reach: int,
    gaps: bool,
) -> dict[str, HashArray]:
    """Return the attributes of all tokens without the counts of their units."""
    found, labels = lexicon.find(table), lexicon.labels
    of_word, of_phrase = lexicon.word_values.copy(), lexicon.phrase_labels.copy()
    lex, phrase, joined = (np.zeros(len(found.words), np.uint64) for _ in range(3))
    order = np.argsort(units, kind="stable")
    numbers, first = np.unique(units[order], return_index=True)
    borders = np.split(sentence_borders(table)[order], first[1:])
    for unit, sentences in zip(numbers.tolist(), borders, strict=True):
        words, counts = word_counts.without(unit, reach)
        of_word[words] = word_values(counts, labels)
        phrases, counts = phrase_counts.without(unit, reach)
        of_phrase[phrases] = most_frequent(counts)
        tokens = np.concatenate([np.arange(a, b) for a, b in sentences.tolist()])
        lex[tokens] = lex_of(found.words[tokens], of_word)
        fill_phrases(sentences, found.first, found.phrases, of_phrase, labels, phrase)
        if gaps:
            lexicon.fill_joined(sentences, found, of_phrase, joined)
        of_word[words] = lexicon.word_values[words]
        of_phrase[phrases] = lexicon.phrase_labels[phrases]
    values = {"lex": lex, "phrase": phrase}
    return {**values, "joined": joined} if gaps else values
