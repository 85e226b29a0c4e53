"""Lower case, one code point for one, so that it can be looked up in kernels."""

from __future__ import annotations

from functools import cache

import numpy as np

from lacuna.text.characters import UPPER, class_table
from lacuna.types import CodeArray


@cache
def lower_table() -> CodeArray:
    """Return the lower case of every code point, where it is one code point; read-only."""
    table = np.arange(0x110000, dtype=np.uint32)
    for code in np.flatnonzero(class_table() == UPPER).tolist():
        lowered = chr(code).lower()
        if len(lowered) == 1:
            table[code] = ord(lowered)
    table.flags.writeable = False
    return table
