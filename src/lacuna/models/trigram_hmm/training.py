"""Training of the trigram HMM: one pass that counts tags and words.

Of sentences that were reviewed in part, what is wholly known is counted: words whose tag was
reviewed, and tags after two others where all three were.

Read `transitions.py` for q, tags after tags, and `tag_lexicon.py` for e, words of tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lacuna.encoding.flat import TaggedDocument, in_seen_sentences, known_tags
from lacuna.encoding.schemes import Scheme, tag_set
from lacuna.features.token_table import TokenTable, training_table
from lacuna.models.base import Step
from lacuna.models.trigram_hmm import Hmm, TrigramHmm, TrigramHmmModel
from lacuna.models.trigram_hmm.tag_lexicon import fit_lexicon, kin_tags
from lacuna.models.trigram_hmm.transitions import (
    InterpolationWeights,
    count_trigrams,
    deleted_interpolation,
)
from lacuna.types import IntArray


def fit_trigram_hmm(
    tagged: Sequence[TaggedDocument], config: TrigramHmm, _: object = None
) -> Iterator[Step]:
    """Train on mentions; one step."""
    tagged = in_seen_sentences(tagged)
    labels = sorted({chunk.label for item in tagged for chunk in item.chunks})
    tags = tag_set(labels, config.scheme)
    gold = [tag for item in tagged for tag in item.tags(config.scheme)]
    hmm, objective = fit_hmm(tagged, gold, tags, config, config.scheme)
    yield Step(1, objective, lambda: TrigramHmmModel(config, hmm))


def fit_hmm(
    tagged: Sequence[TaggedDocument],
    gold: Sequence[str],
    tags: tuple[str, ...],
    config: TrigramHmm,
    scheme: Scheme | None,
) -> tuple[Hmm, float]:
    """Count; ``gold`` holds the tag of every token. Returns the model and -log p(x, y) + const."""
    table = training_table(tagged)
    path = known_tags(tagged, gold, tags)
    trigrams = count_trigrams(path, table.sentences, len(tags))
    if config.interpolation == "auto":
        weights = deleted_interpolation(trigrams)
    else:
        total = sum(config.interpolation)
        weights = InterpolationWeights(*(part / total for part in config.interpolation))
    lexicon = fit_lexicon(
        table,
        path,
        len(tags),
        rare=config.rare,
        blend=config.blend,
        suffixes=config.suffixes,
        suffix_count=config.suffix_count,
        parent_weight=config.parent_weight,
        closed=config.closed_from(scheme),
        kin=kin_tags(tags, scheme),
    )
    hmm = Hmm(tags, scheme, trigrams, weights, lexicon)
    return hmm, _objective(hmm, table, path)


def _objective(hmm: Hmm, table: TokenTable, path: IntArray) -> float:
    """Return -Σ log p(x, y) + Σ log p(x_i): how badly the model explains the training set."""
    size = len(hmm.tags)
    log_q = np.full((size + 1,) * 3, -np.inf)
    log_q[:, :size, :size], log_q[size, size, :size], log_q[:, :size, size] = (
        hmm.chain.transition,
        hmm.chain.start,
        hmm.chain.stop,
    )
    used = hmm.trigrams > 0
    known = np.flatnonzero(path >= 0)
    emission = hmm.lexicon.emission(table)[known, path[known]]
    return -float((hmm.trigrams[used] * log_q[used]).sum() + emission.sum())
