"""Restoring an aligned model from a file: the tagger inside it, and the weights of alignment."""

from __future__ import annotations

import msgspec
import numpy as np

from lacuna.errors import ModelFileError
from lacuna.models.aligned import AlignedModel
from lacuna.models.aligned.features import AlignmentFeatures
from lacuna.models.aligned.objective import AlignmentWeights
from lacuna.models.base import Tagger
from lacuna.models.file import (
    PackedStrings,
    StoredModel,
    require,
    require_numbers,
    unpack_strings,
)
from lacuna.models.stored_tags import check_stored_labels


def restore_aligned(stored: StoredModel, tagger: Tagger) -> AlignedModel:
    """Rebuild an aligned model from a file."""
    try:
        labels = msgspec.convert(stored.header.get("alignment_labels"), list[str])
        joins = msgspec.convert(stored.header.get("joins"), frozenset[tuple[str, str]])
        free = msgspec.convert(stored.header.get("free", labels), frozenset[str])
    except (msgspec.ValidationError, TypeError):
        raise ModelFileError(stored.source, "its labels or joins are damaged") from None
    distinct = set(labels)
    if labels[:1] != ["O"] or len(distinct) != len(labels) or not set(tagger.labels) <= distinct:
        raise ModelFileError(stored.source, "its labels are not those of its tagger")
    check_stored_labels(stored, labels)  # it may give any of them to a word
    packed = PackedStrings(
        require(stored, "words", np.uint8, (-1,)), require(stored, "word_borders", np.int64, (-1,))
    )
    words = unpack_strings(packed, source=stored.source)
    if len(set(words)) != len(words):
        raise ModelFileError(stored.source, "a word occurs twice in it")
    space = AlignmentFeatures(tuple(labels), tuple(words))
    tables = {
        name: require_numbers(stored, name, np.float64, table.shape)
        for name, table in space.zeros()._asdict().items()
    }
    return AlignedModel(tagger, space, AlignmentWeights(**tables), joins, free)
