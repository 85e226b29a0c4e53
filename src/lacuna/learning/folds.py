"""Parts of a corpus that share no group: for cross-validation and held-out predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lacuna.errors import ConfigError
from lacuna.text.document import Document

FOLDS = 5  #: for held-out predictions; fewer if there are fewer groups


def jackknife(
    documents: Sequence[Document], k: int, *, rng: np.random.Generator
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield (rest, part) as document numbers, k times; documents of one group stay together.

    Groups are distributed at random, the largest first, each to the part that is smallest so far,
    so that parts have about equal size.
    """
    sizes: dict[tuple[str, str], int] = {}
    for document in documents:
        sizes[document.unit] = sizes.get(document.unit, 0) + len(document.text) + 1
    if k < 2 or k > len(sizes):
        raise ConfigError(f"{k} folds need 2 to {len(sizes)} parts: the groups of the corpus")
    units = list(sizes)
    shuffled = [units[i] for i in rng.permutation(len(units))]
    part_of: dict[tuple[str, str], int] = {}
    load = [0] * k
    for unit in sorted(shuffled, key=lambda u: -sizes[u]):
        part_of[unit] = load.index(min(load))
        load[part_of[unit]] += sizes[unit]
    numbers = [part_of[document.unit] for document in documents]
    for part in range(k):
        rest = [i for i, number in enumerate(numbers) if number != part]
        yield rest, [i for i, number in enumerate(numbers) if number == part]
