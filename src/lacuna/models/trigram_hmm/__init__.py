"""Trigram hidden Markov model.

    p(x, y) = Π_{i=1}^{n+1} q(y_i | y_{i-2}, y_{i-1}) · Π_{i=1}^{n} e(x_i | y_i)

with y_0 = y_{-1} = * before the first tag and y_{n+1} = STOP behind the last. q is in
`models/trigram_hmm/lexicon.py`, e in `tag_lexicon.py`. Both are counted, so training is one look at
the corpus. Tags spell mentions (BIO, BILOU) or are parts of speech (`pos_tagger.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from lacuna.encoding.flat import TaggedDocument
from lacuna.encoding.schemes import OUTSIDE, Moves, Scheme, moves, tag_set
from lacuna.errors import ConfigError
from lacuna.features.token_table import TokenTable, token_table
from lacuna.inference.chain import Chain
from lacuna.models.base import NO_CARD, Card, Step
from lacuna.models.chain import ChainTagger
from lacuna.models.facts import Facts, Inspection, Table
from lacuna.models.file import StoredModel
from lacuna.models.settings import AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE, Choices, Range, Settings
from lacuna.models.trigram_hmm.lexicon import (
    TagLexicon,
    Weights,
    as_chain,
    count_trigrams,
    deleted_interpolation,
    fit_lexicon,
    interpolate,
)
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray

#: Occurrences from which on the tags of a word are closed, of mentions and of parts of speech.
CLOSED, CLOSED_POS = 20, 5


@dataclass(frozen=True, slots=True)
class TrigramHmm(Settings):
    """Settings of a trigram HMM.

    Attributes
    ----------
    scheme
        ``BIO`` or ``BILOU``; parts of speech have none.
    interpolation
        Weights of unigrams, bigrams and trigrams of tags, or ``auto``: by deleted interpolation.
    rare
        Words seen less often make up the word classes and are blended with their class.
    blend
        How much one occurrence of a rare word counts against its class; 0: the class alone.
    suffixes
        Characters of the longest suffix that word classes look at; 0: only what a word looks like.
    suffix_count
        Suffixes with fewer tokens have no class of their own.
    parent_weight
        Tokens that a shorter suffix is worth to a longer one.
    closed
        A word seen so often has only the labels and parts of speech it was seen with, or ``O``.
        ``auto``: 20 for mentions, 5 for parts of speech.
    """

    scheme: Annotated[Scheme, Choices(Scheme.BIO, Scheme.BILOU)] = Scheme.BIO
    interpolation: Annotated[Literal["auto"] | tuple[float, float, float], POSITIVE] = "auto"
    rare: Annotated[int, AT_LEAST_ONE] = 5
    blend: Annotated[float, NOT_NEGATIVE] = 2.0
    suffixes: Annotated[int, Range(0, 20)] = 4
    suffix_count: Annotated[int, AT_LEAST_ONE] = 3
    parent_weight: Annotated[float, POSITIVE] = 10.0
    closed: Annotated[Literal["auto"] | int, AT_LEAST_ONE] = "auto"


@dataclass(frozen=True, slots=True, eq=False)
class Hmm:
    """The model itself: p(x, y) for any tags.

    Attributes
    ----------
    tags
        Their names.
    scheme
        What may follow what; ``None``: anything.
    trigrams
        c(u, v, s), with * as the last u and v, STOP as the last s.
    weights
        λ₁, λ₂, λ₃.
    lexicon
        e.
    """

    tags: tuple[str, ...]
    scheme: Scheme | None
    trigrams: LongArray
    weights: Weights
    lexicon: TagLexicon
    chain: Chain = field(init=False, repr=False)

    def __post_init__(self) -> None:
        tags, scheme = self.tags, self.scheme
        allowed = Moves.unrestricted(len(tags)) if scheme is None else moves(tags, scheme)
        q = interpolate(self.trigrams, self.weights, allowed.with_border())
        object.__setattr__(self, "chain", as_chain(q))

    @property
    def parameters(self) -> int:
        """How many numbers were counted."""
        return int(np.count_nonzero(self.trigrams)) + sum(
            part.size for part in (self.lexicon.counts.values, self.lexicon.classes.tags)
        )

    def counted(self) -> dict[str, int]:
        """Return how many tags, known words and word classes there are."""
        return {
            "tags": len(self.tags),
            "words": len(self.lexicon.words),
            "word classes": len(self.lexicon.classes.tags),
        }

    def facts(self) -> Facts:
        """Return the weights of interpolation."""
        weights = [(name, f"{weight:.4f}") for name, weight in self.weights._asdict().items()]
        return Facts((Table("interpolation", ("of", "weight"), weights),))


@dataclass(frozen=True, slots=True, eq=False)
class TrigramHmmModel(ChainTagger):
    """A trained trigram HMM that finds mentions.

    Attributes
    ----------
    config
        What it was trained with.
    hmm
        What it counted.
    card
        How it was trained, for people.
    """

    kind: ClassVar[str] = "trigram-hmm"

    config: TrigramHmm
    hmm: Hmm
    card: Card = NO_CARD

    @property
    def tags(self) -> tuple[str, ...]:  # type: ignore[override]
        """``O`` first."""
        return self.hmm.tags

    @property
    def parameters(self) -> int:
        """How many numbers were counted."""
        return self.hmm.parameters

    def counted(self) -> dict[str, int]:
        """Return how many tags, known words and word classes there are."""
        return self.hmm.counted()

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: also the weights of interpolation."""
        return super(TrigramHmmModel, self).facts(inspection) + self.hmm.facts()

    @property
    def scheme(self) -> Scheme:
        """How tags spell mentions."""
        return self.config.scheme

    def chain(self) -> Chain:
        """Return log q as a chain."""
        return self.hmm.chain

    def emission(self, table: TokenTable) -> FloatArray:
        """Return log e(x | s) up to a constant for every token."""
        return self.hmm.lexicon.emission(table)

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""
        from lacuna.models.trigram_hmm.storage import store_trigram_hmm

        return store_trigram_hmm(self)


def fit_trigram_hmm(
    tagged: Sequence[TaggedDocument], config: TrigramHmm, _: object = None
) -> Iterator[Step]:
    """Train on mentions; one step."""
    labels = sorted({chunk.label for item in tagged for chunk in item.chunks})
    tags = tag_set(labels, config.scheme)
    gold = [tag for item in tagged for tag in item.tags(config.scheme)]
    hmm = fit_hmm(training_table(tagged), gold, tags, config, config.scheme)
    yield Step(1, hmm[1], lambda: TrigramHmmModel(config, hmm[0]))


def training_table(tagged: Sequence[TaggedDocument]) -> TokenTable:
    """Return the tokens to train on."""
    return token_table([item.document for item in tagged], [item.tokens for item in tagged])


def fit_hmm(
    table: TokenTable,
    gold: Sequence[str],
    tags: tuple[str, ...],
    config: TrigramHmm,
    scheme: Scheme | None,
) -> tuple[Hmm, float]:
    """Count; `gold` holds the tag of every token. Returns the model and -log p(y | x) + const."""
    if not len(table.start):
        raise ConfigError("there are no tokens to train on")
    number = {tag: k for k, tag in enumerate(tags)}
    path = np.array([number[tag] for tag in gold], np.int32)
    trigrams = count_trigrams(path, table.sentences, len(tags))
    if config.interpolation == "auto":
        weights = deleted_interpolation(trigrams)
    else:
        weights = Weights(*(part / sum(config.interpolation) for part in config.interpolation))
    lexicon = fit_lexicon(
        table,
        path,
        len(tags),
        rare=config.rare,
        blend=config.blend,
        suffixes=config.suffixes,
        suffix_count=config.suffix_count,
        parent_weight=config.parent_weight,
        closed=closed_from(config, scheme),
        kin=kin(tags, scheme),
    )
    hmm = Hmm(tags, scheme, trigrams, weights, lexicon)
    return hmm, _objective(hmm, table, path)


def kin(tags: Sequence[str], scheme: Scheme | None) -> BoolArray:
    """Return kin[r, s]: tags of one label are kin, and ``O`` to all, so that a path exists."""
    if scheme is None:
        return np.eye(len(tags), dtype=np.bool_)
    labels = np.array([tag[2:] for tag in tags])
    related: BoolArray = (labels[:, None] == labels) | (np.array(tags) == OUTSIDE)
    return related


def closed_from(config: TrigramHmm, scheme: Scheme | None) -> int:
    """Return from how many occurrences on the tags of a word are closed."""
    if config.closed == "auto":
        return CLOSED_POS if scheme is None else CLOSED
    return config.closed


def _objective(hmm: Hmm, table: TokenTable, path: IntArray) -> float:
    """- Σ log p(x, y) + Σ log p(x_i): how badly the training set is explained."""
    size = len(hmm.tags)
    q = np.full((size + 1,) * 3, -np.inf)
    q[:, :size, :size], q[size, size, :size], q[:, :size, size] = (
        hmm.chain.transition,
        hmm.chain.start,
        hmm.chain.stop,
    )
    used = hmm.trigrams > 0
    emission = hmm.lexicon.emission(table)[np.arange(len(path)), path]
    return -float((hmm.trigrams[used] * q[used]).sum() + emission.sum())
