"""Mentions of the same words elsewhere: the columns ``whole`` and ``within`` of the second pass.

The words of every mention are looked for within the borders, in any case, and so are the shorter
runs of words in it. Longer mentions win over shorter ones that they overlap. Words are numbers here
(`word_forms.py`), and phrases are numbered by hashes of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lacuna.features.hashing import finish, seed, step
from lacuna.kernels import kernel
from lacuna.text.word_types import WordTypes
from lacuna.types import HashArray, IntArray, LongArray

LONGEST = 8  #: words of a mention that is looked for elsewhere


class Parts(NamedTuple):
    """Runs of tokens in mentions, start[i] to end[i], of mention[i]; key[i] stands for the words.

    Keys of different units, which are between the borders, are different.
    """

    start: LongArray
    end: LongArray
    unit: LongArray
    mention: LongArray
    key: HashArray


def majority_codes(
    word: IntArray,
    start: LongArray,
    end: LongArray,
    label: LongArray,
    borders: LongArray,
    labels: int,
) -> tuple[IntArray, IntArray]:
    """Return for each token the codes of ``whole`` and ``within``; 0 for none.

    Parameters
    ----------
    word
        The word of each token.
    start, end, label
        Mentions, in order, not overlapping, with their label below `labels`.
    borders
        Elsewhere is within tokens borders[u] to borders[u + 1].

    Returns
    -------
    whole
        1 + 4 · label + 2 · (it is not the first token) + (most other occurrences are mentions).
    within
        1 + label.
    """
    whole, within = np.zeros(len(word), np.int32), np.zeros(len(word), np.int32)
    short = end - start <= LONGEST
    start, end, label = start[short], end[short], label[short]
    parts = Parts(*mention_parts(word, start, end, borders))
    phrases = WordTypes.build(parts.key)
    number = phrases.lookup(parts.key)
    is_whole = parts.end - parts.start == (end - start)[parts.mention]
    counts, containing = count_phrases(
        number, parts.mention, number[is_whole], label, len(phrases), labels
    )
    a, b, key = candidates(word, parts.start, parts.end, parts.unit, borders)
    phrase = phrases.lookup(key)
    known = phrase >= 0
    a, b, phrase = a[known], b[known], phrase[known]
    first = np.full(len(phrases), len(word))
    np.minimum.at(first, phrase, a)
    order = np.lexsort((a, first[phrase], b - a))  # longer ones last: they win
    times = np.bincount(phrase, minlength=len(phrases))
    fill_majorities(
        *(a[order], b[order], phrase[order], times, counts, containing),
        *(mentions_at(start, end, len(word)), start, end, label),
        *(whole, within),
    )
    return whole, within


@kernel
def most_of(counts: LongArray, own: int) -> int:
    """Return the number of the greatest count, the first of several, without one's own; or -1."""
    best, most = -1, 0
    for k in range(len(counts)):
        count = counts[k] - (k == own)
        if count > most:
            best, most = k, count
    return best


@kernel
def mention_parts(
    word: IntArray, start: LongArray, end: LongArray, borders: LongArray
) -> tuple[LongArray, LongArray, LongArray, LongArray, HashArray]:
    """Return all runs of tokens in mentions, the whole mention included, as ``Runs``."""
    total = 0
    for m in range(len(start)):
        total += (end[m] - start[m]) * (end[m] - start[m] + 1) // 2
    first, last = np.empty(total, np.int64), np.empty(total, np.int64)
    unit, mention = np.empty(total, np.int64), np.empty(total, np.int64)
    key = np.empty(total, np.uint64)
    i, u = 0, 0
    for m in range(len(start)):
        while start[m] >= borders[u + 1]:
            u += 1
        for a in range(start[m], end[m]):
            h = seed(u)
            for b in range(a + 1, end[m] + 1):
                h = step(h, np.uint64(word[b - 1]))
                first[i], last[i], unit[i], mention[i], key[i] = a, b, u, m, finish(h)
                i += 1
    return first, last, unit, mention, key


@kernel
def count_phrases(
    number: IntArray,
    mention: LongArray,
    whole: IntArray,
    label: LongArray,
    phrases: int,
    labels: int,
) -> tuple[LongArray, LongArray]:
    """Count mentions of each phrase by label, and mentions around it.

    Mention m has the phrase whole[m] and label[m]; part i of mention[i] has the phrase number[i].
    Mentions around a phrase count once, however often the phrase is in them.
    """
    counts = np.zeros((phrases, labels), np.int64)
    around = np.zeros((phrases, labels), np.int64)
    example = np.full(phrases, -1)  # the first mention of each phrase
    for m in range(len(whole)):
        counts[whole[m], label[m]] += 1
        if example[whole[m]] < 0:
            example[whole[m]] = m
    seen_in = np.full(phrases, -1)
    for i in range(len(number)):
        part, m = number[i], mention[i]
        if example[whole[m]] == m and part != whole[m] and seen_in[part] != m:
            seen_in[part] = m
            around[part] += counts[whole[m]]
    return counts, around


@kernel
def candidates(
    word: IntArray, start: LongArray, end: LongArray, unit: LongArray, borders: LongArray
) -> tuple[LongArray, LongArray, HashArray]:
    """Return start, end and key of runs as long as some part that begins with the same word."""
    begins = np.zeros(word.max() + 1 if len(word) else 0, np.int64)  # bit n: n + 1 words
    lengths = np.zeros(len(word), np.int64)
    i = total = 0
    for u in range(len(borders) - 1):
        first = i
        while i < len(start) and unit[i] == u:
            begins[word[start[i]]] |= 1 << (end[i] - start[i] - 1)
            i += 1
        for t in range(borders[u], borders[u + 1] if i > first else borders[u]):
            lengths[t] = begins[word[t]] & ((1 << min(LONGEST, borders[u + 1] - t)) - 1)
            for n in range(LONGEST):
                total += lengths[t] >> n & 1
        for j in range(first, i):
            begins[word[start[j]]] = 0
    left, right = np.empty(total, np.int64), np.empty(total, np.int64)
    key = np.empty(total, np.uint64)
    i = 0
    for u in range(len(borders) - 1):
        for t in range(borders[u], borders[u + 1]):
            h, more = seed(u), lengths[t]
            b = t
            while more:
                h = step(h, np.uint64(word[b]))
                b += 1
                if more & 1:
                    left[i], right[i], key[i] = t, b, finish(h)
                    i += 1
                more >>= 1
    return left, right, key


@kernel
def mentions_at(start: LongArray, end: LongArray, tokens: int) -> LongArray:
    """Return for each token the mention that it is in, or -1."""
    around = np.full(tokens, -1)
    for m in range(len(start)):
        around[start[m] : end[m]] = m
    return around


@kernel
def fill_majorities(
    left: LongArray,
    right: LongArray,
    phrase: IntArray,
    times: LongArray,
    counts: LongArray,
    containing: LongArray,
    around: LongArray,
    start: LongArray,
    end: LongArray,
    label: LongArray,
    whole: IntArray,
    within: IntArray,
) -> None:
    """Write the codes of all places of phrases, left[i] to right[i], in this order.

    A phrase occurs times[p] times, has counts[p, k] mentions and is in containing[p, k] longer
    ones; token t is in mention around[t].
    """
    for i in range(len(left)):
        a, b, p = left[i], right[i], phrase[i]
        m = around[a]
        if m >= 0 and end[m] < b:
            m = -1
        is_own = m >= 0 and start[m] == a and end[m] == b
        best = most_of(counts[p], label[m] if is_own else -1)
        if best >= 0:
            often = 2 * (counts[p].sum() - is_own) > times[p] - 1
            for t in range(a, b):
                whole[t] = 1 + 4 * best + 2 * (t > a) + often
        best = most_of(containing[p], label[m] if m >= 0 and not is_own else -1)
        if best >= 0:
            within[a:b] = 1 + best
