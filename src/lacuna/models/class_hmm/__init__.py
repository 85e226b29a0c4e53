"""Class HMM with log-linear features: several hidden states for each class.

    p(x, y) = p(y_1) Π_t p(y_t | y_{t-1}) Π_t p(x_t | y_t)          (Krogh 1994)

A state belongs to one class (``O``, ``I-PER``, …); what is observed in training is the word and
the class, and which of the class's states it is stays hidden. The probabilities are softmaxes of
weights of features (`models/class_hmm/objective.py`). Tagging finds the best states and gives
their classes. How it is trained is in `class_hmm_training.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from lacuna.encoding.schemes import Scheme, moves
from lacuna.errors import ConfigError
from lacuna.features.token_table import TokenTable
from lacuna.inference.chain import Chain, first_order
from lacuna.models.base import NO_CARD, Card
from lacuna.models.chain import ChainTagger
from lacuna.models.class_hmm.features import FeatureSpace
from lacuna.models.class_hmm.objective import log_moves
from lacuna.models.facts import Facts, Inspection
from lacuna.models.file import StoredModel
from lacuna.models.hidden_states import state_facts
from lacuna.models.settings import AT_LEAST_ONE, NOT_NEGATIVE, Choices, Range, Settings
from lacuna.text.word_types import number_types
from lacuna.types import FloatArray, IntArray, RealArray

MOST_STATES = 50


@dataclass(frozen=True, slots=True)
class ClassHmm(Settings):
    """Settings of a class HMM.

    Attributes
    ----------
    states
        Hidden states per class.
    features
        What words share: ``basic`` (nothing), ``capitalisation``, ``shape``, ``muc``,
        ``affixes``, or a template file whose templates look at the word itself.
    word_lists, clusters
        Word lists and word clusters to look at as well: files by name.
    kappa
        Weight of the penalty ‖λ‖².
    scheme
        What the classes are: ``IO`` (plain classes; touching mentions of one label become one),
        ``BIO`` or ``BILOU``.
    method
        ``lbfgs``, or ``em``, which knows no features and no penalty.
    start
        What tells the states of a class apart in the beginning: ``random`` weights alone, or
        also the ``position`` in the mention: the first state leans to first words, the last
        state to last words, and so first and last names come apart.
    noise
        Standard deviation of the random weights; there are none with one state per class.
    iterations
        At most this many.
    tolerance
        Stop when an iteration improves the objective by less than this share.
    """

    states: Annotated[int, Range(1, MOST_STATES)] = 5
    features: str = "affixes"
    word_lists: Mapping[str, str] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)
    kappa: Annotated[float, NOT_NEGATIVE] = 0.1
    scheme: Annotated[Scheme, Choices(Scheme.IO, Scheme.BIO, Scheme.BILOU)] = Scheme.IO
    method: Literal["lbfgs", "em"] = "lbfgs"
    start: Literal["random", "position"] = "position"
    noise: Annotated[float, NOT_NEGATIVE] = 0.1
    iterations: Annotated[int, AT_LEAST_ONE] = 80
    tolerance: Annotated[float, NOT_NEGATIVE] = 1e-6

    def check(self) -> None:
        """Refuse settings that do not go together."""
        looks_at_more = self.features != "basic" or self.word_lists or self.clusters
        if self.method == "em" and looks_at_more:
            raise ConfigError('em counts words: set features to "basic", or method to "lbfgs"')


@dataclass(frozen=True, slots=True, eq=False)
class ClassHmmModel(ChainTagger):
    """A trained class HMM. State y belongs to the class ``tags[y // config.states]``.

    Attributes
    ----------
    config
        What it was trained with.
    tags
        The classes, ``O`` first.
    space
        Its features of words.
    weights
        ``weights[r, y]`` of feature r in state y.
    log_total
        ``log_total[y]`` = log Σ_x exp(score of x in y), x over the vocabulary.
    transition, start
        Weights of state y' after y, and of y at the beginning.
    card
        How it was trained, for people.
    """

    kind: ClassVar[str] = "class-hmm"

    config: ClassHmm
    tags: tuple[str, ...]
    space: FeatureSpace
    weights: RealArray
    log_total: FloatArray
    transition: FloatArray
    start: FloatArray
    card: Card = NO_CARD

    @property
    def state_tags(self) -> tuple[str, ...]:
        """The class of every state."""
        return tuple(np.repeat(self.tags, self.config.states).tolist())

    @property
    def parameters(self) -> int:
        """Number of weights."""
        return self.weights.size + self.transition.size + self.start.size

    def counted(self) -> dict[str, int]:
        """Return how many states and features there are."""
        return {"states": len(self.log_total), "features": len(self.space)}

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: also what states stand for in documents."""
        own = super(ClassHmmModel, self).facts(inspection)
        return own + state_facts(self, inspection.documents)

    @property
    def scheme(self) -> Scheme:
        """How classes spell mentions."""
        return self.config.scheme

    def chain(self) -> Chain:
        """Return log p(y' | y) and log p(first y)."""
        possible = moves(self.tags, self.scheme).split(self.config.states)
        onward, first = log_moves(self.transition, self.start, possible)
        return first_order(onward, first, np.where(possible.last, 0.0, -np.inf))

    def emission(self, table: TokenTable) -> FloatArray:
        """Return log p(x_t | y) for every token t and state y."""
        types = number_types(table.hashes)
        return self.log_emission(self.space.rows(table, types.first))[types.ids]

    def log_emission(self, rows: IntArray) -> FloatArray:
        """Return log p(x | y) of words with the features rows[x]; -1 is none.

        The same formula serves words with a set of features that no training word had.
        """
        padded = np.concatenate((self.weights, np.zeros((1, len(self.log_total)), np.float32)))
        scores = np.zeros((len(rows), len(self.log_total)))
        for column in rows.T:
            scores += padded[column]
        return scores - self.log_total

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""
        from lacuna.models.class_hmm.storage import store_class_hmm

        return store_class_hmm(self)
