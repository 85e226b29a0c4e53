"""Training any kind of model: ``lacuna.train``.

All kinds share one loop. The kind yields steps; the loop scores them on the dev documents, keeps
the best, reports progress and decides when to stop. Rules for categories and alignment are learnt
on top of the best model.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lacuna.encoding.flat import TrainingDocument, label_counts
from lacuna.errors import ConfigError
from lacuna.evaluation.pos_accuracy import score_pos
from lacuna.evaluation.scores import score
from lacuna.models.aligned.training import align
from lacuna.models.base import Card, CardScore, FitOptions, Step, Tagger
from lacuna.models.registry import DEFAULT, Kind, code_at, kind_named, kind_of
from lacuna.models.settings import Settings
from lacuna.models.stored_tags import check_labels
from lacuna.models.trigram_hmm.pos import PosTagger
from lacuna.pipeline.categories import Categories
from lacuna.text.document import Document
from lacuna.types import Task
from lacuna.version import __version__


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
    """

    iteration: int
    iterations: int
    objective: float
    dev_f1: float | None
    seconds: float
    seconds_left: float | None
    note: str = ""


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
    """

    task: Task = Task.NER
    dev: Iterable[Document] | None = None
    align: bool = False
    categories: Categories | None = None
    card: Card = Card()  # noqa: RUF009  (a frozen record)
    on_progress: Callable[[Progress], None] = lambda _: None


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


def train_model(
    corpus: Iterable[Document],
    config: Settings | None = None,
    *,
    task: Task = Task.NER,
    dev: Iterable[Document] | None = None,
    start: Tagger | None = None,
    private: bool = False,
    align: bool = False,
    categories: Categories | None = None,
    seed: int = 0,
    card: Card | None = None,
) -> Tagger:
    """Train a model and return it.

    Parameters
    ----------
    corpus
        Documents with mentions, or with a token column ``pos``.
    config
        Settings; their class determines the kind of model. By default those of a CRF, or of a
        trigram HMM for parts of speech.
    task, dev, start, private, align, categories, seed, card
        See :class:`TrainOptions`.
    """
    options = TrainOptions(
        seed=seed,
        start=start,
        private=private,
        task=task,
        dev=dev,
        align=align,
        categories=categories,
        card=Card() if card is None else card,
    )
    return train(corpus, config, options).model


def train(
    corpus: Iterable[Document],
    config: Settings | None = None,
    options: TrainOptions = TrainOptions(),
) -> Trained:
    """Train a model and return it with a report on its training."""
    began = time.perf_counter()
    task = options.task
    documents = list(corpus)
    options = replace(options, dev=None if options.dev is None else list(options.dev))
    if config is None:
        config = kind_named(DEFAULT[task]).config()
    if not documents:
        raise ConfigError("there are no documents to train on")
    check_labels({mention.label for document in documents for mention in document.mentions})
    if options.align and task is not Task.NER:
        raise ConfigError("only mentions can be aligned, not parts of speech")
    if options.categories is not None and task is not Task.NER:
        raise ConfigError("large categories are for mentions, not for parts of speech")
    trained = _with_categories(documents, config, options)
    if options.align and not trained.interrupted:
        trained = _with_alignment(trained, documents, config, options)
    return replace(trained, seconds=time.perf_counter() - began)


def _with_categories(
    documents: Sequence[Document], config: Settings, options: TrainOptions
) -> Trained:
    """Train one model, on categories with rules if there are any."""
    categories = options.categories
    if categories is None:
        return _fit(documents, config, options)
    dev = None if options.dev is None else categories.raised(options.dev)
    trained = _fit(categories.raised(documents), config, replace(options, dev=dev))
    model = categories.with_rules(trained.model, documents, private=options.private)
    return replace(trained, model=model)


def _with_alignment(
    trained: Trained, documents: Sequence[Document], config: Settings, options: TrainOptions
) -> Trained:
    """Learn alignment on top of a model; if interrupted, return the model without it."""

    def retrain(part: Sequence[Document]) -> Tagger:
        again = _with_categories(part, config, replace(options, dev=None))
        if again.interrupted:
            raise KeyboardInterrupt
        return again.model

    try:
        model = align(trained.model, documents, retrain, options)
    except KeyboardInterrupt:
        return replace(trained, interrupted=True)
    return replace(trained, model=model)


def _fit(documents: Sequence[Document], config: Settings, options: TrainOptions) -> Trained:
    """Run the steps of a kind of model and keep the best."""
    kind = kind_of(config)
    if (options.private or options.start is not None) and not kind.adapt:
        what = "private" if options.private else "adapted"
        raise ConfigError(f"only a CRF can be {what}, not a {kind.name} model")
    if options.start is not None:
        config = code_at(kind.adapt)(config, options.start, private=options.private)
    fit = kind.fitting(options.task)
    examples = [kind.encoded(document, config) for document in documents]
    watch = _Watch(_iterations(config), kind.patience, options)
    try:
        watch.follow(fit(examples, config, options))
    except KeyboardInterrupt:
        if watch.best is None:
            raise
        watch.interrupted = True
    trained = _with_card(watch.result(examples), examples, options)
    del watch  # and with it the arrays of training
    if kind.finish and not trained.interrupted:
        trained = _finished(kind, trained, examples, options)
    return trained


def _iterations(config: Settings) -> int:
    """Return the maximum number of steps; models estimated by counting take one."""
    iterations: int = getattr(config, "iterations", 1)
    return iterations


class _Watch:
    """Keeps the best step, reports progress and decides when to stop."""

    def __init__(self, iterations: int, patience: int, options: TrainOptions) -> None:
        self.iterations, self.patience, self.options = iterations, patience, options
        self.began = time.perf_counter()
        self.first: tuple[int, float] | None = None  # iteration and time of the first step
        self.last: Step | None = None
        self.best: Step | None = None
        self.best_model: Tagger | None = None
        self.best_score: float | None = None
        self.worse = 0  # scores in a row that were no better
        self.interrupted = False

    def follow(self, steps: Iterator[Step]) -> None:
        """Run the steps until they end or no longer improve the model."""
        for step in steps:
            found = None
            if not step.is_part:
                self.last = step
                if self.options.dev is None:
                    self.best = step
                elif step.is_judged:
                    found = self._judged(step)
            self._report(step, found)
            is_last = step.iteration >= self.iterations or self.worse >= self.patience
            if is_last and not step.is_part:
                return

    def _judged(self, step: Step) -> float:
        """Score a step on dev and keep it if it is the best so far."""
        assert self.options.dev is not None
        model = step.model()
        found = judge(model, self.options.dev)
        if self.best_score is None or found > self.best_score:
            self.best, self.best_model, self.best_score = step, model, found
            self.worse = 0
        else:
            self.worse += 1
        return found

    def _report(self, step: Step, found: float | None) -> None:
        now = time.perf_counter()
        if self.first is None or step.iteration <= self.first[0]:
            self.first = step.iteration, now
        seconds, done = now - self.began, step.iteration - self.first[0]
        left = None
        if step.iteration:
            pace = (now - self.first[1]) / done if done else seconds / step.iteration
            left = pace * (self.iterations - step.iteration)
        self.options.on_progress(
            Progress(
                step.iteration, self.iterations, step.objective, found, seconds, left, step.note
            )
        )

    def result(self, examples: Sequence[TrainingDocument]) -> Trained:
        """Return the best model and the report."""
        step = self.best or self.last
        assert step is not None
        model = step.model() if self.best_model is None else self.best_model
        parameters = step.weights
        return Trained(
            model=model,
            seconds=time.perf_counter() - self.began,
            iterations=step.iteration,
            tokens=sum(len(item.tokens) for item in examples),
            sentences=sum(len(item.tokens.sentences) - 1 for item in examples),
            parameters=model.parameters if parameters is None else parameters,
            objective=step.objective,
            dev_f1=self.best_score,
            left_out=sum((item.left_out for item in examples), Counter()),
            interrupted=self.interrupted,
        )


def judge(model: Tagger, dev: Iterable[Document]) -> float:
    """Return the strict F1 of a model on documents, or the accuracy of parts of speech."""
    documents = list(dev)
    pairs = zip(documents, model.find(documents), strict=True)
    if isinstance(model, PosTagger):
        return score_pos(pairs, is_known=model.is_known).accuracy
    return score(pairs).section("strict").micro.f1


def _finished(
    kind: Kind, trained: Trained, examples: Sequence[TrainingDocument], options: TrainOptions
) -> Trained:
    """Add what is learnt on top of the model; if interrupted, return it without."""
    try:
        model = code_at(kind.finish)(trained.model, examples, options)
    except KeyboardInterrupt:
        return replace(trained, interrupted=True)
    if options.dev is None or model is trained.model:
        return replace(trained, model=model)
    return replace(trained, model=model, dev_f1=judge(model, options.dev))


def _with_card(
    trained: Trained, examples: Sequence[TrainingDocument], options: TrainOptions
) -> Trained:
    """Return the model with its card filled in."""
    card, dev = options.card, options.dev
    scores = card.scores
    if dev is not None and trained.dev_f1 is not None:
        measure = "strict" if options.task is Task.NER else "accuracy of parts of speech"
        how = f"{measure}, on {len(list(dev))} dev documents by which the model was chosen"
        scores = (*scores, CardScore(how, trained.dev_f1))
    card = replace(
        card,
        data=() if trained.model.is_private else card.data,
        documents=len(examples),
        tokens=trained.tokens,
        mentions=dict(sorted(label_counts(examples).items())),
        iterations=trained.iterations,
        scores=scores,
        version=__version__,
        adapted_from=None if options.start is None else options.start.card,
    )
    return replace(trained, model=trained.model.with_card(card))
