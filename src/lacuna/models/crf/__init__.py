"""Linear-chain conditional random field: the default model.

    p(y | x) = exp( Σ_t s(x, t, y_t) + Σ_t m(y_{t-1}, y_t) ) / Z(x)
    s(x, t, k) = Σ_r f_r(x, t) w[r, k]

y_t is the tag of token t: BIO or BILOU tags encode flat mentions (:class:`Crf`), LI tags also
mentions with gaps (`li.py`). f_r(x, t) is 1 if feature r of the templates fires at token t, w are
its weights and m those of moves between tags; moves that a tag scheme forbids are impossible.
Training minimises

    -Σ log p(y | x) + λ ‖(w, m)‖² + μ ‖(w, m)‖₁          by L-BFGS (μ > 0: orthant-wise).

Tagging takes the best path and O(T K²) time for T tokens and K tags; probabilities come from the
forward–backward algorithm. (Lafferty, McCallum and Pereira 2001.)

What to read next:

* training: `training.py` → `training_set.py` → `objective.py` (value and gradient) →
  `inference/chain.py` → `inference/chain_kernels.py`;
* tagging: `models/chain_tagger.py` → `models/scoring.py` (s) → `inference/chain.py`;
* two passes: `two_pass.py`; adapting a model: `adapting.py`, `changes.py`; files: `storage.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec
import numpy as np

from lacuna.encoding.flat import Example, flat_example
from lacuna.encoding.schemes import Moves, Scheme, moves, tag_set
from lacuna.features.extract import FeatureIndex
from lacuna.features.presets import AUTO
from lacuna.features.token_table import TokenTable, in_sequences, token_table
from lacuna.inference.chain import Chain, first_order
from lacuna.models.base import NO_CARD, Card
from lacuna.models.chain_tagger import ChainTagger
from lacuna.models.crf.explain import crf_tables, strongest_features
from lacuna.models.facts import Facts, Inspection, settings_table
from lacuna.models.feature_settings import FeatureSettings
from lacuna.models.file import NO_STRINGS, PackedStrings, StoredModel, unpack_strings
from lacuna.models.scoring import NEGLIGIBLE, Scorer, SparseRows, without_small
from lacuna.models.settings import AT_LEAST_ONE, CAUTION, NOT_NEGATIVE, SHARE
from lacuna.text.document import Document
from lacuna.text.sequences import SequenceKind
from lacuna.types import RealArray

Support = Literal["auto", "all", "observed", "frequent"]


@dataclass(frozen=True, slots=True)
class CrfSettings(FeatureSettings, ABC):
    """Settings of any linear-chain CRF; see also :class:`FeatureSettings`.

    The `l1` penalty counts n features that are trained as one (`learning/emission.py`) √n times.

    Attributes
    ----------
    features
        Templates of features: a preset (``default``, ``clinical``, ``hypergraph``), or the path of
        a template file. ``auto`` is ``clinical`` for forms, else ``default``.
    min_documents
        Features of fewer documents are ignored; documents of one group count once.
    support
        Which pairs of feature and tag get a weight: ``all``, those ``observed`` together, or
        ``frequent``: all pairs of features seen 5 times, else the observed ones. ``auto`` is
        ``all`` for up to 20 tags, else ``frequent``.
    l2
        λ, the weight of the penalty of squared weights. The larger, the less the model trusts
        what it saw only a few times.
    l1
        μ, the weight of the penalty of absolute weights, which sets weights to zero and makes the
        file smaller.
    iterations
        Maximum number of iterations.
    tolerance
        Stop when the last 5 iterations improved the objective by less than this fraction.
    sequence
        What is tagged as one sequence: a ``sentence``, or a ``line`` with all its sentences, for
        mentions that contain full stops, such as addresses. ``auto`` is ``line`` for forms.
    caution
        How much the score of ``O`` is lowered at tagging time. Higher values find more mentions,
        but also more false ones.
    """

    features: str = AUTO
    min_documents: Annotated[int, AT_LEAST_ONE] = 1
    support: Support = "auto"
    l2: Annotated[float, NOT_NEGATIVE] = 0.1
    l1: Annotated[float, NOT_NEGATIVE] = 0.0
    iterations: Annotated[int, NOT_NEGATIVE] = 40
    tolerance: Annotated[float, NOT_NEGATIVE] = 0.03
    sequence: SequenceKind = SequenceKind.AUTO
    caution: Annotated[float, CAUTION] = 0.0

    @abstractmethod
    def example(self, document: Document) -> Example:
        """Return a document with its tags."""

    @abstractmethod
    def tag_set(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return the tags for mentions of these labels, ``O`` first."""

    @abstractmethod
    def moves(self, tags: Sequence[str]) -> Moves:
        """Return which tags may follow one another, and begin or end a sentence."""


@dataclass(frozen=True, slots=True, eq=False)
class ChainCrf(ChainTagger):
    """A trained CRF.

    Attributes
    ----------
    config
        The settings it was trained with.
    tags
        All tags, ``O`` first.
    index
        The features.
    weights
        Row r has the weights of feature r for the tags.
    moves
        ``moves[i, j]`` is the weight of tag j after tag i.
    card
        The model card.
    words
        The words of the training text, used to name features; empty in a private model.
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
        """Make a model from trained weights[r, k]; negligible weights are dropped."""
        known, sparse = without_small(index, weights, NEGLIGIBLE)
        return cls(config, tags, known, sparse, moves.astype(np.float32))

    def table(self, documents: Sequence[Document]) -> TokenTable:
        """Return the tokens of the documents, in sequences."""
        return in_sequences(token_table(documents), self.config.sequence)

    def emission(self, table: TokenTable) -> RealArray:
        """Return scores[t, k] of tag k for every token."""
        return self.scorer.scores(table)

    def chain(self) -> Chain:
        """Return the moves as a chain; every O, the first tag, is penalised by `caution`."""
        moves = self.config.moves(self.tags)
        cost = np.zeros(len(self.tags))
        cost[0] = self.config.caution
        return first_order(
            np.where(moves.allowed, self.moves - cost, -np.inf),
            np.where(moves.first, -cost, -np.inf),
            np.where(moves.last, 0.0, -np.inf),
        )

    def store(self) -> StoredModel:
        """Return the content of its model file."""
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
        """Number of weights, of features and of moves."""
        return len(self.weights.values) + self.moves.size

    @property
    def is_private(self) -> bool:
        """Whether it was trained to contain no word of its training text."""
        return bool(self.index.plan.key)

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that its file contains in plain text."""
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
    """Settings of a CRF of flat mentions; see also :class:`CrfSettings`.

    Attributes
    ----------
    scheme
        Which tags encode mentions: ``BIO`` (begin, inside, outside), ``BILOU`` and ``IOBES``
        (also the last and the only token), ``IOB1`` (begin only where mentions touch), or ``IO``
        (touching mentions of one label become one).
    two_pass
        Tag twice: the second pass uses what the first found elsewhere in the document.
    adapting
        What is learnt when a model is adapted (``--from``): ``changes`` of its weights, which
        forgets little; or all ``weights`` anew from the old ones, as lacuna 0.1.0 did, which
        ignores the other settings of adapting.
    adapting_share
        Adapting adds this share of the changes to the old weights. The smaller, the less is
        forgotten, and the less is learnt.
    adapting_letters
        Adapting also reads the documents in small letters and in capitals.
    adapting_replay
        Adapting mixes in so many generated notes, or rather the sentences of which the old model
        is unsure: its answers are to stay there. None are mixed in for a model that has token
        columns, or that has other labels than generated notes, or few of theirs.
    """

    scheme: Scheme = Scheme.BIO
    two_pass: bool = False
    adapting: Literal["changes", "weights"] = "changes"
    adapting_share: Annotated[float, SHARE] = 0.75
    adapting_letters: bool = True
    adapting_replay: Annotated[int, NOT_NEGATIVE] = 600

    def example(self, document: Document) -> Example:
        """Return a document with the tags of its flat mentions."""
        return flat_example(document, self.scheme, self.sequence)

    def tag_set(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return the tags for mentions of these labels, ``O`` first."""
        return tag_set(labels, self.scheme)

    def moves(self, tags: Sequence[str]) -> Moves:
        """Return which tags may follow one another, and begin or end a sentence."""
        return moves(tags, self.scheme)


@dataclass(frozen=True, slots=True, eq=False)
class CrfModel(ChainCrf):
    """A trained CRF of flat mentions."""

    kind: ClassVar[str] = "crf"

    config: Crf
