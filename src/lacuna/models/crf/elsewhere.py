"""What a first pass found elsewhere in the document, as attributes of tokens for the second pass.

Names are repeated. The context of one occurrence may be clear and that of another not, so each
word is told about the other occurrences of it, never about itself:

* ``vote``     the label that most other occurrences got, ``O`` if most got none;
* ``longer``   the label of a longer mention elsewhere that contains the word;
* ``cased``    the word is capitalised here and occurs in lower case elsewhere;
* ``soft``     the mean over the other occurrences of p(label), in bands (soft votes);
* ``surest``   the most probable label of any other occurrence, in bands;
* ``whole``    the words from here on are a mention elsewhere: its label, by majority, and whether
  most other occurrences are mentions;
* ``within``   the majority label of longer mentions elsewhere that contain these words.

``vote`` to ``cased`` compare words as they are written, and only words that begin with a capital
or contain a digit have them. The others ignore case, so that headlines count. (Ratinov and Roth
2009, section 4; entity majorities after Krishnan and Manning 2006.) The last two are in
`elsewhere_phrases.py`. Among labels that are equally frequent, the first by alphabet wins.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from lacuna.encoding.schemes import OUTSIDE
from lacuna.features.layout import value_hashes
from lacuna.features.token_table import TokenTable
from lacuna.kernels import kernel
from lacuna.models.crf.elsewhere_phrases import majority_codes, most_of
from lacuna.models.crf.word_forms import WordForms
from lacuna.types import BoolArray, FloatArray, HashArray, IntArray, LongArray

BANDS = (0.1, 0.3, 0.5, 0.7, 0.9)  #: borders of mean probabilities
SURE_BANDS = (0.5, 0.8, 0.95)  #: borders of the greatest probability

VOTES = ("vote", "longer", "cased")
SHARES = ("soft", "surest")
MAJORITIES = ("whole", "within")
COLUMNS = (*VOTES, *SHARES, *MAJORITIES)


class FirstPass(NamedTuple):
    """What a first pass says about some tokens.

    labels
        ``O``, then the others.
    share
        share[t, k] = p(token t is in a mention of label k).
    start, end, label
        Mention m is tokens start[m] to end[m], its label labels[label[m]]. In order, not
        overlapping.
    """

    labels: tuple[str, ...]
    share: FloatArray
    start: LongArray
    end: LongArray
    label: LongArray


def evidence(
    table: TokenTable,
    first: FirstPass,
    borders: LongArray,
    wanted: Collection[str] = COLUMNS,
) -> dict[str, HashArray]:
    """Return the values of ``column.NAME`` for the wanted names.

    Parameters
    ----------
    table
        Tokens.
    first
        What the first pass found in them.
    borders
        Elsewhere is within tokens borders[u] to borders[u + 1].
    wanted
        Some of :data:`COLUMNS`.
    """
    names = sorted(first.labels)
    rank = np.array([names.index(label) for label in first.labels], np.int64)
    forms = WordForms.of(table)
    found = first._replace(label=rank[first.label])
    codes: dict[str, IntArray] = {}
    if not set(VOTES).isdisjoint(wanted):
        codes |= _vote_codes(forms, found, rank, borders)
    if not set(SHARES).isdisjoint(wanted):
        bands = (np.array(BANDS), np.array(SURE_BANDS))
        soft, surest = soft_votes(forms.folded, first.share, borders, *bands)
        codes |= {"soft": soft, "surest": surest}
    if not set(MAJORITIES).isdisjoint(wanted):
        mentions = (found.start, found.end, found.label)
        whole, within = majority_codes(forms.folded, *mentions, borders, len(names))
        codes |= {"whole": whole, "within": within}
    values = _values(names, first.labels[1:])
    return {f"column.{name}": values[name][codes[name]] for name in wanted}


def _values(names: Sequence[str], labels: Sequence[str]) -> dict[str, HashArray]:
    """Return the values of each column by code; code 0 is no value."""
    spelled = {
        "vote": names,
        "longer": names,
        "cased": ["yes"],
        "soft": [OUTSIDE, *(f"{name}{b + 1}" for name in labels for b in range(len(BANDS)))],
        "surest": [OUTSIDE, *(f"{name}{b + 1}" for name in labels for b in range(len(SURE_BANDS)))],
        "whole": [f"{place}{name}{often}" for name in names for place in "BI" for often in "-+"],
        "within": names,
    }
    return {name: value_hashes(["", *values]) for name, values in spelled.items()}


def _vote_codes(
    forms: WordForms, found: FirstPass, rank: LongArray, borders: LongArray
) -> dict[str, IntArray]:
    """Return the codes of ``vote``, ``longer`` and ``cased``."""
    size = found.end - found.start
    mention = np.repeat(np.arange(len(size)), size)
    inside = np.repeat(found.start - np.cumsum(size) + size, size) + np.arange(len(mention))
    label = np.full(len(forms.word), rank[0])
    label[inside] = found.label[mention]
    longer = np.full(len(forms.word), -1)
    longer[inside] = np.where(size > 1, found.label, -1)[mention]
    vote, part = votes(forms.word, forms.name, label, longer, borders, len(rank))
    return {
        "vote": vote,
        "longer": part,
        "cased": small_letters(forms.word, forms.lowered, forms.name, borders),
    }


@kernel
def votes(
    word: IntArray,
    name: BoolArray,
    label: LongArray,
    longer: LongArray,
    borders: LongArray,
    labels: int,
) -> tuple[IntArray, IntArray]:
    """Return 1 + the label that most other occurrences got, and that of longer mentions; 0: none.

    label[t] is the label of token t, longer[t] that of the mention of several words that it is in,
    or -1. Only tokens with name[t] count.
    """
    vote, part = np.zeros(len(word), np.int32), np.zeros(len(word), np.int32)
    words = word.max() + 1 if len(word) else 0
    all_votes, all_parts = np.zeros((words, labels), np.int64), np.zeros((words, labels), np.int64)
    for u in range(len(borders) - 1):
        for t in range(borders[u], borders[u + 1]):
            if name[t]:
                all_votes[word[t], label[t]] += 1
                if longer[t] >= 0:
                    all_parts[word[t], longer[t]] += 1
        for t in range(borders[u], borders[u + 1]):
            if name[t]:
                vote[t] = 1 + most_of(all_votes[word[t]], label[t])
                part[t] = 1 + most_of(all_parts[word[t]], longer[t])
        for t in range(borders[u], borders[u + 1]):
            all_votes[word[t]] = 0
            all_parts[word[t]] = 0
    return vote, part


@kernel
def small_letters(
    word: IntArray, lowered: IntArray, name: BoolArray, borders: LongArray
) -> IntArray:
    """Return 1 for each possible name that also occurs in lower case within the borders."""
    cased = np.zeros(len(word), np.int32)
    seen_in = np.full(1 + max(word.max(), lowered.max()) if len(word) else 0, -1)
    for u in range(len(borders) - 1):
        for t in range(borders[u], borders[u + 1]):
            seen_in[word[t]] = u
        for t in range(borders[u], borders[u + 1]):
            cased[t] = name[t] and seen_in[lowered[t]] == u
    return cased


@kernel
def soft_votes(
    word: IntArray,
    share: FloatArray,
    borders: LongArray,
    bands: FloatArray,
    sure_bands: FloatArray,
) -> tuple[IntArray, IntArray]:
    """Return the codes of ``soft`` and ``surest``.

    0: there is no other occurrence; 1: ``O``; else 1 + the number of the pair of label and band.
    """
    soft, surest = np.zeros(len(word), np.int32), np.zeros(len(word), np.int32)
    words, labels = (word.max() + 1 if len(word) else 0), share.shape[1]
    total = np.zeros((words, labels))
    times = np.zeros(words, np.int64)
    top = np.empty((words, 2), np.int64)  # tokens with the greatest share of a label, or -1
    likely = np.empty(len(word), np.int64)  # most probable label of each token but O
    for t in range(len(word)):
        likely[t] = 1 + share[t, 1:].argmax() if labels > 1 else 0
    for u in range(len(borders) - 1):
        for t in range(borders[u], borders[u + 1]):
            total[word[t]], times[word[t]], top[word[t]] = 0, 0, -1
        for t in range(borders[u], borders[u + 1]):
            v = word[t]
            total[v] += share[t]
            times[v] += 1
            if top[v, 0] < 0 or share[t, likely[t]] > share[top[v, 0], likely[top[v, 0]]]:
                top[v, 1], top[v, 0] = top[v, 0], t
            elif top[v, 1] < 0 or share[t, likely[t]] > share[top[v, 1], likely[top[v, 1]]]:
                top[v, 1] = t
        for t in range(borders[u], borders[u + 1]):
            v = word[t]
            if times[v] < 2 or labels < 2:
                continue
            mean = (total[v] - share[t]) / (times[v] - 1)
            soft[t] = banded(1 + mean[1:].argmax(), 1.0 - mean[0], bands)
            other = top[v, 0] if top[v, 0] != t else top[v, 1]
            surest[t] = banded(likely[other], share[other, likely[other]], sure_bands)
    return soft, surest


@kernel
def banded(label: int, p: float, borders: FloatArray) -> int:
    """Return the code of a label and the band of its probability; that of O in the lowest band."""
    band = 0
    for border in borders:
        band += p >= border
    return 1 + (label - 1) * len(borders) + band if band else 1
