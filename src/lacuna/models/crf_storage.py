"""A CRF as arrays and back.

Weights are stored row by row without those near zero: row r has the tags
``weight_tags[borders[r]:borders[r + 1]]``. Features are stored as the hashes of their keys; words
of the training text stand beside them only so that people can read what a model learnt
(``vocabulary.py``).
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np

from lacuna.errors import LacunaError, ModelFileError
from lacuna.features.extract import FeatureIndex
from lacuna.features.plan import KEYS, make_plan
from lacuna.features.resources import Resources
from lacuna.features.templates import parse_templates
from lacuna.models.card import Card
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.storage import NO_STRINGS, PackedStrings, StoredModel, require
from lacuna.text.word_types import WordTypes
from lacuna.types import RealArray

#: Weights smaller than this are not stored: a mention's score is a sum of about fifty.
NEGLIGIBLE = 1e-3

Key = Annotated[int, msgspec.Meta(ge=0, lt=KEYS)]


def store_crf(model: CrfModel) -> StoredModel:
    """Return everything the model is, for a file."""
    plan = model.index.plan
    kept = np.abs(model.weights) >= NEGLIGIBLE
    rows = np.flatnonzero(kept.any(axis=1))
    kept = kept[rows]
    return StoredModel(
        CrfModel.kind,
        {
            "config": msgspec.to_builtins(model.config),
            "tags": list(model.tags),
            "templates": [str(template) for template in plan.templates],
            "key": plan.key,
            "card": msgspec.to_builtins(model.card),
        },
        {
            **plan.resources.to_arrays(),
            "keys": model.index.keys.hashes[rows],
            "borders": np.concatenate(([0], np.cumsum(kept.sum(axis=1)))).astype(np.int64),
            "weight_tags": np.nonzero(kept)[1].astype(np.uint16),
            "weights": model.weights[rows][kept].astype(np.float32),
            "moves": model.moves.astype(np.float32),
            "words": model.words.data,
            "word_borders": model.words.offsets,
        },
    )


def restore_crf(stored: StoredModel) -> CrfModel:
    """Rebuild a model from a file; everything compiled code relies on is checked here."""
    try:
        config = msgspec.convert(stored.header.get("config"), Crf)
        tags = tuple(msgspec.convert(stored.header.get("tags"), list[str]))
        lines = msgspec.convert(stored.header.get("templates"), list[str])
        key = msgspec.convert(stored.header.get("key", 0), Key)
        card = msgspec.convert(stored.header.get("card", {}), Card)
        resources = Resources.from_arrays(stored.arrays)
        plan = make_plan(parse_templates(lines), resources=resources, key=key)
    except (msgspec.ValidationError, ValueError, RecursionError, LacunaError) as error:
        raise ModelFileError(stored.source, f"its header is damaged: {error}") from None
    if not tags or tags[0] != "O" or len(set(tags)) != len(tags):
        raise ModelFileError(stored.source, "its tags are damaged")
    keys = require(stored, "keys", np.uint64, (-1,))
    index = FeatureIndex(plan, WordTypes.build(keys))
    if len(index) != len(keys):
        raise ModelFileError(stored.source, "its features occur twice")
    moves = require(stored, "moves", np.float32, (len(tags), len(tags)))
    weights = _weights(stored, len(keys), len(tags))
    return CrfModel(config, tags, index, weights, moves, card, _words(stored))


def _words(stored: StoredModel) -> PackedStrings:
    if "words" not in stored.arrays:
        return NO_STRINGS
    return PackedStrings(
        require(stored, "words", np.uint8, (-1,)),
        require(stored, "word_borders", np.int64, (-1,)),
    )


def _weights(stored: StoredModel, features: int, tags: int) -> RealArray:
    borders = require(stored, "borders", np.int64, (features + 1,))
    values = require(stored, "weights", np.float32, (-1,))
    columns = require(stored, "weight_tags", np.uint16, (len(values),))
    rising = borders[0] == 0 and borders[-1] == len(values) and (np.diff(borders) >= 0).all()
    if not rising or (columns >= tags).any():
        raise ModelFileError(stored.source, "its weights are damaged")
    weights = np.zeros((features, tags), np.float32)
    weights[np.repeat(np.arange(features), np.diff(borders)), columns] = values
    return weights
