"""Kernels of the sentence splitter; its rules are listed in :mod:`lacuna.text.sentences`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lacuna.kernels import kernel
from lacuna.text.characters import (
    APOSTROPHE,
    CLOSE,
    DIGIT,
    IDEOGRAPH,
    LETTER,
    LINE,
    LOWER,
    OPEN,
    PAUSE,
    QUOTE,
    STOP,
    UPPER,
    WIDE_STOP,
    ClassTable,
)
from lacuna.types import CodeArray, IntArray, LongArray

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

# What is known of a word, as bits.
TITLE = 1  # a stop after it does not end a sentence: Dr. vs.
BEFORE_NUMBER = 2  # nor here, if a number follows: No. Fig.
ABBREVIATION = 4  # here it does, if the next word starts sentences: Inc. p.m.
STARTER = 8  # starts sentences but no names: The, Se, Er
CONNECTOR = 16  # a line that ends with it continues: of, de, und
MONTH = 32  # "3. Mai"
STREET = 64  # a house number and a flat follow: Calle, Avda
INSIDE_HOUSE = 128  # says that a flat or floor follows: Piso, Puerta

DEFAULT_WIDTH, SMALLEST_WIDTH, LARGEST_WIDTH = 72, 40, 200
LONGEST_KEY, LONGEST_KEY_TOKENS, LONGEST_HEADER = 40, 6, 60
LONGEST_ITEM_NUMBER = 2
LONGEST_STREET_TOKENS = 10

NEWLINE, CARRIAGE_RETURN, PARAGRAPH = 0x0A, 0x0D, 0x2029
NUMBER_SIGN, AMPERSAND, LEFT_BRACKET, RIGHT_BRACKET = 0x23, 0x26, 0x28, 0x29
ASTERISK, COMMA, HYPHEN, FULL_STOP, SLASH, COLON = 0x2A, 0x2C, 0x2D, 0x2E, 0x2F, 0x3A
SMALL_C = 0x63
FEMININE_ORDINAL, MASCULINE_ORDINAL = 0xAA, 0xBA
MIDDLE_DOT, BULLET, WIDE_COLON, SYMBOL_FONT_BULLET = 0xB7, 0x2022, 0xFF1A, 0xF0B7


#: The columns of signs[t, …], all that the rules use of token t: its borders in the text, its first
#: code point, the classes of its first and last code point, what is known of the word.
START, END, CODE, FIRST, LAST, KIND = range(6)


@kernel
def signs_of(
    codes: CodeArray,
    table: ClassTable,
    start: IntArray,
    end: IntArray,
    words: IntArray,
    kinds: Bytes,
) -> IntArray:
    """Return the signs of every token; words[t] is its known word, of kind kinds[...], or -1."""
    signs = np.empty((len(start), 6), np.int32)
    for t in range(len(start)):
        code = codes[start[t]]
        signs[t, START] = start[t]
        signs[t, END] = end[t]
        signs[t, CODE] = code
        signs[t, FIRST] = table[code]
        signs[t, LAST] = table[codes[end[t] - 1]]
        signs[t, KIND] = kinds[words[t]]
    return signs


@kernel
def all_sentences(
    codes: CodeArray, table: ClassTable, signs: IntArray, texts: LongArray, documents: LongArray
) -> LongArray:
    """Return the first token of each sentence of many texts, and at the end the number of tokens.

    Text d is codes[texts[d]:texts[d + 1]] and has the tokens documents[d] to documents[d + 1].
    """
    sentences = np.empty(len(signs) + 1, np.int64)
    count = 0
    for d in range(len(documents) - 1):
        a, b = documents[d], documents[d + 1]
        own = signs[a:b]
        lines, blank = _find_lines(codes, table, own, texts[d])
        found = _find_sentences(own, lines, blank)
        for s in range(len(found) - 1):
            sentences[count] = a + found[s]
            count += 1
    sentences[count] = len(signs)
    return sentences[: count + 1].copy()


@kernel
def _find_lines(
    codes: CodeArray, table: ClassTable, signs: IntArray, text: int
) -> tuple[IntArray, Flags]:
    """Return the first token of each line that has one, and whether a blank line precedes it.

    The text begins at codes[text]. The last entry is the number of tokens.
    """
    lines = np.empty(len(signs) + 1, np.int32)
    blank = np.zeros(len(signs) + 1, np.bool_)
    count = 0
    for t in range(len(signs)):
        breaks = 0
        for i in range(signs[t - 1, END] if t > 0 else text, signs[t, START]):
            if codes[i] == PARAGRAPH:
                breaks += 2
            elif table[codes[i]] == LINE:
                breaks += not (codes[i] == NEWLINE and i > text and codes[i - 1] == CARRIAGE_RETURN)
        if t == 0 or breaks > 0:
            lines[count] = t
            blank[count] = breaks > 1
            count += 1
    lines[count] = len(signs)
    return lines[: count + 1].copy(), blank[: count + 1].copy()


@kernel
def _find_sentences(signs: IntArray, lines: IntArray, blank: Flags) -> IntArray:
    """Return the first token of each sentence, and at the end the number of tokens."""
    width = _wrap_width(signs, lines, blank)
    stops = _open_stops(signs)
    sentences = np.empty(len(signs) + 1, np.int32)
    count = 0
    for k in range(lines.size - 1):
        for t in range(lines[k], lines[k + 1]):
            if t > lines[k]:
                cut = stops[t - 1] >= 0 and _ends_sentence(signs, stops[t - 1], lines, k, t)
            else:
                cut = k == 0 or blank[k] or _cuts_line(signs, stops[t - 1], lines, k - 1, width)
            if cut:
                sentences[count] = t
                count += 1
    sentences[count] = len(signs)
    return sentences[: count + 1].copy()


@kernel
def _open_stops(signs: IntArray) -> IntArray:
    """Return for each token the stop that ends there, closing brackets and quotes included; or -1.

    stops[t] = t for a stop, stops[t-1] for a sign that closes right after, else -1
    """
    stops = np.full(len(signs), -1, np.int32)
    for t in range(len(signs)):
        first = signs[t, FIRST]
        if first in (STOP, WIDE_STOP):
            stops[t] = t
        elif t > 0 and not _is_apart(signs, t) and first in (CLOSE, QUOTE, APOSTROPHE):
            stops[t] = stops[t - 1]
    return stops


@kernel
def _is_apart(signs: IntArray, t: int) -> bool:
    """Whether there is anything between token t and the previous one."""
    return t == 0 or signs[t, START] > signs[t - 1, END]


@kernel
def _is_letter(character_class: int) -> bool:
    """Whether it is a letter of any case."""
    return LOWER <= character_class <= LETTER


@kernel
def _continues(character_class: int) -> bool:
    """Whether a sentence rarely begins with such a sign."""
    return character_class in (PAUSE, CLOSE, STOP)


@kernel
def _ends_sentence(signs: IntArray, stop: int, lines: IntArray, k: int, t: int) -> bool:
    """Whether token t of line k begins a sentence, after the stop before it."""
    first = signs[t, FIRST]
    if _continues(first) or first == WIDE_STOP:
        return False
    if signs[stop, FIRST] == WIDE_STOP:
        return True
    if not _is_apart(signs, t) or _is_abbreviation(signs, stop, lines[k], t):
        return False
    if _is_flat(signs, t, lines[k + 1]) and _is_house(signs, stop, lines[k]):
        return False
    if first >= APOSTROPHE and t + 1 < lines[k + 1]:  # "(lower", "- lower"
        first = signs[t + 1, FIRST]
    return bool(first != LOWER)


@kernel
def _is_abbreviation(signs: IntArray, stop: int, line: int, t: int) -> bool:
    """Whether the full stop belongs to the word before it, given the next token t."""
    word = stop - 1
    if signs[stop, CODE] != FULL_STOP or signs[stop, END] - signs[stop, START] > 1 or word < line:
        return False
    length = signs[word, END] - signs[word, START]
    kind = signs[word, KIND]
    starter = signs[t, KIND] & STARTER != 0
    if kind & TITLE or signs[word, CODE] == SLASH:  # "C/. Mayor"
        return True
    if signs[word, FIRST] == DIGIT:
        return length <= LONGEST_ITEM_NUMBER and (word == line or signs[t, KIND] & MONTH != 0)
    if _is_letter(signs[word, FIRST]) and length == 1:
        after_digit = word > line and signs[word - 1, FIRST] == DIGIT
        unit = after_digit and not _is_apart(signs, word)  # 80s.
        return word == line or not (starter or unit)
    if kind & BEFORE_NUMBER and signs[t, FIRST] == DIGIT:
        return True
    named = kind & STREET != 0 and signs[word, FIRST] == UPPER  # "Calle. Mayor"
    return (kind & ABBREVIATION != 0 or named) and not starter


@kernel
def _is_house(signs: IntArray, stop: int, line: int) -> bool:
    """Whether the stop follows the number of a house: "C/ Mayor 3.", "Calle del Sol, 14."."""
    if stop == line or signs[stop - 1, FIRST] != DIGIT:
        return False
    for t in range(stop - 2, max(line, stop - 1 - LONGEST_STREET_TOKENS) - 1, -1):
        if t > line and signs[t, FIRST] == STOP:
            return bool(signs[t - 1, KIND] & STREET != 0 or signs[t - 1, CODE] == SLASH)
        if signs[t, KIND] & STREET:
            return True
        if t > line and signs[t, CODE] == SLASH and signs[t - 1, CODE] | 0x20 == SMALL_C:
            return True
    return False


@kernel
def _is_flat(signs: IntArray, t: int, c: int) -> bool:
    """Whether token t may be a flat: "1A", "4 Izq", "A", "ºB", "Piso 2"; its line ends with c."""
    length = signs[t, END] - signs[t, START]
    if signs[t, CODE] == FEMININE_ORDINAL or signs[t, CODE] == MASCULINE_ORDINAL:
        return True
    is_last = t + 1 == c or _continues(signs[t + 1, FIRST])
    if signs[t, FIRST] == DIGIT and length <= LONGEST_ITEM_NUMBER:
        return is_last or not _is_apart(signs, t + 1) or signs[t + 1, KIND] & INSIDE_HOUSE != 0
    if signs[t, FIRST] == UPPER and length == 1:
        return is_last
    if not signs[t, KIND] & INSIDE_HOUSE or t + 1 == c:
        return False
    following, size = signs[t + 1, FIRST], signs[t + 1, END] - signs[t + 1, START]
    return bool(
        following == DIGIT or signs[t + 1, CODE] == HYPHEN or (following == UPPER and size == 1)
    )


@kernel
def _cuts_line(signs: IntArray, stop: int, lines: IntArray, k: int, width: int) -> bool:
    """Whether the end of line k ends a sentence, given that no blank line follows it."""
    a, b, c = lines[k], lines[k + 1], lines[k + 2]
    first = signs[b, FIRST]
    lower = first == LOWER or _continues(first)
    wrapped = _is_wrapped(signs, a, b, width)
    unfinished = _is_unfinished(signs, a, b)
    if _is_item(signs, b, c):
        return not (unfinished and first == DIGIT)  # "on the / 5. of May"
    if _is_key(signs, b, c) and not (lower and wrapped):
        return True
    if unfinished:
        return False
    if stop >= 0 and _is_abbreviation(signs, stop, a, b):
        return False
    if stop >= 0 or signs[b - 1, CODE] == COLON:
        return not (lower and wrapped)
    if lower:
        return _is_header(signs, a, b)
    return not wrapped


@kernel
def _wrap_width(signs: IntArray, lines: IntArray, blank: Flags) -> int:
    """Return the width that lines were wrapped to: half of the certainly wrapped ones reach it.

    A line is certainly wrapped if it ends with a word or a comma and the next one begins in lower
    case.
    """
    having = np.zeros(LARGEST_WIDTH + 1, np.int32)  # certainly wrapped lines of each width
    count = 0
    for k in range(lines.size - 2):
        b = lines[k + 1]
        width = signs[b - 1, END] - signs[lines[k], START]
        open_end = signs[b - 1, LAST] < APOSTROPHE or signs[b - 1, CODE] == COMMA
        if signs[b, FIRST] == LOWER and open_end and not blank[k + 1] and width <= LARGEST_WIDTH:
            having[width] += 1
            count += 1
    if count == 0:
        return DEFAULT_WIDTH
    width = LARGEST_WIDTH
    reach = having[width]
    while width > SMALLEST_WIDTH and 2 * reach < count:
        width -= 1
        reach += having[width]
    return width


@kernel
def _is_wrapped(signs: IntArray, a: int, b: int, width: int) -> bool:
    """Whether the first word of line b would have made line [a, b) too long."""
    line = signs[b - 1, END] - signs[a, START]
    t = b
    while t + 1 < len(signs) and not _is_apart(signs, t + 1) and t < b + width:
        t += 1
    return bool(line + 1 + signs[t, END] - signs[b, START] > width and 2 * line <= 3 * width)


@kernel
def _is_unfinished(signs: IntArray, a: int, b: int) -> bool:
    """Whether line [a, b) ends with a comma, a bracket, a joining sign, "of", "Dr" or "Dr."."""
    last = b - 1
    code = signs[last, CODE]
    if code == COMMA or signs[last, FIRST] == OPEN or signs[last, KIND] & (CONNECTOR | TITLE):
        return True
    if last == a or signs[last, END] - signs[last, START] > 1:
        return False
    if code in (HYPHEN, AMPERSAND, SLASH):
        return True
    return bool(code == FULL_STOP and signs[last - 1, KIND] & TITLE)


@kernel
def _is_item(signs: IntArray, b: int, c: int) -> bool:
    """Whether line [b, c) begins with a bullet or 1. or 2) or a) or (3) or #4, then something."""
    if b + 1 >= c:
        return False
    code, sign = signs[b, CODE], signs[b + 1, CODE]
    length = signs[b, END] - signs[b, START]
    apart = _is_apart(signs, b + 1)
    if _is_bullet(code):
        return length == 1 and (apart or code > 0xFF or _is_letter(signs[b + 1, FIRST]))
    if apart:
        return False
    if code in (LEFT_BRACKET, NUMBER_SIGN):
        closed = code == NUMBER_SIGN or (b + 2 < c and signs[b + 2, CODE] == RIGHT_BRACKET)
        return signs[b + 1, FIRST] == DIGIT and closed
    if b + 2 < c and not _is_apart(signs, b + 2):
        return False
    number = signs[b, FIRST] == DIGIT and length <= LONGEST_ITEM_NUMBER
    letter = _is_letter(signs[b, FIRST]) and length == 1
    return bool((sign == RIGHT_BRACKET and (number or letter)) or (sign == FULL_STOP and number))


@kernel
def _is_bullet(code: int) -> bool:
    """Whether it is a sign that begins list items."""
    if code in (HYPHEN, ASTERISK, MIDDLE_DOT, BULLET):
        return True
    dash = 0x2010 <= code <= 0x2015
    shape = 0x25A0 <= code <= 0x25FF or 0x2713 <= code <= 0x27BF
    return dash or shape or code == SYMBOL_FONT_BULLET


@kernel
def _is_key(signs: IntArray, b: int, c: int) -> bool:
    """Whether line [b, c) begins with a few words and a colon."""
    if not (_is_letter(signs[b, FIRST]) or signs[b, FIRST] == IDEOGRAPH):
        return False
    for t in range(b + 1, min(b + 1 + LONGEST_KEY_TOKENS, c)):
        if signs[t, END] - signs[b, START] > LONGEST_KEY:
            return False
        if signs[t, CODE] == COLON or signs[t, CODE] == WIDE_COLON:
            return not (t + 1 < c and signs[t + 1, CODE] == SLASH)  # http://
        before_colon = t + 1 < c and signs[t + 1, CODE] == COLON  # "Tel.:"
        if signs[t, FIRST] == PAUSE or (signs[t, FIRST] == STOP and not before_colon):
            return False
    return False


@kernel
def _is_header(signs: IntArray, a: int, b: int) -> bool:
    """Whether line [a, b) is short and has upper-case words only."""
    if signs[b - 1, END] - signs[a, START] > LONGEST_HEADER:
        return False
    upper = False
    for t in range(a, b):
        if signs[t, LAST] == LOWER:
            return False
        upper = upper or (signs[t, LAST] == UPPER and signs[t, END] - signs[t, START] > 1)
    return upper
