"""What all kinds of models have in common.

:class:`Tagger` is the interface of a trained model; :class:`TagsAnything` implements what is the
same for all kinds. Training yields one :class:`Step` at a time. A :class:`Card` tells people what
a model was trained on, how good it is and under which terms it may be used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Protocol, overload, runtime_checkable

import numpy as np

from lacuna.models.facts import Facts, Inspection, counts_table, settings_table
from lacuna.models.file import StoredModel, model_bytes
from lacuna.models.registry import model_of_bytes
from lacuna.models.settings import Settings
from lacuna.text.document import Document, Mention
from lacuna.text.tokens import tokens_of
from lacuna.types import FloatArray, IntArray, Task

BATCH_DOCUMENTS = 256

#: Start, end and label of a mention, or of one part of a mention with gaps.
Part = tuple[int, int, str]


def parts_of(mentions: Iterable[Mention]) -> list[Part]:
    """Return all parts of some mentions."""
    return [(span.start, span.end, mention.label) for mention in mentions for span in mention.spans]


class Examined(NamedTuple):
    """The result of tagging one document.

    document
        The document as it was given.
    found
        The parts of the mentions found.
    start, end
        Character offsets of the tokens.
    probability
        For each token, the probability that it is in a mention.
    """

    document: Document
    found: list[Part]
    start: IntArray
    end: IntArray
    probability: FloatArray


@runtime_checkable
class Tagger(Protocol):
    """A trained model: finds mentions, gives probabilities, can be stored."""

    kind: ClassVar[str]
    task: ClassVar[Task]
    leaves_words_out: ClassVar[str]  #: option of ``train`` that keeps words out of the file
    overlapping: ClassVar[bool]  #: whether mentions may overlap and have gaps

    @property
    def config(self) -> Settings:
        """The settings it was trained with."""

    @property
    def card(self) -> Card:
        """The model card."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""

    @property
    def parameters(self) -> int:
        """Number of learnt parameters."""

    @property
    def is_private(self) -> bool:
        """Whether it was trained to contain no word of its training text."""

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token of ``tokens_of`` the probability that it is in a mention."""

    def identifier_probability(self, document: Document) -> FloatArray:
        """Return :meth:`identifier_probabilities` of one document."""

    def examine(self, documents: Sequence[Document]) -> list[Examined]:
        """Return the mentions found and the probability of every token."""

    def tag(self, item: Any, *, probabilities: bool = False) -> Any:
        """Find mentions in a text, a document, or a stream of them."""

    def with_card(self, card: Card) -> Tagger:
        """Return the model with another card."""

    def core(self) -> Tagger:
        """Return the innermost tagger: the model itself, unless it wraps another."""

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that its file contains in plain text."""

    def counted(self) -> dict[str, int]:
        """Return the sizes of its parts by name, e.g. the number of states."""

    def facts(self, inspection: Inspection) -> Facts:
        """Return what ``lacuna inspect`` shows."""

    def store(self) -> StoredModel:
        """Return the content of its model file."""


class TagsAnything:
    """What all taggers share: ``tag`` for texts, documents and streams, and defaults."""

    __slots__ = ()

    task: ClassVar[Task] = Task.NER
    leaves_words_out: ClassVar[str] = "--private"
    overlapping: ClassVar[bool] = False

    @property
    def is_private(self) -> bool:
        """Whether it was trained to contain no word of its training text."""
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
        if isinstance(item, str | Document):
            return self.find([as_document(item, "text")], probabilities=probabilities)[0]
        return _stream(self, checked_stream(item), probabilities)

    def __reduce__(self: Any) -> tuple[Callable[[bytes], Tagger], tuple[bytes]]:
        """Pickle and copy as the bytes of the model file, without caches and locks."""
        return model_of_bytes, (model_bytes(self.store()),)

    def with_card(self: Any, card: Card) -> Any:
        """Return the model with another card."""
        return replace(self, card=card)

    def core(self: Tagger) -> Tagger:
        """Return the innermost tagger: the model itself, unless it wraps another."""
        return self

    def held_words(self) -> tuple[str, ...]:
        """Return the words of the training text that its file contains in plain text: none."""
        return ()

    def counted(self) -> dict[str, int]:
        """Return the sizes of its parts by name, e.g. the number of states."""
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
    documents = (as_document(item, f"text-{number}") for number, item in enumerate(items, start=1))
    for batch in group_batches(documents):
        yield from tagger.find(batch, probabilities=probabilities)


def checked_stream(items: Iterable[str | Document]) -> Iterable[str | Document]:
    """Return `items`; raise TypeError unless they are an iterable of texts and documents.

    The items of a list or tuple are checked at once, others when they are read.
    """
    if not isinstance(items, Iterable) or isinstance(items, bytes | bytearray | Mapping):
        kind = type(items).__name__
        raise TypeError(f"expected a text, a Document, or an iterable of them, not {kind}")
    if isinstance(items, list | tuple):
        for item in items:
            _check_item(item)
    return items


def as_document(item: str | Document, id_: str) -> Document:
    """Return a document, or a text as a document with this id; raise TypeError otherwise."""
    _check_item(item)
    return Document(id_, item) if isinstance(item, str) else item


def _check_item(item: object) -> None:
    if not isinstance(item, str | Document):
        raise TypeError(f"expected a text or a Document, not {type(item).__name__}")


def group_batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Split a stream into batches, never between consecutive documents of one group."""
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
        Seed of random starts and folds; part of the key of a private model.
    start
        A model to adapt: training starts from its weights and stays close to them.
    replay
        Texts that a model which is adapted is to tag as before; mentions in them are not read.
    private
        Keep no word of the documents in the model, and no feature of fewer than three documents;
        see ``models/crf/adapting.py`` for what this does and does not protect.
    raw
        Further documents of which only the words are read; annotations in them are ignored. Only
        kinds of models that model words can learn from them.
    """

    seed: int = 0
    start: Tagger | None = None
    private: bool = False
    replay: Sequence[Document] = ()
    raw: Sequence[Document] = ()

    def rng(self) -> np.random.Generator:
        """Return a random generator with this seed."""
        return np.random.default_rng(self.seed)


NO_OPTIONS = FitOptions()


class Step(NamedTuple):
    """One iteration of training. Every kind of model is trained by a generator of steps.

    iteration
        Starts at 1 (the CRF also yields its start, 0); a model estimated by counting has one step.
    objective
        The value that is minimised, e.g. -log p(words, tags) plus penalty.
    model
        Makes the model of this step; called only when needed.
    note
        Text to show with the progress of training.
    is_judged
        Whether to score the step on the dev documents.
    is_part
        Whether the step belongs to a part that is not a model of its own, e.g. the first of two
        passes.
    parameters (optional)
        Number of weights that training optimises, if the model stores another number.
    """

    iteration: int
    objective: float
    model: Callable[[], Tagger]
    note: str = ""
    is_judged: bool = True
    is_part: bool = False
    weights: int | None = None


@dataclass(frozen=True, slots=True)
class CardScore:
    """A score and how it was measured."""

    how: str
    f1: float


@dataclass(frozen=True, slots=True)
class Card:
    """What people should know about a model.

    Attributes
    ----------
    data
        Names of the training files; empty for a private model.
    documents, tokens
        Size of the training corpus.
    raw_tokens
        Size of the raw text that it learnt from as well.
    mentions
        Number of training mentions by label.
    iterations
        Number of training iterations.
    scores
        Scores measured in training.
    licence
        Terms of use.
    version
        Version of lacuna that trained the model.
    adapted_from
        Card of the model that was adapted.
    """

    data: tuple[str, ...] = ()
    documents: int = 0
    tokens: int = 0
    raw_tokens: int = 0
    mentions: Mapping[str, int] = field(default_factory=dict)
    iterations: int = 0
    scores: tuple[CardScore, ...] = ()
    licence: str = ""
    version: str = ""
    adapted_from: Card | None = None

    def lineage(self) -> Iterator[Card]:
        """Yield this card, then those of the models that it was adapted from."""
        card: Card | None = self
        while card is not None:
            yield card
            card = card.adapted_from


NO_CARD = Card()
