"""Reading a trigram HMM from a file; the task says whether its tags are parts of speech."""

from __future__ import annotations

import msgspec
import numpy as np

from lacuna.encoding.schemes import Scheme
from lacuna.errors import ConfigError, ModelFileError
from lacuna.models.base import Card
from lacuna.models.file import StoredModel, require, require_indices, require_numbers
from lacuna.models.scoring import SparseRows
from lacuna.models.settings import stored_settings
from lacuna.models.stored_tags import check_tags
from lacuna.models.trigram_hmm import Hmm, TrigramHmm, TrigramHmmModel
from lacuna.models.trigram_hmm.pos import PosTagger
from lacuna.models.trigram_hmm.tag_lexicon import TagLexicon, kin_tags
from lacuna.models.trigram_hmm.transitions import InterpolationWeights
from lacuna.models.trigram_hmm.word_classes import WordClasses
from lacuna.text.word_types import WordTypes
from lacuna.types import Task

LEAST, MOST = 1e-45, 1e12  #: of counts and shares; the first is the smallest positive float32


def restore_trigram_hmm(stored: StoredModel) -> TrigramHmmModel | PosTagger:
    """Rebuild a model from a file; checks everything that compiled code relies on."""
    try:
        task = msgspec.convert(stored.header.get("task"), Task)
        config = stored_settings(TrigramHmm, stored.header.get("config"))
        tags = tuple(msgspec.convert(stored.header.get("tags"), list[str]))
        weights = InterpolationWeights(
            *msgspec.convert(stored.header.get("weights"), tuple[float, float, float])
        )
        card = msgspec.convert(stored.header.get("card", {}), Card)
    except (msgspec.ValidationError, RecursionError, ConfigError) as error:
        raise ModelFileError(stored.source, f"its header is damaged: {error}") from None
    scheme = None if task is Task.POS else config.scheme
    _check_tags(stored, tags, scheme)
    if not (min(weights) > 0 and abs(sum(weights) - 1) < 1e-6):
        raise ModelFileError(stored.source, "its weights are damaged")
    trigrams = require_indices(
        stored, "trigrams", np.int64, (len(tags) + 1,) * 3, below=np.iinfo(np.int32).max
    )
    hmm = Hmm(tags, scheme, trigrams, weights, _lexicon(stored, config, tags, scheme))
    if scheme is None:
        return PosTagger(config, hmm, card)
    return TrigramHmmModel(config, hmm, card)


def _check_tags(stored: StoredModel, tags: tuple[str, ...], scheme: Scheme | None) -> None:
    if not tags or not len(set(tags)) == len(tags) <= np.iinfo(np.uint16).max:
        raise ModelFileError(stored.source, "its tags are damaged")
    if scheme is not None:
        check_tags(stored, tags, scheme)


def _lexicon(
    stored: StoredModel, config: TrigramHmm, tags: tuple[str, ...], scheme: Scheme | None
) -> TagLexicon:
    words = require(stored, "words", np.uint64, (-1,))
    values = require_numbers(stored, "counts", np.float32, (-1,), least=LEAST, most=MOST)
    word_tags = require_indices(stored, "word_tags", np.uint16, (len(values),), below=len(tags))
    borders = require(stored, "borders", np.int64, (len(words) + 1,))
    tag_counts = require_numbers(
        stored, "tag_counts", np.float64, (len(tags),), least=LEAST, most=MOST
    )
    keys = require(stored, "class_keys", np.uint64, (-1,))
    class_tags = require_numbers(
        stored, "class_tags", np.float32, (len(keys), len(tags)), least=LEAST, most=MOST
    )
    rising = borders[0] == 0 and borders[-1] == len(values) and (np.diff(borders) > 0).all()
    if not rising or not len(keys):
        raise ModelFileError(stored.source, "its words or word classes are damaged")
    totals = np.maximum(np.bincount(word_tags, values, len(tags)), 1.0)
    if not np.allclose(totals, tag_counts, rtol=1e-5):
        raise ModelFileError(stored.source, "its counts do not add up")
    try:
        known, classes = WordTypes.of_distinct(words), WordTypes.of_distinct(keys)
    except ValueError as error:
        raise ModelFileError(stored.source, f"its words are damaged: {error}") from None
    return TagLexicon(
        known,
        SparseRows(borders, word_tags, values),
        tag_counts,
        WordClasses(classes, class_tags, config.suffixes),
        config.rare,
        config.blend,
        config.closed_from(scheme),
        kin_tags(tags, scheme),
    )
