"""Kernel: a text as words in small letters without accents, one space between them."""

from __future__ import annotations

import numpy as np

from lacuna.kernels import kernel
from lacuna.types import CodeArray, IntArray

BETWEEN, SKIPPED = 0, 1  # in the table: no part of a word; a mark that clings to one
BLANK = 0x20


@kernel
def fold_codes(codes: CodeArray, table: CodeArray) -> tuple[CodeArray, IntArray]:
    """Return the folded text and the place of each of its characters; a space at both ends.

    Whatever stands between two words becomes one space.
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
    return folded[:count].copy(), place[:count].copy()
