"""Reading an HMM with character models from a model file; :meth:`PpmHmmModel.store` writes it."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from lacuna.errors import LacunaError, ModelFileError
from lacuna.models.base import Card
from lacuna.models.file import StoredModel, require, require_indices, require_numbers
from lacuna.models.ppm_hmm import PPM_ARRAYS, PpmHmm, PpmHmmModel
from lacuna.models.ppm_hmm.ppm import Ppm
from lacuna.models.ppm_hmm.state_counts import MoveCounts, WordCounts
from lacuna.models.ppm_hmm.states import State, far_outside, state_set
from lacuna.models.settings import stored_settings
from lacuna.text.word_types import WordTypes

MOST = np.iinfo(np.int32).max  #: of any count


def restore_ppm_hmm(stored: StoredModel) -> PpmHmmModel:
    """Return the model that a file holds.

    Everything compiled code relies on is checked; a damaged file raises ModelFileError.
    """
    try:
        config = stored_settings(PpmHmm, stored.header.get("config"))
        lists = msgspec.convert(
            stored.header.get("states"), list[tuple[str, str | None, str | None]]
        )
        alphabet = msgspec.convert(stored.header.get("alphabet"), int)
        card = msgspec.convert(stored.header.get("card", {}), Card)
    except (msgspec.ValidationError, RecursionError, LacunaError) as error:
        raise ModelFileError(stored.source, f"its header is damaged: {error}") from None
    states = tuple(State(*parts) for parts in lists)
    labels = sorted({state.label for state in states} - {""})
    every = state_set(labels, config.scheme, context=config.context)
    if every[far_outside(every)] not in states or len(set(every) & set(states)) != len(states):
        raise ModelFileError(stored.source, "its header is damaged: impossible states")
    size = len(states)
    arrays: dict[str, Any] = {
        name.removeprefix(PPM_ARRAYS): array
        for name, array in stored.arrays.items()
        if name.startswith(PPM_ARRAYS)
    }
    try:
        ppm = Ppm.from_arrays(
            arrays, order=config.order, size=size, alphabet=alphabet, exclusion=config.exclusion
        )
        return PpmHmmModel(config, states, _words(stored, size), _moves(stored, size), ppm, card)
    except ValueError as error:
        raise ModelFileError(stored.source, f"its counts are damaged: {error}") from None


def _words(stored: StoredModel, size: int) -> WordCounts:
    hashes = require(stored, "words", np.uint64, (-1,))
    types = WordTypes.of_distinct(hashes)
    states = require_indices(stored, "word_states", np.int32, (-1,), below=size)
    counts = require_numbers(stored, "word_counts", np.int32, (len(states),), least=1, most=MOST)
    borders = require(stored, "word_borders", np.int64, (len(hashes) + 1,))
    if borders[0] != 0 or borders[-1] != len(states) or (np.diff(borders) < 0).any():
        raise ModelFileError(stored.source, "the borders of its words do not rise")
    return WordCounts(types, borders, states, counts)


def _moves(stored: StoredModel, size: int) -> MoveCounts:
    table, first, last = (
        require_numbers(stored, name, np.int64, shape, least=0, most=MOST)
        for name, shape in (("moves", (size, size)), ("first", (size,)), ("last", (size,)))
    )
    return MoveCounts(table, first, last)
