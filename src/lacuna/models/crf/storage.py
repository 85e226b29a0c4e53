"""Restoring CRFs from model files.

Weights are stored row by row: row r has the tags ``weight_tags[borders[r]:borders[r + 1]]``. They
may take few bytes (:func:`~lacuna.models.scoring.in_few_bytes`).
Features are stored as the hashes of their keys; the words of the training text are stored only so
that people can see what a model learnt (`explain.py`).
"""

from __future__ import annotations

from typing import Annotated, Generic, NamedTuple, TypeVar, get_args

import msgspec
import numpy as np

from lacuna.errors import LacunaError, ModelFileError
from lacuna.features.extract import FeatureIndex
from lacuna.features.index import KnownKeys
from lacuna.features.plan import KEYS, make_plan
from lacuna.features.resources import Resources
from lacuna.features.templates import parse_templates
from lacuna.models.base import Card
from lacuna.models.crf import Crf, CrfModel, CrfSettings, Support
from lacuna.models.crf.li import Li, LiModel
from lacuna.models.file import (
    NO_STRINGS,
    PackedStrings,
    StoredModel,
    require,
    require_numbers,
)
from lacuna.models.scoring import SparseRows, in_all_bytes, stored_weights
from lacuna.models.settings import stored_settings
from lacuna.models.stored_tags import check_tags
from lacuna.types import RealArray

Key = Annotated[int, msgspec.Meta(ge=0, lt=KEYS)]
Settings = TypeVar("Settings", bound=CrfSettings)


class _Content(NamedTuple, Generic[Settings]):
    """The content of a file of any kind of CRF."""

    config: Settings
    tags: tuple[str, ...]
    features: FeatureIndex
    weights: SparseRows
    moves: RealArray
    card: Card
    words: PackedStrings


def restore_crf(stored: StoredModel) -> CrfModel:
    """Rebuild a CRF of flat mentions from a file."""
    model = CrfModel(*_restore(stored, Crf))
    check_tags(stored, model.tags, model.config.scheme)
    return model


def restore_li(stored: StoredModel) -> LiModel:
    """Rebuild a CRF with LI tags from a file."""
    model = LiModel(*_restore(stored, Li))
    if model.tags != model.config.tag_set(model.labels):
        raise ModelFileError(stored.source, "its tags are damaged")
    return model


def _restore(stored: StoredModel, settings: type[Settings]) -> _Content[Settings]:
    """Return the content of a file; whatever compiled code relies on is checked here."""
    stored = in_all_bytes(stored)
    try:
        config = stored_settings(settings, _as_trained(stored.header.get("config")))
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
    try:
        index = FeatureIndex(plan, KnownKeys.of(keys))
    except ValueError as error:
        raise ModelFileError(stored.source, f"its features are damaged: {error}") from None
    moves = require_numbers(stored, "moves", np.float32, (len(tags), len(tags)))
    weights = stored_weights(stored, len(keys), len(tags))
    return _Content(config, tags, index, weights, moves, card, _words(stored))


def _words(stored: StoredModel) -> PackedStrings:
    if "words" not in stored.arrays:
        return NO_STRINGS
    return PackedStrings(
        require(stored, "words", np.uint8, (-1,)),
        require(stored, "word_borders", np.int64, (-1,)),
    )


def _as_trained(config: object) -> object:
    """Return stored settings as training understood them; earlier versions did not check them."""
    if not isinstance(config, dict):
        return config
    known = dict(config)
    if isinstance(known.get("support"), str) and known["support"] not in get_args(Support):
        known["support"] = "observed"
    for name, least in (("min_count", 1), ("min_documents", 1), ("tolerance", 0.0)):
        if isinstance(known.get(name), int | float):
            known[name] = max(known[name], least)
    return known
