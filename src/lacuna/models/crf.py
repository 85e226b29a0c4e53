"""Linear-chain conditional random field, the workhorse.

    p(y | x) = exp( Σ_t emission[t, y_t] + Σ_t V[y_{t-1}, y_t] ) / Z(x)      (Lafferty et al. 2001)

One tag per token (BIO or BILOU); moves that the scheme forbids are no part of the model. What a
token looks at is declared by templates (`features/templates.py`); how emission comes from weights
is in `estimation/factored.py`, how they are trained in `crf_training.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from lacuna.encoding.schemes import Scheme
from lacuna.features.extract import FeatureIndex
from lacuna.features.token_table import TokenTable, in_sequences, token_table
from lacuna.inference.chain import Chain, first_order
from lacuna.models.card import NO_CARD, Card
from lacuna.models.chain_tagger import ChainTagger
from lacuna.models.crf_training import tag_moves
from lacuna.models.scoring import Scorer, SparseRows, without_small
from lacuna.models.storage import NO_STRINGS, PackedStrings, StoredModel
from lacuna.text.document import Document
from lacuna.text.sequences import SequenceKind
from lacuna.types import FloatArray, RealArray

#: Weights nearer to zero are left out: the score of a token is a sum of about fifty.
NEGLIGIBLE = 1e-3


@dataclass(frozen=True, slots=True)
class Crf:
    """Settings of a linear-chain CRF.

    Attributes
    ----------
    features
        Name of a preset, or a template file.
    columns
        Token columns to look at as well, e.g. ``["pos"]``.
    lists, clusters
        Word lists and word clusters to look at as well: files by name.
    scheme
        ``BIO`` or ``BILOU``.
    min_count
        Features that occur less often are left out.
    min_documents
        Features that occur in fewer documents are left out; documents of one group count once.
    support
        Which pairs of feature and label get a weight: ``all``, ``observed`` together, or
        ``frequent``: all for features seen 5 times, else the observed. ``auto``: all up to 20
        tags, else frequent.
    l2, l1
        Weights of the penalties ‖w‖² and Σ|w|.
    iterations
        At most this many.
    tolerance
        Without a dev set, stop when the last 5 iterations improved the objective by less than
        this share.
    sequence
        What is read in one go: a ``sentence``, or a ``line`` with all its sentences, where stops
        stand inside mentions as in addresses.
    caution
        How much the score of a token falls when no mention holds it. The higher, the more is
        found, and the more of it wrongly. Applied in tagging, not in training.
    two_pass
        Tag twice: the second time with what the first found elsewhere in the document.
    """

    features: str = "default"
    columns: tuple[str, ...] = ()
    lists: Mapping[str, str] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)
    scheme: Scheme = Scheme.BIO
    min_count: int = 1
    min_documents: int = 1
    support: str = "auto"
    l2: float = 0.1
    l1: float = 0.0
    iterations: int = 40
    tolerance: float = 0.03
    sequence: SequenceKind = SequenceKind.SENTENCE
    caution: float = 0.0
    two_pass: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CrfModel(ChainTagger):
    """A trained CRF.

    Attributes
    ----------
    config
        What it was trained with.
    tags
        ``O`` first.
    index
        Its features.
    weights
        Weights of feature r for the tags.
    moves
        ``moves[i, j]``: weight of tag j after tag i.
    card
        How it was trained, for people.
    words
        The words of its training text, for people; none in a private model.
    """

    kind: ClassVar[str] = "crf"

    config: Crf
    tags: tuple[str, ...]
    index: FeatureIndex
    weights: SparseRows
    moves: RealArray
    card: Card = NO_CARD
    words: PackedStrings = field(default=NO_STRINGS, repr=False)
    scorer: Scorer = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scorer", Scorer(self.index, self.weights, len(self.tags)))

    @property
    def scheme(self) -> Scheme:
        """How tags spell mentions."""
        return self.config.scheme

    def table(self, documents: Sequence[Document]) -> TokenTable:
        """Return the tokens that the model works on."""
        return in_sequences(token_table(documents), self.config.sequence)

    def emission(self, table: TokenTable) -> FloatArray:
        """Return scores[t, k] of tag k for every token."""
        return self.scorer.scores(table)

    def chain(self) -> Chain:
        """Return the moves as a chain; every O, the first tag, costs what caution says."""
        moves = tag_moves(self.tags, self.config.scheme)
        cost = np.zeros(len(self.tags))
        cost[0] = self.config.caution
        return first_order(
            np.where(moves.allowed, self.moves - cost, -np.inf),
            np.where(moves.first, -cost, -np.inf),
            np.where(moves.last, 0.0, -np.inf),
        )

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""
        from lacuna.models.crf_storage import store_crf

        return store_crf(self)


def crf_model(
    config: Crf,
    tags: tuple[str, ...],
    index: FeatureIndex,
    weights: RealArray,
    moves: RealArray,
) -> CrfModel:
    """Make a model of the weights[r, k] that training found."""
    known, sparse = without_small(index, weights, NEGLIGIBLE)
    return CrfModel(config, tags, known, sparse, moves.astype(np.float32))
