"""Reading an HMM with sub-tags from a model file; :meth:`DpHmmModel.store` writes it.

Words and classes are stored as hashes; words that are not rare are also stored as text, for people
to read. Everything compiled code relies on is checked.
"""

from __future__ import annotations

import msgspec
import numpy as np

from lacuna.errors import ConfigError, ModelFileError
from lacuna.features.resources import Resources
from lacuna.models.base import Card
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm.rare_functions import RareFunctions
from lacuna.models.dp_hmm.rare_words import RareWords
from lacuna.models.dp_hmm.reranking import BUCKETS, Reranker
from lacuna.models.file import (
    NO_STRINGS,
    PackedStrings,
    StoredModel,
    require,
    require_indices,
    require_numbers,
    unpack_strings,
)
from lacuna.models.settings import stored_settings
from lacuna.models.stored_tags import check_tags
from lacuna.text.word_types import WordTypes
from lacuna.types import FloatArray, LongArray, RealArray

MOST_TOKENS = 1e12
SMALLEST_LOG = -1e6  #: for words; moves may be -inf
ROUNDING = 1e-6  #: log probabilities may be this much above 0


def restore_dp_hmm(stored: StoredModel) -> DpHmmModel:
    """Return the model that a file holds; raise ModelFileError if it is damaged."""
    header = stored.header
    try:
        config = stored_settings(DpHmm, header.get("config"))
        tags = tuple(msgspec.convert(header.get("tags"), list[str]))
        card = msgspec.convert(header.get("card", {}), Card)
    except (msgspec.ValidationError, RecursionError, ConfigError) as error:
        raise ModelFileError(stored.source, f"its header is damaged: {error}") from None
    check_tags(stored, tags, config.scheme)
    tokens = require_numbers(stored, "tokens", np.float64, (-1,), least=0.0, most=MOST_TOKENS)
    words = _vocabulary(stored, config)
    return DpHmmModel(
        config,
        tags,
        _borders(stored, len(tags), len(tokens)),
        words,
        _log_words(stored, (len(words), len(tokens))),
        _log_moves(stored, len(tokens) + 1),
        tokens,
        card,
        _reranker(stored, config),
        _spelled(stored),
    )


def _spelled(stored: StoredModel) -> PackedStrings:
    if "spelled" not in stored.arrays:
        return NO_STRINGS
    packed = PackedStrings(
        require(stored, "spelled", np.uint8, (-1,)),
        require(stored, "spelled_borders", np.int64, (-1,)),
    )
    unpack_strings(packed, source=stored.source)
    return packed


def _borders(stored: StoredModel, tags: int, states: int) -> LongArray:
    borders = require_indices(stored, "borders", np.int64, (tags + 1,), below=states + 1)
    if borders[0] != 0 or borders[-1] != states or (np.diff(borders) < 1).any():
        raise ModelFileError(stored.source, "its sub-tags are damaged")
    return borders


def _vocabulary(stored: StoredModel, config: DpHmm) -> RareWords:
    words, classes = (require(stored, n, np.uint64, (-1,)) for n in ("words", "classes"))
    functions = _functions(stored, config)
    if not len(classes):
        raise ModelFileError(stored.source, "its words are damaged")
    try:
        return RareWords(WordTypes.of_distinct(words), WordTypes.of_distinct(classes), functions)
    except ValueError as error:
        raise ModelFileError(stored.source, f"its words are damaged: {error}") from None


def _functions(stored: StoredModel, config: DpHmm) -> RareFunctions:
    try:
        phrases = WordTypes.of_distinct(require(stored, "phrases", np.uint64, (-1,)))
        lists = Resources.from_arrays(stored.arrays).lists
    except (ValueError, ConfigError) as error:
        raise ModelFileError(stored.source, f"its word lists are damaged: {error}") from None
    if set(lists) != set(config.word_lists) or len(phrases) > config.phrases:
        raise ModelFileError(stored.source, "its functions of rare words are damaged")
    return RareFunctions(lists, config.templates, phrases, config.phrases_near == "numbers")


def _reranker(stored: StoredModel, config: DpHmm) -> Reranker | None:
    if "reranking" not in stored.arrays:
        return None
    weights = require_numbers(stored, "reranking", np.float64, (BUCKETS,))
    if not config.rerank:
        raise ModelFileError(stored.source, "its weights of taggings are damaged")
    return Reranker(weights)


def _log_words(stored: StoredModel, shape: tuple[int, int]) -> RealArray:
    return require_numbers(
        stored, "log_words", np.float32, shape, least=SMALLEST_LOG, most=ROUNDING
    )


def _log_moves(stored: StoredModel, states: int) -> FloatArray:
    return require_numbers(
        stored, "log_moves", np.float64, (states, states), least=-np.inf, most=ROUNDING
    )
