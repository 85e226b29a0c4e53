"""Kernel: the shape of what stands between two spaces, for each of the tokens it was cut into.

The tokens of ``22-10-04`` say little one by one; that they make up ``d-d-d`` says nearly all.
"""

from __future__ import annotations

import numpy as np

from lacuna.features._hashing import finish, seed
from lacuna.features._places import NOTHING
from lacuna.features._words import step_shape
from lacuna.kernels import kernel
from lacuna.text.characters import IDEOGRAPH, LOWER, ClassTable
from lacuna.types import CodeArray, HashArray, IntArray, LongArray

RUN_SEED = 2


@kernel
def runs(
    codes: CodeArray, start: IntArray, end: IntArray, before: LongArray, classes: ClassTable
) -> HashArray:
    """Return the short shape of the run that each token is part of, 0 for one word or none.

    A run is tokens without a space between them, from its first to its last word: signs at its
    ends are no part of it.
    """
    values = np.zeros(len(start), np.uint64)
    first_word, last_word = -1, -1
    for t in range(len(start)):
        if before[t] != NOTHING:
            first_word = -1
        if LOWER <= classes[codes[start[t]]] <= IDEOGRAPH:
            first_word = t if first_word < 0 else first_word
            last_word = t
        ends = t + 1 == len(start) or before[t + 1] != NOTHING
        if ends and 0 <= first_word < last_word:
            first, last = start[first_word], end[last_word]
            shape = step_shape(seed(RUN_SEED), codes, first, last, classes, True)
            values[first_word : last_word + 1] = finish(shape)
    return values
