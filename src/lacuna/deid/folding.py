r"""Texts as they are compared with lists: small letters, no accents, one space between words.

::

    Smith,\n  JOHN   →  smith john
    O’Brien-Núñez    →  o brien nunez
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np

from lacuna.deid._fold import BETWEEN, SKIPPED, fold_codes
from lacuna.features.lower import lower_table
from lacuna.text.characters import IDEOGRAPH, LOWER, MARK, class_table, code_points
from lacuna.types import CodeArray, IntArray

#: Letters with a stroke, which Unicode does not take apart.
_STROKES = str.maketrans("øØłŁđĐħĦıŧŦ", "oollddhhitt")
_FIRST_ACCENTED, _LAST_ACCENTED = 0xC0, 0x1EFF


class Folded(NamedTuple):
    """A folded text, with a space before and after it, and where each character comes from."""

    text: str
    place: IntArray


def fold(text: str) -> Folded:
    """Fold a text."""
    folded, place = fold_codes(code_points(text), _table())
    return Folded(folded.tobytes().decode("utf-32-le", "surrogatepass"), place)


def fold_words(text: str) -> list[str]:
    """Return the folded words of a text."""
    return fold(text).text.split()


@cache
def _table() -> CodeArray:
    """Return what each code point becomes: a letter or digit, BETWEEN or SKIPPED; read-only."""
    classes = class_table()
    table = np.where((classes >= LOWER) & (classes <= IDEOGRAPH), lower_table(), np.uint32(BETWEEN))
    table[classes == MARK] = SKIPPED
    for code in range(_FIRST_ACCENTED, _LAST_ACCENTED + 1):
        if table[code] > SKIPPED:
            base = unicodedata.normalize("NFD", chr(int(table[code])).translate(_STROKES))[0]
            table[code] = ord(base.lower())
    table.flags.writeable = False
    return table
