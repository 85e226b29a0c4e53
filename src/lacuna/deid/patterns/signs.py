"""Single characters, as the scan for patterns sees them."""

from __future__ import annotations

from lacuna.kernels import kernel
from lacuna.types import CodeArray

LINE_FEED, BLANK, QUOTE, HASH, PERCENT, AND, APOSTROPHE = map(ord, "\n \"#%&'")
OPEN, CLOSE, STAR, PLUS, COMMA, DASH, STOP, SLASH = map(ord, "()*+,-./")
ZERO, ONE, TWO, FIVE, SIX, NINE, COLON, SEMICOLON, LESS, EQUAL = map(ord, "012569:;<=")
AT, SCORE, BAR = map(ord, "@_|")
EN_DASH, RIGHT_QUOTE = 0x2013, 0x2019
SMALL_A, SMALL_C, SMALL_F, SMALL_I, SMALL_P = map(ord, "acfip")
SMALL_S, SMALL_V, SMALL_X, SMALL_Y = map(ord, "svxy")
CASE = 0x20


@kernel
def sign_at(codes: CodeArray, i: int) -> int:
    """Return the character at `i`; a line break outside the text, a blank for an underscore."""
    if i < 0 or i >= codes.size:
        return LINE_FEED
    return BLANK if codes[i] == SCORE else int(codes[i])


@kernel
def digits_at(codes: CodeArray, i: int) -> int:
    """Return how many digits begin at `i`."""
    end = i
    while end < codes.size and ZERO <= codes[end] <= NINE:
        end += 1
    return end - i


@kernel
def is_glued_to_digit(codes: CodeArray, end: int) -> bool:
    """Whether a digit follows, directly or after a dash."""
    end += sign_at(codes, end) == DASH
    return ZERO <= sign_at(codes, end) <= NINE


@kernel
def is_joint(code: int) -> bool:
    """Whether a sign may join the numbers of a date or phone number."""
    return DASH <= code <= SLASH or code in (BLANK, LINE_FEED, EN_DASH)


@kernel
def is_capital(code: int, letters: CodeArray) -> bool:
    """Whether a character is a capital: its small letter has a higher code."""
    return bool(letters[code] > code)


@kernel
def is_hexadecimal(code: int) -> bool:
    """Whether a character is a hexadecimal digit."""
    return ZERO <= code <= NINE or SMALL_A <= code | CASE <= SMALL_F


@kernel
def is_of_domain(code: int, letters: CodeArray) -> bool:
    """Whether a character may be part of a domain name."""
    return letters[code] > 0 or ZERO <= code <= NINE or code in (STOP, DASH)


@kernel
def is_of_mailbox(code: int, letters: CodeArray) -> bool:
    """Whether a character may be before the @ of an e-mail address."""
    return is_of_domain(code, letters) or code in (SCORE, PLUS, PERCENT, AND, APOSTROPHE)
