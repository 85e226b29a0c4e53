"""What every kind of model has in common.

:class:`Tagger` is what a trained model can do, and :class:`TagsAnything` the part of it that is the
same for all. Training yields a :class:`Step` at a time. A :class:`Card` tells people what a model
was trained on, how well it does and under which terms it may be used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Protocol, overload, runtime_checkable

import numpy as np

from lacuna.models.facts import Facts, Inspection, counts_table, settings_table
from lacuna.models.file import StoredModel
from lacuna.models.settings import Settings
from lacuna.text.document import Document, Mention
from lacuna.text.tokens import tokens_of
from lacuna.types import FloatArray, IntArray, Task

BATCH_DOCUMENTS = 256


#: Start, end and label of a mention, or of a part of one that has gaps.
Part = tuple[int, int, str]


def parts_of(mentions: Iterable[Mention]) -> list[Part]:
    """Return the parts of mentions one by one."""
    return [(span.start, span.end, mention.label) for mention in mentions for span in mention.spans]


class Examined(NamedTuple):
    """All that a tagger says of a document.

    document
        As it came.
    found
        The parts of the mentions found.
    start, end
        Characters of its tokens.
    probability
        Of each token, that it is in a mention.
    """

    document: Document
    found: list[Part]
    start: IntArray
    end: IntArray
    probability: FloatArray


@runtime_checkable
class Tagger(Protocol):
    """A trained model: finds mentions, says how sure it is, can be stored."""

    kind: ClassVar[str]
    task: ClassVar[Task]
    overlapping: ClassVar[bool]  #: whether its mentions may overlap and have gaps

    @property
    def config(self) -> Settings:
        """What it was trained with."""

    @property
    def card(self) -> Card:
        """How it was trained, for people."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""

    @property
    def parameters(self) -> int:
        """How many numbers were learnt."""

    @property
    def is_private(self) -> bool:
        """Whether it was trained to hold no word of its training text."""

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token of ``tokens_of`` the probability that it is in a mention."""

    def identifier_probability(self, document: Document) -> FloatArray:
        """Return the same for one document."""

    def examine(self, documents: Sequence[Document]) -> list[Examined]:
        """Return both: the mentions found and the probability of every token."""

    def tag(self, item: Any, *, probabilities: bool = False) -> Any:
        """Find mentions in a text, a document, or a stream of them."""

    def with_card(self, card: Card) -> Tagger:
        """Return the model with another card."""

    def core(self) -> Tagger:
        """Return the innermost tagger: the model itself, unless it is made around another."""

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that can be read in its file."""

    def counted(self) -> dict[str, int]:
        """Return how many there are of what a model is made of."""

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows."""

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""


class TagsAnything:
    """``tag`` for a text, a document or many, on top of ``find``; probabilities of one document."""

    __slots__ = ()

    task: ClassVar[Task] = Task.NER
    overlapping: ClassVar[bool] = False

    @property
    def is_private(self) -> bool:
        """Whether it was trained to hold no word of its training text."""
        return False

    @overload
    def tag(  # type: ignore[overload-overlap]
        self: Tagger, item: str | Document, *, probabilities: bool = ...
    ) -> Document: ...

    @overload
    def tag(
        self: Tagger, item: Iterable[str | Document], *, probabilities: bool = ...
    ) -> Iterator[Document]: ...

    def tag(
        self: Tagger,
        item: str | Document | Iterable[str | Document],
        *,
        probabilities: bool = False,
    ) -> Document | Iterator[Document]:
        """Find mentions in a text, a document, or a stream of them.

        Parameters
        ----------
        item
            A text becomes a document with the id ``"text"``, in a stream ``"text-1"`` and so on.
        probabilities
            Whether mentions get the probability that they are exactly right.
        """
        if isinstance(item, str):
            item = Document("text", item)
        if isinstance(item, Document):
            return self.find([item], probabilities=probabilities)[0]
        return _stream(self, item, probabilities)

    def with_card(self: Any, card: Card) -> Any:
        """Return the model with another card."""
        return replace(self, card=card)

    def core(self: Tagger) -> Tagger:
        """Return the innermost tagger: the model itself, unless it is made around another."""
        return self

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that can be read in its file: none."""
        return ()

    def counted(self) -> dict[str, int]:
        """Return how many there are of what a model is made of."""
        return {}

    def facts(self: Tagger, _: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows: settings and sizes."""
        sizes = {**self.counted(), "numbers": self.parameters}
        return Facts((settings_table(self.config), counts_table(sizes)))

    def identifier_probability(self: Tagger, document: Document) -> FloatArray:
        """Return for each token of a document the probability that it is in a mention."""
        return self.identifier_probabilities([document])[0]

    def examine(self: Tagger, documents: Sequence[Document]) -> list[Examined]:
        """Return the mentions found and the probability of every token."""
        tokens = [tokens_of(document) for document in documents]
        return [
            Examined(document, parts_of(found.mentions), its.start, its.end, probability)
            for document, found, its, probability in zip(
                documents,
                self.find(documents),
                tokens,
                self.identifier_probabilities(documents),
                strict=True,
            )
        ]


def _stream(
    tagger: Tagger, items: Iterable[str | Document], probabilities: bool
) -> Iterator[Document]:
    documents = (
        Document(f"text-{number}", item) if isinstance(item, str) else item
        for number, item in enumerate(items, start=1)
    )
    for batch in group_batches(documents):
        yield from tagger.find(batch, probabilities=probabilities)


def group_batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Cut a stream into batches, but never between documents of one group in a row.

    A group whose documents do not follow one another may be cut.
    """
    batch: list[Document] = []
    for document in documents:
        if len(batch) >= BATCH_DOCUMENTS and document.unit != batch[-1].unit:
            yield batch
            batch = []
        batch.append(document)
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What training needs besides documents and settings.

    Attributes
    ----------
    seed
        Seeds random starts and folds, and is part of the key of a private model.
    start
        A model to adapt: training starts from its weights and stays close to them.
    private
        Keep no word of the documents in the model, and no feature of fewer than three of them;
        see ``models/crf/adapting.py`` for what that does and does not protect.
    """

    seed: int = 0
    start: Tagger | None = None
    private: bool = False

    @property
    def rng(self) -> np.random.Generator:
        """A generator that starts from the seed."""
        return np.random.default_rng(self.seed)


class Step(NamedTuple):
    """A point in training. Every kind of model is trained by a generator of steps.

    iteration
        From 1 on (the CRF also yields its start, 0); a model estimated by counting has one step.
    objective
        What is minimised, e.g. -log p(words, tags) plus penalty.
    model
        Makes the model of this point; called only when it is needed.
    note
        What else to report about this point.
    is_judged
        Whether the point is to be scored on the dev documents.
    is_part
        Whether a part is being trained that is no model by itself, e.g. the first of two passes.

    Parameters
    ----------
        How many weights are searched, where that differs from what the model stores.
    """

    iteration: int
    objective: float
    model: Callable[[], Tagger]
    note: str = ""
    is_judged: bool = True
    is_part: bool = False
    parameters: int | None = None


@dataclass(frozen=True, slots=True)
class CardScore:
    """A score, and how it was measured."""

    how: str
    f1: float


@dataclass(frozen=True, slots=True)
class Card:
    """What people should know about a model.

    Attributes
    ----------
    data
        Names of the files it learnt from; none in a private model.
    documents, tokens
        How many there were.
    mentions
        Number of mentions by label.
    iterations
        Steps that were taken.
    scores
        What was measured in training.
    licence
        Terms of use.
    version
        The lacuna that made it.
    adapted_from
        Card of the model that training began with.
    """

    data: tuple[str, ...] = ()
    documents: int = 0
    tokens: int = 0
    mentions: Mapping[str, int] = field(default_factory=dict)
    iterations: int = 0
    scores: tuple[CardScore, ...] = ()
    licence: str = ""
    version: str = ""
    adapted_from: Card | None = None


NO_CARD = Card()
