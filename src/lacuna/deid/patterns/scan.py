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
from lacuna.kernels import kernel
from lacuna.types import CodeArray, HashArray, IntArray

LINE_FEED, BLANK, QUOTE, HASH, PERCENT, AND, APOSTROPHE = map(ord, "\n \"#%&'")
OPEN, CLOSE, STAR, PLUS, COMMA, DASH, STOP, SLASH = map(ord, "()*+,-./")
ZERO, ONE, TWO, SIX, NINE, COLON, SEMICOLON, LESS, EQUAL, AT, SCORE, BAR = map(ord, "01269:;<=@_|")
EN_DASH, RIGHT_QUOTE = 0x2013, 0x2019
SMALL_A, SMALL_F, SMALL_I, SMALL_S, SMALL_V, SMALL_X, SMALL_Y = map(ord, "afisvxy")
CASE = 0x20

CUE_REACH, DOMAIN_REACH = 40, 100  # characters between a cue and its number; of a domain
DAY_REACH = 9  # characters between a day and its month: "3rd of March"
LONGEST_CODE, LONGEST_PREFIX = 36, 6  # characters; letters before the digits of a number
LONG_NUMBER = 6  # digits
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
            is_prefix = cue > 0 and i - word <= LONGEST_PREFIX and _is_glued_to_digit(codes, i)
            if kind == WordKind.PLAIN or (is_prefix and WordKind.SSN <= cue < WEAK):
                cue = cue if is_prefix else 0  # MRN AB1234567
                continue
            if kind == WordKind.MONTH:
                if word - day_end < DAY_REACH:
                    count = _put(starts, tasks, count, day, Start.DAY_MONTH.value)
                is_cued = cue == WordKind.DATE or cue == WordKind.YEAR
                task = Start.CUED_MONTH.value if is_cued else Start.MONTH.value
                count = _put(starts, tasks, count, word, task)
            else:
                start, task = _task_of_word(codes, letters, word, i, kind)
                count = _put(starts, tasks, count, start, task)
            cue = _cue_after_word(cue, kind)
            if kind & (WEAK - 1) >= WordKind.DATE:
                cue_end, chunk = i, -1
        elif ZERO <= code <= NINE:
            end = i + _digits(codes, i)
            chunk = i if chunk < 0 else chunk
            if cue and i - cue_end > CUE_REACH:
                cue = 0
            if WordKind.PHONE <= cue < WEAK:
                start, task = _task_of_cue(codes, i, end, cue, chunk)
                count = _put(starts, tasks, count, start, task)
            start, task = _task_of_number(codes, letters, i, end, cue, chunk)
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
    if end - word > LONGEST_ROMAN or _sign(codes, end) != _sign(codes, word - 1):
        return False
    for i in range(word, end):
        if codes[i] | CASE not in (SMALL_I, SMALL_V, SMALL_X):
            return False
    return _digits(codes, end + 1) in (2, 4)


@kernel
def _is_typist(codes: CodeArray, letters: CodeArray, word: int, end: int, i: int) -> bool:
    """Whether a word that begins a line is in capitals, and small letters follow: RDM/bq."""
    is_joined = end == i - 1 and (codes[end] == SLASH or codes[end] == COLON)
    return is_joined and _sign(codes, word - 1) == LINE_FEED and _is_capital(codes[word], letters)


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
        return kind
    if kind == WordKind.NUMBER or kind == WordKind.ID:
        if cue & (WEAK - 1) >= WordKind.PHONE:
            return cue & (WEAK - 1)
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
    if end - i >= 4 or _digits(codes, end + 1):
        return (chunk - 1 if _is_opened(codes, chunk, end) else chunk), cue
    if cue <= WordKind.FAX:
        return i - 1, cue if _is_opened(codes, i, end) else 0
    return chunk, cue


@kernel
def _is_opened(codes: CodeArray, i: int, end: int) -> bool:
    """Whether a phone number at `i` begins one character earlier: (617) or +44."""
    before = _sign(codes, i - 1)
    is_area = before == OPEN and end - i == 3 and _sign(codes, end) == CLOSE
    return is_area or before == PLUS


@kernel
def _task_of_word(
    codes: CodeArray, letters: CodeArray, i: int, end: int, kind: int
) -> tuple[int, int]:
    """Return what begins at or before a known word."""
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
        while start > 0 and start > i - DOMAIN_REACH and _is_of_domain(codes[start - 1], letters):
            start -= 1
        return start, Start.URL.value if start < i - 1 else 0
    return i, 0


@kernel
def _task_of_sign(
    codes: CodeArray, letters: CodeArray, i: int, chunk: int, word: int, word_end: int
) -> tuple[int, int]:
    """Return what is around ``@`` or a colon: an address."""
    following = _sign(codes, i + 1)
    if codes[i] == AT:
        start = i
        while start > 0 and _is_of_mailbox(codes[start - 1], letters):
            start -= 1
        return start, Start.EMAIL.value if start < i else 0
    if following == SLASH:
        is_scheme = word_end == i and i + 2 < codes.size and codes[i + 2] == SLASH
        return word, Start.URL.value if is_scheme else 0
    group = i + 1
    while group < codes.size and group < i + 5 and _is_hexadecimal(codes[group]):
        group += 1
    if group < codes.size and codes[group] == COLON:
        start = chunk if chunk >= i - 4 and chunk >= 0 else i
        return start, Start.HEXADECIMAL.value
    return i, 0


@kernel
def _task_of_number(
    codes: CodeArray, letters: CodeArray, i: int, end: int, cue: int, chunk: int
) -> tuple[int, int]:
    """Return what may begin with the digits [i, end): three numbers, two, or one."""
    before = _sign(codes, i - 1)
    sign = _sign(codes, end)
    second = _digits(codes, end + 1)
    after = end + 1 + second
    sign_after = _sign(codes, after)
    third = _digits(codes, after + 1) if second else 0
    if sign == SLASH and sign_after == SLASH and third:
        return i, Start.CHAIN.value
    if _is_opened(codes, i, end):
        return i - 1, Start.NUMBERS.value
    is_decade = sign | CASE == SMALL_S and (end - i == 4 or (end - i == 2 and codes[i] == NINE))
    is_unit = is_decade or sign | CASE == SMALL_Y  # 1990s, 90s, 92yo
    if chunk < i or (letters[sign] and not is_unit):
        return chunk, _task_of_chunk(codes, letters, i, chunk)
    if (before in (STOP, COMMA, COLON)) and i > 1 and _digits(codes, i - 2):
        return i, 0
    if sign <= BLANK and end - i >= LONG_NUMBER:
        return i, Start.DIGITS.value
    is_chain = second and third and _is_joint(sign) and _is_joint(sign_after)
    if is_chain and (sign <= BLANK or sign_after > BLANK or end - i == 3):
        if sign > BLANK or end - i + second + third >= 8:
            return i, Start.NUMBERS.value if end - i == 3 else Start.CHAIN.value
    elif second and sign > BLANK:
        return i, _task_of_pair(codes, i, end, after, cue)
    elif second and codes[i] == ZERO and end - i + second >= 9:
        return i, Start.NUMBERS.value
    return _task_of_one(codes, letters, i, end, cue)


@kernel
def _task_of_chunk(codes: CodeArray, letters: CodeArray, i: int, chunk: int) -> int:
    """Return what digits joined to letters may be: postcode, account, vehicle, long number."""
    run = chunk  # where the capitals and digits at the beginning of the chunk end
    while run < min(codes.size, chunk + LONGEST_CODE) and (
        ZERO <= codes[run] <= NINE or _is_capital(codes[run], letters)
    ):
        run += 1
    size = run - chunk
    following = _sign(codes, run)
    if size >= 15:
        return Start.CODE.value
    if 2 <= size <= 4 and i > chunk and following == BLANK and _digits(codes, run + 1):
        return Start.CODE.value
    if size == 4 and i == chunk + 2 and following == BLANK:
        return Start.CODE.value
    if size == 7 and (i == chunk + 3 or i == chunk + 1):  # ZAC5361, V92XK3P
        return Start.CODE.value
    if size == 3 and i == chunk + 1 and following == BLANK:  # V92 XK3P
        return Start.CODE.value
    if i == chunk and (size == 11 or (size == 4 and following == DASH)):  # 1EG4-TE5-MK73
        return Start.CODE.value
    return Start.MIXTURE.value if _mixed_digits(codes, letters, i) >= LONG_NUMBER else 0


@kernel
def _mixed_digits(codes: CodeArray, letters: CodeArray, i: int) -> int:
    """Return how many digits are between here and the end of the chunk, up to LONG_NUMBER."""
    count = 0
    while i < codes.size and count < LONG_NUMBER:
        if ZERO <= codes[i] <= NINE:
            count += 1
        elif not (letters[codes[i]] or DASH <= codes[i] <= SLASH or codes[i] == COLON):
            break
        i += 1
    return count


@kernel
def _task_of_pair(codes: CodeArray, i: int, end: int, after: int, cue: int) -> int:
    """Return what two numbers may be: 3/2014, 2014-03, 02114-1234; 3/14 with evidence."""
    first, second, sign = end - i, after - end - 1, codes[end]
    if sign != SLASH and sign != DASH:
        return 0
    if (first == 4 and 2 <= second <= 4) or (first <= 2 and second == 4):
        return Start.CHAIN.value
    if first == 5 and second == 4 and sign == DASH:
        return Start.ZIP.value
    if first > 2 or second > 2:
        is_local_phone = first == 3 and second == 4 and sign == DASH
        is_long = first + second > LONG_NUMBER and max(first, second) > 4
        return Start.MIXTURE.value if is_local_phone or is_long else 0
    before = _sign(codes, i - 1)
    following = _sign(codes, after)
    is_line = before == LINE_FEED and following == BLANK and _digits(codes, after + 1) > 0
    is_sentence = before == BLANK and i > 1 and (codes[i - 2] == STOP or codes[i - 2] == SEMICOLON)
    is_labelled = is_line or (following == COLON and (before == LINE_FEED or is_sentence))
    is_padded = sign == SLASH and codes[i] == ZERO and second == 2
    is_score = second == 2 and codes[end + 1] == ONE and codes[end + 2] == ZERO  # pain 4/10
    is_short = cue == WordKind.YEAR and sign == SLASH and second == 2 and not is_score
    is_cued = cue == WordKind.DATE or is_short
    return Start.PARTIAL_DATE.value if is_cued or is_padded or is_labelled else 0


@kernel
def _task_of_one(
    codes: CodeArray, letters: CodeArray, i: int, end: int, cue: int
) -> tuple[int, int]:
    """Return what one number may be: a year, an age, a ZIP code, many digits."""
    size = end - i
    before = _sign(codes, i - 1)
    following = _sign(codes, end)
    has_cue = cue == WordKind.DATE or cue == WordKind.YEAR
    if size == 4 and (codes[i] == ONE or codes[i] == TWO):
        is_bracketed = before == OPEN and following == CLOSE
        # 1932 before a colon may be a time of day, 1968 not
        is_labelled = following == COLON and codes[i + 2] >= SIX
        return i, Start.YEAR.value if has_cue or is_bracketed or is_labelled else 0
    if size == 2 and has_cue and (before in (APOSTROPHE, RIGHT_QUOTE)):
        return i - 1, Start.YEAR.value
    if size == 5:
        has_state = i > 3 and (
            _is_capital(codes[i - 2], letters)
            or (codes[i - 2] == COMMA and _is_capital(codes[i - 3], letters))
        )
        return i, Start.ZIP.value if has_state else 0
    if size >= LONG_NUMBER:
        return i, Start.DIGITS.value
    if size == 3 or (size == 2 and codes[i] == NINE):
        if following in (BLANK, DASH, APOSTROPHE, RIGHT_QUOTE):
            following = _sign(codes, end + 1)
        is_decade = size == 2 and codes[i + 1] == ZERO and following | CASE == SMALL_S
        return i, Start.AGE.value if is_decade or following | CASE == SMALL_Y else 0
    return i, 0


@kernel
def _sign(codes: CodeArray, i: int) -> int:
    """Return the character at `i`; a line break outside the text, a blank for an underscore."""
    if i < 0 or i >= codes.size:
        return LINE_FEED
    return BLANK if codes[i] == SCORE else int(codes[i])


@kernel
def _digits(codes: CodeArray, i: int) -> int:
    """Return how many digits begin at `i`."""
    end = i
    while end < codes.size and ZERO <= codes[end] <= NINE:
        end += 1
    return end - i


@kernel
def _is_glued_to_digit(codes: CodeArray, end: int) -> bool:
    """Whether a digit follows, directly or after a dash."""
    end += _sign(codes, end) == DASH
    return ZERO <= _sign(codes, end) <= NINE


@kernel
def _is_joint(code: int) -> bool:
    """Whether a sign may join the numbers of a date or phone number."""
    return DASH <= code <= SLASH or code in (BLANK, LINE_FEED, EN_DASH)


@kernel
def _is_capital(code: int, letters: CodeArray) -> bool:
    """Whether a character is a capital: its small letter has a higher code."""
    return bool(letters[code] > code)


@kernel
def _is_hexadecimal(code: int) -> bool:
    """Whether a character is a hexadecimal digit."""
    return ZERO <= code <= NINE or SMALL_A <= code | CASE <= SMALL_F


@kernel
def _is_of_domain(code: int, letters: CodeArray) -> bool:
    """Whether a character may be part of a domain name."""
    return letters[code] > 0 or ZERO <= code <= NINE or code in (STOP, DASH)


@kernel
def _is_of_mailbox(code: int, letters: CodeArray) -> bool:
    """Whether a character may be before the @ of an e-mail address."""
    return _is_of_domain(code, letters) or code in (SCORE, PLUS, PERCENT, AND, APOSTROPHE)
