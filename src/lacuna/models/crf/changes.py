"""Adapting a CRF by learning changes: how it stays what it was where new documents say nothing.

    score(x, y) = score of the old model + Σ_t d[t, y_t] + Σ_t m[y_{t-1}, y_t]

The old model's scores are a constant of the objective (:class:`~.objective.Base`); only changes d
of weights and m of moves are learnt, with the penalty λ ‖(d, m)‖². So whatever the old model has
learnt takes part, also weights that cannot change: those of features that are too rare, or of a
feature with a tag it was not seen with. Three things keep changes from doing harm elsewhere:

* The documents are read as they are, in small letters and in capitals: what is learnt from notes
  typed in one way does not count against the others.
* In other texts the new model is to answer as the old one (`FitOptions.replay`, `old_answers.py`).
* A share of the changes is added to the old weights, w = w₀ + share · d: short of the
  best weights for a few documents is most of their gain and less of the loss elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from lacuna.encoding.flat import Example
from lacuna.features.extract import FeatureIndex
from lacuna.features.index import KnownKeys
from lacuna.features.token_table import TokenTable
from lacuna.models.crf import Crf, CrfModel
from lacuna.models.crf.adapting import common_tags
from lacuna.models.crf.objective import Base
from lacuna.models.file import PackedStrings, joined_words
from lacuna.types import RealArray


def in_other_letters(examples: Iterable[Example]) -> list[Example]:
    """Return the examples in small letters, then in capitals, if that makes them different."""
    examples = list(examples)
    copies = (_rewritten(e, change) for change in (str.lower, str.upper) for e in examples)
    return [copy for copy in copies if copy is not None]


def _rewritten(example: Example, change: Callable[[str], str]) -> Example | None:
    """Return an example in other letters; a character that would become two stays as it is."""
    document = example.document
    text = "".join(new if len(new := change(c)) == 1 else c for c in document.text)
    if text == document.text:
        return None
    return example._replace(document=replace(document, text=text, tokens=example.tokens))


def changeable(old: CrfModel, own: FeatureIndex, every: FeatureIndex) -> FeatureIndex:
    """Return the features whose weights can change: those of `own` and the old ones of `every`.

    `own` has the features that enough of the new documents have. A private model changes no
    others: a weight that moved would tell that a rare word is in the new documents.
    """
    if old.is_private:
        return own
    hashes = every.keys.hashes
    kept = (old.index.keys.lookup(hashes) >= 0) | (own.keys.lookup(hashes) >= 0)
    return FeatureIndex(every.plan, KnownKeys.of(hashes[kept]))


def old_scores(old: CrfModel, table: TokenTable, tags: tuple[str, ...]) -> Base:
    """Return the old model's scores of tokens, 0 for new tags."""
    new, known = common_tags(old, tags)
    emission = np.zeros((len(table.start), len(tags)), np.float32)
    emission[:, new] = old.emission(table)[:, known]
    return Base(emission, _old_moves(old, tags))


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Changes of a model: weights[r, k] of the features of an index, and moves, of these tags."""

    tags: tuple[str, ...]
    index: FeatureIndex
    weights: RealArray
    moves: RealArray


def with_changes(old: CrfModel, changes: Changes, config: Crf, words: PackedStrings) -> CrfModel:
    """Return the old model plus the share of the changes that the settings say."""
    tags, share = changes.tags, np.float32(config.adapting_share)
    new, known = common_tags(old, tags)
    hashes = changes.index.keys.hashes
    rows = old.index.keys.lookup(hashes)
    step = changes.weights * share
    weights = old.weights.dense(len(old.tags))
    if tags != old.tags:
        had, weights = weights, np.zeros((len(weights), len(tags)), np.float32)
        weights[:, new] = had[:, known]
    weights[rows[rows >= 0]] += step[rows >= 0]
    keys = np.concatenate((old.index.keys.hashes, hashes[rows < 0]))
    index = FeatureIndex(changes.index.plan, KnownKeys.of(keys))
    moves = _old_moves(old, tags) + share * changes.moves
    model = CrfModel.of(config, tags, index, np.concatenate((weights, step[rows < 0])), moves)
    return replace(model, words=joined_words(old.words, words))


def _old_moves(old: CrfModel, tags: tuple[str, ...]) -> RealArray:
    """Return the old weights of moves between the tags of a new model, 0 for new tags."""
    new, known = common_tags(old, tags)
    moves = np.zeros((len(tags), len(tags)), np.float32)
    moves[np.ix_(new, new)] = old.moves[np.ix_(known, known)]
    return moves
