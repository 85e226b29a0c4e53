"""What may begin with a number: a date, a postcode, a phone number; for the scan for patterns."""

from __future__ import annotations

from lacuna.deid.patterns.cue_words import Start, WordKind
from lacuna.deid.patterns.signs import (
    APOSTROPHE,
    BLANK,
    CASE,
    CLOSE,
    COLON,
    COMMA,
    DASH,
    FIVE,
    LINE_FEED,
    NINE,
    ONE,
    OPEN,
    PLUS,
    RIGHT_QUOTE,
    SEMICOLON,
    SIX,
    SLASH,
    SMALL_A,
    SMALL_C,
    SMALL_P,
    SMALL_S,
    SMALL_Y,
    STOP,
    TWO,
    ZERO,
    digits_at,
    is_capital,
    is_joint,
    sign_at,
)
from lacuna.kernels import kernel
from lacuna.types import CodeArray

LONGEST_CODE = 36  # characters
LONG_NUMBER = 6  # digits
SHORTEST_GROUPS = 7  # digits of three groups: 91 336 87 85


@kernel
def task_of_number(
    codes: CodeArray, letters: CodeArray, i: int, end: int, cue: int, chunk: int
) -> tuple[int, int]:
    """Return what may begin with the digits [i, end): three numbers, two, or one."""
    before = sign_at(codes, i - 1)
    sign = sign_at(codes, end)
    second = digits_at(codes, end + 1)
    after = end + 1 + second
    sign_after = sign_at(codes, after)
    third = digits_at(codes, after + 1) if second else 0
    if sign == SLASH and sign_after == SLASH and third:
        return i, Start.CHAIN.value
    if is_opened(codes, i, end):
        return i - 1, Start.NUMBERS.value
    is_decade = sign | CASE == SMALL_S and (end - i == 4 or (end - i == 2 and codes[i] == NINE))
    is_unit = is_decade or sign | CASE == SMALL_Y  # 1990s, 90s, 92yo
    if chunk < i or (letters[sign] and not is_unit):
        return chunk, _task_of_chunk(codes, letters, i, chunk)
    if (before in (STOP, COMMA, COLON)) and i > 1 and digits_at(codes, i - 2):
        return i, 0
    if sign <= BLANK and end - i >= LONG_NUMBER:
        return i, Start.DIGITS.value
    is_chain = second and third and is_joint(sign) and is_joint(sign_after)
    if is_chain and (sign <= BLANK or sign_after > BLANK or end - i == 3):
        if sign > BLANK or end - i + second + third >= SHORTEST_GROUPS:
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
        ZERO <= codes[run] <= NINE or is_capital(codes[run], letters)
    ):
        run += 1
    size = run - chunk
    following = sign_at(codes, run)
    if size >= 15:
        return Start.CODE.value
    if 2 <= size <= 4 and i > chunk and following == BLANK and digits_at(codes, run + 1):
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
    before = sign_at(codes, i - 1)
    following = sign_at(codes, after)
    is_line = before == LINE_FEED and following == BLANK and digits_at(codes, after + 1) > 0
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
    before = sign_at(codes, i - 1)
    following = sign_at(codes, end)
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
            is_capital(codes[i - 2], letters)
            or (codes[i - 2] == COMMA and is_capital(codes[i - 3], letters))
        )
        has_town = following == BLANK and is_capital(codes[end + 1], letters)
        is_zip = has_state or (codes[i] <= FIVE and (has_town or _is_after_cp(codes, i)))
        return i, Start.ZIP.value if is_zip else 0
    if size >= LONG_NUMBER:
        return i, Start.DIGITS.value
    if size == 3 or (size == 2 and codes[i] == NINE):
        if following in (BLANK, DASH, APOSTROPHE, RIGHT_QUOTE):
            following = sign_at(codes, end + 1)
        is_decade = size == 2 and codes[i + 1] == ZERO and following | CASE == SMALL_S
        is_old = following | CASE in (SMALL_A, SMALL_Y)  # años, years
        return i, Start.AGE.value if is_decade or is_old else 0
    return i, 0


@kernel
def _is_after_cp(codes: CodeArray, i: int) -> bool:
    """Whether *C.P.* is before a number, maybe with a colon."""
    while i > 3 and codes[i - 1] in (BLANK, COLON):
        i -= 1
    return (
        i > 3
        and codes[i - 1] == STOP
        and codes[i - 2] | CASE == SMALL_P
        and codes[i - 3] == STOP
        and codes[i - 4] | CASE == SMALL_C
    )


@kernel
def is_opened(codes: CodeArray, i: int, end: int) -> bool:
    """Whether a phone number at `i` begins one character earlier: (617) or +44."""
    before = sign_at(codes, i - 1)
    is_area = before == OPEN and end - i == 3 and sign_at(codes, end) == CLOSE
    return is_area or before == PLUS
