"""Hashes of words: a fast test whether something of what was found may stand elsewhere, too.

The hash of a word with the folded characters c₁ … cₙ is Σ cᵢ Bⁿ⁻ⁱ modulo 2⁶⁴, so that the hash of
two words without the blank between them is H(a) Bⁿ + H(b), with n the length of b. Words with equal
hashes are most probably equal; whoever uses this looks at the text then.
"""

from __future__ import annotations

import numpy as np

from lacuna.deid.folding import BETWEEN, SKIPPED
from lacuna.kernels import kernel
from lacuna.types import BoolArray, CodeArray, HashArray, LongArray

#: How a finding is looked for: by its words, in any groups of digits, as a phrase, as written.
WORDS, NUMBER, PHRASE, WHOLE = 1, 2, 3, 4
KEPT = -1  #: it stays in the text
BASE = 0x100000001B3
GROUPS = 12  #: of a number, at most
PHONE, AREA = 10, 3  #: digits of a phone number, and of its first group
NEAR = 4  #: characters; what is this near may be one name
LAST_ASCII = 0x7F
PLURAL = np.uint64(ord("s"))
FILTER_BITS = 10  #: of the filter before hashes are searched


@kernel
def hash_words(
    codes: CodeArray, table: CodeArray
) -> tuple[HashArray, LongArray, LongArray, LongArray]:
    """Return the hash of each word, its folded length, its start and its end.

    `table` is what each code point becomes, as in :mod:`lacuna.deid.folding`.
    """
    most = codes.size // 2 + 1
    hashes, length = np.empty(most, np.uint64), np.empty(most, np.int64)
    start, end = np.empty(most, np.int64), np.empty(most, np.int64)
    count, size, value = 0, 0, np.uint64(0)
    for i in range(codes.size):
        code = table[codes[i]]
        if code > SKIPPED:
            if size == 0:
                start[count] = i
            value = value * np.uint64(BASE) + np.uint64(code)
            end[count] = i + 1
            size += 1
        elif code == BETWEEN and size > 0:
            hashes[count], length[count] = value, size
            count, size, value = count + 1, 0, np.uint64(0)
    if size > 0:
        hashes[count], length[count] = value, size
        count += 1
    return hashes[:count], length[:count], start[:count], end[:count]


@kernel
def joined(value: np.uint64, other: np.uint64, length: int) -> np.uint64:
    """Return the hash of two words together; `length` is that of the second."""
    for _ in range(length):
        value *= np.uint64(BASE)
    return value + other


@kernel
def span_hashes(
    codes: CodeArray,
    table: CodeArray,
    word: HashArray,
    word_start: LongArray,
    word_end: LongArray,
    start: LongArray,
    end: LongArray,
    way: LongArray,
    everyday: HashArray,
) -> tuple[HashArray, LongArray, HashArray]:
    """Return hashes of what is looked for, the number of the span of each, and of first groups.

    WORDS: of every word and its plural; NUMBER: of all together, and the first group (of ten digits
    the first three); PHRASE and WHOLE: of the longest word that is not an everyday word. Of words
    that reach out of a span, the part inside counts.
    """
    most = 0
    for s in range(start.size):
        most += end[s] - start[s] if way[s] > 0 else 0
    hashes, owner = np.empty(most, np.uint64), np.empty(most, np.int64)
    first_groups = np.empty(2 * start.size, np.uint64)
    count, groups = 0, 0
    for s in range(start.size):
        if way[s] <= 0:
            continue
        before, longest, i = count, 1, np.searchsorted(word_end, start[s], side="right")
        if way[s] == NUMBER and i < word.size:
            hashes[count], size = hash_between(codes, table, start[s], end[s])
            until = min(word_end[i], end[s])
            first_groups[groups], _ = hash_between(codes, table, start[s], until)
            first_groups[groups + 1], _ = hash_between(codes, table, start[s], start[s] + AREA)
            groups += 2 if size == PHONE and until == end[s] else 1
            count += 1
        while way[s] != NUMBER and i < word.size and word_start[i] < end[s]:
            first, last = max(word_start[i], start[s]), min(word_end[i], end[s])
            value, size = word[i], last - first
            if word_start[i] < first or word_end[i] > last:
                value, size = hash_between(codes, table, first, last)
            if way[s] == WORDS and size > 1:
                hashes[count], hashes[count + 1] = value, value * np.uint64(BASE) + PLURAL
                count += 2
            elif way[s] != WORDS and size > longest and find(everyday, value) < 0:
                longest, hashes[before], count = size, value, before + 1
            i += 1
        owner[before:count] = s
    return hashes[:count], owner[:count], first_groups[:groups]


@kernel
def hash_between(
    codes: CodeArray, table: CodeArray, first: int, last: int
) -> tuple[np.uint64, int]:
    """Return the hash of the folded characters in ``[first, last)``, and their number."""
    value, size = np.uint64(0), 0
    for i in range(first, min(last, codes.size)):
        if table[codes[i]] > SKIPPED:
            value = value * np.uint64(BASE) + np.uint64(table[codes[i]])
            size += 1
    return value, size


@kernel
def words_left(
    raw: CodeArray,
    table: CodeArray,
    word: HashArray,
    length: LongArray,
    word_start: LongArray,
    word_end: LongArray,
    start: LongArray,
    end: LongArray,
    way: LongArray,
    wanted: HashArray,
    first_groups: HashArray,
    everyday: HashArray,
) -> tuple[HashArray, HashArray]:
    """Return hashes of words that stay in the text and may be what is looked for.

    Words stay that are outside all spans, or inside one that is kept.

    Parameters
    ----------
    raw, table
        A text, and what each code point becomes.
    word, length, word_start, word_end
        Its words, by :func:`hash_words`.
    start, end, way
        Spans, and how they are looked for.
    wanted, first_groups, everyday
        Hashes of what is looked for, of the beginnings of numbers, and of everyday words; sorted.

    Returns
    -------
    hits, protected
        The words that may be meant, each once; the everyday words that cannot be, each time: in
        small letters, and far from everything found.
    """
    covered = covered_characters(raw.size, start, end, way)
    maybe, begins = filter_of(wanted), filter_of(first_groups)
    protected, stay = np.empty(word.size, np.uint64), 0
    is_hit = np.zeros(wanted.size, np.bool_)
    for i in range(word.size):
        if covered[word_start[i]]:
            continue
        at = find(wanted, word[i]) if maybe[bits(word[i])] else -1
        if at >= 0:
            first = raw[word_start[i]]
            near = covered[max(word_start[i] - NEAR, 0) : word_end[i] + NEAR]
            if table[first] == first and not near.any() and find(everyday, wanted[at]) >= 0:
                protected[stay] = word[i]
                stay += 1
            else:
                is_hit[at] = True
        if begins[bits(word[i])]:
            mark_groups(word, length, i, wanted, is_hit)
    return wanted[is_hit], protected[:stay]


@kernel
def covered_characters(size: int, start: LongArray, end: LongArray, way: LongArray) -> BoolArray:
    """Return for each character whether it is inside a span that does not stay in the text."""
    covered = np.zeros(size, np.bool_)
    for s in range(start.size):
        if way[s] != KEPT:
            covered[start[s] : end[s]] = True
    return covered


@kernel
def filter_of(wanted: HashArray) -> BoolArray:
    """Return whether a hash with certain bits may be wanted."""
    maybe = np.zeros(1 << FILTER_BITS, np.bool_)
    for value in wanted:
        maybe[bits(value)] = True
    return maybe


@kernel
def bits(value: np.uint64) -> int:
    """Return some well-mixed bits of a hash."""
    return int((value * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - FILTER_BITS))


@kernel
def mark_groups(
    word: HashArray, length: LongArray, first: int, wanted: HashArray, is_hit: BoolArray
) -> None:
    """Mark the wanted numbers that are written in groups, the first of which is a word."""
    value = word[first]
    for i in range(first + 1, min(first + GROUPS, word.size)):
        value = joined(value, word[i], length[i])
        at = find(wanted, value)
        if at >= 0:
            is_hit[at] = True


@kernel
def find(wanted: HashArray, value: np.uint64) -> int:
    """Return the place of a hash among sorted ones, -1 if it is not there."""
    at = np.searchsorted(wanted, value)
    return int(at) if at < wanted.size and wanted[at] == value else -1


@kernel
def look_through(
    codes: CodeArray,
    table: CodeArray,
    hidden: BoolArray,
    text_end: LongArray,
    start: LongArray,
    end: LongArray,
    way: LongArray,
    span_end: LongArray,
    everyday: HashArray,
) -> tuple[BoolArray, HashArray, LongArray]:
    """Look for what was found in each of several texts in that text, all of them in one call.

    Parameters
    ----------
    codes, text_end
        The texts one after another, and where each ends.
    table, hidden
        What each code point becomes, and whether it is a hidden space.
    start, end, way, span_end
        Spans in `codes`, how they are looked for, and the last span of each text plus one.
    everyday
        Hashes of everyday words, sorted.

    Returns
    -------
    is_left, protected, protected_end
        Whether a text may have more of what was found in it, or has hidden spaces; the hashes of
        protected words of all texts, and where those of each end.
    """
    is_left = np.zeros(text_end.size, np.bool_)
    protected, protected_end = np.empty(codes.size // 2 + 1, np.uint64), np.zeros_like(text_end)
    count, first, span = 0, 0, 0
    for t in range(text_end.size):
        text, spans = codes[first : text_end[t]], slice(span, span_end[t])
        begin, until, ways = start[spans] - first, end[spans] - first, way[spans]
        first, span = text_end[t], span_end[t]
        is_left[t] = has_any(text, hidden)
        if not is_left[t]:
            word, length, at, to = hash_words(text, table)
            wanted, _, groups = span_hashes(text, table, word, at, to, begin, until, ways, everyday)
            wanted, groups = np.sort(wanted), np.sort(groups)
            hits, stay = words_left(
                text, table, word, length, at, to, begin, until, ways, wanted, groups, everyday
            )
            is_left[t] = hits.size > 0
            protected[count : count + stay.size] = stay
            count += stay.size
        protected_end[t] = count
    return is_left, protected[:count], protected_end


@kernel
def has_any(codes: CodeArray, marked: BoolArray) -> bool:
    """Return whether a text has marked characters; none of ASCII is."""
    for code in codes:  # noqa: SIM110 (numba compiles no any())
        if code > LAST_ASCII and marked[code]:
            return True
    return False
