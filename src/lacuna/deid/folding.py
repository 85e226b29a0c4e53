r"""Folding: copies of a text in which things that look alike are written alike.

There are two levels. Patterns read a **plain copy**, in which

* dashes are ``-``, all spaces are blanks, all line breaks ``\n``, connectors ``_``;
* digits of every script and full-width characters are ASCII characters;
* invisible characters are left out: soft hyphens, zero-width characters, writing directions.

Terms are compared as **folded words**: the plain copy in small letters, without accents, with one
space between words::

    Smith,\n  JOHN       →  smith john
    O’Brien-Núñez        →  o brien nunez
    Smi<soft hyphen>th   →  smith

Invisible characters that the tokenizer treats as spaces (the zero width space, the byte order mark,
writing directions) may stand inside a word or between two. A text that has some is read both ways.

Every copy knows where each of its characters comes from.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from lacuna.kernels import kernel
from lacuna.text.characters import (
    DIGIT,
    IDEOGRAPH,
    LOWER,
    MARK,
    SPACE,
    class_table,
    code_points,
    lower_table,
)
from lacuna.types import BoolArray, CodeArray, IntArray

BETWEEN, SKIPPED = 0, 1  # in the tables: not part of a word; left out
BLANK = 0x20
#: Unicode's Default_Ignorable_Code_Point, and the marks of interlinear annotation: [first, last].
INVISIBLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0x1BCA0, 0x1BCA3)),
    *((0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
_SAME_AS = {"Pd": "-", "Pc": "_", "Zs": " ", "Zl": "\n", "Zp": "\n"}  # by category
_LOOK_ALIKES = {0x85: "\n", 0x2212: "-", 0x2043: "-", 0x2044: "/", 0x2215: "/"}
_VARIANTS = ("<wide>", "<small>", "<font>")  # full-width, small and mathematical characters
#: Where the characters of these categories and variants are, except digits.
_SEARCHED = (range(0x80, 0x3400), range(0xFB00, 0x10000), range(0x1D400, 0x1D800))
#: Letters with a stroke, which Unicode does not decompose.
_STROKES = str.maketrans("øØłŁđĐħĦıŧŦ", "oollddhhitt")
_FIRST_ACCENTED, _LAST_ACCENTED = 0xC0, 0x1EFF


class Folded(NamedTuple):
    """A folded text, and where each of its characters comes from."""

    text: str
    place: IntArray

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of the original that became ``[start, end)``."""
        return int(self.place[start]), int(self.place[end - 1]) + 1


def plain_copies(text: str) -> Iterator[Folded]:
    """Yield the copies of a text that patterns have to read besides the text itself."""
    if text.isascii():
        return
    codes = code_points(text)
    if first_of(codes, _changed()) < codes.size:
        for between in _ways(codes):
            folded, place = fold_codes(codes, _plain_table(between))
            last = int(np.searchsorted(place, codes.size))  # without the spaces at both ends
            yield Folded(_text(folded[1:last]), place[1:last])


def plain_surface(surface: str) -> str:
    """Return what is seen of a piece of text: plain, without invisible characters."""
    copy = next(plain_copies(surface), None)
    return surface if copy is None else copy.text


def fold(text: str) -> Folded:
    """Return the folded words of a text with a space at both ends."""
    folded, place = fold_codes(code_points(text), word_table())
    return Folded(_text(folded), place)


def fold_copies(text: str) -> Iterator[Folded]:
    """Yield the folded words of a text; twice if it has hidden spaces."""
    codes = code_points(text)
    for table in word_tables(text, codes):
        folded, place = fold_codes(codes, table)
        yield Folded(_text(folded), place)


def word_tables(text: str, codes: CodeArray) -> list[CodeArray]:
    """Return what each code point becomes in folded words; two tables if there are hidden spaces.

    `codes` are those of the text.
    """
    return [_word_table(way) for way in ((False,) if text.isascii() else _ways(codes))]


def word_table() -> CodeArray:
    """Return what each code point becomes in folded words, if there are no hidden spaces."""
    return _word_table(False)


def fold_words(text: str) -> list[str]:
    """Return the folded words of a text."""
    return fold(text).text.split()


@cache
def hidden_spaces() -> BoolArray:
    """Return whether each code point is invisible and a space to the tokenizer; read-only."""
    return _read_only(_invisible() & (class_table() == SPACE))


def _ways(codes: CodeArray) -> tuple[bool, ...]:
    """Return how hidden spaces may be read: as if not there, and if there are some, as spaces."""
    return (False, True) if first_of(codes, hidden_spaces()) < codes.size else (False,)


def _text(codes: CodeArray) -> str:
    return codes.tobytes().decode("utf-32-le", "surrogatepass")


def _invisible() -> BoolArray:
    table = np.zeros(0x110000, np.bool_)
    for first, last in INVISIBLE:
        table[first : last + 1] = True
    return table


@cache
def _changed() -> BoolArray:
    """Return whether each code point is another one in a plain copy, or left out."""
    return _read_only(_plain_table(False) != np.arange(0x110000, dtype=np.uint32))


@cache
def _plain_table(between: bool) -> CodeArray:
    """Return what each code point becomes in a plain copy, or SKIPPED.

    `between`: whether hidden spaces become blanks.
    """
    if between:
        return _read_only(np.where(hidden_spaces(), np.uint32(BLANK), _plain_table(False)))
    table = np.arange(0x110000, dtype=np.uint32)
    table[[BETWEEN, SKIPPED]] = BLANK  # control characters
    for code in chain(*_SEARCHED):
        same = _LOOK_ALIKES.get(code) or _SAME_AS.get(unicodedata.category(chr(code)))
        if same is None and unicodedata.decomposition(chr(code)).startswith(_VARIANTS):
            same = unicodedata.normalize("NFKC", chr(code))
        if same is not None and len(same) == 1:
            table[code] = ord(same)
    for code in np.flatnonzero(class_table() == DIGIT).tolist():
        if (value := unicodedata.decimal(chr(code), None)) is not None:
            table[code] = ord("0") + value
    table[_invisible()] = SKIPPED
    return _read_only(table)


@cache
def _word_table(between: bool) -> CodeArray:
    """Return what each code point becomes in a word: letter, digit, BETWEEN or SKIPPED."""
    if between:
        return _read_only(np.where(hidden_spaces(), np.uint32(BETWEEN), _word_table(False)))
    plain = _plain_table(False)
    classes, lower = class_table()[plain], lower_table()[plain]
    table = np.where((classes >= LOWER) & (classes <= IDEOGRAPH), lower, np.uint32(BETWEEN))
    table[(classes == MARK) | (plain == SKIPPED)] = SKIPPED
    for code in range(_FIRST_ACCENTED, _LAST_ACCENTED + 1):
        if table[code] > SKIPPED:
            base = unicodedata.normalize("NFD", chr(int(table[code])).translate(_STROKES))[0]
            table[code] = ord(base.lower())
    return _read_only(table)


def _read_only(table: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    table.flags.writeable = False
    return table


@kernel
def first_of(codes: CodeArray, marked: BoolArray) -> int:
    """Return where the first marked character is; the length of the text if there is none."""
    for i in range(codes.size):
        if marked[codes[i]]:
            return i
    return codes.size


@kernel
def fold_codes(codes: CodeArray, table: CodeArray) -> tuple[CodeArray, IntArray]:
    """Return the folded text, and the place of each of its characters in the original.

    BETWEEN becomes a space unless one is there already; there is a space at both ends.
    """
    folded = np.empty(codes.size + 2, np.uint32)
    place = np.empty(codes.size + 2, np.int32)
    folded[0], place[0] = BLANK, -1
    count = 1
    for i in range(codes.size):
        code = table[codes[i]]
        if code > SKIPPED:
            folded[count], place[count] = code, i
            count += 1
        elif code == BETWEEN and folded[count - 1] != BLANK:
            folded[count], place[count] = BLANK, i
            count += 1
    if folded[count - 1] != BLANK:
        folded[count], place[count] = BLANK, codes.size
        count += 1
    return folded[:count], place[:count]
