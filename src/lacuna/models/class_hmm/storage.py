"""Reading a class HMM from a model file; :meth:`ClassHmmModel.store` writes it.

Features are stored as the hashes of their keys.
"""

from __future__ import annotations

import msgspec
import numpy as np

from lacuna.errors import LacunaError, ModelFileError
from lacuna.features.index import KnownKeys
from lacuna.features.resources import Resources
from lacuna.models.base import Card
from lacuna.models.class_hmm import ClassHmm, ClassHmmModel
from lacuna.models.class_hmm.chain_counts import NO_CLASSES
from lacuna.models.class_hmm.features import WordFeatureSpace, features_of
from lacuna.models.file import StoredModel, require, require_numbers
from lacuna.models.settings import stored_settings
from lacuna.models.stored_tags import check_tags


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
    check_tags(stored, tags, config.scheme)
    keys = require(stored, "keys", np.uint64, (-1,))
    try:
        space = WordFeatureSpace(features, KnownKeys.of(keys))
    except ValueError as error:
        raise ModelFileError(stored.source, f"its features are damaged: {error}") from None
    size = int(config.borders(tags)[-1])
    classes = NO_CLASSES
    if config.state_classes == "distribution":
        classes = require_numbers(stored, "classes", np.float64, (len(tags), size))
    return ClassHmmModel(
        config,
        tags,
        space,
        require_numbers(stored, "weights", np.float32, (len(space), size)),
        require_numbers(stored, "log_total", np.float64, (size,)),
        require_numbers(stored, "transition", np.float64, (size, size)),
        require_numbers(stored, "start", np.float64, (size,)),
        classes,
        card,
    )
