"""The scan: one pass over a text, in compiled code, that marks where a pattern can begin."""

from __future__ import annotations

import numpy as np

from lacuna.deid.patterns.cue_words import (
    FAR,
    HASH_FACTOR,
    HASH_START,
    SIZE,
    WEAK,
    KindArray,
    Start,
    WordKind,
)
from lacuna.deid.patterns.number_starts import is_opened, task_of_number
from lacuna.deid.patterns.signs import (
    APOSTROPHE,
    AT,
    BAR,
    BLANK,
    CASE,
    COLON,
    COMMA,
    DASH,
    EN_DASH,
    EQUAL,
    HASH,
    LESS,
    LINE_FEED,
    NINE,
    OPEN,
    QUOTE,
    RIGHT_QUOTE,
    SCORE,
    SLASH,
    SMALL_I,
    SMALL_V,
    SMALL_X,
    STAR,
    STOP,
    ZERO,
    digits_at,
    is_capital,
    is_glued_to_digit,
    is_hexadecimal,
    is_of_domain,
    is_of_mailbox,
    sign_at,
)
from lacuna.kernels import kernel
from lacuna.types import CodeArray, HashArray, IntArray

CUE_REACH, DOMAIN_REACH = 40, 100  # characters between a cue and its number; of a domain
DAY_REACH = 9  # characters between a day and its month: "3rd of March"
LONGEST_PREFIX = 6  # letters before the digits of a number
LONGEST_ROMAN = 4  # letters: VIII


@kernel
def find_starts(
    codes: CodeArray, letters: CodeArray, keys: HashArray, kinds: KindArray
) -> tuple[IntArray, KindArray]:
    """Return where something may begin, and what: a Start, or a cue whose number begins there.

    ``letters[code]`` is the small letter of a letter, 0 for other characters. `cue` is the last cue
    word, as long as only fillers and signs follow it. `chunk` is where the current run of letters
    and digits began, -1 between runs.
    """
    starts = np.empty(2 * codes.size + 2, np.int32)
    tasks = np.empty(2 * codes.size + 2, np.uint8)
    count = 0
    cue, cue_end, chunk, breaks = 0, 0, -1, 0
    word, word_end, day, day_end = 0, 0, 0, -DAY_REACH - 1
    i = 0
    while i < codes.size:
        code = codes[i]
        if code in (BLANK, SCORE):
            chunk = -1
            i += 1
        elif letters[code]:
            if _is_typist(codes, letters, word, word_end, i):
                count = _put(starts, tasks, count, word, Start.INITIALS.value)
            word, (word_end, kind) = i, _word(codes, letters, i, keys, kinds)
            if day_end == word - 1 and _is_roman_month(codes, word, word_end):
                count = _put(starts, tasks, count, day, Start.ROMAN_MONTH.value)
            chunk = i if chunk < 0 else chunk
            breaks, i = 0, word_end
            is_prefix = cue > 0 and i - word <= LONGEST_PREFIX and is_glued_to_digit(codes, i)
            if kind == WordKind.PLAIN or (is_prefix and WordKind.SSN <= cue < WEAK):
                cue = cue if is_prefix else 0  # MRN AB1234567
                continue
            if kind == WordKind.MONTH and word - day_end < DAY_REACH:
                count = _put(starts, tasks, count, day, Start.DAY_MONTH.value)
            start, task = _task_of_word(codes, letters, word, i, kind, cue)
            count = _put(starts, tasks, count, start, task)
            cue = _cue_after_word(cue, kind)
            if kind & (WEAK - 1) >= WordKind.DATE:
                cue_end, chunk = i, -1
        elif ZERO <= code <= NINE:
            end = i + digits_at(codes, i)
            chunk = i if chunk < 0 else chunk
            if cue and i - cue_end > CUE_REACH:
                cue = 0
            if WordKind.PHONE <= cue < WEAK:
                start, task = _task_of_cue(codes, i, end, cue, chunk)
                count = _put(starts, tasks, count, start, task)
            start, task = task_of_number(codes, letters, i, end, cue, chunk)
            count = _put(starts, tasks, count, start, task)
            if end - i <= 2:
                day, day_end = i, end
            cue, breaks, i = 0, 0, end
        else:
            if code in (AT, COLON):
                start, task = _task_of_sign(codes, letters, i, chunk, word, word_end)
                count = _put(starts, tasks, count, start, task)
            breaks = breaks + 1 if code == LINE_FEED else 0 if code > BLANK else breaks
            if cue:
                cue = _cue_after_sign(cue, code, breaks)
            if code != DASH and code != SLASH:
                chunk = -1
            i += 1
    return starts[:count].copy(), tasks[:count].copy()


@kernel
def _is_roman_month(codes: CodeArray, word: int, end: int) -> bool:
    """Whether a word consists of I, V and X, between two equal signs, and a year follows."""
    if end - word > LONGEST_ROMAN or sign_at(codes, end) != sign_at(codes, word - 1):
        return False
    for i in range(word, end):
        if codes[i] | CASE not in (SMALL_I, SMALL_V, SMALL_X):
            return False
    return digits_at(codes, end + 1) in (2, 4)


@kernel
def _is_typist(codes: CodeArray, letters: CodeArray, word: int, end: int, i: int) -> bool:
    """Whether a word that begins a line is in capitals, and small letters follow: RDM/bq."""
    is_joined = end == i - 1 and (codes[end] == SLASH or codes[end] == COLON)
    return is_joined and sign_at(codes, word - 1) == LINE_FEED and is_capital(codes[word], letters)


@kernel
def _put(starts: IntArray, tasks: KindArray, count: int, start: int, task: int) -> int:
    """Add a start, if there is one; return how many there are."""
    if task == 0:
        return count
    starts[count] = start
    tasks[count] = task
    return count + 1


@kernel
def _word(
    codes: CodeArray, letters: CodeArray, i: int, keys: HashArray, kinds: KindArray
) -> tuple[int, int]:
    """Return the end of the word at `i`, and its kind."""
    key = np.uint64(HASH_START)
    letter = letters[codes[i]]
    while letter:
        key = (key ^ np.uint64(letter)) * np.uint64(HASH_FACTOR)
        i += 1
        letter = letters[codes[i]] if i < codes.size else np.uint32(0)
    slot = key & np.uint64(SIZE - 1)
    while keys[slot] != 0:
        if keys[slot] == key:
            return i, int(kinds[slot])
        slot = (slot + np.uint64(1)) & np.uint64(SIZE - 1)
    return i, 0


@kernel
def _cue_after_word(cue: int, kind: int) -> int:
    """Return the cue after a word: the word itself, the old cue after a filler, otherwise none."""
    if kind & (WEAK - 1) >= WordKind.DATE:
        return kind & (WEAK - 1) if cue == WordKind.NUMERO else kind
    if kind in (WordKind.NUMBER, WordKind.NUMERO, WordKind.ID):
        if cue & (WEAK - 1) >= WordKind.PHONE:
            return cue & (WEAK - 1)
        if kind == WordKind.NUMERO:
            return kind  # nº de historia 40517
        return WordKind.OTHER_ID.value if kind == WordKind.ID else 0
    if kind == WordKind.OF or kind == WordKind.WEEKDAY:
        return cue
    if kind == WordKind.FILLER and cue & (WEAK - 1) >= WordKind.PHONE:
        return cue
    return 0


@kernel
def _cue_after_sign(cue: int, code: int, breaks: int) -> int:
    """Return the cue after a sign: white space, brackets, stops … keep it, a blank line ends it."""
    if code in (HASH, COLON):
        return cue & (WEAK - 1)
    if code == COMMA:
        return cue if cue == WordKind.ZIP else 0  # Ohio, 44101
    if code == STOP and cue <= WordKind.YEAR:
        return 0
    is_space = code <= BLANK and breaks < 2
    is_range = OPEN <= code <= STAR or DASH <= code <= SLASH
    is_sign = code in (LESS, EQUAL, BAR, QUOTE, APOSTROPHE, RIGHT_QUOTE, EN_DASH)
    return cue if is_space or is_range or is_sign else 0


@kernel
def _task_of_cue(codes: CodeArray, i: int, end: int, cue: int, chunk: int) -> tuple[int, int]:
    """Return where the number of a cue begins, and the cue if the digits fit it."""
    if cue == WordKind.AGE:
        return i, cue if 2 <= end - i <= 3 else 0
    if end - i >= 4 or digits_at(codes, end + 1):
        return (chunk - 1 if is_opened(codes, chunk, end) else chunk), cue
    if cue <= WordKind.FAX:
        return i - 1, cue if is_opened(codes, i, end) else 0
    return chunk, cue


@kernel
def _task_of_word(
    codes: CodeArray, letters: CodeArray, i: int, end: int, kind: int, cue: int
) -> tuple[int, int]:
    """Return what begins at or before a known word."""
    if kind == WordKind.MONTH:
        is_cued = cue == WordKind.DATE or cue == WordKind.YEAR
        return i, Start.CUED_MONTH.value if is_cued else Start.MONTH.value
    if kind == WordKind.WEEKDAY:
        return i, Start.WEEKDAY.value
    if kind == WordKind.NINETY:
        return i, Start.NINETY.value
    if kind == WordKind.VEHICLE:
        return end, kind
    if WordKind.PHONE <= kind <= WordKind.FAX and end + 1 < codes.size and letters[codes[end + 1]]:
        return end, kind + FAR
    if kind == WordKind.WWW and end < codes.size and codes[end] == STOP:
        return i, Start.URL.value
    if kind == WordKind.TOP_DOMAIN and i > 1 and codes[i - 1] == STOP:
        start = i - 1
        while start > 0 and start > i - DOMAIN_REACH and is_of_domain(codes[start - 1], letters):
            start -= 1
        return start, Start.URL.value if start < i - 1 else 0
    return i, 0


@kernel
def _task_of_sign(
    codes: CodeArray, letters: CodeArray, i: int, chunk: int, word: int, word_end: int
) -> tuple[int, int]:
    """Return what is around ``@`` or a colon: an address."""
    following = sign_at(codes, i + 1)
    if codes[i] == AT:
        start = i
        while start > 0 and is_of_mailbox(codes[start - 1], letters):
            start -= 1
        return start, Start.EMAIL.value if start < i else 0
    if following == SLASH:
        is_scheme = word_end == i and i + 2 < codes.size and codes[i + 2] == SLASH
        return word, Start.URL.value if is_scheme else 0
    group = i + 1
    while group < codes.size and group < i + 5 and is_hexadecimal(codes[group]):
        group += 1
    if group < codes.size and codes[group] == COLON:
        start = chunk if chunk >= i - 4 and chunk >= 0 else i
        return start, Start.HEXADECIMAL.value
    return i, 0
