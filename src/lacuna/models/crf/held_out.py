"""Parts of a corpus whose first pass comes from a model that has not seen them.

Documents are divided by group. If the corpus is cut into blocks of sentences, a part is a run of
blocks, and those next to it belong neither to the part nor to the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lacuna.encoding.flat import Example
from lacuna.features.blocks import block_units
from lacuna.features.token_table import TokenTable
from lacuna.learning.folds import jackknife
from lacuna.models.crf.elsewhere import FirstPass
from lacuna.types import BoolArray

FOLDS = 3


class Fold(NamedTuple):
    """Tokens to train on, and those to tag then."""

    rest: BoolArray
    part: BoolArray


def held_out(examples: Sequence[Example], table: TokenTable, block: int) -> Iterator[Fold]:
    """Yield parts that together are the corpus; `block` is the size of blocks, 0 for none."""
    if not block:
        numbers = np.repeat(np.arange(len(examples)), np.diff(table.documents))
        documents = [example.document for example in examples]
        for rest, part in jackknife(documents, FOLDS, rng=np.random.default_rng(0)):
            yield Fold(np.isin(numbers, rest), np.isin(numbers, part))
        return
    unit = block_units(table.documents, table.sentences, block)
    unit = np.repeat(unit, np.diff(table.sentences))
    for run in np.array_split(np.unique(unit), FOLDS):
        yield Fold((unit < run[0] - 1) | (unit > run[-1] + 1), np.isin(unit, run))


def only_in(part: BoolArray, seen: FirstPass) -> FirstPass:
    """Return what was seen in a part: nothing elsewhere."""
    own = part[seen.start]
    mentions = (seen.start[own], seen.end[own], seen.label[own])
    return FirstPass(seen.labels, np.where(part[:, None], seen.share, 0), *mentions)


def joined(parts: Sequence[FirstPass]) -> FirstPass:
    """Return what was seen in all parts, which have the same labels."""
    share = sum((part.share for part in parts[1:]), parts[0].share)
    start, end, label = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("start", "end", "label")
    )
    order = np.argsort(start)
    return FirstPass(parts[0].labels, share, start[order], end[order], label[order])
