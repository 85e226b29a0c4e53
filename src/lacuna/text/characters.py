r"""Code points of a text, and the class and lower case of every character.

==========  ======================================================================================
class       characters
==========  ======================================================================================
SPACE       Unicode White_Space, all other control characters, and invisible characters that set
            words apart or change the writing direction (zero width space, byte order mark, bidi)
LINE        line breaks: ``\n \v \f \r``, next line, line and paragraph separator
LOWER       lower-case letters
UPPER       upper-case and title-case letters
LETTER      letters without case: Arabic, Hebrew, Hangul, ª, º, …
DIGIT       every kind of number, ½ and ³ included
HIRAGANA    hiragana letters
KATAKANA    katakana letters, the long vowel sign included
FLAG        regional indicators, the letters of emoji flags
IDEOGRAPH   letters of scripts written without spaces: Han, Thai, Lao, Khmer, Burmese, …
MARK        attached to the previous character: combining marks, joiners, soft hyphen, skin tones
APOSTROPHE  ``'`` and ``’``
STOP        ends a sentence when a space follows: ``. ! ? …`` and the like
WIDE_STOP   ends a sentence without a space: ``。！？｡``
PAUSE       comma, colon, semicolon and the like
OPEN        opening brackets
CLOSE       closing brackets
QUOTE       quotation marks that open as well as close
SYMBOL      everything else: punctuation, emoji, private use, unassigned, lone surrogates
==========  ======================================================================================

Letters come from the running Python's :mod:`unicodedata`; characters that a newer Unicode adds
are SYMBOL until then. Lower case maps one code point to one, so that kernels can look it up.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np
import numpy.typing as npt

from lacuna.types import CodeArray

ClassTable = npt.NDArray[np.uint8]

# Kernels freeze these numbers when they are compiled, and numba's disk cache does not look into
# this file: renumbering them requires touching the kernel files.
# White space is <= LINE, letters are LOWER..LETTER, runs of one class are DIGIT..FLAG.
SPACE, LINE = 0, 1
LOWER, UPPER, LETTER = 2, 3, 4
DIGIT, HIRAGANA, KATAKANA, FLAG = 5, 6, 7, 8
IDEOGRAPH, MARK = 9, 10
APOSTROPHE, STOP, WIDE_STOP, PAUSE, OPEN, CLOSE, QUOTE, SYMBOL = 11, 12, 13, 14, 15, 16, 17, 18

_CLASS_OF_CATEGORY = {
    **dict.fromkeys(("Lu", "Lt"), UPPER),
    **dict.fromkeys(("Lm", "Lo"), LETTER),
    **dict.fromkeys(("Mn", "Mc", "Me", "Cf"), MARK),
    **dict.fromkeys(("Nd", "Nl", "No"), DIGIT),
    **dict.fromkeys(("Zs", "Cc"), SPACE),
    **dict.fromkeys(("Zl", "Zp"), LINE),
    **dict.fromkeys(("Ps", "Pi"), OPEN),
    **dict.fromkeys(("Pe", "Pf"), CLOSE),
    **dict.fromkeys(("Pc", "Pd", "Po", "Sm", "Sc", "Sk", "So", "Cn", "Co", "Cs"), SYMBOL),
    "Ll": LOWER,
}

# Blocks of one class, filled without looking at each character: [first, last], class.
_UNIFORM_BLOCKS = (
    (0x3400, 0x4DBF, IDEOGRAPH),
    (0x4E00, 0x9FFF, IDEOGRAPH),
    (0xAC00, 0xD7A3, LETTER),  # Hangul syllables
    (0xD800, 0xF8FF, SYMBOL),  # surrogates, private use
    (0x12000, 0x1467F, IDEOGRAPH),  # cuneiform, hieroglyphs
    (0x17000, 0x18DFF, IDEOGRAPH),  # Tangut, Khitan
    (0x18E00, 0x1AFEF, SYMBOL),
    (0x1B170, 0x1B2FF, IDEOGRAPH),  # Nushu
    (0x1B300, 0x1BBFF, SYMBOL),
    (0x1C000, 0x1CEFF, SYMBOL),
    (0x1F300, 0x1FBEF, SYMBOL),  # emoji
    (0x1FC00, 0x1FFFF, SYMBOL),
    (0x20000, 0x3FFFF, IDEOGRAPH),
    (0x40000, 0xDFFFF, SYMBOL),
    (0xE0000, 0xE0FFF, MARK),  # tags, variation selectors
    (0xE1000, 0x10FFFF, SYMBOL),
)

# Letters in these blocks are not ordinary letters.
_LETTER_BLOCKS = (
    (0x0E00, 0x0EFF, IDEOGRAPH),  # Thai, Lao
    (0x1000, 0x109F, IDEOGRAPH),  # Burmese
    (0x1780, 0x17FF, IDEOGRAPH),  # Khmer
    (0x1950, 0x19DF, IDEOGRAPH),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF, IDEOGRAPH),  # Tai Tham
    (0x3031, 0x3035, HIRAGANA),
    (0x3041, 0x309F, HIRAGANA),
    (0x30A1, 0x30FF, KATAKANA),
    (0x31F0, 0x31FF, KATAKANA),
    (0xA9E0, 0xA9FF, IDEOGRAPH),  # Burmese
    (0xAA60, 0xAADF, IDEOGRAPH),  # Burmese, Tai Viet
    (0xF900, 0xFAFF, IDEOGRAPH),
    (0xFF66, 0xFF9F, KATAKANA),
    (0x1AFF0, 0x1B16F, KATAKANA),
)

_SINGLE = {
    LINE: "\n\v\f\r\x85",
    SPACE: "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    "\u206a\u206b\u206c\u206d\u206e\u206f\ufeff\ufff9\ufffa\ufffb",
    IDEOGRAPH: "々〆〇",
    MARK: "🏻🏼🏽🏾🏿",
    FLAG: "".join(map(chr, range(0x1F1E6, 0x1F200))),
    APOSTROPHE: "'\u2019\uff07",
    STOP: ".!?…‼⁇⁈⁉؟۔।॥։።။។",
    WIDE_STOP: "。！？｡．",
    PAUSE: ",;:،؛、，；：､",
    QUOTE: '"“”«»',
    # Format characters that are visible: they occur before or around numbers.
    SYMBOL: "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"
    "\U000110bd\U000110cd",
}


def code_points(text: str) -> CodeArray:
    """Return the code points of `text`, lone surrogates included, as a read-only array."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))


@cache
def class_table() -> ClassTable:
    """Return the class of every code point: ``class_table()[ord(character)]``, read-only."""
    table = np.empty(0x110000, np.uint8)
    asked = np.ones(0x110000, np.bool_)
    for first, last, character_class in _UNIFORM_BLOCKS:
        table[first : last + 1] = character_class
        asked[first : last + 1] = False
    points = np.flatnonzero(asked)
    categories = map(unicodedata.category, map(chr, points.tolist()))
    table[points] = np.fromiter(map(_CLASS_OF_CATEGORY.__getitem__, categories), np.uint8)
    for first, last, character_class in _LETTER_BLOCKS:
        block = table[first : last + 1]
        block[block == LETTER] = character_class
    for character_class, characters in _SINGLE.items():
        table[code_points(characters)] = character_class
    table.flags.writeable = False
    return table


@cache
def lower_table() -> CodeArray:
    """Return the lower case of every code point if it is one code point, else itself; read-only."""
    table = np.arange(0x110000, dtype=np.uint32)
    for code in np.flatnonzero(class_table() == UPPER).tolist():
        lowered = chr(code).lower()
        if len(lowered) == 1:
            table[code] = ord(lowered)
    table.flags.writeable = False
    return table
