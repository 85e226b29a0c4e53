r"""Kernels: attributes of tokens in their place, each in one pass over all documents.

A line is what stands between two line breaks (``\r\n`` is one) and has tokens; a field begins
with its line, at a tab, and at two or more spaces. A word is a token that begins with a letter
or a digit.
"""

from __future__ import annotations

import numpy as np

from lacuna.features._hashing import NONE, finish, seed, step, step_lower
from lacuna.kernels import kernel
from lacuna.text.characters import DIGIT, IDEOGRAPH, LINE, LOWER, STOP, ClassTable
from lacuna.types import CodeArray, HashArray, IntArray, LongArray

#: What stands before a token; from LINE_BREAK on it begins a line.
NOTHING, ONE_SPACE, SPACES, TAB, LINE_BREAK, BLANK_LINE, DOCUMENT = range(7)
MOST_WORDS = 8  # of a header
NO_TITLE, TITLE, ENDED_TITLE = range(3)
TAB_CODE, LINE_FEED, RETURN, COLON, WIDE_COLON = map(np.uint32, (9, 10, 13, 0x3A, 0xFF1A))
HEADER_SEED, ROW_SEED = 0, 1
WORD_END = np.uint64(0x110000)  # no code point


@kernel
def gaps(
    codes: CodeArray, start: IntArray, end: IntArray, documents: LongArray, classes: ClassTable
) -> LongArray:
    """Return what stands before each token."""
    found = np.empty(len(start), np.int64)
    for d in range(len(documents) - 1):
        for t in range(documents[d], documents[d + 1]):
            if t == documents[d]:
                found[t] = DOCUMENT
            else:
                found[t] = _gap(codes, end[t - 1], start[t], classes)
    return found


@kernel
def _gap(codes: CodeArray, first: int, last: int, classes: ClassTable) -> int:
    if first == last:
        return NOTHING
    breaks, tabs = 0, 0
    for i in range(first, last):
        if classes[codes[i]] == LINE:
            breaks += not (codes[i] == LINE_FEED and i > first and codes[i - 1] == RETURN)
        tabs += codes[i] == TAB_CODE
    if breaks:
        return LINE_BREAK if breaks == 1 else BLANK_LINE
    return TAB if tabs else min(last - first, SPACES)


@kernel
def rows(
    codes: CodeArray, start: IntArray, end: IntArray, before: LongArray, lower: CodeArray
) -> HashArray:
    """Return for each token the hash of the first token of the line above, 0 in the first line."""
    values = np.empty(len(start), np.uint64)
    above = own = NONE
    for t in range(len(start)):
        if before[t] >= LINE_BREAK:
            above = own if before[t] != DOCUMENT else NONE
            own = finish(step_lower(seed(ROW_SEED), codes, start[t], end[t], lower))
        values[t] = above
    return values


@kernel
def places(start: IntArray, documents: LongArray, texts: LongArray, before: LongArray) -> HashArray:
    """Return a hash of the tenth of the text that each token begins in, and if it begins a line."""
    values = np.empty(len(start), np.uint64)
    for d in range(len(documents) - 1):
        text, size = texts[d], texts[d + 1] - texts[d]
        for t in range(documents[d], documents[d + 1]):
            tenth = 10 * (start[t] - text) // size
            values[t] = finish(seed(2 * tenth + (before[t] >= LINE_BREAK)))
    return values


@kernel
def headings(
    codes: CodeArray,
    start: IntArray,
    end: IntArray,
    before: LongArray,
    lower: CodeArray,
    classes: ClassTable,
) -> tuple[HashArray, HashArray]:
    """Return the header and the section of each token, hashes of their words or 0.

    The header is the words of a field before its first colon, from behind that colon on until
    the line ends or another field has one. The section is the header of a line's first field, or
    a title: a line of nothing but words, perhaps with a full stop; it holds until the next. It
    must begin with a letter that is not lower case. Both have at most MOST_WORDS words.
    """
    headers, sections = np.empty(len(start), np.uint64), np.empty(len(start), np.uint64)
    header = section = h = NONE
    words, named, begins_high, title = 0, False, False, NO_TITLE  # of the field so far
    for t in range(len(start)):
        first, last = start[t], end[t]
        initial = classes[codes[first]]
        if before[t] >= SPACES:  # a field begins
            if before[t] >= LINE_BREAK:  # and a line
                if title and 0 < words <= MOST_WORDS:
                    section = finish(h)
                if before[t] == DOCUMENT:
                    section = NONE
                header = NONE
                begins_high = LOWER < initial <= IDEOGRAPH and initial != DIGIT
            else:
                begins_high = False
            h, words, named = seed(HEADER_SEED), 0, False
            title = TITLE if begins_high else NO_TITLE
        headers[t], sections[t] = header, section
        is_word = LOWER <= initial <= IDEOGRAPH
        joined = t + 1 < len(start) and before[t + 1] == NOTHING
        is_colon = _is_colon(codes, first, last, before[t] == NOTHING, joined, classes)
        if is_word and not named:
            words += 1
            if words <= MOST_WORDS:
                h = step(step_lower(h, codes, first, last - is_colon, lower), WORD_END)
        if title == TITLE and initial == STOP:
            title = ENDED_TITLE
        elif title == ENDED_TITLE or is_colon or not is_word:
            title = NO_TITLE
        if is_colon and not named:
            named = True
            if 0 < words <= MOST_WORDS:
                header = finish(h)
                section = header if begins_high else section
    return headers, sections


@kernel
def _is_colon(
    codes: CodeArray,
    first: int,
    last: int,
    joins_left: bool,
    joins_right: bool,
    classes: ClassTable,
) -> bool:
    """Whether the token is or ends in a colon, and not one between two digits, as times have."""
    if codes[last - 1] != COLON and codes[last - 1] != WIDE_COLON:
        return False
    behind_digit = (joins_left or last - first > 1) and classes[codes[last - 2]] == DIGIT
    return not (behind_digit and joins_right and classes[codes[last]] == DIGIT)
