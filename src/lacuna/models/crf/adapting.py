"""A trained CRF as the starting point of another: more notes, another ward, a new label.

The new model is the old one plus what the new documents teach: the penalty pulls its weights to
those of the old model instead of to zero, so what the documents do not speak about stays as it was.

Private models: no word of the training text, and no feature that only a few patients have.

Features are stored as hashes. In a private model a key is mixed into them (``features/plan.py``),
so that two files cannot be compared hash by hash. The key stands in the file, because nobody could
tag without it: whoever holds the file can still test whether a word he guesses is a feature. What
keeps a rare name out is that features of fewer than :data:`PRIVATE_DOCUMENTS` documents are not
there.
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

AnyCrf = TypeVar("AnyCrf", bound=CrfSettings)


def adapted_settings(config: CrfSettings, start: Tagger, *, private: bool) -> CrfSettings:
    """Return settings to adapt a model with: its own say what it looks at and how it tags."""
    if isinstance(config, Crf) and (config.two_pass or start.kind == "two-pass"):
        raise ConfigError("a model of two passes cannot be adapted; train it anew")
    if not isinstance(start, CrfModel) or not isinstance(config, Crf):
        raise ConfigError("only a CRF can be adapted, one of flat mentions; train it anew")
    if config.word_lists or config.clusters:
        raise ConfigError("a model to adapt keeps its own word lists and clusters")
    if private and not start.index.plan.key:
        raise ConfigError("only a private model can be adapted to a private model; train it anew")
    old = start.config
    return replace(
        config,
        scheme=old.scheme,
        sequence=old.sequence,
        features=old.features,
        columns=old.columns,
        word_lists=old.word_lists,
        clusters=old.clusters,
    )


def start_tables(
    old: CrfModel, index: FeatureIndex, tags: tuple[str, ...]
) -> tuple[RealArray, RealArray]:
    """Return the old weights for the features and tags of a new model, 0 for what is new."""
    rows = old.index.keys.lookup(index.keys.hashes)
    new, known = _common_tags(old, tags)
    weights = np.zeros((len(index), len(tags)), np.float32)
    had = old.weights.dense(len(old.tags))
    weights[np.ix_(rows >= 0, new)] = had[np.ix_(rows[rows >= 0], known)]
    moves = np.zeros((len(tags), len(tags)), np.float32)
    moves[np.ix_(new, new)] = old.moves[np.ix_(known, known)]
    return weights, moves


def keep_old_features(old: CrfModel, adapted: CrfModel) -> CrfModel:
    """Return the adapted model with the features that only the old one had."""
    missing = adapted.index.keys.lookup(old.index.keys.hashes) < 0
    new, known = _common_tags(old, adapted.tags)
    extra = np.zeros((int(missing.sum()), len(adapted.tags)), np.float32)
    extra[:, new] = old.weights.dense(len(old.tags))[np.ix_(missing, known)]
    keys = np.concatenate((adapted.index.keys.hashes, old.index.keys.hashes[missing]))
    weights = np.concatenate((adapted.weights.dense(len(adapted.tags)), extra))
    index = FeatureIndex(adapted.index.plan, KnownKeys.of(keys))
    model = CrfModel.of(adapted.config, adapted.tags, index, weights, adapted.moves)
    return replace(model, card=adapted.card, words=joined_words(old.words, adapted.words))


def _common_tags(old: CrfModel, tags: tuple[str, ...]) -> tuple[LongArray, LongArray]:
    """Return the numbers of the tags that both have: in `tags`, and in the old model."""
    number = {tag: k for k, tag in enumerate(old.tags)}
    common = [(k, number[tag]) for k, tag in enumerate(tags) if tag in number]
    return (
        np.array([k for k, _ in common], np.int64),
        np.array([k for _, k in common], np.int64),
    )


#: A feature of a private model occurs in at least so many documents (groups where there are some).
PRIVATE_DOCUMENTS = 3


def private_key(texts: Iterable[str], seed: int) -> int:
    """Return a key in [1, KEYS): another one for other texts, or for another seed."""
    digest = blake2b(str(seed).encode(), digest_size=16)
    for text in texts:
        digest.update(blake2b(text.encode("utf-8", "surrogatepass")).digest())
    return 1 + int.from_bytes(digest.digest(), "little") % (KEYS - 1)


def private_settings(config: AnyCrf) -> AnyCrf:
    """Return settings under which no feature of fewer than three documents is kept."""
    return replace(config, min_documents=max(config.min_documents, PRIVATE_DOCUMENTS))
