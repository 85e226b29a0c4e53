"""Class HMM with log-linear features: several hidden states for each class.

    p(x, y) = p(y_1) Π_t p(y_t | y_{t-1}) Π_t p(x_t | y_t)                     (Krogh 1994)

    p(x | y)  = softmax_x ( Σ_{r ∈ features(x)} emission[r, y] )
    p(y' | y) = softmax_{y'} ( transition[y, y'] ),    p(first y) = softmax_y ( start[y] )

Each class c (``O``, ``I-PER``, …) has m states. Training observes words and classes, not states,
and maximises log p(x, c) = log Σ_y p(x, y) over the state sequences y with these classes, minus a
penalty (Berg-Kirkpatrick et al. 2010). Tagging finds the best states and returns their classes.

With C classes an iteration of training costs N m² for N tokens, because the classes are known, and
tagging N (C m)².

What to read next:

* training: `training.py` → `objective.py` (likelihood and gradient, with the forward–backward
  kernel) → `chain_counts.py` (unknown classes and raw text); `start.py` has the starting point, and
  EM for the model without features; `class_shares.py` has states with a distribution over classes;
* tagging: this file → `models/chain_tagger.py` → `inference/chain.py` → its kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import msgspec
import numpy as np

from lacuna.encoding.schemes import OUTSIDE, Moves, Scheme, moves
from lacuna.errors import ConfigError
from lacuna.features.token_table import TokenTable
from lacuna.inference.chain import Chain, first_order
from lacuna.inference.subtags import projected_tags
from lacuna.models.base import NO_CARD, Card
from lacuna.models.chain_tagger import ChainTagger
from lacuna.models.class_hmm.chain_counts import NO_CLASSES
from lacuna.models.class_hmm.class_shares import pairs_of
from lacuna.models.class_hmm.features import WordFeatureSpace
from lacuna.models.class_hmm.objective import log_moves
from lacuna.models.facts import Facts, Inspection
from lacuna.models.file import StoredModel
from lacuna.models.hidden_states import state_facts
from lacuna.models.settings import AT_LEAST_ONE, NOT_NEGATIVE, Choices, Range, Settings
from lacuna.text.word_types import number_types
from lacuna.types import BoolArray, FloatArray, IntArray, LongArray, RealArray

MOST_STATES = 50


@dataclass(frozen=True, slots=True)
class ClassHmm(Settings):
    """Settings of a class HMM.

    Attributes
    ----------
    states
        Number of hidden states per class; in the outside class if `outside_states` is 0.
    outside_states
        Number of hidden states of the outside class. Training and tagging time grow with its
        square.
    state_classes
        Whether a state belongs to ``one`` class, or has a ``distribution`` over all classes. The
        latter trains as slowly as it tags.
    features
        Features that words share: ``basic`` (none), ``capitalisation``, ``shape``, ``muc``,
        ``affixes``, or a template file whose templates look at the word itself only.
    word_lists
        Files of words, with or without counts, used as further features.
    clusters
        Files of word clusters, as written by ``lacuna cluster`` or ``lacuna vectors``, used as
        further features.
    kappa
        Weight κ of the penalty ‖λ‖² of all weights λ. The larger, the less the model trusts what
        it saw only a few times.
    scheme
        What the classes are: ``IO`` (plain classes; touching mentions of one label become one),
        ``BIO`` or ``BILOU``.
    method
        How weights are found: ``lbfgs``, or ``em``, which supports neither features nor a penalty.
    start
        How the states of a class differ at first: by ``random`` weights alone; or also by
        ``position`` in the mention: the first state prefers first words and the last state last
        words, so that first and last names separate; or besides, for other words, by the classes of
        their ``neighbours``, so that words that announce a mention separate.
    decoder
        How classes are chosen: ``projected``, by the probabilities of all states of a class, or
        ``max-path``, the classes of the best path of states.
    raw_weight
        How much all raw text together (``train --raw``) counts against all annotated text; a raw
        token never counts more than an annotated one.
    noise
        Standard deviation of the random weights; with one state per class there are none.
    iterations
        Maximum number of iterations.
    tolerance
        Stop when an iteration improves the objective by less than this fraction.
    """

    states: Annotated[int, Range(1, MOST_STATES)] = 8
    outside_states: Annotated[int, Range(0, MOST_STATES)] = 20
    state_classes: Literal["one", "distribution"] = "one"
    features: str = "affixes"
    word_lists: Mapping[str, str] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)
    kappa: Annotated[float, NOT_NEGATIVE] = 0.25
    scheme: Annotated[Scheme, Choices(Scheme.IO, Scheme.BIO, Scheme.BILOU)] = Scheme.IO
    method: Literal["lbfgs", "em"] = "lbfgs"
    start: Literal["random", "position", "neighbours"] = "neighbours"
    decoder: Literal["projected", "max-path"] = "projected"
    raw_weight: Annotated[float, NOT_NEGATIVE] = 0.1
    noise: Annotated[float, NOT_NEGATIVE] = 0.1
    iterations: Annotated[int, AT_LEAST_ONE] = 80
    tolerance: Annotated[float, NOT_NEGATIVE] = 1e-6

    def check(self) -> None:
        """Raise ConfigError if settings contradict each other."""
        looks_at_more = self.features != "basic" or self.word_lists or self.clusters
        if self.method == "em" and looks_at_more:
            raise ConfigError(
                'em supports no features: set features to "basic", or method to "lbfgs"'
            )

    def borders(self, tags: Sequence[str]) -> LongArray:
        """Return borders: class tags[c] has the states borders[c] to borders[c + 1]."""
        outside = self.outside_states or self.states
        sizes = [outside if tag == OUTSIDE else self.states for tag in tags]
        return np.cumsum([0, *sizes])


@dataclass(frozen=True, slots=True, eq=False)
class ClassHmmModel(ChainTagger):
    """A trained class HMM. Class ``tags[c]`` has the states ``borders[c]`` to ``borders[c + 1]``.

    If states have a distribution over classes, its chain is one of pairs of state and class.

    Attributes
    ----------
    config
        The settings it was trained with.
    tags
        The classes, ``O`` first.
    space
        The features of words it knows.
    weights
        ``weights[r, y]``: weight of feature r in state y.
    log_total
        ``log_total[y]`` = log Σ_x exp(score of x in y), x over the vocabulary.
    transition, start
        ``transition[y, y']``: weight of state y' after y; ``start[y]``: weight of y as the first.
    classes
        ``classes[c, y]`` = log p(c | y); empty if every state belongs to one class.
    card
        The model card.
    """

    kind: ClassVar[str] = "class-hmm"

    config: ClassHmm
    tags: tuple[str, ...]
    space: WordFeatureSpace
    weights: RealArray
    log_total: FloatArray
    transition: FloatArray
    start: FloatArray
    classes: FloatArray = field(default_factory=lambda: NO_CLASSES)
    card: Card = NO_CARD

    @property
    def borders(self) -> LongArray:
        """First state of every class in the chain, and the number of states; or those of pairs."""
        if self.classes.size:
            return np.searchsorted(pairs_of(self.classes).classes, np.arange(len(self.tags) + 1))
        return self.config.borders(self.tags)

    @property
    def state_tags(self) -> tuple[str, ...]:
        """The class of every state, or of every pair of state and class."""
        return tuple(np.repeat(self.tags, np.diff(self.borders)).tolist())

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states, or of the pairs: the class, and the number of the state."""
        if not self.classes.size:
            return super(ClassHmmModel, self).state_names
        pairs = zip(*pairs_of(self.classes), strict=True)
        return tuple(f"{self.tags[c]} in state {y + 1}" for y, c in pairs)

    @property
    def parameters(self) -> int:
        """Number of weights."""
        tables = self.weights, self.transition, self.start, self.classes
        return sum(table.size for table in tables)

    def counted(self) -> dict[str, int]:
        """Return how many states and features there are."""
        return {"states": len(self.log_total), "features": len(self.space)}

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: also what states stand for in documents."""
        own = super(ClassHmmModel, self).facts(inspection)
        return own + state_facts(self, inspection.documents)

    def chain(self) -> Chain:
        """Return log p(y' | y) and log p(first y)."""
        possible = moves(self.tags, self.config.scheme)
        if self.classes.size:
            return self._chain_of_pairs(possible)
        possible = possible.split(np.diff(self.borders))
        onward, first = log_moves(self.transition, self.start, possible)
        return first_order(onward, first, np.where(possible.last, 0.0, -np.inf))

    def _chain_of_pairs(self, possible: Moves) -> Chain:
        pairs = pairs_of(self.classes)
        free = Moves.unrestricted(len(self.start))
        onward, first = log_moves(self.transition, self.start, free)
        allowed = pairs.moves(possible)
        return first_order(
            np.where(allowed.allowed, onward[np.ix_(pairs.states, pairs.states)], -np.inf),
            np.where(allowed.first, first[pairs.states], -np.inf),
            np.where(allowed.last, 0.0, -np.inf),
        )

    def emission(self, table: TokenTable) -> FloatArray:
        """Return log p(x_t | y) for every token t and state y; of pairs log p(x_t | y) p(c | y)."""
        types = number_types(table.hashes)
        rows = self.log_emission(self.space.rows(table, types.first))
        if self.classes.size:
            states, classes = pairs_of(self.classes)
            rows = rows[:, states] + self.classes[classes, states]
        return rows[types.ids]

    def log_emission(self, rows: IntArray) -> FloatArray:
        """Return log p(x | y) of words with the features rows[x]; -1 is none.

        The formula also holds for words whose set of features no training word had.
        """
        padded = np.concatenate((self.weights, np.zeros((1, len(self.log_total)), np.float32)))
        scores = np.zeros((len(rows), len(self.log_total)))
        for column in rows.T:
            scores += padded[column]
        return scores - self.log_total

    def path(
        self,
        chain: Chain,
        emission: RealArray,
        table: TokenTable,
        settled: BoolArray | None = None,
    ) -> IntArray:
        """Choose classes with the decoder of the settings; return the first state of each."""
        if self.config.decoder == "max-path":
            return super(ClassHmmModel, self).path(chain, emission, table, settled)
        found = projected_tags(chain, emission, table.sentences, self.borders, threads=1)
        return self.borders[found.path].astype(np.int32)

    def store(self) -> StoredModel:
        """Return the content of a model file; `storage.py` reads it."""
        features = self.space.features
        return StoredModel(
            self.kind,
            {
                "config": msgspec.to_builtins(self.config),
                "tags": list(self.tags),
                "properties": list(features.properties),
                "templates": [str(template) for template in features.plan.templates],
                "card": msgspec.to_builtins(self.card),
            },
            {
                **features.plan.resources.to_arrays(),
                "keys": self.space.known.hashes,
                "weights": self.weights,
                "log_total": self.log_total,
                "transition": self.transition,
                "start": self.start,
                **({"classes": self.classes} if self.classes.size else {}),
            },
        )
