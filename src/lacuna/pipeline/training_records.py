"""How a model is trained, what is reported meanwhile, and what comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import NamedTuple

from lacuna.encoding.flat import TrainingDocument
from lacuna.models.base import Card, FitOptions, Step, Tagger
from lacuna.models.registry import Kind
from lacuna.pipeline.categories import Categories
from lacuna.text.document import Document
from lacuna.types import Task


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of training.

    Attributes
    ----------
    iteration, iterations
        Current iteration and maximum number of iterations.
    objective
        The value that is minimised.
    dev_f1
        Score on dev; None if it was not measured.
    seconds
        Time since training started.
    seconds_left
        Upper estimate of the remaining time; None before the first step.
    note
        Further information, e.g. how many sub-tags are in use.
    model
        Makes the model of this iteration, to be used while training goes on; call it before
        `on_progress` returns. It lacks what is learnt after the last iteration: re-ranking and
        alignment. None if there is no model yet, e.g. in the first of two passes.
    """

    iteration: int
    iterations: int
    objective: float
    dev_f1: float | None
    seconds: float
    seconds_left: float | None
    note: str = ""
    model: Callable[[], Tagger] | None = None


Report = Callable[[Progress], None]


class Begun(NamedTuple):
    """Training that was prepared: the steps, up to `iterations`, of which none was looked at."""

    kind: Kind
    iterations: int
    examples: Sequence[TrainingDocument]
    steps: Iterator[Step]


@dataclass(frozen=True, slots=True)
class TrainOptions(FitOptions):
    """How a model is trained, besides its settings; see also :class:`FitOptions`.

    Attributes
    ----------
    task
        What to learn: mentions or parts of speech.
    dev
        Held-out documents: training stops when the score on them no longer improves, and the best
        model is kept. Without them it stops when the objective hardly improves.
    align
        Label words that occur several times in a group together. This trains five more models,
        each on four fifths of the groups.
    categories
        Large categories to find in place of labels; rules learnt from the documents then choose
        the labels. `dev` is scored by categories.
    card
        Entries of the model card that training cannot know: names of the data, licence, other
        scores.
    on_progress
        Called after every iteration. ``KeyboardInterrupt`` ends training with the best model so
        far.
    stop
        An event that ends training after the current iteration, with the best model so far;
        another thread or `on_progress` may set it.
    begun
        What :func:`~lacuna.pipeline.training.begin` returned, to go on from there; for one model.
    """

    task: Task = Task.NER
    dev: Iterable[Document] | None = None
    align: bool = False
    categories: Categories | None = None
    card: Card = Card()  # noqa: RUF009  (a frozen record)
    on_progress: Report = lambda _: None
    stop: Event | None = None
    begun: Begun | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` is set."""
        return self.stop is not None and self.stop.is_set()


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained model and a report on its training.

    Attributes
    ----------
    model
        The best model.
    seconds, iterations, objective
        Duration, number of iterations, and the value that was minimised.
    tokens, sentences
        Size of the training corpus.
    parameters (number)
        Weights that were optimised.
    dev_f1
        Score on dev, for parts of speech the accuracy; None if it was not measured.
    left_out
        Number of mentions that the model cannot represent, by reason.
    interrupted
        Whether training was interrupted before its end.
    unreviewed
        What was not learnt from, because nobody has reviewed it; None if all was reviewed.
    blocks
        Number of blocks of sentences that counted as documents, because the corpus has few; or 0.
    chosen
        Which settings the documents chose, and why; empty if none.
    raw_tokens
        Size of the raw text that was learnt from.
    """

    model: Tagger
    seconds: float
    iterations: int
    tokens: int
    sentences: int
    parameters: int
    objective: float
    dev_f1: float | None
    left_out: Counter[str]
    interrupted: bool = False
    unreviewed: Unreviewed | None = None
    blocks: int = 0
    chosen: str = ""
    raw_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Unreviewed:
    """What a corpus has that nobody has reviewed.

    Attributes
    ----------
    tokens
        Tokens outside the reviewed spans.
    mentions
        Mentions that do not lie wholly inside them, or only in such `sentences`: all ignored.
    sentences
        Sentences that are not learnt from: those of which nothing was reviewed, and for models
        that learn from whole sentences only also those that were reviewed in part.
    """

    tokens: int = 0
    mentions: int = 0
    sentences: int = 0

    def __add__(self, other: Unreviewed) -> Unreviewed:
        return Unreviewed(
            self.tokens + other.tokens,
            self.mentions + other.mentions,
            self.sentences + other.sentences,
        )


def without_models(report: Report) -> Report:
    """Return a function that reports progress without models: those of folds are not for use."""
    return lambda progress: report(replace(progress, model=None))
