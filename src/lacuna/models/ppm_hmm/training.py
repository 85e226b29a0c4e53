"""Training an HMM with character models: one pass that counts words, moves and characters.

Of sentences that were reviewed in part, what is wholly known is counted: words whose state is
known, and moves between two such words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from lacuna.encoding.flat import (
    UNKNOWN,
    TaggedDocument,
    in_seen_sentences,
    reviewed_mask,
    tag_document,
)
from lacuna.errors import ConfigError
from lacuna.features.token_table import TokenTable, training_table
from lacuna.models.base import Step
from lacuna.models.ppm_hmm import PpmHmm, PpmHmmModel
from lacuna.models.ppm_hmm.ppm import Ppm, Words
from lacuna.models.ppm_hmm.state_counts import MoveCounts, WordCounts
from lacuna.models.ppm_hmm.states import (
    State,
    far_outside,
    known_states,
    spell_states,
    state_set,
)
from lacuna.text.units import Units, choose_units, with_units
from lacuna.text.word_types import number_types
from lacuna.types import IntArray, LongArray


def fit_ppm_hmm(
    tagged: Sequence[TaggedDocument], config: PpmHmm, _: object = None
) -> Iterator[Step]:
    """Yield the trained model as the only step; nothing is minimised."""
    model = train_ppm_hmm(tagged, config)
    yield Step(1, 0.0, lambda: model)


def train_ppm_hmm(documents: Sequence[TaggedDocument], config: PpmHmm) -> PpmHmmModel:
    """Count words, moves and characters.

    Raises
    ------
    ConfigError
        When there is nothing to train on.
    """
    if config.units is Units.AUTO:
        config = replace(config, units=choose_units(item.document for item in documents))
    if config.units is not Units.TOKEN:
        documents = [tag_document(with_units(item.document, config.units)) for item in documents]
    documents = in_seen_sentences(documents)
    table = training_table(documents)
    states, token_states = _states(documents, table, config)
    known = np.flatnonzero(token_states >= 0)
    if not len(known):
        raise ConfigError("there is nothing to train on: too little was reviewed")
    words = WordCounts.of(table.hashes[known], token_states[known], len(states))
    moves = MoveCounts.of(table, token_states, len(states))
    ppm = _character_models(table, known, words, config, len(states))
    return PpmHmmModel(config, states, words, moves, ppm)


def _states(
    documents: Sequence[TaggedDocument], table: TokenTable, config: PpmHmm
) -> tuple[tuple[State, ...], IntArray]:
    """Return the states that occur, and the state of every token; UNKNOWN if it is not known."""
    labels = sorted({chunk.label for item in documents for chunk in item.chunks})
    states = state_set(labels, config.scheme, context=config.context)
    tags = [tag for item in documents for tag in item.tags(config.scheme)]
    spelt = spell_states(tags, table.sentences, states)
    is_known = known_states(spelt, reviewed_mask(documents), table.sentences, states)
    used = np.union1d(spelt[is_known], far_outside(states))
    numbers = np.searchsorted(used, spelt)
    return tuple(states[k] for k in used), np.where(is_known, numbers, UNKNOWN).astype(np.int32)


def _character_models(
    table: TokenTable, known: LongArray, words: WordCounts, config: PpmHmm, size: int
) -> Ppm:
    """Train the character models; each state learns every distinct word it emitted once."""
    token = known[number_types(table.hashes[known]).first[words.words]]
    return Ppm.train(
        Words(table.codes, table.start[token], table.end[token]),
        classes=words.states,
        size=size,
        order=config.order,
        exclusion=config.exclusion,
    )
