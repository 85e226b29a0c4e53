"""Training of the trigram HMM: one pass that counts tags and words.

With raw text, expectation maximisation goes on from there (`raw_text.py`).

Of sentences that were reviewed in part, what is wholly known is counted: words whose tag was
reviewed, and tags after two others where all three were.

Read `transitions.py` for q, tags after tags, and `tag_lexicon.py` for e, words of tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from lacuna.encoding.flat import UNKNOWN, TaggedDocument, in_seen_sentences, known_tags, untagged
from lacuna.encoding.schemes import Scheme, tag_set
from lacuna.features.token_table import TokenTable, training_table
from lacuna.learning.raw_weight import weight_of_raw
from lacuna.models.base import NO_OPTIONS, FitOptions, Step
from lacuna.models.trigram_hmm import Hmm, TrigramHmm, TrigramHmmModel
from lacuna.models.trigram_hmm.expected_tags import expected_tags
from lacuna.models.trigram_hmm.tag_lexicon import TagCounts, fit_lexicon, kin_tags
from lacuna.models.trigram_hmm.transitions import (
    InterpolationWeights,
    count_trigrams,
    deleted_interpolation,
)
from lacuna.text.document import Document
from lacuna.types import IntArray, LongArray


def fit_trigram_hmm(
    tagged: Sequence[TaggedDocument], config: TrigramHmm, options: FitOptions = NO_OPTIONS
) -> Iterator[Step]:
    """Train on mentions; one step, and more with raw text."""
    tagged = in_seen_sentences(tagged)
    labels = sorted({chunk.label for item in tagged for chunk in item.chunks})
    tags = tag_set(labels, config.scheme)
    gold = [tag for item in tagged for tag in item.tags(config.scheme)]
    data = HmmTraining.of(tagged, gold, tags, config, config.scheme, options.raw)
    for iteration, (hmm, objective) in enumerate(data.fit(), 1):
        yield Step(iteration, objective, partial(TrigramHmmModel, config, hmm))


@dataclass(frozen=True, slots=True, eq=False)
class HmmTraining:
    """What is counted to train an HMM.

    Attributes
    ----------
    tags, config, scheme
        The tags, the settings, and which tag may follow which.
    table
        All tokens; those of raw text come last.
    path
        The tag of every token, below 0: unknown.
    first_raw, weight
        The first sentence of raw text, and how much each of its tokens counts.
    """

    tags: tuple[str, ...]
    config: TrigramHmm
    scheme: Scheme | None
    table: TokenTable
    path: IntArray
    first_raw: int
    weight: float

    @classmethod
    def of(
        cls,
        tagged: Sequence[TaggedDocument],
        gold: Sequence[str],
        tags: tuple[str, ...],
        config: TrigramHmm,
        scheme: Scheme | None,
        raw: Sequence[Document] = (),
    ) -> HmmTraining:
        """Prepare documents; ``gold`` holds the tag of every token, raw text apart."""
        more = untagged(raw if config.raw_weight else ())
        table = training_table([*tagged, *more])
        known = known_tags(tagged, gold, tags)
        path = np.full(len(table.hashes), UNKNOWN, known.dtype)
        path[: len(known)] = known
        sentences = sum(len(item.tokens.sentences) - 1 for item in tagged)
        weight = weight_of_raw(config.raw_weight, tagged, more)
        return cls(tags, config, scheme, table, path, sentences, weight)

    def fit(self) -> Iterator[tuple[Hmm, float]]:
        """Yield models and -log p(annotated text, tags) - w log p(raw text) + const."""
        known = TagCounts.of_path(self.path)
        hmm = self._hmm(known)
        if not self.weight:
            yield hmm, _objective(hmm, self.table, self.path)
            return
        for _ in range(self.config.iterations):
            raw = expected_tags(hmm, self.table, self.first_raw, self.weight)
            yield hmm, _objective(hmm, self.table, self.path) - raw.log_likelihood
            hmm = self._hmm(known.plus(raw.words))

    def _weights(self, trigrams: LongArray) -> InterpolationWeights:
        given = self.config.interpolation
        if given == "auto":
            return deleted_interpolation(trigrams)
        return InterpolationWeights(*(part / sum(given) for part in given))

    def _hmm(self, counted: TagCounts) -> Hmm:
        config = self.config
        trigrams = count_trigrams(self.path, self.table.sentences, len(self.tags))
        lexicon = fit_lexicon(
            self.table,
            counted,
            len(self.tags),
            rare=config.rare,
            blend=config.blend,
            suffixes=config.suffixes,
            suffix_count=config.suffix_count,
            parent_weight=config.parent_weight,
            closed=config.closed_from(self.scheme),
            kin=kin_tags(self.tags, self.scheme),
        )
        return Hmm(self.tags, self.scheme, trigrams, self._weights(trigrams), lexicon)


def _objective(hmm: Hmm, table: TokenTable, path: IntArray) -> float:
    """Return -Σ log p(x, y) + Σ log p(x_i): how badly the model explains the annotated text."""
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
