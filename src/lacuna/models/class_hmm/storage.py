"""A class HMM as arrays and back. Features are stored as the hashes of their keys."""

from __future__ import annotations

from typing import TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from lacuna.encoding.schemes import Scheme, tag_set
from lacuna.errors import LacunaError, ModelFileError
from lacuna.features.index import KnownKeys
from lacuna.features.resources import Resources
from lacuna.models.base import Card
from lacuna.models.class_hmm import ClassHmm, ClassHmmModel
from lacuna.models.class_hmm.features import FeatureSpace, features_of
from lacuna.models.file import StoredModel, require
from lacuna.models.settings import stored_settings

LARGEST = 1e6

Number = TypeVar("Number", np.float32, np.float64)


def store_class_hmm(model: ClassHmmModel) -> StoredModel:
    """Return everything the model is, for a file."""
    features = model.space.features
    return StoredModel(
        ClassHmmModel.kind,
        {
            "config": msgspec.to_builtins(model.config),
            "tags": list(model.tags),
            "properties": list(features.properties),
            "templates": [str(template) for template in features.plan.templates],
            "card": msgspec.to_builtins(model.card),
        },
        {
            **features.plan.resources.to_arrays(),
            "keys": model.space.known.hashes,
            "weights": model.weights,
            "log_total": model.log_total,
            "transition": model.transition,
            "start": model.start,
        },
    )


def restore_class_hmm(stored: StoredModel) -> ClassHmmModel:
    """Rebuild a model from a file; everything compiled code relies on is checked here."""
    header = stored.header
    try:
        config = stored_settings(ClassHmm, header.get("config"))
        tags = tuple(msgspec.convert(header.get("tags"), list[str]))
        properties = msgspec.convert(header.get("properties"), list[str])
        lines = msgspec.convert(header.get("templates"), list[str])
        card = msgspec.convert(header.get("card", {}), Card)
        features = features_of(properties, lines, Resources.from_arrays(stored.arrays))
    except (msgspec.ValidationError, ValueError, RecursionError, LacunaError) as error:
        raise ModelFileError(stored.source, f"its header is damaged: {error}") from None
    if not _fit_scheme(tags, config.scheme):
        raise ModelFileError(stored.source, "its tags are damaged")
    keys = require(stored, "keys", np.uint64, (-1,))
    try:
        space = FeatureSpace(features, KnownKeys.of(keys))
    except ValueError:
        raise ModelFileError(stored.source, "a feature occurs twice in it") from None
    size = len(tags) * config.states
    return ClassHmmModel(
        config,
        tags,
        space,
        _finite(stored, "weights", np.float32, (len(space), size)),
        _finite(stored, "log_total", np.float64, (size,)),
        _finite(stored, "transition", np.float64, (size, size)),
        _finite(stored, "start", np.float64, (size,)),
        card,
    )


def _fit_scheme(tags: tuple[str, ...], scheme: Scheme) -> bool:
    """Whether these are the tags of some labels, each once."""
    return tags == tag_set(dict.fromkeys(tag[2:] for tag in tags[1:]), scheme)


def _finite(
    stored: StoredModel, name: str, dtype: type[Number], shape: tuple[int, ...]
) -> npt.NDArray[Number]:
    """Return a required array of numbers of a size that weights can have."""
    array = require(stored, name, dtype, shape)
    if not (np.abs(array) <= LARGEST).all():  # NaN is not
        raise ModelFileError(stored.source, f"array {name} has values that are no weights")
    return array
