"""Parts of a corpus that share no group: for cross-validation and held-out predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lacuna.errors import ConfigError
from lacuna.text.document import Document

FOLDS = 5  #: for held-out predictions; fewer if there are fewer groups


def too_few(documents: Sequence[Document]) -> str:
    """Say how many documents or groups there are, and what to do if they are one."""
    units = len({document.unit for document in documents})
    if len(documents) == 1:
        return (
            "the corpus is one document. Begin each with a line -DOCSTART- or # newdoc (conll), or"
            " give each a file or a line of jsonl"
        )
    if units == len(documents):
        return f"the corpus has {units}"
    if units == 1:
        return f"all {len(documents)} documents of the corpus are of one group (a patient)"
    return f"the {len(documents)} documents of the corpus are of {units} groups (patients)"


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
        what = f"{k} folds need at least {k}" if k >= 2 else "held-out predictions need at least 2"
        raise ConfigError(f"{what} documents: {too_few(documents)}")
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
