"""Linear-chain conditional random fields: settings and weights, whatever their tags mean.

    p(y | x) = exp( Σ_t emission[t, y_t] + Σ_t V[y_{t-1}, y_t] ) / Z(x)      (Lafferty et al. 2001)

One tag per token; moves that the tags forbid are no part of the model. What a token looks at is
declared by templates (`features/templates.py`); how emission comes from weights is in
`learning/emission.py`, how they are trained in `crf/training.py`.

The CRF of flat mentions, the workhorse: tags are BIO or BILOU.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec
import numpy as np

from lacuna.encoding.flat import Example, flat_example
from lacuna.encoding.schemes import Moves, Scheme, moves, tag_set
from lacuna.features.extract import FeatureIndex
from lacuna.features.token_table import TokenTable, in_sequences, token_table
from lacuna.inference.chain import Chain, first_order
from lacuna.models.base import NO_CARD, Card
from lacuna.models.chain import ChainTagger, PathTagger
from lacuna.models.crf.explain import crf_tables, strongest_features
from lacuna.models.facts import Facts, Inspection, settings_table
from lacuna.models.file import NO_STRINGS, PackedStrings, StoredModel, unpack_strings
from lacuna.models.scoring import NEGLIGIBLE, Scorer, SparseRows, without_small
from lacuna.models.settings import AT_LEAST_ONE, NOT_NEGATIVE, Choices, Settings
from lacuna.text.document import Document
from lacuna.text.sequences import SequenceKind
from lacuna.types import RealArray

Support = Literal["auto", "all", "observed", "frequent"]


@dataclass(frozen=True, slots=True)
class CrfSettings(Settings, ABC):
    """Settings of any linear-chain CRF.

    Attributes
    ----------
    features
        Name of a preset, or a template file.
    columns
        Token columns to look at as well, e.g. ``["pos"]``.
    word_lists, clusters
        Word lists and word clusters to look at as well: files by name.
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
    """

    features: str = "default"
    columns: tuple[str, ...] = ()
    word_lists: Mapping[str, str] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)
    min_count: Annotated[int, AT_LEAST_ONE] = 1
    min_documents: Annotated[int, AT_LEAST_ONE] = 1
    support: Support = "auto"
    l2: Annotated[float, NOT_NEGATIVE] = 0.1
    l1: Annotated[float, NOT_NEGATIVE] = 0.0
    iterations: Annotated[int, AT_LEAST_ONE] = 40
    tolerance: Annotated[float, NOT_NEGATIVE] = 0.03
    sequence: SequenceKind = SequenceKind.SENTENCE
    caution: float = 0.0

    @abstractmethod
    def example(self, document: Document) -> Example:
        """Return a document with its tags."""

    @abstractmethod
    def tag_set(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return the tags for mentions of these labels, ``O`` first."""

    @abstractmethod
    def moves(self, tags: Sequence[str]) -> Moves:
        """Return which tags may follow one another, begin and end a sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class ChainCrf(PathTagger):
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

    config: CrfSettings
    tags: tuple[str, ...]
    index: FeatureIndex
    weights: SparseRows
    moves: RealArray
    card: Card = NO_CARD
    words: PackedStrings = field(default=NO_STRINGS, repr=False)
    scorer: Scorer = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scorer", Scorer(self.index, self.weights, len(self.tags)))

    @classmethod
    def of(
        cls,
        config: Any,
        tags: tuple[str, ...],
        index: FeatureIndex,
        weights: RealArray,
        moves: RealArray,
    ) -> Self:
        """Make a model of the weights[r, k] that training found; negligible ones are dropped."""
        known, sparse = without_small(index, weights, NEGLIGIBLE)
        return cls(config, tags, known, sparse, moves.astype(np.float32))

    def table(self, documents: Sequence[Document]) -> TokenTable:
        """Return the tokens that the model works on."""
        return in_sequences(token_table(documents), self.config.sequence)

    def emission(self, table: TokenTable) -> RealArray:
        """Return scores[t, k] of tag k for every token."""
        return self.scorer.scores(table)

    def chain(self) -> Chain:
        """Return the moves as a chain; every O, the first tag, costs what caution says."""
        moves = self.config.moves(self.tags)
        cost = np.zeros(len(self.tags))
        cost[0] = self.config.caution
        return first_order(
            np.where(moves.allowed, self.moves - cost, -np.inf),
            np.where(moves.first, -cost, -np.inf),
            np.where(moves.last, 0.0, -np.inf),
        )

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""
        plan = self.index.plan
        return StoredModel(
            self.kind,
            {
                "config": msgspec.to_builtins(self.config),
                "tags": list(self.tags),
                "templates": [str(template) for template in plan.templates],
                "key": plan.key,
                "card": msgspec.to_builtins(self.card),
            },
            {
                **plan.resources.to_arrays(),
                "keys": self.index.keys.hashes,
                "borders": self.weights.borders,
                "weight_tags": self.weights.tags,
                "weights": self.weights.values,
                "moves": self.moves,
                "words": self.words.data,
                "word_borders": self.words.offsets,
            },
        )

    @property
    def parameters(self) -> int:
        """How many weights there are, of features and of moves."""
        return len(self.weights.values) + self.moves.size

    @property
    def is_private(self) -> bool:
        """Whether it was trained to hold no word of its training text."""
        return bool(self.index.plan.key)

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that can be read in its file."""
        return tuple(unpack_strings(self.words))

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: templates, strongest features and moves."""
        strongest = strongest_features(
            self.index, self.weights, self.tags, inspection.words, count=inspection.features
        )
        tables = crf_tables(self.index.plan.templates, self.tags, self.moves, strongest)
        values = {
            "private": self.is_private,
            "strongest": {
                tag: [feature._asdict() for feature in best] for tag, best in strongest.items()
            },
        }
        return Facts((settings_table(self.config), *tables), values)


@dataclass(frozen=True, slots=True)
class Crf(CrfSettings):
    """Settings of a linear-chain CRF; most stand in :class:`CrfSettings`.

    Attributes
    ----------
    scheme
        ``BIO`` or ``BILOU``.
    two_pass
        Tag twice: the second time with what the first found elsewhere in the document.
    """

    scheme: Annotated[Scheme, Choices(Scheme.BIO, Scheme.BILOU)] = Scheme.BIO
    two_pass: bool = False

    def example(self, document: Document) -> Example:
        """Return a document with the tags of its flat mentions."""
        return flat_example(document, self.scheme, self.sequence)

    def tag_set(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return the tags for mentions of these labels, ``O`` first."""
        return tag_set(labels, self.scheme)

    def moves(self, tags: Sequence[str]) -> Moves:
        """Return which tags may follow one another, begin and end a sentence."""
        return moves(tags, self.scheme)


@dataclass(frozen=True, slots=True, eq=False)
class CrfModel(ChainCrf, ChainTagger):
    """A trained CRF of flat mentions."""

    kind: ClassVar[str] = "crf"

    config: Crf

    @property
    def scheme(self) -> Scheme:
        """How tags spell mentions."""
        return self.config.scheme
