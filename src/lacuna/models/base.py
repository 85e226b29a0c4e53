"""What every trained tagger can do.

Training as a series of ever better models.

The model card: what a model learnt from, how well it does, under which terms it may be used.

It stands in the header of the model file and is shown by ``lacuna inspect``. It has no date, so
that the same data and seed give the same file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol, overload, runtime_checkable

from lacuna.models.file import StoredModel
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

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels it can find."""

    def find(self, documents: Sequence[Document], *, probabilities: bool = False) -> list[Document]:
        """Return the documents with the mentions found in place of those they had."""

    def identifier_probabilities(self, documents: Sequence[Document]) -> list[FloatArray]:
        """Return for each token of ``tokens_of`` the probability that it is in a mention."""

    def identifier_probability(self, document: Document) -> FloatArray:
        """Return the same for one document."""

    def examine(self, documents: Sequence[Document]) -> list[Examined]:
        """Return both: the mentions found and the probability of every token."""

    def store(self) -> StoredModel:
        """Return everything the model is, for a file."""


class TagsAnything:
    """``tag`` for a text, a document or many, on top of ``find``; probabilities of one document."""

    __slots__ = ()

    task: ClassVar[Task] = Task.NER

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


class Step(NamedTuple):
    """A point on the way of a training.

    iteration
        From 1 on; a model that is estimated by counting has one step.
    objective
        What is minimised, e.g. -log p(words, tags) plus penalty.
    model
        Makes the model of this point; called only when it is wanted.
    note
        What else there is to say about this point, for people.
    """

    iteration: int
    objective: float
    model: Callable[[], Tagger]
    note: str = ""


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
