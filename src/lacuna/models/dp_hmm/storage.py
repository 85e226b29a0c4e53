"""Reading an HMM with sub-tags from a model file; :meth:`DpHmmModel.store` writes it.

Words and classes are stored as hashes; words that are not rare are also stored as text, for people
to read. Everything compiled code relies on is checked.
"""

from __future__ import annotations

import msgspec
import numpy as np

from lacuna.encoding.schemes import tag_set
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
    unpack_strings,
)
from lacuna.models.settings import stored_settings
from lacuna.text.word_types import WordTypes
from lacuna.types import FloatArray, LongArray, RealArray

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
    labels = dict.fromkeys(tag[2:] for tag in tags[1:])
    if "" in labels or tags != tag_set(labels, config.scheme):
        raise ModelFileError(stored.source, "its tags are damaged")
    tokens = require(stored, "tokens", np.float64, (-1,))
    if not (np.isfinite(tokens).all() and tokens.min(initial=0.0) >= 0.0):
        raise ModelFileError(stored.source, "its counts are damaged")
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
    known = RareWords(WordTypes.build(words), WordTypes.build(classes), functions)
    if not len(classes) or len(known) != len(words) + len(classes):
        raise ModelFileError(stored.source, "its words are damaged")
    return known


def _functions(stored: StoredModel, config: DpHmm) -> RareFunctions:
    phrases = WordTypes.build(require(stored, "phrases", np.uint64, (-1,)))
    try:
        lists = Resources.from_arrays(stored.arrays).lists
    except (ValueError, ConfigError):
        raise ModelFileError(stored.source, "its word lists are damaged") from None
    if set(lists) != set(config.word_lists) or len(phrases) > config.phrases:
        raise ModelFileError(stored.source, "its functions of rare words are damaged")
    return RareFunctions(lists, config.templates, phrases, config.phrases_near == "numbers")


def _reranker(stored: StoredModel, config: DpHmm) -> Reranker | None:
    if "reranking" not in stored.arrays:
        return None
    weights = require(stored, "reranking", np.float64, (BUCKETS,))
    if not (np.isfinite(weights).all() and config.rerank):
        raise ModelFileError(stored.source, "its weights of taggings are damaged")
    return Reranker(weights)


def _log_words(stored: StoredModel, shape: tuple[int, int]) -> RealArray:
    logs = require(stored, "log_words", np.float32, shape)
    if logs.size and not SMALLEST_LOG <= logs.min() <= logs.max() <= ROUNDING:
        raise ModelFileError(stored.source, "its weights of words are not log probabilities")
    return logs


def _log_moves(stored: StoredModel, states: int) -> FloatArray:
    logs = require(stored, "log_moves", np.float64, (states, states))
    if np.isnan(logs).any() or logs.max() > ROUNDING:
        raise ModelFileError(stored.source, "its weights of moves are not log probabilities")
    return logs
