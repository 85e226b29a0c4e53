"""Adapting a trained CRF to new documents, and private models.

Adapting learns changes of the old weights (`changes.py`), or, with ``adapting=weights``, new
weights that start from the old ones: the penalty λ ‖w - w₀‖² pulls them there, not towards zero.
Features of the old model that the new documents lack are kept in both ways.

A private model contains no word of the training text, and no feature that occurs in fewer than
:data:`PRIVATE_DOCUMENTS` documents, which keeps rare names out. Features are stored as hashes; a
key is mixed into them (``features/plan.py``), so that two files cannot be compared hash by hash.
The key is in the file, because tagging needs it: whoever has the file can still test whether a
guessed word is a feature.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b
from typing import TypeVar

import numpy as np

from lacuna.errors import ConfigError
from lacuna.features.extract import FeatureIndex
from lacuna.features.index import KnownKeys
from lacuna.features.plan import KEYS
from lacuna.models.base import Tagger
from lacuna.models.crf import Crf, CrfModel, CrfSettings
from lacuna.models.file import joined_words
from lacuna.types import LongArray, RealArray

#: Minimum number of documents, or of groups if there are any, with a feature of a private model.
PRIVATE_DOCUMENTS = 3

AnyCrf = TypeVar("AnyCrf", bound=CrfSettings)


def adapted_settings(config: CrfSettings, start: Tagger, *, private: bool) -> CrfSettings:
    """Return settings for adapting a model: its features, tag scheme and sequences stay."""
    if isinstance(config, Crf) and (config.two_pass or start.kind == "two-pass"):
        raise ConfigError("a two-pass model cannot be adapted; train a new one")
    if not isinstance(start, CrfModel) or not isinstance(config, Crf):
        raise ConfigError("only a CRF of flat mentions can be adapted; train a new model")
    old = start.config
    for own, given in ((old.word_lists, config.word_lists), (old.clusters, config.clusters)):
        if given and given != own:
            raise ConfigError(
                "an adapted model keeps its own word lists and clusters; give no others"
            )
    if private and not start.index.plan.key:
        raise ConfigError("only a private model can be adapted to a private model; train a new one")
    return replace(
        config,
        scheme=old.scheme,
        sequence=old.sequence,
        features=old.features,
        columns=old.columns,
        word_lists=old.word_lists,
        clusters=old.clusters,
        lexicon=old.lexicon,
    )


def start_tables(
    old: CrfModel, index: FeatureIndex, tags: tuple[str, ...]
) -> tuple[RealArray, RealArray]:
    """Return the old weights for the features and tags of a new model, 0 for new ones."""
    rows = old.index.keys.lookup(index.keys.hashes)
    new, known = common_tags(old, tags)
    weights = np.zeros((len(index), len(tags)), np.float32)
    had = old.weights.dense(len(old.tags))
    weights[np.ix_(rows >= 0, new)] = had[np.ix_(rows[rows >= 0], known)]
    moves = np.zeros((len(tags), len(tags)), np.float32)
    moves[np.ix_(new, new)] = old.moves[np.ix_(known, known)]
    return weights, moves


def keep_old_features(old: CrfModel, adapted: CrfModel) -> CrfModel:
    """Return the adapted model with the features that only the old model had."""
    missing = adapted.index.keys.lookup(old.index.keys.hashes) < 0
    new, known = common_tags(old, adapted.tags)
    extra = np.zeros((int(missing.sum()), len(adapted.tags)), np.float32)
    extra[:, new] = old.weights.dense(len(old.tags))[np.ix_(missing, known)]
    keys = np.concatenate((adapted.index.keys.hashes, old.index.keys.hashes[missing]))
    weights = np.concatenate((adapted.weights.dense(len(adapted.tags)), extra))
    index = FeatureIndex(adapted.index.plan, KnownKeys.of(keys))
    model = CrfModel.of(adapted.config, adapted.tags, index, weights, adapted.moves)
    return replace(model, card=adapted.card, words=joined_words(old.words, adapted.words))


def private_key(texts: Iterable[str], seed: int) -> int:
    """Return a key in [1, KEYS) that depends on the texts and the seed."""
    digest = blake2b(str(seed).encode(), digest_size=16)
    for text in texts:
        digest.update(blake2b(text.encode("utf-8", "surrogatepass")).digest())
    return 1 + int.from_bytes(digest.digest(), "little") % (KEYS - 1)


def private_settings(config: AnyCrf) -> AnyCrf:
    """Return settings that ignore features of fewer than three documents."""
    return replace(config, min_documents=max(config.min_documents, PRIVATE_DOCUMENTS))


def common_tags(old: CrfModel, tags: tuple[str, ...]) -> tuple[LongArray, LongArray]:
    """Return the numbers of the common tags: in `tags`, and in the old model."""
    number = {tag: k for k, tag in enumerate(old.tags)}
    common = [(k, number[tag]) for k, tag in enumerate(tags) if tag in number]
    return (
        np.array([k for k, _ in common], np.int64),
        np.array([k for _, k in common], np.int64),
    )
