"""Hashes of words: a fast test whether something of what was found may stand elsewhere, too."""

from __future__ import annotations

import numpy as np

from lacuna.deid.terms import BLANK
from lacuna.kernels import kernel
from lacuna.types import CodeArray, HashArray, IntArray, LongArray

WORDS, NUMBER, PHRASE = 1, 2, 3  #: how a finding is looked for: by its words, as a number, whole
KEPT = -1  #: it stays in the text
FILTER = 1024  #: slots of the filter before hashes are searched; a power of two


@kernel
def word_hash(codes: CodeArray, first: int, last: int) -> np.uint64:
    """Return the hash of ``codes[first:last]`` (FNV-1a, mixed), blanks left out."""
    value = np.uint64(0xCBF29CE484222325)
    for i in range(first, last):
        if codes[i] != BLANK:
            value = (value ^ np.uint64(codes[i])) * np.uint64(0x100000001B3)
    return value ^ (value >> np.uint64(29))


@kernel
def word_hashes(codes: CodeArray) -> HashArray:
    """Return the hash of every word of a folded text."""
    hashes = np.empty(codes.size, np.uint64)
    count, first = 0, 0
    for i in range(codes.size):
        if codes[i] == BLANK:
            if i > first:
                hashes[count] = word_hash(codes, first, i)
                count += 1
            first = i + 1
    return hashes[:count]


@kernel
def span_hashes(
    codes: CodeArray, place: IntArray, start: LongArray, end: LongArray, way: LongArray
) -> tuple[HashArray, LongArray]:
    """Return hashes of the words of spans, and the number of the span of each.

    WORDS: of every word; NUMBER: also of all together, and of the first three of ten digits;
    PHRASE: of the longest word.
    """
    hashes = np.empty(codes.size + 2 * start.size, np.uint64)
    owner = np.empty(codes.size + 2 * start.size, np.int64)
    count = 0
    for s in range(start.size):
        if way[s] <= 0:
            continue
        before = count
        begin, until = np.searchsorted(place, start[s]), np.searchsorted(place, end[s])
        longest_first, longest_last = begin, begin
        first, letters = begin, 0
        for i in range(begin, until + 1):
            if i == until or codes[i] == BLANK:
                if i - first > 1 and way[s] != PHRASE:
                    hashes[count] = word_hash(codes, first, i)
                    count += 1
                letters += i - first
                if i - first > longest_last - longest_first:
                    longest_first, longest_last = first, i
                first = i + 1
        if way[s] == PHRASE and letters > 0:
            hashes[count] = word_hash(codes, longest_first, longest_last)
            count += 1
        if way[s] == NUMBER and letters > 0:
            hashes[count] = word_hash(codes, begin, until)
            count += 1
            if letters == 10 and longest_last - longest_first == 10:
                hashes[count] = word_hash(codes, begin, begin + 3)
                count += 1
        owner[before:count] = s
    return hashes[:count], owner[:count]


@kernel
def words_left(
    codes: CodeArray,
    place: IntArray,
    start: LongArray,
    end: LongArray,
    way: LongArray,
    wanted: HashArray,
) -> HashArray:
    """Return those of the wanted hashes that words have that stay in the text.

    They are outside all spans, or inside one that is kept. The wanted hashes are sorted.
    """
    size = place[-1] + 1
    covered = np.zeros(size, np.bool_)
    for s in range(start.size):
        if way[s] != KEPT:
            covered[start[s] : end[s]] = True
    maybe = np.zeros(FILTER, np.bool_)
    for value in wanted:
        maybe[value & np.uint64(FILTER - 1)] = True
    hits = np.empty(wanted.size, np.uint64)
    is_hit = np.zeros(wanted.size, np.bool_)
    count, first = 0, 1
    for i in range(1, codes.size):
        if codes[i] == BLANK:
            if i - first > 1 and not covered[place[first]]:
                value = word_hash(codes, first, i)
                if maybe[value & np.uint64(FILTER - 1)]:
                    at = np.searchsorted(wanted, value)
                    if at < wanted.size and wanted[at] == value and not is_hit[at]:
                        is_hit[at] = True
                        hits[count] = value
                        count += 1
            first = i + 1
    return hits[:count]
