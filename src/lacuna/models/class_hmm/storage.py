"""Reading a class HMM from a model file; :meth:`ClassHmmModel.store` writes it.

Features are stored as the hashes of their keys.
"""

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
from lacuna.models.class_hmm.features import WordFeatureSpace, features_of
from lacuna.models.file import StoredModel, require
from lacuna.models.settings import stored_settings

LARGEST = 1e6  #: absolute value of a weight

Number = TypeVar("Number", np.float32, np.float64)


def restore_class_hmm(stored: StoredModel) -> ClassHmmModel:
    """Return the model that a file holds.

    Everything compiled code relies on is checked; a damaged file raises ModelFileError.
    """
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
        space = WordFeatureSpace(features, KnownKeys.of(keys))
    except ValueError:
        raise ModelFileError(stored.source, "a feature occurs twice") from None
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
    """Return a required array whose values are possible weights."""
    array = require(stored, name, dtype, shape)
    if not (np.abs(array) <= LARGEST).all():  # false for NaN
        raise ModelFileError(stored.source, f"array {name} has values that cannot be weights")
    return array
