"""Kernel: under which header a word stood before.

Forms name at the top what a note speaks of further down: a word that stood behind ``Surname:``
is one wherever it comes again.
"""

from __future__ import annotations

import numpy as np

from lacuna.features._hashing import NONE
from lacuna.kernels import kernel
from lacuna.text.characters import IDEOGRAPH, LOWER, ClassTable
from lacuna.types import CodeArray, HashArray, IntArray, LongArray


@kernel
def earlier_headers(
    codes: CodeArray,
    start: IntArray,
    words: HashArray,
    documents: LongArray,
    headers: HashArray,
    classes: ClassTable,
) -> HashArray:
    """Return the header that the same word had when it first had one, further up; 0 for none.

    Only words that begin with a letter or digit that is not lower case are asked about.
    """
    values = np.zeros(len(start), np.uint64)
    size = 1
    for d in range(len(documents) - 1):
        while size < 2 * (documents[d + 1] - documents[d]):
            size *= 2
    mask = np.uint64(size - 1)
    first_seen = np.full(size, -1, np.int64)  # a hash table of tokens; older documents' are free
    for d in range(len(documents) - 1):
        for t in range(documents[d], documents[d + 1]):
            if not LOWER < classes[codes[start[t]]] <= IDEOGRAPH:
                continue
            slot = words[t] & mask
            while first_seen[slot] >= documents[d] and words[first_seen[slot]] != words[t]:
                slot = (slot + np.uint64(1)) & mask
            if first_seen[slot] >= documents[d]:
                values[t] = headers[first_seen[slot]]
            elif headers[t] != NONE:
                first_seen[slot] = t
    return values
