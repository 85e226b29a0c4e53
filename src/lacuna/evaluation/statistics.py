"""Statistics of a corpus: sizes, mentions by label and number of parts, kinds of overlap.

Every pair of mentions that share a character is counted once, as

* ``same``      both cover the same characters,
* ``nested``    one covers all characters of the other,
* ``crossing``  neither of these,

separately for pairs with the same label (within) and with two labels (between).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from lacuna.text.document import Corpus, Document, Mention
from lacuna.text.overlap import overlapping_pairs
from lacuna.text.tokens import tokens_of


@dataclass(slots=True)
class LabelStatistics:
    """Mentions of one label; ``parts[n]`` of them have n parts."""

    mentions: int = 0
    characters: int = 0
    parts: Counter[int] = field(default_factory=Counter)


@dataclass(slots=True)
class CorpusStatistics:
    """Counts over a corpus.

    Attributes
    ----------
    within, between
        Overlapping pairs with one label or with two, by kind (same, nested, crossing).
    label_pairs
        Overlapping pairs by their two labels in alphabetical order, joined with ``" + "``.
    discontiguous_sentences, overlapping_sentences
        Sentences that contain a part of such a mention.
    across_sentences
        Mentions that cross a sentence boundary.
    """

    documents: int = 0
    groups: int = 0
    characters: int = 0
    tokens: int = 0
    sentences: int = 0
    mentions: int = 0
    labels: dict[str, LabelStatistics] = field(default_factory=dict)
    overlapping_mentions: int = 0
    within: Counter[str] = field(default_factory=Counter)
    between: Counter[str] = field(default_factory=Counter)
    label_pairs: Counter[str] = field(default_factory=Counter)
    discontiguous_sentences: int = 0
    overlapping_sentences: int = 0
    across_sentences: int = 0


def describe(corpus: Corpus) -> CorpusStatistics:
    """Count everything in one pass; only counts and group names are kept."""
    statistics = CorpusStatistics()
    units: set[tuple[str, str]] = set()
    for document in corpus:
        units.add(document.unit)
        statistics.documents += 1
        statistics.characters += len(document.text)
        _count_mentions(statistics, document)
        overlapping = _count_overlaps(statistics, document.mentions)
        _count_sentences(statistics, document, overlapping)
    statistics.groups = len(units)
    statistics.labels = dict(sorted(statistics.labels.items()))
    return statistics


def _count_mentions(statistics: CorpusStatistics, document: Document) -> None:
    statistics.mentions += len(document.mentions)
    for mention in document.mentions:
        row = statistics.labels.setdefault(mention.label, LabelStatistics())
        row.mentions += 1
        row.characters += mention.length
        row.parts[len(mention.spans)] += 1


def _count_overlaps(statistics: CorpusStatistics, mentions: tuple[Mention, ...]) -> set[int]:
    """Count the overlapping pairs and return the indices of the mentions in them."""
    pairs = overlapping_pairs(mentions)
    for i, j in pairs:
        a, b = mentions[i], mentions[j]
        counts = statistics.within if a.label == b.label else statistics.between
        counts[_kind_of_overlap(a, b)] += 1
        statistics.label_pairs[" + ".join(sorted((a.label, b.label)))] += 1
    overlapping = {i for pair in pairs for i in pair}
    statistics.overlapping_mentions += len(overlapping)
    return overlapping


def _kind_of_overlap(a: Mention, b: Mention) -> str:
    if a.spans == b.spans:
        return "same"
    return "nested" if _covers(a, b) or _covers(b, a) else "crossing"


def _covers(outer: Mention, inner: Mention) -> bool:
    """Whether every part of `inner` is inside a part of `outer`."""
    return all(any(o.start <= i.start and i.end <= o.end for o in outer.spans) for i in inner.spans)


def _count_sentences(
    statistics: CorpusStatistics, document: Document, overlapping: set[int]
) -> None:
    tokens = tokens_of(document)
    statistics.tokens += len(tokens)
    statistics.sentences += len(tokens.sentences) - 1
    if not len(tokens) or not document.mentions:
        return
    # sentence_start[s] = first character of sentence s; searchsorted finds the one of a character
    sentence_start = tokens.start[tokens.sentences[:-1]]
    with_gap: set[int] = set()
    with_overlap: set[int] = set()
    for index, mention in enumerate(document.mentions):
        last_characters = [span.end - 1 for span in mention.spans]
        starts = [span.start for span in mention.spans]
        found = np.searchsorted(sentence_start, starts + last_characters, side="right") - 1
        touched = set(np.maximum(found, 0).tolist())
        statistics.across_sentences += len(touched) > 1
        if mention.is_discontiguous:
            with_gap |= touched
        if index in overlapping:
            with_overlap |= touched
    statistics.discontiguous_sentences += len(with_gap)
    statistics.overlapping_sentences += len(with_overlap)
