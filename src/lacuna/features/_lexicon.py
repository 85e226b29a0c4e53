"""Kernel: the first bits of cluster paths as 64-bit hashes."""

from __future__ import annotations

import numpy as np

from lacuna.features._hashing import finish, seed, step
from lacuna.kernels import kernel
from lacuna.types import HashArray, IntArray

PATH_BITS = 64


@kernel
def path_values(ids: IntArray, paths: HashArray, lengths: IntArray, size: int) -> HashArray:
    """Return for each entry number a hash of the first `size` bits of its path, 0 for -1.

    Paths begin at the highest bit; one that is shorter than `size` counts as it is.
    """
    values = np.zeros(len(ids), np.uint64)
    for i in range(len(ids)):
        if ids[i] >= 0:
            bits = min(size, lengths[ids[i]])
            first_bits = paths[ids[i]] >> np.uint64(PATH_BITS - bits)
            values[i] = finish(step(seed(bits), first_bits))
    return values
