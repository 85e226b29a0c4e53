"""Hashes of words: a fast test whether something of what was found may stand elsewhere, too."""

from __future__ import annotations

import numpy as np

from lacuna.deid.folding import BLANK
from lacuna.kernels import kernel
from lacuna.types import BoolArray, CodeArray, HashArray, IntArray, LongArray

#: How a finding is looked for: by its words, in any groups of digits, as a phrase, as written.
WORDS, NUMBER, PHRASE, WHOLE = 1, 2, 3, 4
KEPT = -1  #: it stays in the text
GROUPS = 5  #: of a number that is written in groups
NEAR = 4  #: characters; what is this near may be one name
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
    codes: CodeArray,
    place: IntArray,
    start: LongArray,
    end: LongArray,
    way: LongArray,
    everyday: HashArray,
) -> tuple[HashArray, LongArray]:
    """Return hashes of the words of spans, and the number of the span of each.

    WORDS: of every word; NUMBER: of all together, without blanks; PHRASE and WHOLE: of the longest
    word that is not an everyday word.
    """
    hashes = np.empty(codes.size + start.size, np.uint64)
    owner = np.empty(codes.size + start.size, np.int64)
    count = 0
    for s in range(start.size):
        begin, until = np.searchsorted(place, start[s]), np.searchsorted(place, end[s])
        before = count
        if way[s] == NUMBER:
            hashes[count] = word_hash(codes, begin, until)
            count += 1
        elif way[s] > 0:
            first, longest = begin, 1
            for i in range(begin, until + 1):
                if i == until or codes[i] == BLANK:
                    value = word_hash(codes, first, i)
                    if way[s] == WORDS and i - first > 1:
                        hashes[count] = value
                        count += 1
                    elif i - first > longest and not contains(everyday, value):
                        longest = i - first
                        hashes[before] = value
                        count = before + 1
                    first = i + 1
        owner[before:count] = s
    return hashes[:count], owner[:count]


@kernel
def words_left(
    raw: CodeArray,
    codes: CodeArray,
    place: IntArray,
    start: LongArray,
    end: LongArray,
    way: LongArray,
    wanted: HashArray,
    everyday: HashArray,
) -> tuple[HashArray, HashArray]:
    """Return hashes of words that stay in the text and may be what is looked for.

    Words stay that are outside all spans, or inside one that is kept.

    Parameters
    ----------
    raw, codes, place
        A text, the folded text, and where its characters are from.
    start, end, way
        Spans, and how they are looked for.
    wanted, everyday
        Hashes of what is looked for, and of everyday words; both sorted.

    Returns
    -------
    hits, protected
        The words that may be meant, each once; the everyday words that cannot be, each time: in
        small letters, and far from everything found.
    """
    covered = np.zeros(raw.size + 1, np.bool_)
    for s in range(start.size):
        if way[s] != KEPT:
            covered[start[s] : end[s]] = True
    maybe = np.zeros(FILTER, np.bool_)
    for value in wanted:
        maybe[value & np.uint64(FILTER - 1)] = True
    hits, protected = np.empty(wanted.size, np.uint64), np.empty(codes.size // 2, np.uint64)
    is_hit = np.zeros(wanted.size, np.bool_)
    count, stay, first = 0, 0, 1
    for i in range(1, codes.size):
        if codes[i] != BLANK:
            continue
        begin, first = first, i + 1
        if covered[place[begin]]:
            continue
        value = word_hash(codes, begin, i)
        at = find(wanted, value, maybe)
        if at < 0 and is_digit(codes[i - 1]) and i + 1 < codes.size:  # it may be in groups
            at = find_groups(codes, begin, i, wanted, maybe)
        if at < 0:
            continue
        near = covered[max(place[begin] - NEAR, 0) : place[i - 1] + 1 + NEAR].any()
        value = wanted[at]
        if raw[place[begin]] == codes[begin] and not near and contains(everyday, value):
            protected[stay] = value
            stay += 1
        elif not is_hit[at]:
            is_hit[at] = True
            hits[count] = value
            count += 1
    return hits[:count], protected[:stay]


@kernel
def find_groups(
    codes: CodeArray, begin: int, until: int, wanted: HashArray, maybe: BoolArray
) -> int:
    """Return the place of a number in groups, the first of which is a word; -1 if not wanted."""
    groups = 1
    for i in range(until + 1, codes.size):
        if codes[i] == BLANK:
            groups += 1
            at = find(wanted, word_hash(codes, begin, i), maybe)
            if at >= 0 or groups == GROUPS:
                return at
    return -1


@kernel
def find(wanted: HashArray, value: np.uint64, maybe: BoolArray) -> int:
    """Return the place of a hash among sorted ones, -1 if it is not there."""
    if not maybe[value & np.uint64(FILTER - 1)]:
        return -1
    at = np.searchsorted(wanted, value)
    return int(at) if at < wanted.size and wanted[at] == value else -1


@kernel
def contains(values: HashArray, value: np.uint64) -> bool:
    """Whether sorted values contain one."""
    at = np.searchsorted(values, value)
    return bool(at < values.size and values[at] == value)


@kernel
def is_digit(code: np.uint32) -> bool:
    """Whether a folded character is an ASCII digit."""
    return bool(0x30 <= code <= 0x39)
