"""Trigram hidden Markov model (Brants 2000).

    p(x, y) = Π_{i=1}^{n+1} q(y_i | y_{i-2}, y_{i-1}) · Π_{i=1}^{n} e(x_i | y_i)

x_1 … x_n are the words of a sentence and y_1 … y_n their tags; y_0 = y_{-1} = * is the mark before
the first tag, y_{n+1} = STOP comes after the last.

    q(s | u, v)    frequencies of tag trigrams, bigrams and unigrams, interpolated
    e(x | s)       how often word x has tag s, blended with the words that look like x

Both are counted, so training is one pass over the corpus. The best tags of a sentence are found in
O(n K³) for K tags, in practice far less: words seen often have few possible tags.

What to read next:

    tagging     `models/chain_tagger.py` → `inference/chain.py` → `inference/second_order.py`
    training    `training.py` → `transitions.py` (q), `tag_lexicon.py` (e) → `word_classes.py`

Tags spell mentions (BIO, BILOU), or they are parts of speech (`pos.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import msgspec
import numpy as np

from lacuna.encoding.schemes import Moves, Scheme, moves
from lacuna.features.token_table import TokenTable
from lacuna.inference.chain import Chain
from lacuna.models.base import NO_CARD, Card
from lacuna.models.chain_tagger import ChainTagger
from lacuna.models.facts import Facts, Inspection, Table
from lacuna.models.file import StoredModel
from lacuna.models.settings import AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE, Choices, Range, Settings
from lacuna.models.trigram_hmm.tag_lexicon import TagLexicon
from lacuna.models.trigram_hmm.transitions import InterpolationWeights, as_chain, interpolate
from lacuna.types import FloatArray, LongArray, Task

#: Occurrences that close the tags of a word: of mentions, and of parts of speech.
CLOSED, CLOSED_POS = 20, 5


@dataclass(frozen=True, slots=True)
class TrigramHmm(Settings):
    """Settings of a trigram HMM.

    Attributes
    ----------
    scheme
        Which tags encode mentions: ``BIO`` or ``BILOU``. Ignored for parts of speech.
    interpolation
        Weights of tag unigrams, bigrams and trigrams, or ``auto``: by deleted interpolation.
    rare
        Words seen fewer times are rare: word classes are estimated from them.
    blend
        Weight of one occurrence of a rare word against its class; 0: the class alone. One
        occurrence of any other word weighs at least 1.
    suffixes
        Length of the longest suffix that defines a word class; 0: only the look of a word does.
    suffix_count
        Suffixes of fewer tokens have no class of their own.
    parent_weight
        Weight of a shorter suffix against a longer one, in tokens.
    closed
        A word seen this often has only the labels (and ``O``) or parts of speech it was seen with.
        ``auto``: 20 for mentions, 5 for parts of speech.
    raw_weight
        How much all raw text together (``train --raw``) counts against all annotated text; a raw
        token never counts more than an annotated one.
    iterations
        With raw text: maximum number of models, each trained on the tags that the one before
        expects there; the first is trained without raw text.
    """

    scheme: Annotated[Scheme, Choices(Scheme.BIO, Scheme.BILOU)] = Scheme.BIO
    interpolation: Annotated[Literal["auto"] | tuple[float, float, float], POSITIVE] = "auto"
    rare: Annotated[int, AT_LEAST_ONE] = 5
    blend: Annotated[float, NOT_NEGATIVE] = 2.0
    suffixes: Annotated[int, Range(0, 20)] = 4
    suffix_count: Annotated[int, AT_LEAST_ONE] = 3
    parent_weight: Annotated[float, POSITIVE] = 10.0
    closed: Annotated[Literal["auto"] | int, AT_LEAST_ONE] = "auto"
    raw_weight: Annotated[float, NOT_NEGATIVE] = 0.1
    iterations: Annotated[int, AT_LEAST_ONE] = 5

    def closed_from(self, scheme: Scheme | None) -> int:
        """Return the number of occurrences that closes the tags of a word; no scheme: POS tags."""
        if self.closed == "auto":
            return CLOSED_POS if scheme is None else CLOSED
        return self.closed


@dataclass(frozen=True, slots=True, eq=False)
class Hmm:
    """q and e, whatever the tags mean.

    Attributes
    ----------
    tags
        Their names.
    scheme
        Which tag may follow which; ``None``: any tag may follow any other.
    trigrams
        c(u, v, s); the last index is * for u and v, and STOP for s.
    weights
        λ₁, λ₂, λ₃ of the interpolation.
    lexicon
        e.
    chain
        log q.
    """

    tags: tuple[str, ...]
    scheme: Scheme | None
    trigrams: LongArray
    weights: InterpolationWeights
    lexicon: TagLexicon
    chain: Chain = field(init=False, repr=False)

    def __post_init__(self) -> None:
        tags, scheme = self.tags, self.scheme
        allowed = Moves.unrestricted(len(tags)) if scheme is None else moves(tags, scheme)
        q = interpolate(self.trigrams, self.weights, allowed.with_border())
        object.__setattr__(self, "chain", as_chain(q))

    @property
    def parameters(self) -> int:
        """Number of counts."""
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
        The model card.
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
        """Number of counts."""
        return self.hmm.parameters

    def counted(self) -> dict[str, int]:
        """Return how many tags, known words and word classes there are."""
        return self.hmm.counted()

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: also the weights of interpolation."""
        return super(TrigramHmmModel, self).facts(inspection) + self.hmm.facts()

    def chain(self) -> Chain:
        """Return log q as a chain."""
        return self.hmm.chain

    def emission(self, table: TokenTable) -> FloatArray:
        """Return log e(x | s) - log p(x) for every token, [t, s]."""
        return self.hmm.lexicon.emission(table)

    def store(self) -> StoredModel:
        """Return the content of its model file."""
        return store_hmm(self.hmm, self.config, self.card)


def store_hmm(hmm: Hmm, config: TrigramHmm, card: Card) -> StoredModel:
    """Return a model of mentions or of parts of speech for a file; `storage.py` reads it."""
    lexicon = hmm.lexicon
    return StoredModel(
        TrigramHmmModel.kind,
        {
            "task": str(Task.POS if hmm.scheme is None else Task.NER),
            "config": msgspec.to_builtins(config),
            "tags": list(hmm.tags),
            "weights": list(hmm.weights),
            "card": msgspec.to_builtins(card),
        },
        {
            "trigrams": hmm.trigrams,
            "words": lexicon.words.hashes,
            "borders": lexicon.counts.borders,
            "word_tags": lexicon.counts.tags,
            "counts": lexicon.counts.values,
            "tag_counts": lexicon.tags,
            "class_keys": lexicon.classes.keys.hashes,
            "class_tags": lexicon.classes.tags,
        },
    )
