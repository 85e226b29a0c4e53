r"""Attributes of tokens by their position, each in one pass over all documents.

A line is the tokens between two line breaks (``\r\n`` is one); a field begins with its line, at a
tab, and at two or more spaces. A word is a token that begins with a letter or a digit.

Forms name at the top what a note mentions further down: a word that followed ``Surname:`` is one
wherever it occurs again (`earlier_headers`). The tokens of ``22-10-04`` say little one by one; that
together they are ``d-d-d`` says nearly everything (`runs`).
"""

from __future__ import annotations

import numpy as np

from lacuna.features.hashing import NONE, finish, seed, step, step_lower, step_shape
from lacuna.kernels import kernel
from lacuna.text.characters import DIGIT, IDEOGRAPH, LETTER, LINE, LOWER, STOP, ClassTable
from lacuna.types import BoolArray, CodeArray, HashArray, IntArray, LongArray

#: The gap before a token; from LINE_BREAK on it begins a line.
NOTHING, ONE_SPACE, SPACES, TAB, LINE_BREAK, BLANK_LINE, DOCUMENT = range(7)

MOST_WORDS = 8  # of a header
NO_TITLE, TITLE, ENDED_TITLE = range(3)
TAB_CODE, LINE_FEED, RETURN, COLON, WIDE_COLON = map(np.uint32, (9, 10, 13, 0x3A, 0xFF1A))
HEADER_SEED, ROW_SEED, RUN_SEED, LEAD_SEED = range(4)
WORD_END = np.uint64(0x110000)  # no code point
NO_DATE, DAY, MONTH, YEAR, NUMERIC = range(5)
DASH, FULL_STOP, SLASH, ZERO, NINE = map(np.uint32, (0x2D, 0x2E, 0x2F, 0x30, 0x39))
LAST_DAY, FIRST_YEAR, LAST_YEAR = 31, 1900, 2099


@kernel
def gaps(
    codes: CodeArray, start: IntArray, end: IntArray, documents: LongArray, classes: ClassTable
) -> LongArray:
    """Return the kind of gap before each token."""
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
    """Return the kind of the gap [first, last)."""
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
def places(start: IntArray, documents: LongArray, texts: LongArray, before: LongArray) -> HashArray:
    """Return for each token a hash of its tenth of the text and of whether it begins a line."""
    values = np.empty(len(start), np.uint64)
    for d in range(len(documents) - 1):
        text, size = texts[d], texts[d + 1] - texts[d]
        for t in range(documents[d], documents[d + 1]):
            tenth = 10 * (start[t] - text) // size
            values[t] = finish(seed(2 * tenth + (before[t] >= LINE_BREAK)))
    return values


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
def leads(
    codes: CodeArray,
    start: IntArray,
    end: IntArray,
    before: LongArray,
    lower: CodeArray,
    classes: ClassTable,
) -> HashArray:
    """Return for each token that does not begin with a letter the last word before it on its line.

    A hash of that word in lower case; 0 for words, and if there is none.
    """
    values = np.empty(len(start), np.uint64)
    lead = NONE
    for t in range(len(start)):
        if before[t] >= LINE_BREAK:
            lead = NONE
        first = classes[codes[start[t]]]
        if LOWER <= first <= LETTER:
            values[t] = NONE
            lead = finish(step_lower(seed(LEAD_SEED), codes, start[t], end[t], lower))
        else:
            values[t] = lead
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

    The header is the words of a field before its first colon; it holds after that colon until the
    line ends or another field has one. The section is the header of a line's first field, or a
    title: a line of only words, with or without a full stop; it holds until the next. It must
    begin with a letter that is not lower case. Both have at most MOST_WORDS words.
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
    """Whether the token is or ends in a colon, except between two digits as in times."""
    if codes[last - 1] != COLON and codes[last - 1] != WIDE_COLON:
        return False
    after_digit = (joins_left or last - first > 1) and classes[codes[last - 2]] == DIGIT
    return not (after_digit and joins_right and classes[codes[last]] == DIGIT)


@kernel
def earlier_headers(
    codes: CodeArray,
    start: IntArray,
    words: HashArray,
    documents: LongArray,
    headers: HashArray,
    classes: ClassTable,
) -> HashArray:
    """Return the first header that the same word had earlier in the document; 0 for none.

    Only words that begin with a digit, or with a letter that is not lower case, have a value.
    """
    values = np.zeros(len(start), np.uint64)
    size = 1
    for d in range(len(documents) - 1):
        while size < 2 * (documents[d + 1] - documents[d]):
            size *= 2
    mask = np.uint64(size - 1)
    first_seen = np.full(size, -1, np.int64)  # hash table of tokens; others are free
    for d in range(len(documents) - 1):
        for t in range(documents[d], documents[d + 1]):
            if not LOWER < classes[codes[start[t]]] <= IDEOGRAPH:
                continue
            slot = words[t] & mask
            while first_seen[slot] >= documents[d] and words[first_seen[slot]] != words[t]:
                slot = (slot + np.uint64(1)) & mask
            if first_seen[slot] >= documents[d]:
                values[t] = headers[first_seen[slot]]
            elif headers[t] != NONE:
                first_seen[slot] = t
    return values


@kernel
def runs(
    codes: CodeArray, start: IntArray, end: IntArray, before: LongArray, classes: ClassTable
) -> HashArray:
    """Return the short shape of the run that each token is part of, 0 for one word or none.

    A run is tokens without a space between them, from its first to its last word: signs at its
    ends do not belong to it.
    """
    values = np.zeros(len(start), np.uint64)
    first_word, last_word = -1, -1
    for t in range(len(start)):
        if before[t] != NOTHING:
            first_word = -1
        if LOWER <= classes[codes[start[t]]] <= IDEOGRAPH:
            first_word = t if first_word < 0 else first_word
            last_word = t
        ends = t + 1 == len(start) or before[t + 1] != NOTHING
        if ends and 0 <= first_word < last_word:
            first, last = start[first_word], end[last_word]
            shape = step_shape(seed(RUN_SEED), codes, first, last, classes, True)
            values[first_word : last_word + 1] = finish(shape)
    return values


@kernel
def date_parts(
    codes: CodeArray, start: IntArray, end: IntArray, before: LongArray, months: BoolArray
) -> LongArray:
    """Return what each token may be in a date; months[t]: it is the name of a month.

    DAY is a number from 1 to 31, YEAR one from 1900 to 2099. NUMERIC are all five tokens of
    three numbers joined by two equal signs of ``-./``: the one in the middle a DAY, one of the
    others too, and the third of two or four digits.
    """
    parts = np.full(len(start), NO_DATE, np.int64)
    for t in range(len(start)):
        value = _number(codes, start[t], end[t])
        if months[t]:
            parts[t] = MONTH
        elif 1 <= value <= LAST_DAY and end[t] - start[t] <= 2:
            parts[t] = DAY
        elif FIRST_YEAR <= value <= LAST_YEAR:
            parts[t] = YEAR
    for t in range(4, len(start)):
        sign = codes[start[t - 1]]
        if DASH <= sign <= SLASH and _is_numeric_date(codes, start, end, before, t - 4):
            parts[t - 4 : t + 1] = NUMERIC
    return parts


@kernel
def _is_numeric_date(
    codes: CodeArray, start: IntArray, end: IntArray, before: LongArray, t: int
) -> bool:
    """Whether the five tokens from t on make a numeric date; the fourth is one of ``-./``."""
    if codes[start[t + 1]] != codes[start[t + 3]]:
        return False
    for k in range(t + 1, t + 5):
        if before[k] != NOTHING:
            return False
    if end[t + 1] - start[t + 1] != 1 or end[t + 3] - start[t + 3] != 1:
        return False
    size = end[t] - start[t], end[t + 2] - start[t + 2], end[t + 4] - start[t + 4]
    first, middle, last = (
        _number(codes, start[t], end[t]),
        _number(codes, start[t + 2], end[t + 2]),
        _number(codes, start[t + 4], end[t + 4]),
    )
    if not 1 <= middle <= LAST_DAY or size[1] > 2:
        return False
    if 1 <= first <= LAST_DAY and size[0] <= 2:
        return last >= 0 and (size[2] == 2 or FIRST_YEAR <= last <= LAST_YEAR)
    return FIRST_YEAR <= first <= LAST_YEAR and 1 <= last <= LAST_DAY and size[2] <= 2


@kernel
def _number(codes: CodeArray, first: int, last: int) -> int:
    """Return the number if the token is up to four digits, else -1."""
    if last - first > 4:
        return -1
    value = 0
    for i in range(first, last):
        if not ZERO <= codes[i] <= NINE:
            return -1
        value = 10 * value + int(codes[i] - ZERO)
    return value
